import type pg from 'pg';
import { LOCAL_OPERATOR, proposalEnds } from '@countersign/protocol';
import type { Digest } from '@countersign/protocol';
import { commandRefusal } from './bootstrap.js';

// Changes that wait for a second operator, as the database's owner sees them: where a tenant has one operator, the
// command is the second (protocol §18.2).

/** `at` and `until` in epoch milliseconds. */
export interface ProposedChange {
  readonly kind: 'policy' | 'membership';
  /** Of the route or principal. */
  readonly id: string;
  readonly digest: Digest;
  /** Principal id of the operator who proposed it; `proto.local` once it is confirmed here. */
  readonly by: string;
  readonly until: number;
  /** The policy or the membership that it would bring; null removes a policy. */
  readonly body: unknown;
}

const COLUMNS =
  'kind, id, digest, by_principal AS by, floor(extract(epoch FROM at) * 1000)::float8 AS at, body';
const STANDING = `tenant = $1 AND at > clock_timestamp() - interval '1 day'`;

/** The changes of a tenant that have not ended. */
export async function listProposals(pool: pg.Pool, tenant: string): Promise<ProposedChange[]> {
  const { rows } = await pool.query<ProposedChange & { at: number }>(
    `SELECT ${COLUMNS} FROM proposed_change WHERE ${STANDING} ORDER BY kind, id`,
    [tenant],
  );
  return rows.map(proposed);
}

/**
 * Makes the local command the first of the two operators of a change: its operator carries it out with the same call. In the
 * security log with it. Two changes may have one digest, such as the removals of two policies: place and digest name one.
 * Throws `unknown_proposal`.
 */
export async function confirmProposal(
  pool: pg.Pool,
  tenant: string,
  { kind, id, digest }: Pick<ProposedChange, 'kind' | 'id'> & { readonly digest: string },
): Promise<ProposedChange> {
  const { rows } = await pool.query<ProposedChange & { at: number }>(
    `WITH c AS (
       UPDATE proposed_change SET by_principal = $3, by_person = $3 WHERE ${STANDING} AND digest = $2 AND kind = $4 AND id = $5
       RETURNING tenant, ${COLUMNS}
     ), noted AS (
       INSERT INTO security_event (tenant, kind, actor, actor_kind, subject, detail)
       SELECT tenant, 'change.confirmed', session_user, 'command', id, jsonb_build_object('kind', kind, 'digest', digest) FROM c
     ) SELECT * FROM c`,
    [tenant, digest, LOCAL_OPERATOR, kind, id],
  );
  const [confirmed] = rows;
  if (confirmed !== undefined) return proposed(confirmed);
  throw commandRefusal(
    'unknown_proposal',
    `No change of that digest waits for the ${kind} of ${id} in the tenant ${tenant}. Without --confirm, this command lists those that wait.`,
  );
}

function proposed({ kind, id, digest, by, at, body }: ProposedChange & { at: number }) {
  return { kind, id, digest, by, until: proposalEnds({ at }), body };
}
