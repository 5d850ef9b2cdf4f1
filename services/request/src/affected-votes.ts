import type { Trust, VotedFacts, Voter, VotersNow, Voting } from '@countersign/protocol';
import { knownPerson, votingOf } from '@countersign/database';
import type { VoterRow } from './store/directory-votes.js';
import type { Affected, DirectoryView } from './store/directory.js';

/** A request that several people decide, with its votes, and the people as a change of the directory leaves them. */
export interface AffectedVotes {
  readonly about: VotedFacts;
  readonly voting: Voting;
  readonly directory: VotersNow;
}

/**
 * The votes of those of the affected requests that several people decide, by request.
 *
 * @param removed reviewers whose candidates go
 * @param after a person as the change leaves it, from one before the change or behind it
 */
export async function affectedVotes(
  view: DirectoryView,
  affected: readonly Affected[],
  removed: readonly string[],
  after: (person: VoterRow) => VoterRow,
  trust: Trust,
): Promise<ReadonlyMap<string, AffectedVotes>> {
  const routes = new Map(
    affected.flatMap((each) => (each.isVotedOn ? [[each.id, each.route]] : [])),
  );
  if (routes.size === 0) return new Map();
  const found = (await view.votesOf([...routes.keys()], removed)).map((row) => ({
    row,
    voting: votingOf(row.approval.policy.quorum, row),
  }));
  const givers = found.flatMap(({ voting }) => voting.tally.live.map(({ reviewer }) => reviewer));
  const names = [...new Set(routes.values())];
  const people = (await view.voters(names, givers)).map(after);
  const known = people.map((row) => ({ row, member: memberOf(row, view.tenant, trust) }));
  const voters = new Map(
    names.map((route) => [
      route,
      new Map(
        known.map(({ row, member }): [string, Voter] => [
          row.id,
          {
            reviewer: row.id,
            isReviewer: row.enabled && row.routes.includes(route),
            isCertain: row.isCertain,
            member,
          },
        ]),
      ),
    ]),
  );
  return new Map(
    found.map(({ row: { id, digest, approval, gone, wasUnreachable }, voting }) => [
      id,
      {
        about: { id, digest, request: { approval } },
        voting,
        directory: {
          voters: voters.get(routes.get(id) as string) ?? new Map(),
          gone: new Set(gone),
          wasUnreachable,
        },
      },
    ]),
  );
}

/** Null where the signed text of the membership does not verify. */
function memberOf(row: VoterRow, tenant: string, trust: Trust): Voter['member'] {
  const known = knownPerson(row, tenant, trust);
  if (known === null) return null;
  const { groups, team } = known.membership ?? { groups: [], team: null };
  return { person: known.person, groups, team };
}
