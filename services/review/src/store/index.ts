import { PAGE_SIZES } from '@countersign/protocol';
import { limits } from './limits.js';
import { OFFER_LASTS } from './signing.js';
import {
  CLOCK,
  ENDED_VOTES,
  INTEGRITY,
  MATERIAL_JOIN,
  NOW,
  REQUEST_COLUMNS,
  REQUEST_INTEGRITY,
  REQUEST_JOINS,
  VOTES_COLUMNS,
  ask,
  askOne,
  jsonOf,
  keyed,
  loadRequest,
  loadValues,
  numbered,
  placed,
  rowOf,
  statement,
  stepStatement,
  votesOf,
} from '@countersign/database';
import type { CallerIdentity, LoadedRow, Pool, RequestRow, VotesRow } from '@countersign/database';
import type { Digest, ExtendedDecisionRequest } from '@countersign/protocol';

export { ATTENTION } from './attention.js';
export { SIGNING } from './signing.js';

export interface ReviewRow extends RequestRow {
  response_schema: string | null;
  /** Highest revision that the caller has frozen, 0 when none. */
  last_revision: number;
  candidate: string | null;
  candidate_digest: Digest;
  candidate_live: boolean | null;
  assignment_id: string | null;
  assignment_reviewer: string | null;
  assignment_expires_at: number | null;
}

export const LOAD_REVIEW = statement(
  'review.load',
  `SELECT ${REQUEST_COLUMNS}, ${INTEGRITY}, m.response_schema,
    coalesce(c.revision, 0) AS last_revision, c.candidate, c.digest AS candidate_digest, c.live AS candidate_live,
    s.id AS assignment_id, s.reviewer AS assignment_reviewer, s.expires_at AS assignment_expires_at
  ${REQUEST_JOINS} ${MATERIAL_JOIN}
  ${keyed('assignment', 's', 'x.request_id = :request_id')}
  LEFT JOIN LATERAL (
    SELECT c.* FROM candidate c WHERE c.tenant = $1 AND c.request_id = :request_id AND c.reviewer = :caller
    ORDER BY c.revision DESC LIMIT 1
  ) c ON true
  WHERE t.tenant = $1`,
  { pointQuery: true },
);

/** The receipt, the new state and the stored answer. */
export const CONFIRM = stepStatement('review.confirm', {
  pointQuery: true,
  moves: ['decision', 'audit', 'grant_state', 'grant_deadline', 'revision'],
  sets: { receipt_id: ':evidence' },
  records: 2,
  answer: true,
  deadlines: true,
});

const FROZEN = [
  `c AS (
    INSERT INTO candidate (tenant, request_id, reviewer, revision, id, digest, candidate, created_at)
    SELECT $1, $3::uuid, :principal, :candidate_revision::integer, :id::uuid, :digest, :candidate, :created_at::timestamptz FROM l
  )`,
];

export const FREEZE = stepStatement('review.propose', {
  pointQuery: true,
  records: 0,
  answer: true,
  with: FROZEN,
});

export const ASSIGN = stepStatement('review.assign', {
  records: 0,
  answer: true,
  with: [
    `s AS (
    INSERT INTO assignment AS a (tenant, request_id, id, reviewer, expires_at)
    SELECT $1, $3::uuid, :id::uuid, :principal, :expires_at::timestamptz FROM l
    ON CONFLICT (tenant, request_id) DO UPDATE
    SET id = EXCLUDED.id, reviewer = EXCLUDED.reviewer, expires_at = EXCLUDED.expires_at
    WHERE a.id = EXCLUDED.id OR a.expires_at <= clock_timestamp()
    RETURNING 1
  )`,
  ],
  // Another reviewer's lease that has not ended stays, and nothing of the step does.
  check: `must((SELECT count(*) FROM s) = count(*), 'review_assigned')`,
});

/** The votes of a request, and one of its candidates, with whether it is its author's newest and has not ended. */
export const LOAD_BALLOT = statement(
  'review.ballot',
  `SELECT ${VOTES_COLUMNS}, c.candidate, c.digest AS candidate_digest,
    coalesce(c.live AND NOT EXISTS (SELECT 1 FROM candidate n WHERE n.tenant = $1 AND n.request_id = :request_id
      AND n.reviewer = c.reviewer AND n.revision > c.revision), false) AS candidate_live
  FROM tenant t ${keyed('candidate', 'c', 'x.request_id = :request_id AND x.id = :candidate_id')}
  WHERE t.tenant = $1`,
  { pointQuery: true },
);

/** `read_version`: that of the request when its votes were read. */
export interface ReadVotes extends VotesRow {
  readonly read_version: number | null;
}

export interface BallotRow extends ReadVotes {
  readonly candidate: string | null;
  readonly candidate_digest: Digest | null;
  readonly candidate_live: boolean;
}

export const LOAD_VOTES = statement(
  'review.votes',
  `SELECT ${VOTES_COLUMNS} FROM tenant t WHERE t.tenant = $1`,
  { pointQuery: true },
);

/** One vote, of a person who has no other one; `:state` with its seat when it decides. `more`: columns with their values. */
const cast = (more: Readonly<Record<string, string>> = {}) => [
  `v AS (
    INSERT INTO approval (tenant, id, request_id, number, candidate_id, candidate_digest, decision, reviewer, person, stage, groups,
      team, mode, state, seat_group, record_id, record_digest, approved_at${Object.keys(more)
        .map((column) => `, ${column}`)
        .join('')})
    SELECT $1, :vote_id::uuid, $3::uuid, :vote_number::integer, :candidate_id::uuid, :candidate_digest, :vote_decision, :principal,
      :person, :stage::smallint, :groups::text[], :team, 'normal', :state, :seat_group, :vote_record::uuid, :vote_digest,
      :approved_at::timestamptz${Object.values(more)
        .map((value) => `, ${value}`)
        .join('')} FROM l
  )`,
  `vp AS (
    INSERT INTO approval_person (tenant, request_id, phase, person, approval_id)
    SELECT $1, $3::uuid, 'decision', :person, :vote_id::uuid FROM l
  )`,
  `ev AS (
    INSERT INTO request_evidence (tenant, request_id, digest, type, record)
    SELECT $1, $3::uuid, :membership_digest, 'MembershipConfigured', :membership FROM l
    ON CONFLICT (tenant, request_id, digest) DO NOTHING
  )`,
];

/** The candidates of a request that can be voted for: each its author's newest, with alias `c`. */
const liveCandidates = (requestId: string) => `(
    SELECT DISTINCT ON (x.reviewer) x.* FROM candidate x WHERE x.tenant = $1 AND x.request_id = ${requestId}
    ORDER BY x.reviewer, x.revision DESC
  ) c WHERE c.live`;

/** The votes of a request, and its live candidates. */
export const LOAD_BOARD = statement(
  'review.board',
  `SELECT ${VOTES_COLUMNS}, (SELECT json_agg(json_build_array(c.digest, c.candidate) ORDER BY c.created_at, c.id)::text
    FROM ${liveCandidates(':request_id')}) AS candidates
  FROM tenant t WHERE t.tenant = $1`,
);

export interface BoardRow extends ReadVotes {
  /** JSON of pairs: digest and text. */
  readonly candidates: string | null;
}

/**
 * The next deadlines of the reviewer's routes with a policy, which are requests that several people decide: a change of the
 * policy ended all others. Of a candidate the decision alone, which its canonical text has near the beginning: the response
 * may be a megabyte. One row without a request where there is none.
 */
export const LOAD_TODO = statement(
  'review.todo',
  `WITH every AS MATERIALIZED (
    SELECT l.* FROM route_reviewer n ${keyed('route_policy', 'o', 'x.route = n.route')}
    CROSS JOIN LATERAL (
      SELECT l.* FROM lifecycle l
      WHERE l.tenant = $1 AND l.route = n.route AND starts_with(l.decision, 'pending') AND l.review_deadline > ${CLOCK}
        AND l.approvals_needed IS NOT NULL
      ORDER BY l.review_deadline, l.request_id LIMIT ${PAGE_SIZES.approvals}
    ) l WHERE n.tenant = $1 AND n.reviewer = :reviewer AND o.policy IS NOT NULL
    ORDER BY l.review_deadline, l.request_id LIMIT ${PAGE_SIZES.approvals}
  )
  SELECT ${NOW} AS now, t.directory_revision, NULL AS replay, row_to_json(l)::text AS lifecycle, r.purpose, r.digest, r.canonical,
    ${REQUEST_INTEGRITY}, ${votesOf('l.request_id')} AS votes, q.number AS vote_number,
    (SELECT json_agg(json_build_array(c.digest, c.reviewer, substring(left(c.candidate, 200) FROM '"decision":"([a-z]+)"')))::text
      FROM ${liveCandidates('l.request_id')}) AS candidates
  FROM tenant t LEFT JOIN every l ON l.tenant = t.tenant
  ${keyed('request', 'r', 'x.id = l.request_id')} ${keyed('quorum_state', 'q', 'x.request_id = l.request_id')}
  WHERE t.tenant = $1 ORDER BY l.review_deadline, l.request_id`,
);

export interface TodoRow extends RequestRow, VotesRow {
  /** JSON of triples: digest, author and decision. */
  readonly candidates: string | null;
}

const MOST_WAITING = 5000;

/** The pending requests that several people decide, of all tenants: as many as have the next deadlines of each route. */
export const LOAD_WAITING = statement(
  'review.waiting',
  `SELECT l.tenant, l.route, t.directory_revision, ${jsonOf('r.canonical')} -> 'approval' AS approval,
    ${votesOf('l.request_id', 'l.tenant')} AS votes, q.number AS vote_number, q.unreachable_at IS NOT NULL AS was_unreachable
  FROM route_policy o JOIN tenant t ON t.tenant = o.tenant
  CROSS JOIN LATERAL (
    SELECT l.tenant, l.route, l.request_id FROM lifecycle l
    WHERE l.tenant = o.tenant AND l.route = o.route AND starts_with(l.decision, 'pending') AND l.review_deadline > ${CLOCK}
      AND l.approvals_needed IS NOT NULL
    ORDER BY l.review_deadline, l.request_id LIMIT ${MOST_WAITING}
  ) l
  CROSS JOIN LATERAL (SELECT x.canonical FROM request x WHERE x.tenant = l.tenant AND x.id = l.request_id LIMIT 1) r
  CROSS JOIN LATERAL (SELECT x.* FROM quorum_state x WHERE x.tenant = l.tenant AND x.request_id = l.request_id LIMIT 1) q
  WHERE o.policy IS NOT NULL LIMIT ${MOST_WAITING}`,
  { about: 'all' },
);

export interface WaitingRow extends VotesRow {
  readonly tenant: string;
  readonly route: string;
  readonly directory_revision: number;
  readonly approval: ExtendedDecisionRequest['approval'];
  /** It was so at some time since it was accepted. */
  readonly was_unreachable: boolean;
}

/** The votes before one that decides which are counted, each in its seat. */
const COUNTED = `vc AS (
    UPDATE approval SET state = 'counted', seat_group = c.seat_group
    FROM l, unnest(:counted_votes::text[], :counted_groups::text[]) AS c (digest, seat_group)
    ${placed('approval', 'k', 'x.request_id = $3::uuid AND x.record_digest = c.digest')}
    WHERE approval.ctid = k.at
  )`;

const VOTING = { pointQuery: true, moves: ['revision'], records: 2, answer: true } as const;
const DECIDING = {
  pointQuery: true,
  moves: CONFIRM.moves,
  sets: { receipt_id: ':evidence' },
  records: 3,
  answer: true,
  deadlines: true,
} as const;
const WITH_RECEIPT = ', receipt_id = :evidence::uuid';

/** A vote that decides nothing yet. */
export const VOTE = stepStatement('review.vote', { ...VOTING, with: [...cast(), numbered()] });

/** A vote that decides: with the receipt, and with the votes before it that are counted. */
export const DECIDE = stepStatement('review.decide', {
  ...DECIDING,
  with: [...cast(), numbered(WITH_RECEIPT), COUNTED],
});

/** Takes the offer of a vote, which is good for one use. */
const OFFER = `used AS (
    DELETE FROM approval_offer USING l WHERE approval_offer.tenant = $1 AND approval_offer.digest = :statement_digest
      AND approval_offer.issued_at >= clock_timestamp() - ${OFFER_LASTS}
    RETURNING 1
  )`;
// The locks of keys and limits are no request's: these travel alone (decisions/0018).
const ALONE = { pointQuery: false };

/** Beside the check, since what a CTE without an effect of its own does is done for its reader alone. */
const check = (holds: string) =>
  `must(${holds} AND (SELECT count(*) FROM limits) = count(*), 'offered')`;
const IS_USED = '(SELECT count(*) FROM used) = count(*)';

/**
 * The same of a vote with an offer, which it takes, as a token of each limit of its giver on the route. Where another vote took
 * the offer, nothing of the step stays, and it is decided again.
 */
const WITH_OFFER = [...cast({ statement_digest: ':statement_digest' }), OFFER, limits('l')];

export const OFFERED = {
  VOTE: stepStatement('review.offered-vote', {
    ...VOTING,
    ...ALONE,
    with: [...WITH_OFFER, numbered()],
    check: check(IS_USED),
  }),
  DECIDE: stepStatement('review.offered-decide', {
    ...DECIDING,
    ...ALONE,
    with: [...WITH_OFFER, numbered(WITH_RECEIPT), COUNTED],
    check: check(IS_USED),
  }),
} as const;

/**
 * The same of a vote that its giver signed too: moves the counter of the key, and keeps the records of the key. Where another
 * vote moved the counter as far, nothing of the step stays either. The key is locked before the limits, in every vote.
 */
const SIGNATURE = [
  ...cast({ statement_digest: ':statement_digest', credential: ':signed_by' }),
  OFFER,
  `kc AS (
    UPDATE credential_bound k SET counter = :counter::bigint FROM l
    WHERE k.tenant = $1 AND k.id = :credential::uuid AND k.state = 'active'
      AND (k.counter < :counter::bigint OR k.counter = 0 AND :counter::bigint = 0)
    RETURNING 1
  )`,
  limits('kc'),
  `ke AS (
    INSERT INTO request_evidence (tenant, request_id, digest, type, record)
    SELECT $1, $3::uuid, e.digest, e.type, e.record
    FROM l, unnest(:key_digests::text[], :key_types::text[], :key_records::text[]) AS e (digest, type, record)
    ON CONFLICT (tenant, request_id, digest) DO NOTHING
  )`,
];
const IS_SIGNED = `${IS_USED} AND (SELECT count(*) FROM kc) = count(*)`;

export const SIGNED = {
  VOTE: stepStatement('review.signed-vote', {
    ...VOTING,
    ...ALONE,
    with: [...SIGNATURE, numbered()],
    check: check(IS_SIGNED),
  }),
  DECIDE: stepStatement('review.signed-decide', {
    ...DECIDING,
    ...ALONE,
    with: [...SIGNATURE, numbered(WITH_RECEIPT), COUNTED],
    check: check(IS_SIGNED),
  }),
} as const;

/** A new candidate where several people decide: it ends the votes for the author's one before. */
export const FREEZE_OVER = stepStatement('review.propose-over', {
  pointQuery: true,
  moves: ['revision'],
  // Endings, as many as the votes need.
  records: 'any',
  answer: true,
  with: [...FROZEN, ...ENDED_VOTES],
});

/** Ends the caller's vote, or takes away what it decided. */
export const WITHDRAW = stepStatement('review.withdraw-approval', {
  pointQuery: true,
  moves: ['decision', 'grant_state', 'revision', 'invalidated'],
  // Endings, as many as the votes need.
  records: 'any',
  answer: true,
  with: ENDED_VOTES,
});

export class ReviewStore {
  constructor(private readonly pool: Pool) {}

  async load(
    caller: CallerIdentity,
    requestId: string,
    operation: string,
    key: string | null,
  ): Promise<ReviewRow | undefined> {
    return loadRequest(this.pool, LOAD_REVIEW, loadValues(caller, requestId, operation, key));
  }

  /** Read behind the request: a vote between the two moves the request's version, and the step begins again. */
  async ballot(tenant: string, requestId: string, candidateId: string): Promise<BallotRow> {
    const values = { tenant, request_id: requestId, candidate_id: candidateId };
    return found(await askOne<BallotRow>(this.pool, LOAD_BALLOT, values));
  }

  async board(tenant: string, requestId: string): Promise<BoardRow> {
    return found(await askOne<BoardRow>(this.pool, LOAD_BOARD, { tenant, request_id: requestId }));
  }

  /** At most 100 requests, and a row without one where there is none. */
  async todo({ tenant, id }: CallerIdentity): Promise<TodoRow[]> {
    const { rows } = await ask<LoadedRow>(this.pool, LOAD_TODO, { tenant, reviewer: id });
    return rows.map((row) => rowOf<TodoRow>(row));
  }

  async waiting(): Promise<WaitingRow[]> {
    const { rows } = await ask<WaitingRow>(this.pool, LOAD_WAITING, {});
    return rows;
  }

  /** As {@link ballot}, without a candidate. */
  async votes(tenant: string, requestId: string): Promise<ReadVotes> {
    const values = { tenant, request_id: requestId };
    return found(await askOne<ReadVotes>(this.pool, LOAD_VOTES, values));
  }
}

function found<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new TypeError('the tenant is gone');
  return row;
}
