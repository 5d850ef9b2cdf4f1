import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { DeliveryStore, FeedStore } from '@countersign/notifier';
import { migrate } from '@countersign/database';
import { textDigest } from '@countersign/protocol';
import { startTestServer } from './server.js';
import type { TestServer } from './server.js';

const MIGRATIONS = join(import.meta.dirname, '../../packages/database/prisma/migrations');
const OURS = '20261121020000_deliveries';
const FINGERPRINT = textDigest('a destination');

let server: TestServer;
let owner: pg.Pool;
let feed: FeedStore;
let deliveries: DeliveryStore;

beforeAll(async () => {
  server = await startTestServer();
  const url = await server.migratedDatabase();
  owner = server.pool(url);
  const notifier = server.pool(url, 'notifier', 10);
  feed = new FeedStore(notifier);
  deliveries = new DeliveryStore(notifier);
});
afterAll(() => server.stop());

/** A tenant of its own for each test. */
let tenant: string;
beforeEach(async () => {
  tenant = `t-${randomUUID()}`;
  await makeTenant(owner, tenant);
});

async function makeTenant(pool: pg.Pool, name: string): Promise<void> {
  await pool.query(
    `INSERT INTO tenant (tenant, ledger_id, generation, fenced, created_at)
     VALUES ($1, gen_random_uuid(), gen_random_uuid(), false, now())`,
    [name],
  );
  await pool.query(`INSERT INTO ledger_head (tenant, sequence, head) VALUES ($1, 0, '')`, [name]);
}

/** Appends so many events to the chain, all of one request. */
async function chain(pool: pg.Pool, of: string, many: number): Promise<void> {
  await pool.query(
    `WITH e AS (
       SELECT gen_random_uuid() AS id, h.sequence + n AS sequence FROM ledger_head h, generate_series(1, $2::integer) n
       WHERE h.tenant = $1
     ), r AS (
       INSERT INTO record (tenant, id, request_id, type, digest, issued_at, record)
       SELECT $1, id, $3, 'RequestChangedEvent', '', now(), '{}' FROM e
     ), l AS (
       INSERT INTO ledger_entry (tenant, sequence, request_id, type, previous_head, head, record_digest, record_id, created_at)
       SELECT $1, sequence, $3, 'RequestChangedEvent', '', '', '', id, now() FROM e
     ) UPDATE ledger_head SET sequence = sequence + $2 WHERE tenant = $1`,
    [of, many, randomUUID()],
  );
}

async function listen(pool: pg.Pool, of: string): Promise<void> {
  await pool.query(
    `INSERT INTO principal (tenant, id, kind, enabled, config, updated_at)
     VALUES ($1, 'bot', 'producer', true, '{"enabled":true,"webhook":"https://hooks.example/"}', now())`,
    [of],
  );
}

async function cursorOf(of: string): Promise<number | undefined> {
  const { rows } = await owner.query<{ sequence: number }>(
    'SELECT sequence FROM delivery_cursor WHERE tenant = $1',
    [of],
  );
  return rows[0]?.sequence;
}

/** One round of a follower: true when its batch counted. */
async function followOnce(most: number): Promise<boolean> {
  const batch = await feed.batch(tenant, most);
  if (batch === null) return false;
  const made = batch.entries.map(({ recordId, requestId }) => ({
    id: randomUUID(),
    requestId: requestId as string,
    kind: 'webhook' as const,
    eventId: recordId,
    recipient: 'bot',
  }));
  const last = batch.entries.at(-1)?.sequence as number;
  return (await feed.follow(tenant, batch.after, last, made, new Map())) !== null;
}

describe('the chain is followed', () => {
  it('each entry once, however many follow it', async () => {
    await chain(owner, tenant, 250);
    let counted = 0;
    const follower = async (): Promise<void> => {
      while ((await feed.batch(tenant, 1)) !== null) if (await followOnce(20)) counted += 1;
    };
    await Promise.all(Array.from({ length: 6 }, follower));
    const { rows } = await owner.query<{ many: number; events: number }>(
      `SELECT count(*) AS many, count(DISTINCT event_id) AS events FROM delivery WHERE tenant = $1`,
      [tenant],
    );
    expect(rows).toEqual([{ many: 250, events: 250 }]);
    expect(counted).toBe(13);
    expect(await cursorOf(tenant)).toBe(250);
    expect(await feed.tenantsBehind()).not.toContain(tenant);
  });

  it('from the beginning for a new tenant, and in the order of the chain', async () => {
    await chain(owner, tenant, 5);
    expect(await feed.tenantsBehind()).toContain(tenant);
    const batch = await feed.batch(tenant, 3);
    expect(batch?.after).toBe(0);
    expect(batch?.entries.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  });

  it('by passing over entries without a webhook', async () => {
    await chain(owner, tenant, 5);
    expect(await feed.passOver(tenant)).toBe(true);
    expect(await cursorOf(tenant)).toBe(5);
    expect(await feed.passOver(tenant)).toBe(true);
    // A follower that had read before counts no more.
    expect(await feed.follow(tenant, 0, 3, [], new Map())).toBeNull();
    await listen(owner, tenant);
    await chain(owner, tenant, 2);
    expect(await feed.passOver(tenant)).toBe(false);
    expect((await feed.batch(tenant, 10))?.entries.map(({ sequence }) => sequence)).toEqual([6, 7]);
  });
});

describe('a delivery', () => {
  /** As a worker has loaded it. */
  async function newDelivery(kind: 'webhook' | 'smtp', recipient = 'bot') {
    const id = randomUUID();
    const requestId = randomUUID();
    await owner.query(
      `INSERT INTO delivery (tenant, id, request_id, kind, state, created_at, next_at, event_id, recipient)
       VALUES ($1, $2, $3, $4, 'pending', now(), now(), gen_random_uuid(), $5)`,
      [tenant, id, requestId, kind, recipient],
    );
    const loaded = await deliveries.load({ tenant, requestId, kind: `${kind}.${id}`, due: 0 });
    if (loaded === null) throw new Error('it was there');
    return loaded;
  }

  const times = <T>(many: number, work: () => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: many }, work));

  it('is claimed by one, and again when that claim has ended', async () => {
    const delivery = await newDelivery('webhook');
    const claims = await times(20, () => deliveries.claim(delivery, FINGERPRINT));
    const [first, ...more] = claims.filter((claim) => claim !== null);
    expect(more).toEqual([]);
    expect(first).toMatchObject({ attempts: 1 });
    await owner.query('UPDATE delivery SET next_at = now() WHERE id = $1', [delivery.id]);
    const second = await deliveries.claim(delivery, FINGERPRINT);
    expect(second).toMatchObject({ attempts: 2 });
    // Only the holder says how it went.
    const accepted = { state: 'accepted', error: null, nextAt: null } as const;
    expect(await deliveries.settle(delivery, first!, accepted)).toBe(false);
    expect(await deliveries.settle(delivery, second!, accepted)).toBe(true);
    expect(await deliveries.settle(delivery, second!, accepted)).toBe(false);
    expect(await deliveries.claim(delivery, FINGERPRINT)).toBeNull();
  });

  it('by mail is claimed ten times an hour for one recipient, and waits for the next', async () => {
    const mails = await times(25, () => newDelivery('smtp', 'ruth'));
    const others = await times(3, () => newDelivery('smtp', 'ravi'));
    const claims = await Promise.all(
      [...mails, ...others].map((mail) => deliveries.claimMail(mail, FINGERPRINT)),
    );
    const { rows } = await owner.query<{ recipient: string; sent: number }>(
      'SELECT recipient, sum(sent)::integer AS sent FROM mail_window WHERE tenant = $1 GROUP BY 1 ORDER BY 1',
      [tenant],
    );
    const hours = await owner.query('SELECT DISTINCT hour FROM mail_window WHERE tenant = $1', [
      tenant,
    ]);
    if (hours.rowCount === 1) {
      expect(rows).toEqual([
        { recipient: 'ravi', sent: 3 },
        { recipient: 'ruth', sent: 10 },
      ]);
      expect(claims.filter((claim) => claim !== null)).toHaveLength(13);
      const waiting = await owner.query(
        `SELECT 1 FROM delivery WHERE tenant = $1 AND claim_id IS NULL AND attempts = 0
           AND next_at = date_trunc('hour', clock_timestamp(), 'UTC') + interval '1 hour'`,
        [tenant],
      );
      expect(waiting.rowCount).toBe(15);
    }
    const claim = claims[25]!;
    await deliveries.giveBackMail(others[0]!, claim);
    const left = await owner.query<{ sent: number }>(
      `SELECT sum(sent)::integer AS sent FROM mail_window WHERE tenant = $1 AND recipient = 'ravi'`,
      [tenant],
    );
    expect(left.rows).toEqual([{ sent: 2 }]);
  });

  it('is found by the sweep in the order of time, page by page', async () => {
    const made = await times(7, () => newDelivery('webhook'));
    await owner.query(`UPDATE delivery SET next_at = now() + interval '1 hour' WHERE id = $1`, [
      made[0]!.id,
    ]);
    const found: string[] = [];
    let last = null;
    for (;;) {
      const page: Awaited<ReturnType<DeliveryStore['upcoming']>> = await deliveries.upcoming(
        60_000,
        last,
        3,
      );
      found.push(...page.filter((item) => item.tenant === tenant).map(({ kind }) => kind));
      if (page.length < 3) break;
      last = page.at(-1)!;
    }
    expect(found.sort()).toEqual(
      made
        .slice(1)
        .map(({ id }) => `webhook.${id}`)
        .sort(),
    );
  });
});

it('a database that had no deliveries starts at the end of its chains, and hides its secrets', async () => {
  const before = mkdtempSync(join(tmpdir(), 'countersign-migrations-'));
  for (const name of readdirSync(MIGRATIONS).filter((folder) => folder < OURS)) {
    cpSync(join(MIGRATIONS, name), join(before, name), { recursive: true });
  }
  const url = await server.emptyDatabase();
  await migrate(url, { directory: before });
  rmSync(before, { recursive: true });
  const old = server.pool(url);
  await makeTenant(old, 'old');
  await chain(old, 'old', 12);
  await listen(old, 'old');
  await old.query(
    `UPDATE principal SET config = config || '{"webhook_secret":"whsec_c2VjcmV0"}' WHERE id = 'bot'`,
  );
  await migrate(url);
  const cursors = await old.query('SELECT tenant, sequence FROM delivery_cursor');
  expect(cursors.rows).toEqual([{ tenant: 'old', sequence: 12 }]);
  const secrets = await old.query('SELECT principal, secret FROM webhook_secret');
  expect(secrets.rows).toEqual([{ principal: 'bot', secret: 'whsec_c2VjcmV0' }]);
  const configs = await old.query<{ config: object }>('SELECT config FROM principal');
  expect(configs.rows.map(({ config }) => Object.keys(config).sort())).toEqual([
    ['enabled', 'webhook'],
  ]);
});
