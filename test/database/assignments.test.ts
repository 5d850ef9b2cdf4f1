import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { StaleRead, commit } from '@countersign/database';
import type { ReadRequest, Saving } from '@countersign/database';
import { unchanged } from '@countersign/protocol';
import type { Lifecycle } from '@countersign/protocol';
import { reviewStatements } from '@countersign/review';
import { insertTenant, startTestServer } from './server.js';
import type { TestServer } from './server.js';

let server: TestServer;
let owner: pg.Pool;
let saving: Saving;

beforeAll(async () => {
  server = await startTestServer();
  const url = await server.migratedDatabase();
  owner = server.pool(url);
  const pool = server.pool(url, 'review');
  saving = { pool, notary: { sign: async () => [] }, chained: () => {} };
});
afterAll(() => server.stop());

async function pendingReview() {
  const tenant = await insertTenant(owner);
  const id = randomUUID();
  await owner.query(
    `INSERT INTO lifecycle (tenant, request_id, owner, route, decision, audit, grant_state, execution, revision, version,
      accepted_at, review_deadline, private_delete_at, audit_delete_at)
    SELECT $1, $2, 'o', 'r', 'pending', 'unanchored', 'not_applicable', 'not_applicable', 1, 1, n, n, n, n
    FROM clock_timestamp() n`,
    [tenant, id],
  );
  const { rows } = await owner.query<{ directory_revision: number }>(
    'SELECT directory_revision FROM tenant WHERE tenant = $1',
    [tenant],
  );
  return {
    ...{ tenant, id, owner: 'o', version: 1 },
    request: { purpose: 'review', profiles: {} },
    row: { now: 0, directory_revision: rows[0]?.directory_revision ?? 0 },
  } as const;
}

function assign(review: ReadRequest, reviewer: string) {
  const call = {
    ...{ caller: { id: reviewer }, scope: `review.assign:${review.id}`, key: 'key', body: '' },
  };
  return commit(saving, reviewStatements.ASSIGN, review, unchanged({} as Lifecycle), {
    answer: { call, status: 200, result: '{}' },
    own: { id: randomUUID(), expires_at: new Date(Date.now() + 60_000).toISOString() },
  });
}

it('keeps no answer of a lease that another reviewer was faster with', async () => {
  const review = await pendingReview();
  await assign(review, 'anna');
  await expect(assign(review, 'bert')).rejects.toThrow(StaleRead);
  const { rows } = await owner.query(
    `SELECT a.reviewer, array_agg(i.principal) AS answered FROM assignment a JOIN idempotency i USING (tenant, request_id)
     WHERE a.tenant = $1 AND a.request_id = $2 GROUP BY a.reviewer`,
    [review.tenant, review.id],
  );
  expect(rows).toEqual([{ reviewer: 'anna', answered: ['anna'] }]);
});
