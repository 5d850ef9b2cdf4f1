import { randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';
import { bootstrapTenant, requireBootstrapToken } from '@countersign/database';
import { textDigest } from '@countersign/protocol';
import { REFUSED, sqlState, startTestServer } from './server.js';
import type { TestServer } from './server.js';

let server: TestServer;
let url: string;
let owner: pg.Pool;

beforeAll(async () => {
  server = await startTestServer();
  url = await server.migratedDatabase();
  owner = server.pool(url);
});
afterAll(() => server.stop());

const newToken = (): string => randomBytes(32).toString('base64url');
const newInput = () => ({
  tenant: randomUUID(),
  operator: 'operator',
  token: newToken(),
  active: false,
});

it('makes a fenced tenant with an empty chain and one operator', async () => {
  const input = { ...newInput(), now: Date.UTC(2026, 10, 20) };
  const made = await bootstrapTenant(owner, input);
  const rowsOf = async (table: string): Promise<unknown[]> =>
    (await owner.query(`SELECT * FROM ${table} WHERE tenant = $1`, [input.tenant])).rows;

  expect(await rowsOf('tenant')).toMatchObject([
    {
      tenant: input.tenant,
      ledger_id: made.ledgerId,
      generation: made.generation,
      fenced: true,
      fence_reason: 'new_tenant',
      directory_revision: 1,
      created_at: input.now,
    },
  ]);
  expect(await rowsOf('ledger_head')).toMatchObject([{ sequence: 0, head: '' }]);
  expect(await rowsOf('principal')).toMatchObject([
    { id: 'operator', kind: 'operator', enabled: true, config: { enabled: true } },
  ]);
  expect(await rowsOf('credential')).toMatchObject([
    { digest: textDigest(input.token), principal: 'operator' },
  ]);
});

it('makes a tenant that works at once, for development', async () => {
  const { tenant } = await bootstrapTenant(owner, { ...newInput(), active: true });
  const { rows } = await owner.query('SELECT fenced, fence_reason FROM tenant WHERE tenant = $1', [
    tenant,
  ]);
  expect(rows).toEqual([{ fenced: false, fence_reason: null }]);
});

it('refuses a tenant that exists and leaves it as it was, also when two come at once', async () => {
  const input = newInput();
  const tries = await Promise.allSettled(
    Array.from({ length: 4 }, () => bootstrapTenant(owner, { ...input, token: newToken() })),
  );
  expect(tries.filter((attempt) => attempt.status === 'fulfilled')).toHaveLength(1);
  await expect(bootstrapTenant(owner, input)).rejects.toMatchObject({ code: 'tenant_exists' });
  const { rows } = await owner.query(
    'SELECT count(*) AS credentials FROM credential WHERE tenant = $1',
    [input.tenant],
  );
  expect(rows).toEqual([{ credentials: 1 }]);
});

it('refuses another principal’s token, and creates nothing', async () => {
  const first = newInput();
  await bootstrapTenant(owner, first);
  const second = { ...newInput(), token: first.token };
  await expect(bootstrapTenant(owner, second)).rejects.toMatchObject({ code: 'identity_conflict' });
  const { rows } = await owner.query('SELECT FROM tenant WHERE tenant = $1', [second.tenant]);
  expect(rows).toHaveLength(0);
});

it.each(['', 'with space', 'ä', 'x'.repeat(161)])('refuses the name %p', async (name) => {
  const code = { code: 'invalid_bootstrap' };
  await expect(bootstrapTenant(owner, { ...newInput(), tenant: name })).rejects.toMatchObject(code);
  await expect(bootstrapTenant(owner, { ...newInput(), operator: name })).rejects.toMatchObject(
    code,
  );
});

it('is out of reach of every service', async () => {
  for (const name of ['gateway', 'request', 'ledger'] as const) {
    expect(
      await sqlState(bootstrapTenant(server.pool(url, name, 1) as unknown as pg.Pool, newInput())),
    ).toBe(REFUSED);
  }
});

describe('a bootstrap token', () => {
  const bytes = randomBytes(150);

  it.each([
    ['32 bytes as base64url', bytes.toString('base64url', 0, 32)],
    ['33 bytes as base64url', bytes.toString('base64url', 0, 33)],
    ['150 bytes as base64url, 200 characters', bytes.toString('base64url')],
    ['32 bytes as hex', bytes.toString('hex', 0, 32)],
    ['33 bytes as hex', bytes.toString('hex', 0, 33)],
    ['100 bytes as hex, 200 characters', bytes.toString('hex', 0, 100)],
  ])('may be %s', (_, token) => {
    expect(() => requireBootstrapToken(token)).not.toThrow();
  });

  it.each([
    ['31 bytes as base64url', bytes.toString('base64url', 0, 31)],
    ['151 bytes as base64url', `${bytes.toString('base64url')}A`],
    ['padded', `${bytes.toString('base64url', 0, 32)}=`],
    ['plain base64', Buffer.from([0xfb, 0xff, ...bytes.subarray(0, 31)]).toString('base64')],
    ['not canonical: unused bits set', `${'A'.repeat(20)}${'x7Kq'.repeat(5)}abB`],
    ['of another alphabet', `${bytes.toString('base64url', 0, 32)}!`],
    ['one character', 'A'.repeat(64)],
    ['zero bytes', Buffer.alloc(32).toString('base64url')],
    [
      'a period of 16 bytes',
      Buffer.concat([bytes.subarray(0, 16), bytes.subarray(0, 16)]).toString('base64url'),
    ],
    [
      'a period of 16 bytes as hex',
      Buffer.concat([bytes.subarray(0, 16), bytes.subarray(0, 16)]).toString('hex'),
    ],
    ['a period of 5 bytes, cut off', Buffer.alloc(33, bytes.subarray(0, 5)).toString('base64url')],
    ['a word again and again', 'letmein'.repeat(8)],
  ])('may not be %s', (_, token) => {
    expect(() => requireBootstrapToken(token)).toThrow(
      expect.objectContaining({ code: 'invalid_bootstrap' }),
    );
  });

  it('may repeat after 17 bytes', () => {
    const token = Buffer.concat([bytes.subarray(0, 17), bytes.subarray(0, 17)]);
    expect(() => requireBootstrapToken(token.toString('base64url'))).not.toThrow();
  });
});
