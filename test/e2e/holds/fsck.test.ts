import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { createOwnerPool, fsckWithin } from '@countersign/database';
import type { FsckFault } from '@countersign/database';
import { EXAMPLES, canonicalText, textDigest } from '@countersign/protocol';
import { hold, lift } from '../../support/held.js';
import { reviewInput, until } from '../../support/requests.js';
import {
  newRequest,
  pass,
  startFixture,
  untilChained,
  untilDone,
  untilGone,
} from '../retention/fixture.js';
import type { Fixture } from '../retention/fixture.js';

// `countersign fsck` compares legal holds with their records, and with the requests that they keep (protocol §20).

let fixture: Fixture;
let pool: pg.Pool;
let client: pg.PoolClient;
/** One that is held, one whose material went before, one that is hidden, and one whose hold was lifted. */
let held: string;
let emptied: string;
let hidden: string;
let freed: string;
let inForce: string;
let lifted: string;

beforeAll(async () => {
  fixture = await startFixture();
  const { demo, database, producer, urls } = fixture;
  [held, emptied, hidden, freed] = [
    await newRequest(fixture, reviewInput(demo)),
    await newRequest(fixture, reviewInput(demo)),
    await newRequest(fixture, reviewInput(demo)),
    await newRequest(fixture, reviewInput(demo)),
  ];
  expect((await producer.post(`/v2/requests/${emptied}/discard`)).status).toBe(200);
  await untilDone(fixture, emptied, 'private_deletion');
  inForce = await hold(database, demo.tenant, [held, emptied, hidden].sort());
  lifted = await hold(database, demo.tenant, [freed]);
  await lift(database, lifted);
  await untilChained(fixture, held, emptied, hidden, freed);
  await pass(fixture, 'private_deletion', hidden);
  await pass(fixture, 'audit_deletion', hidden);
  await untilGone(fixture, hidden);
  await until(
    () => database.query('SELECT hidden FROM lifecycle WHERE request_id = $1', [hidden]),
    ({ rows }) => rows[0]?.hidden === true,
  );
  await untilChained(fixture, hidden);
  pool = createOwnerPool({ url: urls.DATABASE_URL, application: 'fsck test', max: 1 });
  client = await pool.connect();
});
afterAll(async () => {
  client?.release();
  await pool?.end();
  await fixture?.stop();
});

/** The records of both holds wait for the chain; without trust nobody asks who signed them. */
async function tell(): Promise<void> {
  const { rows } = await client.query(
    `SELECT h.*, ARRAY(SELECT i.request_id FROM hold_item i WHERE i.hold_id = h.id ORDER BY 1) AS requests FROM hold h`,
  );
  const stamp = (time: number) => new Date(time).toISOString();
  for (const { id, revision, reference, until: end, set_by, set_at, requests, ...row } of rows) {
    const set = await save('LegalHoldSet', {
      ...{ id, revision, reference, set_by, until: stamp(end), set_at: stamp(set_at) },
      requests: requests.map((request: string) => ({ id: request, digest: textDigest(request) })),
    });
    await client.query('UPDATE hold SET record = $2 WHERE id = $1 AND lifted_at IS NULL', [
      id,
      set,
    ]);
    if (row.lifted_at === null) continue;
    const { lifted_by } = row;
    await save('LegalHoldLifted', {
      ...{ id, reference, lifted_by, set_by, lifted_at: stamp(row.lifted_at) },
    });
  }
}

async function save(type: string, payload: object): Promise<string> {
  const example = EXAMPLES.SignedRecord;
  const { tenant } = fixture.demo;
  const record = canonicalText({
    ...example,
    protected: {
      ...example.protected,
      type,
      tenant,
      audience: 'proto.custody',
      purpose: 'service',
    },
    payload,
  });
  const id = randomUUID();
  await client.query(
    `INSERT INTO record (tenant, id, request_id, type, digest, issued_at, record) VALUES ($1, $2, NULL, $3, $4, now(), $5)`,
    [tenant, id, type, textDigest(record), record],
  );
  await client.query(
    `INSERT INTO outbox (tenant, record_id, request_id, type, digest, audience) VALUES ($1, $2, NULL, $3, $4, 'proto.custody')`,
    [tenant, id, type, textDigest(record)],
  );
  return record;
}

/** The faults with the damage done, which is then undone. */
async function faultsWith(sql: string): Promise<FsckFault[]> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  try {
    await tell();
    await client.query('SET LOCAL session_replication_role = replica');
    await client.query(sql);
    const { findings } = await fsckWithin(client, { trust: null, copies: null });
    return Object.keys(findings.result().faults) as FsckFault[];
  } finally {
    await client.query('ROLLBACK');
  }
}

it('finds no fault in holds, what they keep, and what they hide', async () => {
  expect(await faultsWith('SELECT 1')).toEqual([]);
});

it.each<[fault: FsckFault, what: string, sql: () => string]>([
  ['hold_differs', 'another end', () => `UPDATE hold SET until = until + interval '1 day'`],
  ['hold_differs', 'another revision', () => `UPDATE hold SET revision = 2`],
  ['hold_differs', 'another reference', () => `UPDATE hold SET reference = 'case 18'`],
  [
    'hold_differs',
    'another text',
    () => `UPDATE hold SET record = replace(record, 'custodian-1', 'custodian-3')`,
  ],
  [
    'hold_differs',
    'the text of a lift that no record tells of',
    () => `UPDATE hold SET lifted = record WHERE id = '${inForce}'`,
  ],
  ['hold_differs', 'another custodian', () => `UPDATE hold SET set_by = 'custodian-3'`],
  [
    'hold_differs',
    'a lift without its record',
    () => `UPDATE hold SET lifted_by = 'c', lifted_at = now() WHERE id = '${inForce}';
      UPDATE hold_item i SET lifted_at = h.lifted_at FROM hold h WHERE h.id = i.hold_id`,
  ],
  [
    'hold_differs',
    'a lift undone',
    () => `UPDATE hold SET lifted_by = NULL, lifted_at = NULL WHERE id = '${lifted}'`,
  ],
  [
    'hold_differs',
    'a hold that is gone',
    () =>
      `DELETE FROM hold_item WHERE hold_id = '${lifted}'; DELETE FROM hold WHERE id = '${lifted}'`,
  ],
  [
    'hold_differs',
    'a hold that no record tells of',
    () => `INSERT INTO hold SELECT tenant, gen_random_uuid(), revision, reference, until, set_by, set_by_person, set_at FROM hold
      WHERE id = '${inForce}'`,
  ],
  ['hold_differs', 'a request less', () => `DELETE FROM hold_item WHERE request_id = '${held}'`],
  [
    'hold_differs',
    'another request',
    () => `UPDATE hold_item SET request_id = '${freed}' WHERE request_id = '${held}'`,
  ],
  [
    'hold_differs',
    'an item that ends earlier',
    () => `UPDATE hold_item SET until = until - interval '1 day' WHERE request_id = '${held}'`,
  ],
  [
    'held_missing',
    'material that is gone',
    () => `DELETE FROM material WHERE request_id = '${held}'`,
  ],
  [
    'held_missing',
    'material that went while it was held',
    () =>
      `UPDATE record SET issued_at = now() WHERE request_id = '${emptied}' AND type = 'MaterialDiscarded'`,
  ],
  [
    'held_missing',
    'a request that is gone',
    () => `DELETE FROM lifecycle WHERE request_id = '${held}'`,
  ],
  [
    'hidden_early',
    'a request that is hidden before its time',
    () => `UPDATE lifecycle SET hidden = true WHERE request_id = '${held}'`,
  ],
  [
    'hidden_early',
    'a request that was never held',
    () => `DELETE FROM hold_item WHERE request_id = '${hidden}'`,
  ],
])('%s: %s', async (fault, _, sql) => {
  expect(await faultsWith(sql())).toContain(fault);
});
