import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { chainHead, textDigest } from '@countersign/protocol';
import { startTestServer } from './server.js';
import type { TestPool, TestServer } from './server.js';

let server: TestServer;
let owner: pg.Pool;
let ledger: TestPool;

beforeAll(async () => {
  server = await startTestServer();
  const url = await server.migratedDatabase();
  owner = server.pool(url);
  ledger = server.pool(url, 'ledger', 8);
});
afterAll(() => server.stop());

interface Drained {
  appended: number;
  sequence: number;
  head: string;
  remaining: boolean;
}

interface Committed {
  id: string;
  digest: string;
  type: string;
  audience: string;
}

/** A tenant with an empty chain. */
async function newTenant(): Promise<string> {
  const tenant = `tenant-${randomUUID()}`;
  await owner.query(`INSERT INTO ledger_head (tenant, sequence, head) VALUES ($1, 0, '')`, [
    tenant,
  ]);
  return tenant;
}

/** Commits records as services do, as far as the chain is concerned: their outbox rows, in this order. */
async function commit(tenant: string, count: number, owners = ['owner']): Promise<Committed[]> {
  const records = Array.from({ length: count }, (_, place) => ({
    id: randomUUID(),
    digest: textDigest(randomUUID()),
    type: place % 3 === 2 ? 'AdmissionStatus' : 'RequestChangedEvent',
    audience: owners[place % owners.length] as string,
  }));
  await owner.query(
    `INSERT INTO outbox (tenant, record_id, request_id, type, digest, audience)
     SELECT $1, x.id, x.id, x.type, x.digest, x.audience
     FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) WITH ORDINALITY AS x (id, type, digest, audience, place)
     ORDER BY x.place`,
    [
      tenant,
      records.map((record) => record.id),
      records.map((record) => record.type),
      records.map((record) => record.digest),
      records.map((record) => record.audience),
    ],
  );
  return records;
}

async function drain(tenant: string, most = 100): Promise<Drained | null> {
  const { rows } = await ledger.query<Drained>('SELECT * FROM ledger_drain($1, $2)', [
    tenant,
    most,
  ]);
  return rows[0] ?? null;
}

async function drainAll(tenant: string, most = 100): Promise<void> {
  for (;;) {
    const drained = await drain(tenant, most);
    if (drained !== null && !drained.remaining) return;
  }
}

interface Entry {
  sequence: number;
  previous_head: string;
  head: string;
  record_digest: string;
  record_id: string;
}

async function entriesOf(tenant: string): Promise<Entry[]> {
  const { rows } = await owner.query<Entry>(
    'SELECT * FROM ledger_entry WHERE tenant = $1 ORDER BY sequence',
    [tenant],
  );
  return rows;
}

/** Gap-free from 1, each head made of the one before, and the stored head is the last one. */
async function requireSoundChain(tenant: string): Promise<Entry[]> {
  const entries = await entriesOf(tenant);
  let previous = '';
  entries.forEach((entry, place) => {
    expect(entry.sequence).toBe(place + 1);
    expect(entry.previous_head).toBe(previous);
    expect(entry.head).toBe(chainHead(previous, entry.record_digest, entry.sequence));
    previous = entry.head;
  });
  const { rows } = await owner.query('SELECT sequence, head FROM ledger_head WHERE tenant = $1', [
    tenant,
  ]);
  expect(rows).toEqual([{ sequence: entries.length, head: previous }]);
  return entries;
}

async function eventsOf(
  tenant: string,
  of: string,
): Promise<{ sequence: number; record_id: string }[]> {
  const { rows } = await owner.query<{ sequence: number; record_id: string }>(
    'SELECT sequence, record_id FROM event WHERE tenant = $1 AND owner = $2 ORDER BY sequence',
    [tenant, of],
  );
  return rows;
}

it('chains committed records, in that order, with the heads of the protocol', async () => {
  const tenant = await newTenant();
  const records = await commit(tenant, 7);
  expect(await drain(tenant)).toMatchObject({ appended: 7, sequence: 7, remaining: false });
  const entries = await requireSoundChain(tenant);
  expect(entries.map((entry) => entry.record_id)).toEqual(records.map((record) => record.id));
  expect(entries.map((entry) => entry.record_digest)).toEqual(records.map((r) => r.digest));
});

it('goes on where it stopped, batch by batch', async () => {
  const tenant = await newTenant();
  await commit(tenant, 25);
  expect(await drain(tenant, 10)).toMatchObject({ appended: 10, sequence: 10, remaining: true });
  expect(await drain(tenant, 10)).toMatchObject({ appended: 10, sequence: 20, remaining: true });
  expect(await drain(tenant, 10)).toMatchObject({ appended: 5, sequence: 25, remaining: false });
  const idle = await drain(tenant, 10);
  expect(idle).toMatchObject({ appended: 0, sequence: 25, remaining: false });
  const entries = await requireSoundChain(tenant);
  expect(idle?.head).toBe(entries.at(-1)?.head);
});

it('numbers the events of each owner without gaps, several owners in a batch', async () => {
  const tenant = await newTenant();
  const owners = ['ann', 'bob', 'cyd', 'dan'];
  const records = [...(await commit(tenant, 50, owners)), ...(await commit(tenant, 37, owners))];
  await drainAll(tenant, 20);
  for (const name of owners) {
    const mine = records.filter((r) => r.audience === name && r.type === 'RequestChangedEvent');
    expect(await eventsOf(tenant, name)).toEqual(
      mine.map((record, place) => ({ sequence: place + 1, record_id: record.id })),
    );
  }
});

it('never forks under concurrent drains and commits, and chains each record once', async () => {
  const tenant = await newTenant();
  const committed: Committed[] = [];
  let writing = true;
  const writers = [1, 2, 3].map(async () => {
    for (let round = 0; round < 15; round += 1) committed.push(...(await commit(tenant, 9)));
  });
  const drains = Array.from({ length: 6 }, async () => {
    while (writing) await drain(tenant, 20);
  });
  await Promise.all(writers);
  writing = false;
  await Promise.all(drains);
  await drainAll(tenant);

  const entries = await requireSoundChain(tenant);
  expect(entries.map((entry) => entry.record_id).sort()).toEqual(
    committed.map((record) => record.id).sort(),
  );
  const events = await eventsOf(tenant, 'owner');
  expect(events.map((event) => event.sequence)).toEqual(events.map((_, place) => place + 1));
});

it('yields to a drain that runs', async () => {
  const tenant = await newTenant();
  await commit(tenant, 3);
  const client = await ledger.connect();
  await client.query('BEGIN');
  await client.query('SELECT * FROM ledger_drain($1, 100)', [tenant]);
  expect(await drain(tenant)).toBeNull();
  await client.query('ROLLBACK');
  client.release();
  expect(await drain(tenant)).toMatchObject({ appended: 3, sequence: 3 });
  await requireSoundChain(tenant);
});

it('takes nothing of other tenants', async () => {
  const [mine, other] = [await newTenant(), await newTenant()];
  await commit(other, 4);
  await commit(mine, 2);
  await commit(other, 4);
  await drainAll(mine);
  expect(await requireSoundChain(mine)).toHaveLength(2);
  expect(await requireSoundChain(other)).toHaveLength(0);
  await drainAll(other);
  expect(await requireSoundChain(other)).toHaveLength(8);
});

it('has no chain for a tenant that does not exist', async () => {
  expect(await drain('nobody')).toBeNull();
});

it('stops at the last sequence that JSON numbers can represent', async () => {
  const tenant = await newTenant();
  await owner.query('UPDATE ledger_head SET sequence = 9007199254740990 WHERE tenant = $1', [
    tenant,
  ]);
  await commit(tenant, 2);
  await expect(drain(tenant)).rejects.toThrow('ledger_exhausted');
  expect(await drain(tenant, 1)).toMatchObject({ appended: 1, sequence: 9007199254740991 });
  await expect(drain(tenant)).rejects.toThrow('ledger_exhausted');
});
