import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { connect } from '../load/connection.js';
import type { Target } from '../load/lifecycle.js';
import { requestBodies } from '../load/request-body.js';

const PROPOSAL = JSON.stringify({
  decision: 'authorise',
  response: { reason: 'Tests pass, the migration is harmless, roll-back is known.' },
});

/** A request with a candidate, made as callers make it: the others are copies of it. */
export async function template(target: Target): Promise<string> {
  const connection = connect(target.origin);
  const post = async (path: string, who: Readonly<Record<string, string>>, body: string) => {
    const headers = { ...who, 'idempotency-key': randomUUID() };
    const answer = await connection.send('POST', path, headers, body);
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.status} ${answer.text}`);
    return JSON.parse(answer.text) as { request: { id: string } };
  };
  try {
    const { body } = requestBodies(target.route)(`copied/${randomUUID()}`);
    const { request } = await post('/v2/requests', target.producer, body);
    const [reviewer = {}] = target.reviewers;
    await post(`/v2/requests/${request.id}/candidates`, reviewer, PROPOSAL);
    return request.id;
  } finally {
    connection.close();
  }
}

/** So many copies, each with ids of its own and with the time of its private deletion past; no deadline is due yet. */
export async function fill(database: pg.Client, of: string, count: number): Promise<void> {
  await database.query('BEGIN');
  await database.query(COPIES, [count]);
  for (const statement of FILL) await database.query(statement, [of]);
  await database.query('COMMIT');
  await database.query('ANALYZE');
}

const COPIES = `CREATE TEMPORARY TABLE copies AS SELECT gen_random_uuid() AS id FROM generate_series(1, $1::integer)`;

const FILL = [
  `INSERT INTO request (tenant, id, owner, route, purpose, summary, digest, canonical, occurrence)
   SELECT r.tenant, c.id, r.owner, r.route, r.purpose, r.summary, r.digest, replace(r.canonical, r.id::text, c.id::text),
     r.occurrence || c.id FROM request r, copies c WHERE r.id = $1`,
  `INSERT INTO lifecycle (tenant, request_id, owner, route, decision, audit, grant_state, execution, revision, version,
     accepted_at, review_deadline, private_delete_at, audit_delete_at)
   SELECT l.tenant, c.id, l.owner, l.route, l.decision, l.audit, l.grant_state, l.execution, l.revision, l.version,
     l.accepted_at, l.review_deadline, clock_timestamp(), l.audit_delete_at FROM lifecycle l, copies c WHERE l.request_id = $1`,
  `INSERT INTO material (tenant, request_id, payload, response_schema, review_document, bytes)
   SELECT m.tenant, c.id, m.payload, m.response_schema, m.review_document, m.bytes FROM material m, copies c
   WHERE m.request_id = $1`,
  `INSERT INTO candidate (tenant, request_id, reviewer, revision, id, digest, candidate, created_at)
   SELECT x.tenant, c.id, x.reviewer, x.revision, gen_random_uuid(), x.digest, x.candidate, x.created_at
   FROM candidate x, copies c WHERE x.request_id = $1`,
  `INSERT INTO idempotency (tenant, principal, operation, key, digest, status, result, request_id, created_at)
   SELECT i.tenant, i.principal, replace(i.operation, i.request_id::text, c.id::text), i.key || c.id, i.digest, i.status,
     i.result, c.id, i.created_at FROM idempotency i, copies c WHERE i.request_id = $1`,
  `INSERT INTO deadline (tenant, request_id, kind, due)
   SELECT d.tenant, c.id, d.kind, d.due FROM deadline d, copies c WHERE d.request_id = $1`,
  `UPDATE retained r SET bytes = r.bytes + m.bytes * (SELECT count(*) FROM copies)
   FROM material m, lifecycle l WHERE m.request_id = $1 AND l.request_id = $1 AND r.tenant = m.tenant
     AND r.scope = 'owner' AND r.subject = l.owner
     AND r.slot = (SELECT min(s.slot) FROM retained s WHERE s.tenant = m.tenant AND s.scope = 'owner' AND s.subject = l.owner)`,
];

/** All that are not deleted are due now. */
export async function makeDue(database: pg.Client): Promise<void> {
  await database.query(
    `UPDATE deadline SET due = clock_timestamp() WHERE kind = 'private_deletion' AND done_at IS NULL
       AND request_id IN (SELECT id FROM copies)`,
  );
}

/** Those that are left are due tomorrow. */
export async function postpone(database: pg.Client): Promise<void> {
  await database.query(
    `UPDATE deadline SET due = clock_timestamp() + interval '1 day' WHERE kind = 'private_deletion' AND done_at IS NULL
       AND request_id IN (SELECT id FROM copies)`,
  );
}

export async function pending(database: pg.Client): Promise<number> {
  const { rows } = await database.query<{ pending: number }>(
    `SELECT count(*)::integer AS pending FROM copies c JOIN lifecycle l ON l.request_id = c.id AND NOT l.material_deleted`,
  );
  return (rows[0] as { pending: number }).pending;
}
