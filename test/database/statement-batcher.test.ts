import type pg from 'pg';
import type { PointQuery } from '@countersign/database';
import { until } from '@countersign/dev-servers/testing';
import { servicePool, startTestServer } from './server.js';
import type { TestPool, TestServer } from './server.js';

const UNIQUE_VIOLATION = '23505';
const TERMINATED = '57P01';
const TABLE = 'CREATE TABLE thing (id integer PRIMARY KEY, n integer NOT NULL DEFAULT 0)';
const ROWS = 'INSERT INTO thing SELECT generate_series(1, 9)';

let server: TestServer;
let url: string;
/** Looks on and holds locks. */
let control: pg.Pool;
/** Asks. A connection that was used is used again. */
let pool: TestPool;

beforeAll(async () => {
  server = await startTestServer();
  url = await server.emptyDatabase();
  control = server.pool(url);
  pool = servicePool({ url, application: 'test' });
  await control.query(TABLE);
});
beforeEach(async () => {
  await control.query('TRUNCATE thing');
  await control.query(ROWS);
});
afterAll(async () => {
  await pool.end();
  await server.stop();
});

const transaction = (value: unknown): PointQuery => ({
  name: 'transaction',
  text: 'SELECT pg_current_xact_id()::text AS id, length($1::text) AS length',
  values: [value],
});
const add = (id: number, holds: string | undefined = `thing ${id}`): PointQuery => ({
  name: 'add',
  text: 'UPDATE thing SET n = n + 1 WHERE id = $1 RETURNING n',
  values: [id],
  holds,
});
const insert = (id: number): PointQuery => ({
  name: 'insert',
  text: 'INSERT INTO thing (id) VALUES ($1) RETURNING id',
  values: [id],
  holds: `thing ${id}`,
});
const read = (id: number): PointQuery => ({
  name: 'read',
  text: 'SELECT n FROM thing WHERE id = $1',
  values: [id],
});

/** Asked at the same time, so in one batch; asked once before, so prepared on the connection. */
async function together(statements: readonly PointQuery[], of = pool) {
  return Promise.allSettled(statements.map((statement) => of.pointQuery(statement)));
}

async function numbers(): Promise<number[]> {
  const { rows } = await control.query<{ n: number }>('SELECT n FROM thing ORDER BY id');
  return rows.map(({ n }) => n);
}

/** Locks a row until the returned function is called. */
async function held(id: number): Promise<() => Promise<void>> {
  const client = await control.connect();
  await client.query('BEGIN');
  await client.query('SELECT 1 FROM thing WHERE id = $1 FOR UPDATE', [id]);
  return async () => {
    await client.query('ROLLBACK');
    client.release();
  };
}

async function untilWaiting(many: number): Promise<void> {
  await until(async () => {
    const { rows } = await control.query<{ many: number }>(
      `SELECT count(*) AS many FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows[0]?.many === many;
  });
}

describe('concurrent point queries', () => {
  it('share few transactions, and each gets its own answer', async () => {
    await pool.pointQuery(transaction(''));
    const texts = Array.from({ length: 20 }, (_, length) => 'x'.repeat(length));
    const answers = await Promise.all(
      texts.map((text) => pool.pointQuery<{ id: string; length: number }>(transaction(text))),
    );
    expect(answers.map(({ rows }) => rows.map(({ length }) => length))).toEqual(
      texts.map(({ length }) => [length]),
    );
    const transactions = new Set(answers.flatMap(({ rows }) => rows.map(({ id }) => id)));
    expect(transactions.size).toBeLessThan(6);
  });

  it('of one turn of the event loop share one transaction, and so do those that follow from its answers', async () => {
    await pool.pointQuery(transaction(''));
    const id = async (): Promise<string | undefined> => {
      const { rows } = await pool.pointQuery<{ id: string }>(transaction(''));
      return rows[0]?.id;
    };
    const round = () =>
      Promise.all(
        Array.from({ length: 8 }, async () => {
          const first = await id();
          // A decision and its signature take promises, not turns.
          for (let hop = 0; hop < 10; hop += 1) await Promise.resolve();
          return [first, await id()] as const;
        }),
      );
    // Where a busy machine has another connection opened, each statement is prepared there alone at first.
    await until(async () => {
      const steps = await round();
      return [0, 1].every((step) => new Set(steps.map((ids) => ids[step])).size === 1);
    });
  });

  it('do not wait for long values, which are sent separately', async () => {
    const long = 'x'.repeat(100_000);
    const answers = await Promise.all(
      [long, long, long].map((text) => pool.pointQuery<{ id: string }>(transaction(text))),
    );
    expect(new Set(answers.flatMap(({ rows }) => rows.map(({ id }) => id))).size).toBe(3);
  });

  it('read values as single statements do', async () => {
    const text = `SELECT 9007199254740991::int8 AS int8, 1.5::float8 AS float8, $1::text AS text, NULL::int8 AS none,
      '2026-11-20 18:55:01.123+00'::timestamptz AS time, '{"a":[1]}'::jsonb AS json, true AS flag,
      $2::text[] AS texts, $3::timestamptz AS given, $4::bytea AS bytes`;
    const values = ['a', ['b', 'c,"d'], new Date(1_763_000_000_000), Buffer.from([0, 255])];
    const { rows } = await pool.query<object>(text, values);
    const asked = { name: 'values', text, values };
    await pool.pointQuery(asked);
    for (const answer of await together([asked, asked])) {
      expect(answer).toMatchObject({ status: 'fulfilled', value: { rows } });
    }
  });

  it.each(['first', 'later'])('learn nothing of a %s one that cannot be read', async (when) => {
    const number = (value: string): PointQuery => ({
      name: `number ${when}`,
      text: 'SELECT $1::int8 AS number',
      values: [value],
    });
    await pool.pointQuery(when === 'later' ? number('1') : read(1));
    const answers = await together([number('2'), number('9007199254740992'), number('3')]);
    expect(answers).toMatchObject([
      { value: { rows: [{ number: 2 }] } },
      { reason: new RangeError('9007199254740992 is not a safe integer') },
      { value: { rows: [{ number: 3 }] } },
    ]);
  });
});

describe('one of them that fails', () => {
  it('does not affect the others, which have their effect once', async () => {
    await pool.pointQuery(insert(100));
    await pool.pointQuery(add(1));
    const answers = await together([add(2), insert(101), insert(101), add(3), insert(102)]);
    // Which of the equal ones comes first is undefined.
    const failed = answers.flatMap((answer) =>
      answer.status === 'rejected' ? [answer.reason] : [],
    );
    expect(failed).toMatchObject([{ code: UNIQUE_VIOLATION }]);
    expect(await numbers()).toEqual([1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  });

  it('does so on a pool of one connection', async () => {
    const narrow = servicePool({ url, application: 'narrow', max: 1 });
    await narrow.pointQuery(insert(100));
    const answers = await together([insert(101), insert(100), insert(102)], narrow);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await narrow.end();
  });
});

describe('a lock that one of them needs', () => {
  it('delays only that one', async () => {
    await pool.pointQuery(add(9));
    const letGo = await held(2);
    const waits = pool.pointQuery<{ n: number }>(add(2));
    const others = [add(1), add(3)].map((statement) => pool.pointQuery<{ n: number }>(statement));
    expect((await Promise.all(others)).map(({ rows }) => rows)).toEqual([[{ n: 1 }], [{ n: 1 }]]);
    await untilWaiting(1);
    await letGo();
    expect((await waits).rows).toEqual([{ n: 1 }]);
  });

  it('does not delay later callers', async () => {
    await pool.pointQuery(read(1));
    const letGo = await held(1);
    const waits = pool.pointQuery(add(1));
    await untilWaiting(1);
    expect((await pool.pointQuery(read(2))).rows).toEqual([{ n: 0 }]);
    await letGo();
    await waits;
  });

  it('is taken in one order by all, so there is no deadlock', async () => {
    const own = await server.emptyDatabase();
    const [one, other] = [1, 2].map(() => servicePool({ url: own, application: 'test' }));
    if (one === undefined || other === undefined) throw new Error('no pools');
    await one.query(TABLE);
    await one.query(ROWS);
    const rows = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    await Promise.all([one, other].map((each) => each.pointQuery(add(1))));
    for (let round = 0; round < 50; round += 1) {
      const upwards = rows.map((id) => one.pointQuery(add(id)));
      const downwards = rows.toReversed().map((id) => other.pointQuery(add(id)));
      await Promise.all([...upwards, ...downwards]);
    }
    const { rows: sums } = await one.query('SELECT sum(n) AS sum FROM thing');
    expect(sums).toEqual([{ sum: 2 + 50 * 18 }]);
    // Sessions report their statistics when they end.
    await Promise.all([one, other].map((each) => each.end()));
    const statistics = async () => {
      const { rows } = await control.query<{ committed: number; undone: number }>(
        `SELECT xact_commit AS committed, xact_rollback AS undone FROM pg_stat_database WHERE datname = $1`,
        [new URL(own).pathname.slice(1)],
      );
      return rows[0];
    };
    await until(async () => ((await statistics())?.committed ?? 0) >= 100);
    // No batch was undone because it waited.
    expect((await statistics())?.undone).toBe(0);
  });
});

describe('statements of one caller that belong together', () => {
  const all = [add(1), insert(100), transaction('x')];

  it.each(['at first', 'later'])('happen in their order and in one transaction, %s', async () => {
    const answers = await pool.together([...all, transaction('yy'), read(1)]);
    expect(answers.map(({ rows }) => rows)).toMatchObject([
      [{ n: 1 }],
      [{ id: 100 }],
      [{ length: 1 }],
      [{ length: 2 }],
      [{ n: 1 }],
    ]);
    const [one, other] = answers.slice(2).map(({ rows }) => (rows[0] as { id: string }).id);
    expect(one).toBe(other);
  });

  it('happen all or not at all, on a connection that knows them and on one that does not', async () => {
    const narrow = servicePool({ url, application: 'narrow', max: 1 });
    for (const known of [false, true]) {
      if (known) await narrow.together([add(2), insert(100)]);
      const before = await numbers();
      await expect(narrow.together([add(1), insert(9)])).rejects.toMatchObject({
        code: UNIQUE_VIOLATION,
      });
      expect(await numbers()).toEqual(before);
    }
    expect((await narrow.together([add(1)])).map(({ rows }) => rows)).toEqual([[{ n: 1 }]]);
    await narrow.end();
  });
});

describe('a connection that breaks', () => {
  it('fails all statements that it carried, and is replaced', async () => {
    await pool.pointQuery(add(1));
    const letGo = await held(2);
    const carried = together([add(1, ''), add(2, '')]);
    await untilWaiting(1);
    await control.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'`,
    );
    for (const answer of await carried) {
      expect(answer).toMatchObject({ status: 'rejected', reason: { code: TERMINATED } });
    }
    await letGo();
    expect((await pool.pointQuery(read(1))).rows).toEqual([{ n: 1 }]);
  });

  it('that cannot be opened fails all statements that wait for it', async () => {
    const nowhere = servicePool({
      url: 'postgres://nobody@127.0.0.1:1/none',
      application: 'nowhere',
    });
    for (const answer of await together([read(1), read(2)], nowhere)) {
      expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'ECONNREFUSED' } });
    }
    await nowhere.end();
  });
});
