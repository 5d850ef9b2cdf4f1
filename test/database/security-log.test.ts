import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { SecurityJournal, saveCommandEvent, saveSecurityEvents } from '@countersign/database';
import type { Pool } from '@countersign/database';
import { FileAnchorStore, SecurityStore, securityCheckpointModule } from '@countersign/ledger';
import { Notary, createLogger } from '@countersign/platform';
import { until } from '@countersign/dev-servers/testing';
import {
  CHAIN_START,
  INSTALLATION,
  chainHead,
  createTrustManifest,
  generateSigningKey,
  loadTrust,
  signerFromPem,
  textDigest,
  verifySecurityCheckpoint,
} from '@countersign/protocol';
import type { SecurityEntry, SecurityEvent } from '@countersign/protocol';
import { insertTenant, startTestServer } from './server.js';
import type { TestPool, TestServer } from './server.js';

let server: TestServer;
let owner: pg.Pool;
let ledger: TestPool;
let request: TestPool;
let store: SecurityStore;

beforeAll(async () => {
  server = await startTestServer();
  const url = await server.migratedDatabase();
  owner = server.pool(url);
  ledger = server.pool(url, 'ledger', 8);
  request = server.pool(url, 'request', 8);
  store = new SecurityStore(ledger);
});
afterAll(() => server.stop());

const newTenant = () => insertTenant(owner);

/** A read that the service `request` notes. */
function read(tenant: string, actor = 'ann') {
  return { tenant, kind: 'material.read', actor: { id: actor, kind: 'human' } } as const;
}

async function drainAll(tenant: string): Promise<void> {
  while ((await store.drain(tenant, 7)) > 0);
}

async function entriesOf(tenant: string): Promise<SecurityEntry[]> {
  const { rows } = await owner.query<SecurityEntry>(
    'SELECT sequence, previous_head, head, entry FROM security_entry WHERE tenant = $1 ORDER BY sequence',
    [tenant],
  );
  return rows;
}

const eventsOf = async (tenant: string) =>
  (await entriesOf(tenant)).map(({ entry }) => JSON.parse(entry) as SecurityEvent);

function expectChained(entries: readonly SecurityEntry[]): void {
  let end: { sequence: number; head: string } = CHAIN_START;
  for (const { sequence, previous_head, head, entry } of entries) {
    expect([sequence, previous_head]).toEqual([end.sequence + 1, end.head]);
    expect(head).toBe(chainHead(end.head, textDigest(entry), sequence));
    end = { sequence, head };
  }
}

describe('the chain of the security log', () => {
  it('has every event once, without a gap, with its time and the service that inserted it', async () => {
    const tenant = await newTenant();
    await saveSecurityEvents(request, [
      { ...read(tenant), requestId: randomUUID(), detail: { as: 'reviewer' } },
      {
        ...read(tenant),
        kind: 'principal.changed',
        subject: 'bob',
        detail: { changed: ['b', 'a'] },
      },
    ]);
    await saveCommandEvent(owner, { tenant, kind: 'tenant.recovered' });
    await drainAll(tenant);
    expectChained(await entriesOf(tenant));
    const events = await eventsOf(tenant);
    expect(events.map(({ kind, source, subject }) => [kind, source, subject])).toEqual([
      ['material.read', 'request', null],
      ['principal.changed', 'request', 'bob'],
      ['tenant.recovered', 'command', null],
    ]);
    expect(events[0]).toMatchObject({ tenant, actor: { id: 'ann', kind: 'human' } });
    expect(events[1]?.detail).toEqual({ changed: ['b', 'a'] });
    expect(events[2]?.actor?.kind).toBe('command');
    for (const { time } of events) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const { rows } = await owner.query('SELECT FROM security_event WHERE tenant = $1', [tenant]);
    expect(rows).toHaveLength(0);
  });

  it('stays gap-free while services insert and several processes chain at once', async () => {
    const tenant = await newTenant();
    const journal = new SecurityJournal(request);
    const noted = Promise.all(
      Array.from({ length: 300 }, (_, n) => journal.note(read(tenant, `p${n}`))),
    );
    let done = false;
    const chaining = Array.from({ length: 4 }, async () => {
      while (!done) await store.drain(tenant, 9);
    });
    await noted.finally(() => {
      done = true;
    });
    await Promise.all(chaining);
    await drainAll(tenant);
    expectChained(await entriesOf(tenant));
    const actors = (await eventsOf(tenant)).map(({ actor }) => actor?.id);
    expect(new Set(actors).size).toBe(300);
    expect(actors).toHaveLength(300);
  });

  it('is looked for in every tenant with something to chain, the installation among them', async () => {
    const tenants = [await newTenant(), await newTenant(), INSTALLATION];
    for (const tenant of tenants) await saveSecurityEvents(owner, [read(tenant)]);
    expect(await store.waiting()).toEqual(expect.arrayContaining(tenants));
    for (const tenant of tenants) await drainAll(tenant);
    expect(await store.waiting()).toEqual([]);
    expect(await eventsOf(INSTALLATION)).toHaveLength(1);
  });

  it('does not lose an event whose transaction is undone with its change', async () => {
    const tenant = await newTenant();
    const client = await request.connect();
    await client.query('BEGIN');
    await saveSecurityEvents(client, [read(tenant)]);
    await client.query('ROLLBACK');
    client.release();
    await saveSecurityEvents(request, [read(tenant, 'bob')]);
    await drainAll(tenant);
    expect((await eventsOf(tenant)).map(({ actor }) => actor?.id)).toEqual(['bob']);
  });
});

describe('a read that is noted before it is answered', () => {
  it('fails when the note cannot be kept', async () => {
    const journal = new SecurityJournal({
      acrossTenants: { query: () => Promise.reject(new Error('the database is away')) },
    } as unknown as Pool);
    await expect(journal.note(read('t'))).rejects.toThrow('the database is away');
    await expect(journal.note(read('t'))).rejects.toThrow('the database is away');
  });

  it('travels with others that come while a statement is on its way', async () => {
    const batches: number[] = [];
    const journal = new SecurityJournal({
      acrossTenants: {
        query: async ({ values }: { values: unknown[][] }) => {
          batches.push(values[0]?.length ?? 0);
          await new Promise((next) => setImmediate(next));
        },
      },
    } as unknown as Pool);
    await Promise.all(Array.from({ length: 450 }, () => journal.note(read('t'))));
    expect(batches).toEqual([1, 200, 200, 49]);
  });
});

describe('checkpoints of the security log', () => {
  const issuer = 'https://review.example';
  const key = generateSigningKey('ledger-1');
  const trust = loadTrust(
    createTrustManifest(issuer, { ...key, notBefore: 0, notAfter: Date.UTC(2100, 0, 1) }),
  );
  const log = createLogger({ name: 'test', level: 'silent' });
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'security-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function moduleWith(anchors: Pick<FileAnchorStore, 'accept'>, refused: string[] = []) {
    return securityCheckpointModule({
      store,
      anchors,
      notary: new Notary(signerFromPem('ledger-1', key.privatePem), issuer),
      seconds: 1,
      metrics: { refused: (fault) => void refused.push(fault) },
      log,
    });
  }

  it('go to the anchor store below security/, signed by the ledger service, and lie on the chain', async () => {
    const tenant = await newTenant();
    await saveSecurityEvents(request, [read(tenant), read(tenant)]);
    await drainAll(tenant);
    const module = moduleWith(new FileAnchorStore(folder, 'security'));
    await module.start();
    const accepted = () =>
      owner.query(
        `SELECT k.sequence, k.generation, h.ledger_id FROM security_checkpoint k JOIN security_head h USING (tenant)
         WHERE k.tenant = $1 AND k.acceptance IS NOT NULL`,
        [tenant],
      );
    await until(async () => (await accepted()).rows.length === 1, 15_000);
    await module.stop();
    const [{ sequence, generation, ledger_id }] = (await accepted()).rows;
    const path = join(folder, 'security', ledger_id, generation);
    expect(readdirSync(path)).toEqual(['0000000000000002.json']);
    const kept = JSON.parse(readFileSync(join(path, '0000000000000002.json'), 'utf8'));
    const verified = verifySecurityCheckpoint(kept, trust);
    const [, last] = await entriesOf(tenant);
    expect(verified).toMatchObject({ ok: true, checkpoint: { sequence, head: last?.head } });
  });

  it('are not signed for a tenant whose database may be a restored one', async () => {
    const tenant = await newTenant();
    await saveSecurityEvents(request, [read(tenant)]);
    await drainAll(tenant);
    await owner.query(
      `UPDATE tenant SET fenced = true, fence_reason = 'ledger_behind_anchor' WHERE tenant = $1`,
      [tenant],
    );
    expect((await store.unsigned(1, 0)).map((position) => position.tenant)).not.toContain(tenant);
  });
});
