import { ROLES, acrossTenantsWithin, createPool, inTransaction } from '@countersign/database';
import type { Pool, ScopedPool } from '@countersign/database';
import { asLogin, startTestServer } from './server.js';
import type { TestServer } from './server.js';

let server: TestServer;
let url: string;
let pool: Pool;

beforeAll(async () => {
  server = await startTestServer();
  url = await server.migratedDatabase();
  pool = narrow(1);
});
afterAll(async () => {
  await pool.end();
  await server.stop();
});

function narrow(max: number): Pool {
  return createPool({
    ...{ url: asLogin(url, 'request'), role: ROLES.request, application: 'test', max },
  });
}

type Answer = { scope: string; transaction: string };
const ASK = {
  name: 'scope',
  text: `SELECT current_setting('countersign.tenant', true) AS scope, pg_current_xact_id()::text AS transaction, $1::text`,
};
const asked = (length = 1) => ({ ...ASK, values: ['x'.repeat(length)] });
const FAIL = { name: 'fail', text: 'SELECT 1 / $1::integer AS one', values: [0] };

const scopeIn = async (of: ScopedPool) => (await of.query<Answer>(asked())).rows[0]?.scope;
const pointQueryScopeIn = async (of: ScopedPool, length?: number) =>
  (await of.pointQuery<Answer>(asked(length))).rows[0]?.scope;

it('begins with no tenant’s', async () => {
  const fresh = narrow(1);
  const client = await fresh.ofNoTenant.connect();
  expect((await client.query<Answer>(asked())).rows[0]?.scope).toBe('!');
  client.release();
  await fresh.end();
});

it('is that of each statement, on one connection', async () => {
  for (const [of, scope] of [
    [pool.of('a'), 'a'],
    [pool.acrossTenants, '*'],
    [pool.of('b'), 'b'],
    [pool.of(''), ''],
    [pool.ofNoTenant, '!'],
    [pool.of('a'), 'a'],
  ] as const) {
    expect(await scopeIn(of)).toBe(scope);
    expect(await pointQueryScopeIn(of)).toBe(scope);
    expect(await pointQueryScopeIn(of, 100_000)).toBe(scope);
    expect((await of.together([asked()])).map(({ rows }) => rows)).toMatchObject([[{ scope }]]);
    expect((await of.large<Answer>(asked())).rows).toMatchObject([{ scope }]);
    await inTransaction(of, async (client) => {
      expect((await client.query<Answer>(asked())).rows).toMatchObject([{ scope }]);
    });
  }
});

it('is that of each statement of a batch', async () => {
  await pointQueryScopeIn(pool.of('a'));
  const tenants = Array.from({ length: 15 }, (_, place) => `tenant-${place % 4}`);
  const answers = await Promise.all(
    tenants.map((tenant, place) =>
      pool.of(tenant).pointQuery<Answer>({ ...asked(), holds: `row ${(place * 7) % 5}` }),
    ),
  );
  expect(answers.map(({ rows }) => rows[0]?.scope)).toEqual(tenants);
  const transactions = new Set(answers.map(({ rows }) => rows[0]?.transaction));
  expect(transactions.size).toBeLessThan(4);
});

it('is kept when a batch fails and each statement is sent alone', async () => {
  await pool.of('a').pointQuery({ ...FAIL, values: [1] });
  const answers = await Promise.allSettled([
    pointQueryScopeIn(pool.of('b')),
    pool.of('c').pointQuery(FAIL),
    pointQueryScopeIn(pool.of('d')),
    pool.acrossTenants.pointQuery(FAIL),
    pointQueryScopeIn(pool.of('a')),
  ]);
  expect(answers).toMatchObject([
    { value: 'b' },
    { status: 'rejected' },
    { value: 'd' },
    { status: 'rejected' },
    { value: 'a' },
  ]);
  expect(await pointQueryScopeIn(pool.of('c'))).toBe('c');
});

it('is right after a failure in another one', async () => {
  await scopeIn(pool.of('a'));
  for (const fail of [
    () => pool.of('b').pointQuery(FAIL),
    () => pool.of('b').query(FAIL),
    () => pool.of('b').together([asked(), FAIL]),
    () =>
      inTransaction(pool.of('b'), (client) =>
        acrossTenantsWithin(client, 'b', () => client.query('SELECT 1 / 0')),
      ),
  ]) {
    await expect(fail()).rejects.toMatchObject({ code: '22012' });
    expect(await pointQueryScopeIn(pool.of('a'))).toBe('a');
    expect(await pointQueryScopeIn(pool.of('b'))).toBe('b');
    expect(await scopeIn(pool.of('a'))).toBe('a');
  }
});

it('can be widened within a transaction, and is the tenant’s again afterwards', async () => {
  await inTransaction(pool.of('a'), async (client) => {
    const scopeNow = async () => (await client.query<Answer>(asked())).rows[0]?.scope;
    expect(await acrossTenantsWithin(client, 'a', scopeNow)).toBe('*');
    expect(await scopeNow()).toBe('a');
  });
  expect(await scopeIn(pool.of('a'))).toBe('a');
});

it.each(['*', '!'])('of a tenant is never %s', (name) => {
  expect(() => pool.of(name)).toThrow(TypeError);
});
