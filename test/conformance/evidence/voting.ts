import {
  EXAMPLES,
  EXTENSION_PROFILES,
  NO_VOTES,
  cast,
  countedIn,
  end,
  isNo,
  openStage,
  seatsOf,
  textDigest,
  valueDigest,
  voteOf,
} from '@countersign/protocol';
import type {
  ApprovalEnded,
  ApprovalRecord,
  DecisionCandidate,
  ExtendedDecisionRequest,
  MembershipConfigured,
  PayloadOf,
  Quorum,
  QuorumPolicy,
  RecordType,
  Signed,
  SignedRecord,
  Tally,
} from '@countersign/protocol';
import { clock, iso, uuid } from './ledger.js';
import { newKeyring } from './keyring.js';
import type { HumanSignature, Keys, Signing } from './keyring.js';
import { propose } from './request.js';
import type { Asked } from './request.js';

type Changed<Of> = (usual: Of) => Of;

/** A vote of a person, or the ending of earlier ones, named by their places among the steps. */
export type Step =
  | {
      readonly by: string;
      /** Another answer than the one that the scenario decides: a refusal in other words. */
      readonly other?: boolean;
      /** Wrongly: whose membership the vote names. */
      readonly membershipOf?: string;
      readonly changed?: Changed<ApprovalRecord>;
      /** Wrongly: the signature of its giver's own key. */
      readonly human?: (signing: Signing) => HumanSignature | null;
      /** Time of day. */
      readonly at?: string;
    }
  | {
      readonly end: readonly number[];
      /** Wrongly: votes for a later stage stay. */
      readonly keepsLater?: boolean;
    };

export interface Member {
  readonly groups: readonly string[];
  readonly team?: string;
  /** Whom the principal belongs to; by default another person each. */
  readonly person?: string;
  readonly changed?: Changed<MembershipConfigured>;
}

/** The people of a request, and their votes in order. The decision comes with the vote that the tally says, or after the last. */
export interface Votes {
  readonly members: Readonly<Record<string, Member>>;
  readonly steps: readonly Step[];
  /** The people sign with keys of their own. */
  readonly keys?: Keys;
  /** Wrongly decided: the votes that the receipt names, by their places among the steps, with stage and group. */
  readonly decided?: {
    readonly outcome: Quorum['outcome'];
    readonly counted: readonly (readonly [step: number, stage: number, group: string | null])[];
  };
  /** Wrongly: the policy that the votes name. */
  readonly policyDigest?: `sha256:${string}`;
  /** Wrongly: whose membership was replaced before the votes, which name the old one. */
  readonly staleMembership?: string;
  /** Wrongly: the votes decide, and nothing is decided. */
  readonly undecided?: boolean;
}

export interface Decided {
  readonly candidate: DecisionCandidate;
  readonly at?: number;
  readonly reviewer?: string;
  readonly quorum?: Quorum;
}

interface Making {
  made<Type extends RecordType>(type: Type, at: number, usual: PayloadOf<Type>): Signed;
  keep(name: string, record: Signed, inRecords: boolean): unknown;
  event(reason: string, at: number, changes: object): void;
}

export function personOf(name: string): `sha256:${string}` {
  return textDigest(`person ${name}`);
}

/** Members of a request that several people decide. */
export function askedOfSeveral(
  quorum: Partial<QuorumPolicy> = {},
  excluded: readonly string[] = ['owner-1'],
): Partial<ExtendedDecisionRequest> {
  const policy = { quorum: { ...EXAMPLES.RoutePolicy.quorum, ...quorum } };
  return {
    profiles: {
      'proto.execution': '1-draft.1',
      'proto.agent-ui': '2',
      ...EXTENSION_PROFILES,
    },
    approval: {
      policy,
      policy_digest: valueDigest(policy),
      excluded: excluded.map(personOf).sort(),
    },
  };
}

/** The votes of a scenario, as the service would sign them. */
export function newVoting(votes: Votes, asked: Asked, { made, keep, event }: Making) {
  const { approval, purpose } = asked.request as ExtendedDecisionRequest;
  const { quorum } = approval.policy;
  const memberships = new Map(
    Object.entries(votes.members).map(([name, member]) => [name, membershipOf(name, member)]),
  );
  const cited = new Set<string>();
  const names = Object.keys(votes.members);
  const keyring =
    votes.keys === undefined
      ? null
      : newKeyring(names, votes.keys, asked, {
          made,
          personOf: (name) => personOf(votes.members[name]?.person ?? name),
        });
  const records: Signed[] = [];

  function replacing(): Signed[] {
    const name = votes.staleMembership;
    const member = name === undefined ? undefined : votes.members[name];
    if (name === undefined || member === undefined) return [];
    const changed = (usual: MembershipConfigured) => ({ ...usual, revision: 3 });
    return [membershipOf(name, { ...member, changed })];
  }

  function membershipOf(name: string, { groups, team, person, changed }: Member): Signed {
    const usual: MembershipConfigured = {
      principal: name,
      person: personOf(person ?? name),
      groups: [...groups],
      team: team ?? null,
      same_person_as: null,
      revision: 2,
      configured_by: ['op-1', 'op-2'],
      configured_at: '2026-05-01T08:00:00.000Z',
    };
    const payload = changed?.(usual) ?? usual;
    return made('MembershipConfigured', Date.parse(payload.configured_at), payload);
  }

  function recordOf(
    { by, changed, human, membershipOf: other }: Extract<Step, { by: string }>,
    candidate: DecisionCandidate,
    number: number,
    tally: Tally,
    at: number,
  ): ApprovalRecord {
    const membership = memberships.get(by) as Signed;
    const { person, groups, team } = membership.record.payload as unknown as MembershipConfigured;
    const digest = valueDigest(candidate);
    const stage = isNo(candidate.decision) ? 0 : openStage(tally, digest);
    const seats = (stage === 0 ? quorum.stages : quorum.stages.slice(stage - 1, stage)).flatMap(
      seatsOf,
    );
    const usual: ApprovalRecord = {
      ...EXAMPLES.ApprovalRecord,
      id: uuid(600 + number),
      number,
      request_id: asked.request.id,
      request_digest: asked.digest,
      purpose,
      policy_digest: votes.policyDigest ?? approval.policy_digest,
      candidate_id: candidate.id,
      candidate_digest: digest,
      response_digest: candidate.response_digest,
      decision: candidate.decision,
      reviewer: by,
      person,
      stage,
      groups: groups.filter((group) => seats.includes(group)).sort(),
      team,
      membership: (memberships.get(other ?? by) as Signed).digest,
      approved_at: iso(at),
    };
    const vote = changed?.(usual) ?? usual;
    return keyring === null ? vote : { ...vote, human: keyring.signed(vote, by, human) };
  }

  function decide(candidate: DecisionCandidate): Decided {
    const other = propose(asked, candidate.decision, {
      ...candidate,
      id: uuid(650),
      revision: 2,
      reviewer: 'rev-3',
    });
    let tally = NO_VOTES;
    let number = 0;
    let last: Decided = { candidate };
    for (const [at, step] of votes.steps.entries()) {
      const time = 'by' in step && step.at ? clock(step.at) : clock('09:01:00.000') + at * 10_000;
      number += 1;
      if ('by' in step) {
        const about = step.other ? other : candidate;
        const record = recordOf(step, about, number, tally, time);
        cited.add(step.membershipOf ?? step.by);
        const vote = made('ApprovalRecord', Date.parse(record.approved_at), record);
        keep('vote', vote, true);
        records[at] = vote;
        if (tally.phase === 'collecting') tally = cast(quorum, tally, voteOf(record, vote.digest));
        last = { candidate: about, reviewer: step.by, at: Date.parse(record.approved_at) };
        const isLast = at === votes.steps.length - 1;
        if (!isLast) event('approval', time, {});
        continue;
      }
      const ids = step.end.map((each) => (records[each] as Signed).digest);
      const ending = (of: readonly string[], reason: ApprovalEnded['reason']) => {
        const usual: ApprovalEnded = {
          number,
          request_id: asked.request.id,
          request_digest: asked.digest,
          approvals: of as ApprovalEnded['approvals'],
          reason,
          recorded_by: { kind: 'human', subject: 'plat-1' },
          ended_at: iso(time),
        };
        keep('ending', made('ApprovalEnded', time, usual), true);
      };
      ending(ids, 'withdrawn');
      const ended = end(quorum, tally, new Set(ids));
      tally = ended.tally;
      if (ended.reopened.length > 0 && step.keepsLater !== true) {
        number += 1;
        ending(
          ended.reopened.map(({ id }) => id),
          'earlier_stage_reopened',
        );
      }
      event('approval_ended', time, {});
    }
    return { ...last, quorum: quorumOf(tally) };
  }

  function quorumOf(tally: Tally): Quorum {
    const { policy_digest } = approval;
    const mode = 'normal';
    if (votes.decided === undefined) {
      if (tally.phase === 'collecting') throw new TypeError('the votes do not decide');
      return { policy_digest, outcome: tally.phase, mode, approvals: countedIn(tally) };
    }
    const approvals = votes.decided.counted.map(([at, stage, group]) => {
      const { digest, record } = records[at] as Signed;
      const { reviewer, person } = record.payload as unknown as ApprovalRecord;
      return { record: digest, reviewer, person, stage, group };
    });
    return { policy_digest, outcome: votes.decided.outcome, mode, approvals };
  }

  return {
    directory: [...memberships.values(), ...replacing(), ...(keyring?.records ?? [])],
    /** Frozen before the first vote. */
    candidate: { created_at: '2026-05-01T09:00:30.000Z' },
    decide,
    evidence: (): SignedRecord[] => [
      ...[...cited].map((name) => (memberships.get(name) as Signed).record),
      ...(keyring?.evidence([...cited]) ?? []),
    ],
  };
}
