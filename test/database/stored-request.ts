import { randomUUID } from 'node:crypto';
import type pg from 'pg';

/** A request whose deadlines have passed, with a row of everything that a hold keeps. */
export async function storedRequest(
  owner: pg.Pool,
  tenant: string,
): Promise<{ id: string; bundle: string }> {
  const [id, bundle, record] = [randomUUID(), randomUUID(), randomUUID()];
  const write = (text: string, ...values: unknown[]) => owner.query(text, values);
  await write(
    `INSERT INTO bundle VALUES ('${tenant}', $1, 'publisher', 'd', '{}', '<p>', 3, now())`,
    bundle,
  );
  await write(
    `INSERT INTO request (tenant, id, owner, route, purpose, summary, digest, canonical, bundle_id)
     VALUES ('${tenant}', $1, 'owner', 'route', 'review', 's', 'd', '{}', $2)`,
    ...[id, bundle],
  );
  await write(
    `INSERT INTO lifecycle (tenant, request_id, owner, route, decision, audit, grant_state, execution, revision, version,
       accepted_at, review_deadline, private_delete_at, audit_delete_at)
     SELECT '${tenant}', $1, 'owner', 'route', 'pending', 'unanchored', 'not_applicable', 'not_applicable', 1, 1, t, t, t, t
     FROM now() AS t`,
    id,
  );
  await write(`INSERT INTO material VALUES ('${tenant}', $1, '{}', '{}', 'text', 8)`, id);
  await write(
    `INSERT INTO candidate VALUES ('${tenant}', $1, 'r', 1, gen_random_uuid(), 'd', '{}', true, now())`,
    id,
  );
  await write(
    `INSERT INTO record VALUES ('${tenant}', $2::uuid, $1, 'RequestChangedEvent', $2::uuid::text, now(), '{}')`,
    ...[id, record],
  );
  await write(
    `INSERT INTO ledger_entry (tenant, sequence, type, record_id, request_id, previous_head, record_digest, head, created_at)
     SELECT '${tenant}', coalesce(max(sequence), 0) + 1, 'RequestChangedEvent', $2::uuid, $1, '', $2::uuid::text, $2::uuid::text, now() FROM ledger_entry`,
    ...[id, record],
  );
  await write(
    `INSERT INTO approval (tenant, id, request_id, number, candidate_id, candidate_digest, decision, reviewer, person, stage,
       groups, mode, state, record_id, record_digest, approved_at)
     SELECT '${tenant}', gen_random_uuid(), $1, 1, gen_random_uuid(), 'd', 'approve', 'r', 'p', 1, '{g}', 'normal', 'counted',
       gen_random_uuid(), 'd', now()`,
    id,
  );
  await write(
    `INSERT INTO request_evidence VALUES ('${tenant}', $1, 'd', 'MembershipConfigured', '{}')`,
    id,
  );
  return { id, bundle };
}
