import { ROLES, databaseNow, inTransaction } from '@countersign/database';
import { REFUSED, asLogin, loginOf, servicePool, sqlState, startTestServer } from './server.js';
import type { TestPool, TestServer } from './server.js';

let server: TestServer;
let url: string;
let pool: TestPool;

beforeAll(async () => {
  server = await startTestServer();
  url = await server.migratedDatabase();
  pool = server.pool(url, 'request');
});
afterAll(() => server.stop());

async function one(sql: string): Promise<unknown> {
  const { rows } = await pool.query<{ value: unknown }>(`SELECT ${sql} AS value`);
  return rows[0]?.value;
}

describe('values', () => {
  it.each([
    ['9007199254740991::int8', 9007199254740991],
    ['-3::int8', -3],
    ['7::int4', 7],
    ['1.5::float8', 1.5],
    [`'2026-11-20 18:55:01.123+00'::timestamptz`, Date.UTC(2026, 10, 20, 18, 55, 1, 123)],
    [`'2026-11-20 20:55:01+02'::timestamptz(3)`, Date.UTC(2026, 10, 20, 18, 55, 1)],
    [`'2026-11-20 18:55:01.123999+00'::timestamptz`, Date.UTC(2026, 10, 20, 18, 55, 1, 123)],
    [`'2026-11-20'::date`, '2026-11-20'],
    [`'{"a":[1]}'::jsonb`, { a: [1] }],
    [`'{"a":[1]}'::json`, { a: [1] }],
    [`'text'::text`, 'text'],
    ['true', true],
    ['null::int8', null],
    ['null::timestamptz', null],
  ])('%s arrives as %p', async (sql, expected) => {
    expect(await one(sql)).toEqual(expected);
  });

  it.each(['9007199254740992::int8', '(-9223372036854775807)::int8', `'infinity'::timestamptz`])(
    '%s is refused instead of rounded',
    async (sql) => {
      await expect(one(sql)).rejects.toThrow(RangeError);
      expect(await one('1')).toBe(1);
    },
  );
});

describe('a connection', () => {
  it('acts as the service, under its name, in UTC', async () => {
    expect(await one('session_user')).toBe(loginOf('request'));
    expect(await one('current_user')).toBe(ROLES.request);
    expect(await one(`current_setting('application_name')`)).toBe('test');
    expect(await one(`current_setting('TimeZone')`)).toBe('UTC');
  });

  it('stays open after a statement that the server refused', async () => {
    const narrow = server.pool(url, 'request', 1);
    const processId = async () =>
      (await narrow.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
    const first = await processId();
    await expect(narrow.query('SELECT 1 / 0')).rejects.toMatchObject({ code: '22012' });
    expect(await processId()).toBe(first);
  });

  it('keeps the options of its URL, except the role', async () => {
    const withOptions = new URL(url);
    withOptions.searchParams.set('options', '-c work_mem=5MB -c role=countersign_ledger');
    const other = servicePool({ url: withOptions.href, role: ROLES.request, application: 'test' });
    const { rows } = await other.query(
      `SELECT current_setting('work_mem') AS memory, current_user AS role`,
    );
    expect(rows).toEqual([{ memory: '5MB', role: ROLES.request }]);
    await other.end();
  });

  it('fails at once when its login may not act as that role', async () => {
    const other = servicePool({
      url: asLogin(url, 'notifier'),
      role: ROLES.ledger,
      application: 'test',
    });
    expect(await sqlState(other.query('SELECT 1'))).toBe(REFUSED);
    await other.end();
  });

  it('waits no longer than its limit, for a connection and for a statement', async () => {
    const other = servicePool({
      url,
      application: 'test',
      max: 1,
      connectionTimeoutMs: 2000,
      statementTimeoutMs: 50,
    });
    const client = await other.connect();
    expect(other.gauges()).toEqual({ total: 1, idle: 0, waiting: 0 });
    const waiting = other.query('SELECT 1');
    expect(other.gauges()).toEqual({ total: 1, idle: 0, waiting: 1 });
    await expect(waiting).rejects.toThrow('timeout exceeded');
    expect(await sqlState(client.query('SELECT pg_sleep(10)'))).toBe('57014');
    client.release();
    expect(other.gauges()).toEqual({ total: 1, idle: 1, waiting: 0 });
    await other.end();
  });

  it('that breaks while idle is reported and replaced', async () => {
    const errors: Error[] = [];
    const broken = new Promise<void>((resolve) => {
      const other = servicePool({
        url,
        application: 'breaking',
        max: 1,
        onError: (error) => {
          errors.push(error);
          void other
            .query('SELECT 1')
            .then(() => other.end())
            .then(resolve);
        },
      });
      void other
        .query('SELECT 1')
        .then(() =>
          server
            .pool(url)
            .query(
              `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'breaking'`,
            ),
        );
    });
    await broken;
    expect(errors).toHaveLength(1);
  });

  it('that breaks in mid-transaction ends the transaction and not the process', async () => {
    const other = servicePool({ url, application: 'in use', max: 1 });
    const given = inTransaction(other.acrossTenants, async (client) => {
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const ended = new Promise((resolve) => client.once('end', resolve));
      await server.pool(url).query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
      await ended;
      await client.query('SELECT 1');
    });
    await expect(given).rejects.toThrow('not queryable');
    expect((await other.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await other.end();
  });
});

it('the database returns the time in milliseconds', async () => {
  const before = await databaseNow(pool);
  const after = await databaseNow(pool);
  expect(Number.isInteger(before)).toBe(true);
  expect(after).toBeGreaterThanOrEqual(before);
  expect(Math.abs(after - Date.now())).toBeLessThan(10_000);
});
