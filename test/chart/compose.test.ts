import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@countersign/dev-servers';
import { testNats, testPostgres, testRedis, until } from '@countersign/dev-servers/testing';
import pg from 'pg';
import { parse } from 'yaml';
import { newFolder } from '../support/folder.js';
import { ROOT, run } from './tools.js';

// The processes of docker-compose.yml with the commands and variables that stand there, without containers: names of hosts, ports and
// the volume are those of this machine.

interface Service {
  readonly command: string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes: string[];
}

const { services } = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), {
  merge: true,
}) as { services: Record<string, Service> };
const TARGETS = Object.keys(services).filter((name) =>
  services[name]?.command?.[0]?.startsWith('--target='),
);

const config = readFileSync(join(ROOT, 'deploy/compose/nats.conf'), 'utf8');
const logins = readFileSync(join(ROOT, 'deploy/compose/database-logins.sql'), 'utf8');

/** The volumes with the keys, each a folder of the name of its target. */
const HANDED = newFolder('compose-keys');
let data: string;
let owner: pg.Pool;
let here: (text: string, target?: string) => string;
const running: ChildProcess[] = [];
const removals: (() => Promise<void>)[] = [];

/** Free ports for those that the file names. */
const ports: Record<string, number> = {};

beforeAll(async () => {
  data = newFolder('compose');
  mkdirSync(data, { recursive: true });
  // The port, the monitoring and the folder of streams are the container's.
  const authorization = config.slice(config.indexOf('authorization {'));
  const [postgres, nats, redis] = await Promise.all([
    testPostgres({ fsync: 'off' }),
    testNats(authorization),
    testRedis(),
  ]);
  removals.push(...[postgres, nats, redis].map((store) => () => store.remove()));
  for (const port of ['8080', '8081', '8082']) ports[port] = await freePort();
  const mail = await freePort();
  const url = new URL(postgres.url);
  owner = new pg.Pool({ connectionString: url.href, max: 2 });
  await owner.query(logins);
  here = (text, target = '') =>
    text
      .replace('countersign:countersign@postgres:5432/countersign', url.href.split('://')[1] ?? '')
      .replace('postgres:5432/countersign', `${url.host}${url.pathname}`)
      .replace('nats:4222', `127.0.0.1:${nats.port}`)
      .replace('redis:6379', `127.0.0.1:${redis.port}`)
      .replace('mailpit:1025', `127.0.0.1:${mail}`)
      .replace('0.0.0.0', '127.0.0.1')
      .replace('${OTEL_EXPORTER_OTLP_ENDPOINT:-}', '')
      .replace(/localhost:(808[012])/g, (_, port: string) => `localhost:${ports[port]}`)
      .replace(/^\/data\/keys\//, `${HANDED}/${target}/`)
      .replace(/^\/data/, data)
      .replace(/=\/data$/, `=${data}`);
});

afterAll(async () => {
  for (const child of running) child.kill();
  await Promise.all(running.map(async (child) => child.exitCode ?? (await once(child, 'exit'))));
  await owner?.end();
  await Promise.all(removals.map((remove) => remove()));
  for (const folder of [data, HANDED]) rmSync(folder, { recursive: true, force: true });
});

/** Its variables, and no others of this machine but the way to programs. */
function environmentOf(name: string): Record<string, string> {
  const { environment } = services[name] as Service;
  const own = Object.entries(environment).map(([variable, value]) => [variable, here(value, name)]);
  return { PATH: process.env['PATH'] ?? '', ...Object.fromEntries(own) };
}

/** Runs one of the commands for developers to its end. */
async function command(name: string): Promise<string> {
  const args = [
    'tools/develop.mjs',
    ...(services[name] as Service).command.map((word) => here(word)),
  ];
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      args,
      { cwd: ROOT, env: environmentOf(name) },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`${name}: ${stdout}${stderr}`));
        else resolve(stdout);
      },
    );
  });
}

/** Copies the keys into the volumes that the file names, which compose would have made. */
function handOutKeys(): void {
  const { command: script, volumes } = services['hand-out-keys'] as Service;
  for (const volume of volumes) {
    const [, target] = /^keys-[\w-]+:\/handed\/([\w-]+)$/.exec(volume) ?? [];
    if (target !== undefined) mkdirSync(join(HANDED, target), { recursive: true });
  }
  const text = script
    .join('')
    .replaceAll('/data/', `${data}/`)
    .replaceAll('/handed/', `${HANDED}/`);
  expect(run('sh', ['-ec', text])).toMatchObject({ code: 0, stderr: '' });
}

async function start(name: string, more: Readonly<Record<string, string>> = {}): Promise<void> {
  const health = String(await freePort());
  const child = spawn(
    process.execPath,
    ['deploy/dist/main.js', ...(services[name] as Service).command],
    {
      cwd: ROOT,
      env: { ...environmentOf(name), HEALTH_PORT: health, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  running.push(child);
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (log += chunk));
  }
  const ready = async () => {
    if (child.exitCode !== null) throw new Error(`${name} has ended: ${log}`);
    const answer = await fetch(`http://127.0.0.1:${health}/readyz`).catch(() => null);
    return answer?.ok === true;
  };
  await until(ready, 60_000).catch((error: Error) => {
    throw new Error(`${name} is not ready: ${error.message}\n${log}`);
  });
}

it('serves a lifecycle with the keys of each target, and its login at Postgres and NATS', async () => {
  await command('set-up');
  handOutKeys();
  const [gatewayPort, sandboxPort, providerPort] = ['8080', '8081', '8082'].map((port) =>
    String(ports[port]),
  );
  const listening = { PORT: gatewayPort as string, SANDBOX_PORT: sandboxPort as string };
  const providing = start('development-provider', {
    DEVELOPMENT_PROVIDER_PORT: providerPort as string,
  });
  await Promise.all([
    providing,
    ...TARGETS.filter((name) => name !== 'development-provider').map((name) =>
      start(name, name === 'gateway' ? listening : {}),
    ),
  ]);
  expect(await command('demo')).toContain(`The inbox is at http://localhost:${gatewayPort}/inbox`);
  const { rows } = await owner.query(
    'SELECT DISTINCT usename FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  const used = rows.map(({ usename }: { usename: string }) => usename).sort();
  const given = TARGETS.flatMap((name) => services[name]?.environment['DATABASE_URL'] ?? []);
  expect(used).toEqual([...new Set(given.map((url) => new URL(url).username))].sort());
});

it('mounts the keys of a target into no other', () => {
  for (const name of TARGETS) {
    const mounted = services[name]?.volumes ?? [];
    const own = mounted.filter((volume) => volume !== 'anchor:/data/anchor');
    const handed = services['hand-out-keys']?.volumes.includes(`keys-${name}:/handed/${name}`);
    expect([name, own]).toEqual([name, handed ? [`keys-${name}:/data/keys:ro`] : []]);
  }
  // After the test above. A private key is with the service that signs by it and with its workers alone.
  const holders = (file: string) =>
    readdirSync(HANDED).filter((target) => readdirSync(join(HANDED, target)).includes(file));
  expect(holders('caller.pem')).toEqual(['gateway']);
  expect(holders('review.pem')).toEqual(['review']);
  expect(holders('ledger.pem').sort()).toEqual(['ledger', 'worker-anchor']);
});
