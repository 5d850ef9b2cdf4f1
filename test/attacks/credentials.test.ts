import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { ROLES } from '@countersign/database';
import type { RoleName } from '@countersign/database';
import { textDigest } from '@countersign/protocol';
import type pg from 'pg';
import { Client, operatorOf, producerOf } from '../support/client.js';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import { newToken } from '../support/people.js';
import { connectTo } from '../support/truths.js';

// Attempts to learn about tokens without having one: by guessing at `request.configure-principal`, or with the database
// role of a service.

let instance: Instance;
let database: pg.Client;
let operator: Client;

beforeAll(async () => {
  instance = await startInstance();
  database = await connectTo(instance);
  operator = operatorOf(instance.demo);
});
afterAll(async () => {
  await database?.end();
  await instance?.stop();
});

const putPublisher = (id: string, token: string, by = operator) =>
  by.put(`/v2/admin/principals/${id}`, { id, kind: 'publisher', token, config: { enabled: true } });

const WEAK = [
  'a'.repeat(32),
  'a'.repeat(200),
  'ab'.repeat(32),
  '0123456789abcdef'.repeat(4),
  newToken().slice(0, 42),
  `${newToken().slice(0, 42)}B`,
  'correct-horse-battery-staple-correct-horse-battery',
];

it.each(WEAK)('a token that no random generator makes is refused: %s', async (token) => {
  const answer = await putPublisher('weak', token);
  expect([answer.status, answer.body.error]).toEqual([400, 'invalid_credential']);
  expect(answer.text).not.toContain(token);
  const { rowCount } = await database.query(`SELECT FROM principal WHERE id = 'weak'`);
  expect(rowCount).toBe(0);
});

it('an operator does not find out by request.configure-principal whether a weak token is in use at another tenant', async () => {
  // As it may be since before the rule.
  const { other } = instance.demo;
  const [token = ''] = WEAK;
  await database.query('UPDATE credential SET digest = $1 WHERE tenant = $2 AND principal = $3', [
    textDigest(token),
    other.tenant,
    other.publisher.id,
  ]);
  const answers = await Promise.all([
    putPublisher('guess', token),
    putPublisher('guess', 'b'.repeat(32)),
  ]);
  expect(answers.map(({ status, body }) => [status, body.error])).toEqual([
    [400, 'invalid_credential'],
    [400, 'invalid_credential'],
  ]);
});

it('another token ends the one before at once, in spite of the gateway’s cache', async () => {
  const { demo } = instance;
  const config = { enabled: true, publisher: demo.publisher.id, owner: demo.people[0]?.id };
  const id = 'rotating';
  const put = (token: string) =>
    operator.put(`/v2/admin/principals/${id}`, { id, kind: 'producer', token, config });
  const reads = async (token: string) =>
    (await new Client(demo.origin, { token }).get('/v2/requests')).status;
  const [first, second] = [newToken(), newToken()];
  expect((await put(first)).status).toBe(200);
  expect(await reads(first)).toBe(200);
  expect((await put(second)).status).toBe(200);
  expect([await reads(first), await reads(second)]).toEqual([401, 200]);
});

describe('a stolen service role', () => {
  const without: RoleName[] = ['review', 'execution-authority', 'ledger', 'notifier', 'deletion'];

  async function readsDigests(role: RoleName): Promise<boolean> {
    await database.query(`SET ROLE ${ROLES[role]}`);
    try {
      await database.query('SELECT digest FROM credential');
      return true;
    } catch {
      return false;
    } finally {
      await database.query('RESET ROLE');
    }
  }

  it('reads no digest of a token, unless it is the gateway’s or the request service’s', async () => {
    for (const role of without) expect([role, await readsDigests(role)]).toEqual([role, false]);
    expect(await readsDigests('gateway')).toBe(true);
  });

  it('after an upgrade does so until the upgrade is finished, and callers notice nothing', async () => {
    // As the database is beside processes of the release before.
    for (const role of without)
      await database.query(`GRANT SELECT ON credential TO ${ROLES[role]}`);
    const producer = producerOf(instance.demo);
    expect((await producer.get('/v2/requests')).status).toBe(200);
    expect((await operator.get('/v2/admin/metrics')).status).toBe(200);
    await promisify(execFile)(process.execPath, [
      resolve(__dirname, '../../deploy/countersign.mjs'),
      ...['migrate', '--finish', '--data', instance.dataDirectory],
    ]);
    for (const role of without) expect([role, await readsDigests(role)]).toEqual([role, false]);
    expect((await producer.get('/v2/requests')).status).toBe(200);
    expect((await operator.get('/v2/admin/metrics')).status).toBe(200);
  });
});
