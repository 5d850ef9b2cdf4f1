import {
  IDENTITY_COLUMNS,
  IDENTITY_JOINS,
  batchStatement,
  endedOfRequests,
  jsonOf,
  keyed,
  openIncident,
  statements,
  votesOf,
} from '@countersign/database';
import type { EndedOfRequest, IdentityRow, MovedRequest, VotesRow } from '@countersign/database';
import type { Digest, ExtendedDecisionRequest } from '@countersign/protocol';

// The votes that a change of the directory may end, and the people who give them (protocol §18.7).

// Authority ends with the longest private retention that a route may set (9 days and an hour, protocol §9.1), so older
// requests have none left to lose and the scan stays short.
export const RECENT = `> (SELECT clock_timestamp() - interval '10 days')`;

export const DIRECTORY_VOTES = statements('request', {
  // Behind the lock of their requests. Steps that move votes hold the tenant, which a change holds alone.
  affectedVotes: `SELECT k.id, ${votesOf('k.id')} AS votes, q.number AS vote_number,
    q.unreachable_at IS NOT NULL AS "wasUnreachable", r.digest, ${jsonOf('r.canonical')} -> 'approval' AS approval,
    ARRAY(SELECT c.digest FROM candidate c WHERE c.tenant = $1 AND c.request_id = k.id
      AND (NOT c.live OR c.reviewer = ANY (:removed::text[]))) AS gone
  FROM unnest(:ids::uuid[]) AS k (id) ${keyed('quorum_state', 'q', 'x.request_id = k.id')} ${keyed('request', 'r', 'x.id = k.id')}`,
  votesByCredential: `SELECT record_digest AS digest FROM approval
  WHERE tenant = $1 AND credential = :credential AND credential IS NOT NULL AND approved_at ${RECENT} AND state <> 'ended'`,
  voters: `SELECT ${IDENTITY_COLUMNS}, p.enabled, p.config -> 'identity_certain' IS DISTINCT FROM 'false'::jsonb AS "isCertain",
    ARRAY(SELECT v.route FROM route_reviewer v WHERE v.tenant = $1 AND v.reviewer = p.id AND v.route = ANY (:routes::text[])) AS routes
  FROM (SELECT v.reviewer AS id FROM route_reviewer v WHERE v.tenant = $1 AND v.route = ANY (:routes::text[])
    UNION SELECT * FROM unnest(:givers::text[])) AS k
  JOIN principal p ON p.tenant = $1 AND p.id = k.id AND p.kind = 'human' ${IDENTITY_JOINS}`,
});

/** A row of `affectedVotes`. */
export interface AffectedVotesRow extends VotesRow {
  readonly id: string;
  readonly wasUnreachable: boolean;
  readonly digest: Digest;
  readonly approval: ExtendedDecisionRequest['approval'];
  readonly gone: readonly string[];
}

/** A row of `voters`: a person with the routes that it reviews, of those that were asked for. */
export interface VoterRow extends IdentityRow {
  readonly id: string;
  readonly enabled: boolean;
  readonly isCertain: boolean;
  readonly routes: readonly string[];
}

/** Ends votes of pending requests, each request from the version that was read. */
export const CHANGE_VOTES = batchStatement('request.change-votes', {
  moves: ['revision'],
  whole: true,
  with: [
    ...endedOfRequests(
      `unreachable_at = CASE WHEN v.id = ANY (:unreachable::uuid[]) THEN :ended_at::timestamptz ELSE unreachable_at END`,
    ),
    `i AS (${openIncident({
      code: "'quorum_unreachable'",
      request: 'x.id',
      from: 'unnest(:unreachable::uuid[]) AS x (id)',
    })})`,
  ],
});

/** A request whose votes change, with its step. */
export interface ChangedVotes extends MovedRequest, EndedOfRequest {
  readonly becomesUnreachable: boolean;
}
