import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Step } from '@countersign/database';
import { StaleRead } from '@countersign/database';
import { ReviewStore } from '@countersign/review';
import { insertTenant, startTestServer } from './server.js';
import type { TestServer } from './server.js';

let server: TestServer;
let owner: pg.Pool;
let store: ReviewStore;

beforeAll(async () => {
  server = await startTestServer();
  const url = await server.migratedDatabase();
  owner = server.pool(url);
  store = new ReviewStore(server.pool(url, 'review'));
}, 30_000);
afterAll(() => server.stop());

async function pendingReview(): Promise<(reviewer: string) => Step> {
  const tenant = await insertTenant(owner);
  const requestId = randomUUID();
  await owner.query(
    `INSERT INTO lifecycle (tenant, request_id, owner, route, decision, audit, grant_state, execution, revision, version,
      accepted_at, review_deadline, private_delete_at, audit_delete_at)
    SELECT $1, $2, 'o', 'r', 'pending', 'unanchored', 'not_applicable', 'not_applicable', 1, 1, n, n, n, n
    FROM clock_timestamp() n`,
    [tenant, requestId],
  );
  const { rows } = await owner.query<{ directory_revision: number }>(
    'SELECT directory_revision FROM tenant WHERE tenant = $1',
    [tenant],
  );
  const directoryRevision = rows[0]?.directory_revision ?? 0;
  return (principal) => ({
    ...{ tenant, requestId, directoryRevision, version: 1, before: null },
    ...{ records: [], deadlines: [] },
    answer: {
      ...{ principal, operation: `review.assign:${requestId}`, key: 'key', body: '' },
      ...{ status: 200, result: '{}', recordId: null },
    },
  });
}

const lease = (reviewer: string) => ({
  id: randomUUID(),
  reviewer,
  expires_at: new Date(Date.now() + 60_000).toISOString(),
});

it('keeps no answer of a lease that another reviewer was faster with', async () => {
  const stepOf = await pendingReview();
  const { tenant, requestId } = stepOf('anna');
  await store.assign(stepOf('anna'), lease('anna'));
  await expect(store.assign(stepOf('bert'), lease('bert'))).rejects.toThrow(StaleRead);
  const { rows } = await owner.query(
    `SELECT a.reviewer, array_agg(i.principal) AS answered FROM assignment a JOIN idempotency i USING (tenant, request_id)
     WHERE a.tenant = $1 AND a.request_id = $2 GROUP BY a.reviewer`,
    [tenant, requestId],
  );
  expect(rows).toEqual([{ reviewer: 'anna', answered: ['anna'] }]);
});
