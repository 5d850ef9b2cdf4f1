import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { migrate } from '@countersign/database';
import { ensureKeys, trustManifest } from '@countersign/deploy';
import { freePort } from '@countersign/dev-servers';
import { testPostgres, until } from '@countersign/dev-servers/testing';
import pg from 'pg';
import { keyFilesOf } from '../support/key-files.js';

/**
 * With a health port, a process does not end for a missing dependency: it logs it once, is not ready, and continues when it
 * is there.
 */
const MAIN = resolve(__dirname, '../../deploy/dist/main.js');
const ORIGIN = 'http://localhost:8080';
const PATIENCE_MS = 20_000;

let folder: string;
let server: Awaited<ReturnType<typeof testPostgres>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-standing-by-'));
  ensureKeys(folder);
  writeFileSync(
    join(folder, 'trust.json'),
    JSON.stringify(trustManifest(folder, ORIGIN, null, Date.now())),
  );
  server = await testPostgres({ fsync: 'off' });
});
afterAll(async () => {
  await server.remove();
  rmSync(folder, { recursive: true, force: true });
});

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly reason?: string;
}

interface Target {
  readonly process: ChildProcess;
  readonly lines: () => Line[];
  probe(path: string): Promise<number | null>;
  end(): Promise<number | null>;
}

async function start(env: Readonly<Record<string, string>> = {}): Promise<Target> {
  const port = await freePort();
  const child = spawn(process.execPath, [MAIN, '--target=notifier'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      MODE: 'development',
      ORIGIN,
      DATABASE_URL: server.url,
      TRUST_FILE: join(folder, 'trust.json'),
      ...keyFilesOf(folder),
      NOTIFIER_SIGNING_KEY_FILE: join(folder, 'notifier.pem'),
      HEALTH_PORT: String(port),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<number | null>((settle) => child.once('exit', settle));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  return {
    process: child,
    lines: () =>
      output
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Line),
    probe: (path) =>
      fetch(`http://127.0.0.1:${port}${path}`).then(
        ({ status }) => status,
        () => null,
      ),
    end() {
      child.kill('SIGTERM');
      return exited;
    },
  };
}

const ready = (target: Target) => () => target.probe('/readyz').then((status) => status === 200);
const said = (target: Target, words: RegExp) =>
  target.lines().filter(({ msg, level }) => level !== 'info' && words.test(msg));

it('waits for a missing secret, then for the schema, and then works', async () => {
  const key = join(folder, 'notifier.pem');
  renameSync(key, `${key}.later`);
  const target = await start();
  try {
    await until(() => said(target, /cannot start/).length > 0, PATIENCE_MS);
    expect(said(target, /cannot start/)[0]?.reason).toMatch(
      /NOTIFIER_SIGNING_KEY_FILE names a file that cannot be read \(ENOENT\)/,
    );
    expect(await target.probe('/livez')).toBe(200);
    expect(await target.probe('/readyz')).toBe(503);

    renameSync(`${key}.later`, key);
    await until(() => said(target, /waiting for the database’s schema/).length > 0, PATIENCE_MS);
    expect(await target.probe('/readyz')).toBe(503);

    await migrate(server.url);
    await until(ready(target), PATIENCE_MS);
    expect(await target.probe('/metrics')).toBe(200);
    // One line for each thing that it lacked.
    expect(said(target, /./)).toHaveLength(2);
  } finally {
    expect(await target.end()).toBe(0);
  }
});

it('works on the schema of a later release', async () => {
  await migrate(server.url);
  const client = new pg.Client(server.url);
  await client.connect();
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     VALUES ('later', 'x', '99990101000000_later', now(), 1)`,
  );
  await client.end();
  const target = await start();
  await until(ready(target), PATIENCE_MS);
  expect(said(target, /./)).toHaveLength(0);
  expect(await target.end()).toBe(0);
});

it('waits for a database that is away, and says once when it goes later', async () => {
  await migrate(server.url).catch(() => {});
  await server.stop();
  const target = await start();
  await until(() => said(target, /waiting for the database: /).length > 0, PATIENCE_MS);
  expect(await target.probe('/readyz')).toBe(503);
  await server.restart();
  await until(ready(target), PATIENCE_MS);

  await server.stop();
  await until(async () => (await target.probe('/readyz')) === 503, PATIENCE_MS);
  await target.probe('/readyz');
  await target.probe('/readyz');
  expect(said(target, /module is not ready/).length).toBeLessThanOrEqual(2);
  expect(await target.probe('/livez')).toBe(200);
  await server.restart();
  await until(ready(target), PATIENCE_MS);
  await target.end();
});

it('ends at once when it is asked to while it waits', async () => {
  const target = await start({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' });
  await until(() => said(target, /waiting for the database: /).length > 0, PATIENCE_MS);
  const begin = performance.now();
  expect(await target.end()).toBe(0);
  expect(performance.now() - begin).toBeLessThan(10_000);
});

it('logs no secret of a missing dependency', async () => {
  const target = await start({ DATABASE_URL: 'postgres://nobody:hush-hush@127.0.0.1:1/nothing' });
  await until(() => said(target, /waiting for the database: /).length > 0, PATIENCE_MS);
  expect(JSON.stringify(target.lines())).not.toContain('hush-hush');
  await target.end();
});
