import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createOwnerPool, databaseNow, migrate } from '@countersign/database';
import { ensureKeys, trustManifest } from '@countersign/deploy';
import { createLogger, createNatsBus } from '@countersign/platform';
import { createJobs } from '@countersign/platform/jobs';
import {
  freePort,
  postgresOwner,
  startNats,
  startPostgres,
  startRedis,
} from '@countersign/dev-servers';
import type { RunningStore } from '@countersign/dev-servers';
import { until } from '@countersign/dev-servers/testing';
import { selfSigned } from '../e2e/deliveries/support/certificate.js';
import { newFolder } from '../support/folder.js';
import { keyFilesOf } from '../support/key-files.js';
import { createMemoryParcels } from '../support/memory-parcels.js';

const MAIN = resolve(__dirname, '../../deploy/dist/main.js');
const ORIGIN = 'https://review.example';
const log = createLogger({ name: 'test', level: 'silent' });

/** Real stores that speak TLS, each with a certificate for the name `localhost`, and another authority. */
const folder = newFolder('store-tls');
const server = selfSigned(['localhost']);
const client = selfSigned(['worker-expiry']);
const other = selfSigned(['localhost']);
const file = (name: string): string => join(folder, name);

let postgres: RunningStore;
let nats: RunningStore;
let plainNats: RunningStore;
let redis: RunningStore;
let redisTls: number;
let databaseUrl: (ca: string, host?: string, of?: 'client' | 'other' | null) => string;

beforeAll(async () => {
  const files = {
    'server.pem': server.cert,
    'server.key': server.key,
    'client.pem': client.cert,
    'client.key': client.key,
    'other.pem': other.cert,
    'other.key': other.key,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(file(name), text);
  // With TLS only clients whose certificate is known; the owner of this test comes without.
  writeFileSync(
    file('hba.conf'),
    'hostssl all all all trust clientcert=verify-ca\nhostnossl all all all trust\nlocal all all trust\n',
  );
  // Postgres wants its key for itself.
  mkdirSync(file('postgres-tls'));
  const key = file('postgres-tls/server.key');
  writeFileSync(key, server.key);
  chmodSync(key, 0o600);
  const owner = postgresOwner();
  if (owner !== null) chownSync(key, owner.uid, owner.gid);

  postgres = await startPostgres({
    dir: file('postgres'),
    settings: {
      ...{ ssl: 'on', ssl_cert_file: file('server.pem'), ssl_key_file: key, fsync: 'off' },
      ...{ ssl_ca_file: file('client.pem'), hba_file: file('hba.conf') },
    },
  });
  await migrate(postgres.url);
  databaseUrl = (ca, host = 'localhost', of = 'client') =>
    `${postgres.url.replace('127.0.0.1', host)}?sslmode=verify-full&sslrootcert=${file(ca)}` +
    (of === null ? '' : `&sslcert=${file(`${of}.pem`)}&sslkey=${file(`${of}.key`)}`);
  const tls = `tls { cert_file: "${file('server.pem')}", key_file: "${file('server.key')}", ca_file: "${file('client.pem')}", verify: true }`;
  nats = await startNats({ dir: file('nats'), config: tls });
  plainNats = await startNats({ dir: file('plain-nats') });
  redisTls = await freePort();
  redis = await startRedis({
    dir: file('redis'),
    settings: {
      'tls-port': String(redisTls),
      'tls-cert-file': file('server.pem'),
      'tls-key-file': file('server.key'),
      'tls-ca-cert-file': file('client.pem'),
      'tls-auth-clients': 'yes',
    },
  });
});
afterAll(async () => {
  await Promise.all([postgres, nats, plainNats, redis].map((store) => store?.kill()));
  rmSync(folder, { recursive: true, force: true });
});

/** A target in production, with every store over TLS unless `env` says otherwise. */
async function withTarget<T>(
  env: Readonly<Record<string, string>>,
  work: (target: { ready(): Promise<boolean>; output(): string }) => Promise<T>,
): Promise<{ result: T; code: number | null }> {
  const port = await freePort();
  const keys = file('keys');
  ensureKeys(keys);
  const trust = trustManifest(keys, ORIGIN, null, Date.now());
  writeFileSync(join(keys, 'trust.json'), JSON.stringify(trust));
  const child = spawn(process.execPath, [MAIN, '--target=worker-expiry'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      MODE: 'production',
      ORIGIN,
      TRUST_FILE: join(keys, 'trust.json'),
      ...keyFilesOf(keys, 'worker-expiry'),
      REQUEST_SIGNING_KEY_FILE: join(keys, 'request.pem'),
      DATABASE_URL: databaseUrl('server.pem'),
      NATS_URL: `tls://localhost:${nats.port}`,
      NATS_CA_FILE: file('server.pem'),
      NATS_CERT_FILE: file('client.pem'),
      NATS_KEY_FILE: file('client.key'),
      REDIS_URL: `rediss://localhost:${redisTls}`,
      REDIS_CA_FILE: file('server.pem'),
      REDIS_CERT_FILE: file('client.pem'),
      REDIS_KEY_FILE: file('client.key'),
      HEALTH_PORT: String(port),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const exited = new Promise<number | null>((settle) => child.once('exit', settle));
  try {
    const result = await work({
      ready: () =>
        fetch(`http://127.0.0.1:${port}/readyz`).then(
          ({ status }) => status === 200,
          () => false,
        ),
      output: () => output,
    });
    return { result, code: child.exitCode };
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}

it('a target works with stores that it has verified', async () => {
  await withTarget({}, async (target) => {
    await until(target.ready, 30_000);
    expect(target.output()).not.toMatch(/NATS cannot be reached|queue has no store/);
  });
});

it.each([
  ['Postgres', { DATABASE_URL: () => databaseUrl('other.pem') }, /waiting for the database/],
  [
    'Postgres under another name',
    { DATABASE_URL: () => databaseUrl('server.pem', '127.0.0.2') },
    /waiting for the database/,
  ],
  ['NATS', { NATS_CA_FILE: () => file('other.pem') }, /NATS cannot be reached/],
  [
    'NATS without TLS',
    { NATS_URL: () => `tls://localhost:${plainNats.port}` },
    /NATS cannot be reached/,
  ],
] as const)(
  'a target does not work with %s that another authority vouches for',
  async (_store, env, words) => {
    const set = Object.fromEntries(Object.entries(env).map(([name, of]) => [name, of()]));
    await withTarget(set, async (target) => {
      await until(() => words.test(target.output()), 30_000);
      expect(await target.ready()).toBe(false);
    });
  },
);

it.each([
  // Those that every target has are refused together, before those of its own.
  ['its database and the bus', () => ({ DATABASE_URL: postgres.url, NATS_URL: plainNats.url })],
  ['its queues', () => ({ REDIS_URL: redis.url })],
])('a target does not start on plain connections to %s in production', async (_, plain) => {
  await withTarget({ ...plain(), HEALTH_PORT: '' }, async (target) => {
    await until(() => target.output().includes('cannot be used'), 30_000);
    for (const variable of Object.keys(plain())) {
      expect(target.output()).toContain(
        `${variable} names a connection without verified TLS in production`,
      );
    }
    expect(target.output()).toContain('ALLOW_PLAINTEXT_STORES=true');
  });
});

describe('connections', () => {
  it('to NATS need the client’s certificate where the server asks for it', async () => {
    const connect = (tls: { cert?: string; key?: string }) =>
      createNatsBus({
        servers: [`tls://localhost:${nats.port}`],
        name: 'test',
        log,
        parcels: createMemoryParcels(),
        firstConnectMs: 2000,
        login: () => ({ tls: { ca: server.cert, ...tls } }),
      });
    const known = await connect(client);
    const unknown = await connect({});
    const forged = await connect(other);
    expect([known.ready(), unknown.ready(), forged.ready()]).toEqual([true, false, false]);
    await Promise.all([known.close(), unknown.close(), forged.close()]);
  });

  it('to Redis are of queues that verify it, and need the client’s certificate where it asks for it', async () => {
    const enqueue = async (ca: string, own?: { cert: string; key: string }): Promise<string> => {
      const jobs = createJobs({
        log,
        redis: { urls: [`rediss://localhost:${redisTls}`], ca, ...own },
        closeMs: 500,
      });
      try {
        await jobs.enqueue('tls', 'job-1', {});
        return 'taken';
      } catch {
        return 'refused';
      } finally {
        await jobs.close();
      }
    };
    expect(await enqueue(server.cert, client)).toBe('taken');
    expect(await enqueue(other.cert, client)).toBe('refused');
    expect(await enqueue(server.cert)).toBe('refused');
    expect(await enqueue(server.cert, other)).toBe('refused');
  });

  it('to Postgres say that they are encrypted', async () => {
    const pool = createOwnerPool({ url: databaseUrl('server.pem'), application: 'test' });
    const { rows } = await pool.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
    expect(rows).toEqual([{ ssl: true }]);
    await pool.end();
    const wrong = createOwnerPool({ url: databaseUrl('other.pem'), application: 'test' });
    await expect(databaseNow(wrong)).rejects.toThrow(/certificate/);
    await wrong.end();
  });

  it('to Postgres need the client’s certificate where the server asks for it', async () => {
    for (const presented of [null, 'other'] as const) {
      const pool = createOwnerPool({
        url: databaseUrl('server.pem', 'localhost', presented),
        application: 'test',
      });
      await expect(databaseNow(pool)).rejects.toThrow();
      await pool.end();
    }
  });
});
