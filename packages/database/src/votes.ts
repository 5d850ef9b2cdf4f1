import { isNo, personsOf, tallyOf } from '@countersign/protocol';
import type {
  Decision,
  Digest,
  Draft,
  KeptVote,
  QuorumPolicy,
  Voting,
} from '@countersign/protocol';
import { placed } from './request-row.js';
import type { Values } from './statement.js';

// The votes of a request that several people decide (protocol §18.4), as its services read and end them.

/** SQL of the votes of a request, in their order, as JSON text. */
export function votesOf(requestId: string, tenant = '$1'): string {
  return `(SELECT json_agg(row_to_json(v) ORDER BY v.number)::text FROM (
    SELECT a.id, a.number, a.ended_number, a.ended_reason, a.candidate_id, a.candidate_digest, a.decision, a.reviewer, a.person,
      a.for_person, a.stage, a.groups, a.team, a.state, a.seat_group, a.record_digest,
      floor(extract(epoch FROM a.approved_at) * 1000)::float8 AS approved_at
    FROM approval a WHERE a.tenant = ${tenant} AND a.request_id = ${requestId}
  ) v)`;
}

/** The votes of the request `:request_id`, as one column `votes`, the last number that was given, and the request's version. */
export const VOTES_COLUMNS = `${votesOf(':request_id')} AS votes,
  (SELECT q.number FROM quorum_state q WHERE q.tenant = $1 AND q.request_id = :request_id) AS vote_number,
  (SELECT l.version FROM lifecycle l WHERE l.tenant = $1 AND l.request_id = :request_id) AS read_version`;

export interface VotesRow {
  readonly votes: string | null;
  readonly vote_number: number | null;
}

/** A row of the table `approval`. */
interface ApprovalRow {
  readonly id: string;
  readonly number: number;
  readonly ended_number: number | null;
  readonly ended_reason: string | null;
  readonly candidate_id: string;
  readonly candidate_digest: Digest;
  readonly decision: Decision;
  readonly reviewer: string;
  readonly person: Digest;
  readonly for_person: Digest | null;
  readonly stage: number;
  readonly groups: readonly string[];
  readonly team: string | null;
  readonly state: 'live' | 'counted' | 'ended';
  readonly seat_group: string | null;
  readonly record_digest: Digest;
  readonly approved_at: number;
}

/** A vote with what its row says beside it. */
export interface StoredVote extends KeptVote {
  readonly row: ApprovalRow;
}

export function storedVotes({ votes }: Pick<VotesRow, 'votes'>): StoredVote[] {
  return (JSON.parse(votes ?? '[]') as ApprovalRow[]).map((row) => ({
    row,
    number: row.number,
    endedNumber: row.ended_number,
    vote: {
      id: row.record_digest,
      reviewer: row.reviewer,
      person: row.person,
      forPerson: row.for_person,
      team: row.team,
      groups: row.groups,
      candidate: row.candidate_digest,
      yes: !isNo(row.decision),
      stage: row.stage,
    },
  }));
}

/** The votes counted again. A request without a row of its own for them has lost it: throws a TypeError. */
export function votingOf(quorum: QuorumPolicy, row: VotesRow): Voting {
  if (row.vote_number === null) throw new TypeError('the request has no place for votes');
  return { tally: tallyOf(quorum, storedVotes(row)), number: row.vote_number };
}

/** CTE of a step that gives the request `$3` the last number of its votes and endings, and sets `also` beside it. */
export const numbered = (also = ''): string => `q AS (
  UPDATE quorum_state SET number = :vote_number::integer${also} FROM l
  WHERE quorum_state.tenant = $1 AND quorum_state.request_id = $3::uuid
)`;

/** CTEs of a step that ends votes of the request `$3`. */
export const ENDED_VOTES = [
  numbered(),
  `ve AS (
  UPDATE approval SET state = 'ended', ended_at = :ended_at::timestamptz, ended_number = e.number, ended_reason = e.reason
  FROM l, unnest(:ended_votes::text[], :ended_numbers::integer[], :ended_reasons::text[]) AS e (digest, number, reason)
  ${placed('approval', 'k', 'x.request_id = $3::uuid AND x.record_digest = e.digest')}
  WHERE approval.ctid = k.at
)`,
  `vp AS (
  DELETE FROM approval_person USING l
  WHERE approval_person.tenant = $1 AND approval_person.request_id = $3::uuid AND approval_person.phase = 'decision'
    AND approval_person.person = ANY (:ended_persons::text[])
)`,
];

/** One vote that a step ends. */
export interface EndedVote {
  readonly digest: string;
  readonly number: number;
  readonly reason: string;
  readonly persons: readonly string[];
}

/** The votes that the drafts of a step end, of those that are live. */
export function endedIn(drafts: readonly Draft[], { tally }: Pick<Voting, 'tally'>): EndedVote[] {
  return drafts.flatMap((draft) => {
    if (draft.type !== 'ApprovalEnded') return [];
    const { approvals, number, reason } = draft.payload;
    return approvals.map((digest) => {
      const vote = tally.live.find(({ id }) => id === digest);
      return { digest, number, reason, persons: vote === undefined ? [] : personsOf(vote) };
    });
  });
}

/** The last number of a request whose number was `before`. */
export function lastNumber(ended: readonly EndedVote[], before: number): number {
  return Math.max(before, ...ended.map(({ number }) => number));
}

/** The values of {@link ENDED_VOTES}; `at` in epoch milliseconds. */
export function endedValues(ended: readonly EndedVote[], { number }: Voting, at: number): Values {
  return {
    vote_number: lastNumber(ended, number),
    ended_at: new Date(at),
    ended_votes: ended.map(({ digest }) => digest),
    ended_numbers: ended.map((each) => each.number),
    ended_reasons: ended.map(({ reason }) => reason),
    ended_persons: ended.flatMap(({ persons }) => persons),
  };
}

/** Votes of one request that a batch ends, with the last number that it has given then. */
export interface EndedOfRequest {
  readonly id: string;
  readonly number: number;
  readonly ended: readonly EndedVote[];
}

/** CTEs of a batch that ends votes of requests, as {@link ENDED_VOTES}; `set` is SQL beside the number of the request `v.id`. */
export const endedOfRequests = (set: string): string[] => [
  `q AS (
  UPDATE quorum_state SET number = v.number, ${set}
  FROM unnest(:voted::uuid[], :vote_numbers::integer[]) AS v (id, number)
  ${placed('quorum_state', 'k', 'x.request_id = v.id')}
  WHERE quorum_state.ctid = k.at
)`,
  `ve AS (
  UPDATE approval SET state = 'ended', ended_at = :ended_at::timestamptz, ended_number = e.number, ended_reason = e.reason
  FROM unnest(:ended_of::uuid[], :ended_votes::text[], :ended_numbers::integer[], :ended_reasons::text[])
    AS e (request_id, digest, number, reason)
  ${placed('approval', 'k', 'x.request_id = e.request_id AND x.record_digest = e.digest')}
  WHERE approval.ctid = k.at
)`,
  `vp AS (
  DELETE FROM approval_person USING unnest(:freed_of::uuid[], :freed_persons::text[]) AS f (request_id, person)
  ${placed('approval_person', 'k', `x.request_id = f.request_id AND x.phase = 'decision' AND x.person = f.person`)}
  WHERE approval_person.ctid = k.at
)`,
];

/** The values of {@link endedOfRequests}; `at` in epoch milliseconds. */
export function endedOfRequestsValues(requests: readonly EndedOfRequest[], at: number): Values {
  const ended = requests.flatMap(({ id, ended: all }) => all.map((each) => ({ ...each, id })));
  const freed = ended.flatMap(({ id, persons }) => persons.map((person) => ({ id, person })));
  return {
    voted: requests.map(({ id }) => id),
    vote_numbers: requests.map(({ number }) => number),
    ended_at: new Date(at),
    ended_of: ended.map(({ id }) => id),
    ended_votes: ended.map(({ digest }) => digest),
    ended_numbers: ended.map(({ number }) => number),
    ended_reasons: ended.map(({ reason }) => reason),
    freed_of: freed.map(({ id }) => id),
    freed_persons: freed.map(({ person }) => person),
  };
}
