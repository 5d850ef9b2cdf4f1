import { randomUUID } from 'node:crypto';
import { startTestServer } from './server.js';
import type { TestPool, TestServer } from './server.js';

let server: TestServer;
let pool: TestPool;

beforeAll(async () => {
  server = await startTestServer();
  pool = server.pool(await server.migratedDatabase(), 'request', 50);
});
afterAll(() => server.stop());

/** Amounts that nothing here reaches, but for those given. Buckets do not refill while a test runs. */
const creation = (amounts: Record<string, number>): Record<string, number> => ({
  daily_tenant: 1000,
  daily_owner: 1000,
  daily_route: 1000,
  outstanding_owner: 1000,
  outstanding_tenant: 1000,
  tenant_per_minute: 0,
  tenant_burst: 1000,
  owner_per_minute: 0,
  owner_burst: 1000,
  ...amounts,
});
const bundles = (amounts: Record<string, number>): Record<string, number> => ({
  bundle_daily_tenant: 1000,
  bundle_daily_publisher: 1000,
  bundle_tenant_per_minute: 0,
  bundle_tenant_burst: 1000,
  bundle_publisher_per_minute: 0,
  bundle_publisher_burst: 1000,
  bundle_retained: 1_000_000,
  ...amounts,
});

interface Creation {
  tenant: string;
  amounts: Record<string, number>;
  owner?: string;
  route?: string;
  bytes?: number;
  retained?: number;
}

/** The steps of a creation on quotas, in one transaction: takes its slot, then becomes pending and takes space. */
async function create(input: Creation): Promise<string> {
  const { tenant, amounts, owner = 'owner', route = 'route', bytes = 1, retained = 1000 } = input;
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT take_creation_quota($1, $2, $3, $4, $5, $6, $7)', [
      tenant,
      owner,
      route,
      bytes,
      'publisher',
      retained,
      amounts,
    ]);
    await client.query(
      `INSERT INTO lifecycle (tenant, request_id, owner, route, decision, audit, grant_state, execution, revision, version,
         accepted_at, review_deadline, private_delete_at, audit_delete_at)
       SELECT $1, $2, $3, $4, 'pending', 'unanchored', 'not_applicable', 'not_applicable', 1, 1, t, t + '1 h', t + '1 h', t + '1 h'
       FROM clock_timestamp() AS t`,
      [tenant, randomUUID(), owner, route],
    );
    await client.query(
      `INSERT INTO retained AS r (tenant, scope, subject, bytes) VALUES ($1, 'owner', $2, $3)
       ON CONFLICT (tenant, scope, subject, slot) DO UPDATE SET bytes = r.bytes + EXCLUDED.bytes`,
      [tenant, owner, bytes],
    );
    await client.query('COMMIT');
    return 'accepted';
  } catch (error) {
    await client.query('ROLLBACK');
    return refusalOf(error);
  } finally {
    client.release();
  }
}

/** The code that a quota function refuses with. */
function refusalOf(error: unknown): string {
  const { code, message } = error as { code: string; message: string };
  if (code !== 'CSQ01') throw error;
  return message;
}

async function register(tenant: string, publisher: string, amounts: object): Promise<string> {
  try {
    await pool.query('SELECT take_bundle_quota($1, $2, 1, $3)', [tenant, publisher, amounts]);
    return 'accepted';
  } catch (error) {
    return refusalOf(error);
  }
}

/** How often each answer was given. */
function tally(answers: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[answer] = (counts[answer] ?? 0) + 1;
  return counts;
}

function fifty<T>(call: (place: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: 50 }, (_, place) => call(place)));
}

describe('of 50 parallel creations exactly as many are accepted as', () => {
  it.each([
    ['the day of the tenant', creation({ daily_tenant: 17 }), 'daily_quota'],
    ['the day of the owner', creation({ daily_owner: 17 }), 'daily_quota'],
    ['the day of the route', creation({ daily_route: 17 }), 'daily_quota'],
    ['pending requests of the owner', creation({ outstanding_owner: 17 }), 'outstanding_quota'],
    ['pending requests of the tenant', creation({ outstanding_tenant: 17 }), 'outstanding_quota'],
    ['the bucket of the tenant', creation({ tenant_burst: 17 }), 'creation_rate'],
    ['the bucket of the owner', creation({ owner_burst: 17 }), 'creation_rate'],
  ])('%s allows', async (scope, amounts, code) => {
    const tenant = randomUUID();
    // A row that many owners and routes share must not be guarded by a lock on one of them.
    const shared = scope.includes('tenant');
    const call = (place: number): Promise<string> =>
      create({ tenant, amounts, ...(shared ? { owner: `o${place}`, route: `r${place}` } : {}) });
    expect(tally(await fifty(call))).toEqual({ accepted: 17, [code]: 33 });
    expect(await call(0)).toBe(code);
  });

  it('space allows', async () => {
    const tenant = randomUUID();
    const call = (): Promise<string> =>
      create({ tenant, amounts: creation({}), bytes: 10, retained: 175 });
    expect(tally(await fifty(call))).toEqual({ accepted: 17, retained_quota: 33 });
  });
});

describe('a creation', () => {
  it('counts the bundles of its publisher as space', async () => {
    const tenant = randomUUID();
    await pool.query(
      `INSERT INTO retained (tenant, scope, subject, bytes) VALUES ($1, 'publisher', 'publisher', 90)`,
      [tenant],
    );
    const amounts = creation({});
    expect(await create({ tenant, amounts, bytes: 11, retained: 100 })).toBe('retained_quota');
    expect(await create({ tenant, amounts, bytes: 10, retained: 100 })).toBe('accepted');
  });

  it('that is refused uses nothing', async () => {
    const tenant = randomUUID();
    const full = creation({ owner_burst: 1 });
    expect(await create({ tenant, amounts: full })).toBe('accepted');
    expect(tally(await fifty(() => create({ tenant, amounts: full })))).toEqual({
      creation_rate: 50,
    });
    const { rows } = await pool.query(
      `SELECT scope, used FROM quota_day WHERE tenant = $1 ORDER BY scope`,
      [tenant],
    );
    expect(rows).toEqual([
      { scope: 'owner', used: 1 },
      { scope: 'route', used: 1 },
      { scope: 'tenant', used: 1 },
    ]);
  });

  it('is refused by the first quota that it meets, in the order of the protocol', async () => {
    const none = {
      daily_tenant: 0,
      outstanding_owner: 0,
      tenant_burst: 0,
    };
    const tenant = randomUUID();
    const refusal = (amounts: Record<string, number>): Promise<string> =>
      create({ tenant, amounts: creation(amounts), retained: 0 });
    expect(await refusal(none)).toBe('daily_quota');
    expect(await refusal({ ...none, daily_tenant: 1 })).toBe('outstanding_quota');
    expect(await refusal({ tenant_burst: 0 })).toBe('creation_rate');
    expect(await refusal({})).toBe('retained_quota');
  });

  it('of one owner, route or tenant does not use those of others', async () => {
    const amounts = creation({ daily_owner: 1, owner_burst: 1, daily_route: 2, daily_tenant: 2 });
    const tenant = randomUUID();
    expect(await create({ tenant, amounts, owner: 'a' })).toBe('accepted');
    expect(await create({ tenant, amounts, owner: 'a' })).toBe('daily_quota');
    expect(await create({ tenant, amounts, owner: 'b' })).toBe('accepted');
    expect(await create({ tenant, amounts, owner: 'c', route: 'other' })).toBe('daily_quota');
    expect(await create({ tenant: randomUUID(), amounts, owner: 'a' })).toBe('accepted');
  });

  it('gets its slot back as a bucket refills', async () => {
    const tenant = randomUUID();
    const slow = creation({ owner_burst: 1, owner_per_minute: 0 });
    expect(await create({ tenant, amounts: slow })).toBe('accepted');
    expect(await create({ tenant, amounts: slow })).toBe('creation_rate');
    await pool.query(
      `UPDATE quota_bucket SET filled_at = filled_at - interval '1 minute' WHERE tenant = $1`,
      [tenant],
    );
    expect(await create({ tenant, amounts: { ...slow, owner_per_minute: 1 } })).toBe('accepted');
    expect(await create({ tenant, amounts: { ...slow, owner_per_minute: 1 } })).toBe(
      'creation_rate',
    );
  });
});

describe('of 50 parallel bundles exactly as many are accepted as', () => {
  it.each([
    ['the day of the tenant', bundles({ bundle_daily_tenant: 17 }), 'bundle_daily_quota'],
    ['the day of the publisher', bundles({ bundle_daily_publisher: 17 }), 'bundle_daily_quota'],
    ['the bucket of the tenant', bundles({ bundle_tenant_burst: 17 }), 'bundle_rate'],
    ['the bucket of the publisher', bundles({ bundle_publisher_burst: 17 }), 'bundle_rate'],
  ])('%s allows', async (scope, amounts, code) => {
    const tenant = randomUUID();
    const answers = await fifty((place) =>
      register(tenant, scope.includes('tenant') ? `p${place}` : 'publisher', amounts),
    );
    expect(tally(answers)).toEqual({ accepted: 17, [code]: 33 });
  });
});

it('a bundle is refused when it does not fit into the tenant’s retained bytes', async () => {
  const tenant = randomUUID();
  await pool.query(
    `INSERT INTO retained (tenant, scope, subject, bytes) VALUES ($1, 'publisher', 'other', 90)`,
    [tenant],
  );
  expect(await register(tenant, 'publisher', bundles({ bundle_retained: 90 }))).toBe(
    'retained_quota',
  );
  expect(await register(tenant, 'publisher', bundles({ bundle_retained: 91 }))).toBe('accepted');
});
