import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { createOwnerPool, fsckWithin } from '@countersign/database';
import type { FsckFault } from '@countersign/database';
import { loadTrust } from '@countersign/protocol';
import { startInstance } from '../../support/instance.js';
import type { Instance } from '../../support/instance.js';
import { connectTo, untilChained } from '../../support/truths.js';
import { Voters, newReview, policyWith, stagesOf } from '../../support/voting.js';

// `countersign fsck` counts votes again from their records and compares them with the tables (protocol §18.5).

const PEOPLE = ['fin-1', 'fin-2', 'plat-1', 'plat-2'] as const;
const [FIN, OTHER, PLAT, SECOND] = PEOPLE;
const STAGES = {
  stages: stagesOf({ finance: 1 }, { platform: 1 }),
  distinct_by: 'person',
} as const;

let instance: Instance;
let pool: pg.Pool;
let client: pg.PoolClient;
/** One that was decided after a vote had ended, and one with a live vote whose quorum was out of reach. */
let decided: string;
let open: string;
let plain: string;

beforeAll(async () => {
  instance = await startInstance({ people: PEOPLE, env: { CAPABILITIES: 'proto.approval' } });
  const voters = new Voters(instance, PEOPLE);
  for (const id of PEOPLE) await voters.putHuman(id);
  for (const id of [FIN, OTHER]) await voters.putMembership(id, ['finance']);
  for (const id of [PLAT, SECOND]) await voters.putMembership(id, ['platform']);
  const own = await voters.routeWith(policyWith(STAGES));
  decided = await newReview(own);
  const candidate = await voters.freeze(SECOND, decided);
  await voters.vote(FIN, decided, candidate);
  expect((await voters.vote(PLAT, decided, candidate)).body.receipt).not.toBeNull();
  open = await newReview(own);
  const other = await voters.freeze(SECOND, open);
  for (const id of [FIN, OTHER]) {
    expect((await voters.vote(id, open, other)).status).toBe(201);
    if (id === FIN) await voters.putMembership(id, []);
  }
  for (const id of [PLAT, SECOND]) await voters.putMembership(id, []);
  await voters.putPolicy(own, null);
  plain = await newReview(own, { profiles: {} });

  const database = await connectTo(instance);
  await untilChained(database);
  await database.end();
  const stores = readFileSync(join(instance.dataDirectory, 'stores.json'), 'utf8');
  const url = JSON.parse(stores).urls.DATABASE_URL as string;
  pool = createOwnerPool({ url, application: 'fsck test', max: 1 });
  client = await pool.connect();
});
afterAll(async () => {
  client?.release();
  await pool?.end();
  await instance?.stop();
});

/** The faults with the damage done, which is then undone. */
async function faultsWith(sql: string): Promise<FsckFault[]> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  try {
    await client.query(sql);
    const trust = loadTrust(JSON.parse(readFileSync(instance.demo.trust, 'utf8')));
    const { findings } = await fsckWithin(client, { trust, copies: null });
    return Object.keys(findings.result().faults) as FsckFault[];
  } finally {
    await client.query('ROLLBACK');
  }
}

it('finds no fault in what votes, endings and decisions leave', async () => {
  expect(await faultsWith('SELECT 1')).toEqual([]);
  const { rows } = await client.query(
    'SELECT state, ended_reason FROM approval ORDER BY request_id, number',
  );
  expect(rows).toHaveLength(4);
});

const OF = { decided: () => `'${decided}'`, open: () => `'${open}'`, plain: () => `'${plain}'` };
const VOTE = (request: () => string, number: number) =>
  `request_id = ${request()} AND number = ${number}`;

it.each<[fault: FsckFault, what: string, sql: () => string]>([
  ['vote_differs', 'a vote deleted', () => `DELETE FROM approval WHERE ${VOTE(OF.open, 1)}`],
  [
    'vote_differs',
    'a vote given back',
    () => `UPDATE approval SET state = 'live', ended_number = NULL WHERE ${VOTE(OF.open, 1)}`,
  ],
  [
    'vote_differs',
    'a vote of another person',
    () => `UPDATE approval SET person = 'sha256:0' WHERE ${VOTE(OF.open, 3)}`,
  ],
  [
    'vote_differs',
    'a vote for more groups',
    () => `UPDATE approval SET groups = '{finance,platform}' WHERE ${VOTE(OF.open, 3)}`,
  ],
  [
    'vote_differs',
    'another seat of a vote that was counted',
    () => `UPDATE approval SET seat_group = 'platform' WHERE ${VOTE(OF.decided, 1)}`,
  ],
  [
    'vote_differs',
    'a person who may vote twice',
    () => `DELETE FROM approval_person WHERE request_id = ${OF.decided()}`,
  ],
  [
    'vote_numbers',
    'a number left out in the records',
    () =>
      `UPDATE record SET record = replace(record, '"number":2', '"number":3') WHERE request_id = ${OF.decided()}
        AND type = 'ApprovalRecord'`,
  ],
  [
    'quorum_differs',
    'another number',
    () => `UPDATE quorum_state SET number = number + 1 WHERE request_id = ${OF.open()}`,
  ],
  [
    'quorum_differs',
    'fewer people needed',
    () => `UPDATE quorum_state SET needed = 1 WHERE request_id = ${OF.open()}`,
  ],
  [
    'quorum_differs',
    'a request that one person may decide',
    () => `UPDATE lifecycle SET approvals_needed = NULL WHERE request_id = ${OF.open()}`,
  ],
  [
    'quorum_differs',
    'several people for a request of one',
    () => `UPDATE lifecycle SET approvals_needed = 2 WHERE request_id = ${OF.plain()}`,
  ],
  [
    'quorum_differs',
    'a quorum without its row',
    () => `DELETE FROM quorum_state WHERE request_id = ${OF.open()}`,
  ],
  [
    'quorum_differs',
    'a receipt forgotten',
    () => `UPDATE quorum_state SET receipt_id = NULL WHERE request_id = ${OF.decided()}`,
  ],
  [
    'quorum_differs',
    'that it could not be reached',
    () => `UPDATE quorum_state SET unreachable_at = NULL WHERE request_id = ${OF.open()}`,
  ],
  [
    'quorum_differs',
    'votes that do not decide',
    () =>
      `UPDATE record SET record = replace(record, '"stage":2', '"stage":1') WHERE request_id = ${OF.decided()}
        AND type = 'ApprovalRecord'`,
  ],
  [
    'vote_evidence',
    'a membership that a vote names',
    () => `DELETE FROM request_evidence WHERE request_id = ${OF.open()}`,
  ],
  [
    'vote_evidence',
    'a letter of such a membership',
    () => `UPDATE request_evidence SET record = record || ' ' WHERE request_id = ${OF.open()}`,
  ],
])('finds %s: %s', async (fault, _, sql) => {
  expect(await faultsWith(sql())).toContain(fault);
});
