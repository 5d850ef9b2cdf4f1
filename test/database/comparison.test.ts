import { randomUUID } from 'node:crypto';
import { recoverTenant } from '@countersign/database';
import type { Pool } from '@countersign/database';
import { until } from '@countersign/dev-servers/testing';
import { anchorWorkerModule } from '@countersign/ledger';
import type { AnchorStore } from '@countersign/ledger';
import { Notary, createInProcessBus, createLogger } from '@countersign/platform';
import { generateSigningKey, signerFromPem } from '@countersign/protocol';
import type pg from 'pg';
import { startTestServer } from './server.js';
import type { TestServer } from './server.js';

let server: TestServer;
let owner: pg.Pool;
let ledger: Pool;

beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(async () => {
  const url = await server.migratedDatabase();
  owner = server.pool(url);
  ledger = server.pool(url, 'ledger', 2);
});
afterAll(() => server.stop());

/** A store that answers about a generation once it may. */
function slowStore() {
  let asked = 0;
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const unused = () => Promise.reject(new Error('nothing is anchored here'));
  const anchors: AnchorStore = {
    check: () => Promise.resolve(),
    accept: unused,
    history: unused,
    async since() {
      asked += 1;
      await answered;
      return [{ sequence: 7, head: `sha256:${'0'.repeat(64)}` }];
    },
  };
  return { anchors, asked: () => asked, answer };
}

function startAnchoring(anchors: AnchorStore) {
  const log = createLogger({ name: 'anchor', level: 'silent' });
  const bus = createInProcessBus({ log });
  const key = generateSigningKey('ledger');
  const ignore = () => {};
  const module = anchorWorkerModule(bus, {
    pool: ledger,
    traces: null,
    notary: new Notary(signerFromPem('ledger', key.privatePem), 'https://ledger.example'),
    log,
    anchors,
    chained: ignore,
    decided: ignore,
    anchored: ignore,
  });
  const started = module.start();
  return {
    started,
    async stop() {
      await module.stop();
      await bus.close();
    },
  };
}

async function newTenant(): Promise<string> {
  const tenant = `tenant-${randomUUID()}`;
  await owner.query(
    `WITH t AS (
       INSERT INTO tenant (tenant, ledger_id, generation, fenced, created_at)
       VALUES ($1, gen_random_uuid(), gen_random_uuid(), false, clock_timestamp())
     ) INSERT INTO ledger_head (tenant, sequence, head) VALUES ($1, 0, '')`,
    [tenant],
  );
  return tenant;
}

async function fenceOf(tenant: string) {
  const { rows } = await owner.query<{ reason: string | null }>(
    'SELECT fence_reason AS reason FROM tenant WHERE tenant = $1',
    [tenant],
  );
  return rows[0]?.reason;
}

it('a ledger behind its anchor store is fenced', async () => {
  const tenant = await newTenant();
  const { anchors, answer } = slowStore();
  answer();
  const { started, stop } = startAnchoring(anchors);
  await started;
  expect(await fenceOf(tenant)).toBe('ledger_behind_anchor');
  await stop();
});

it('a comparison that began before a recovery does not fence the tenant again after it', async () => {
  const tenant = await newTenant();
  const { anchors, asked, answer } = slowStore();
  const { started, stop } = startAnchoring(anchors);
  await until(async () => asked() === 1);
  await recoverTenant(owner, tenant);
  answer();
  await started;
  expect(await fenceOf(tenant)).toBeNull();
  await stop();
});
