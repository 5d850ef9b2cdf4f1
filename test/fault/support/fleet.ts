import { execFile, execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rowOf, signingKeyVariable } from '@countersign/deploy';
import type { Target } from '@countersign/deploy';
import { freePort, startNats, startPostgres, startRedis } from '@countersign/dev-servers';
import type { RunningStore } from '@countersign/dev-servers';
import type { Demo } from '../../support/instance.js';
import { newDataFolder } from '../../support/folder.js';
import { keyFilesOf } from '../../support/key-files.js';
import { allOrNone } from '../../support/started.js';
import type { Started } from '../../support/started.js';

/** A process that runs one target of one version. */
export interface Member {
  readonly target: string;
  /** Where it tells whether it is ready. */
  readonly health: string;
  /** Once it says that it serves. */
  readonly serving: Promise<void>;
  /** Once its process has ended, for any reason. */
  readonly ended: Promise<void>;
  log(): string;
  /** `SIGSTOP` and `SIGKILL` cannot be handled by a process. */
  signal(name: NodeJS.Signals): void;
  /** As an orchestrator does: takes it from the balancer, asks it to end, and waits. */
  stop(): Promise<void>;
}

/** Where the members of a fleet keep their state. */
export interface FleetStores {
  /** Of the database's owner, for commands. */
  readonly databaseUrl: string;
  readonly natsUrl: string;
  /** Variables of a target that is launched now; those of another replica may have other addresses. */
  environment(): Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Stores, and targets of any version beside each other, as an orchestrator starts them for a release. */
export interface Fleet {
  readonly dataDirectory: string;
  readonly databaseUrl: string;
  readonly natsUrl: string;
  /** Starts a target of the version whose root that is; `env` takes precedence over the fleet's variables. */
  launch(root: string, target: string, env?: Readonly<Record<string, string>>): Promise<Member>;
  /** Configures tenants, people and routes through the gateway, once there is one. */
  configure(root: string): Promise<Demo>;
  stop(): Promise<void>;
}

const STOP_WITHIN_MS = 20_000;

/** Whom the members run as, where that may be chosen. */
export interface FleetUser {
  readonly uid: number;
  readonly gid: number;
}

/** One server of each kind, and a folder for anchors. */
function oneOfEach(data: string, logs: string): Promise<FleetStores> {
  return allOrNone((started) => startOneOfEach(started, data, logs));
}

async function startOneOfEach(started: Started, data: string, logs: string): Promise<FleetStores> {
  const keep = <T extends RunningStore>(starting: Promise<T>): Promise<T> =>
    started.keep(starting, ({ stop }) => stop());
  const at = (name: string) => ({ dir: join(data, name), log: join(logs, name) });
  const postgres = await keep(startPostgres(at('postgres')));
  const nats = await keep(startNats(at('nats')));
  const redis = await keep(startRedis(at('redis')));
  return {
    databaseUrl: postgres.url,
    natsUrl: nats.url,
    environment: () => ({
      DATABASE_URL: postgres.url,
      NATS_URL: nats.url,
      REDIS_URL: redis.url,
      ANCHOR_DIR: join(data, 'anchor'),
    }),
    stop: started.stop,
  };
}

export interface FleetOptions {
  readonly user?: FleetUser | null;
  /** `data` is the fleet's folder, `logs` the one for logs. */
  readonly startStores?: (data: string, logs: string) => Promise<FleetStores>;
}

/** A fleet without members yet, on the schema of the version whose root that is. */
export function startFleet(root: string, options: FleetOptions = {}): Promise<Fleet> {
  return allOrNone((started) => startWithoutMembers(started, root, options));
}

async function startWithoutMembers(
  started: Started,
  root: string,
  { user = null, startStores = oneOfEach }: FleetOptions,
): Promise<Fleet> {
  const data = await started.keep(newDataFolder('fleet'), (folder) =>
    rmSync(folder, { recursive: true, force: true }),
  );
  const logs = join(data, 'logs');
  mkdirSync(logs);
  const stores = await started.keep(startStores(data, logs), ({ stop }) => stop());
  const balancer = await started.keep(startBalancer(), ({ close }) => close());
  const origin = `http://localhost:${balancer.port}`;
  const providerPort = await freePort();
  const issuer = `http://localhost:${providerPort}`;
  const sandboxOrigin = `http://localhost:${await freePort()}`;
  const members = new Set<Member>();

  const command = (of: string, ...args: string[]) =>
    promisify(execFile)(process.execPath, [commandsOf(of), ...args, '--data', data], {
      env: { ...process.env, DATABASE_URL: stores.databaseUrl },
    });
  await command(root, 'set-up', '--origin', origin);
  const tenants = JSON.parse(readFileSync(join(data, 'tenants.json'), 'utf8'));
  if (user !== null) {
    // The files that targets read and write are theirs; the stores have users of their own.
    mkdirSync(join(data, 'anchor'), { recursive: true });
    const theirs = ['', 'keys', 'trust.json', 'anchor'].map((name) => join(data, name));
    const owner = `${user.uid}:${user.gid}`;
    execFileSync('chown', [owner, ...theirs]);
    execFileSync('chown', ['-R', owner, ...theirs.slice(1)]);
  }

  function environment(target: string): Record<string, string> {
    const its = stores.environment();
    if (target === 'schema') return { MODE: 'development', NATS_URL: its['NATS_URL'] ?? '' };
    const { key } = rowOf(target as Target);
    const people = tenants.flatMap((tenant: { people: unknown[] }) => tenant.people);
    return {
      ...its,
      MODE: 'development',
      ORIGIN: origin,
      SANDBOX_ORIGIN: sandboxOrigin,
      OIDC_ISSUER: issuer,
      DEVELOPMENT_PROVIDER_PORT: String(providerPort),
      DEVELOPMENT_PEOPLE: JSON.stringify(people),
      TRUST_FILE: join(data, 'trust.json'),
      // The version before reads it in every target.
      CALLER_PUBLIC_KEY_FILE: join(data, 'keys', 'caller.pub.pem'),
      QUOTAS: 'off',
      // The balancer routes nothing to a member that stops.
      LINGER_SECONDS: '0',
      ...keyFilesOf(join(data, 'keys'), target),
      ...(key === null || key === 'caller'
        ? {}
        : { [`${signingKeyVariable(key)}_FILE`]: join(data, 'keys', `${key}.pem`) }),
    };
  }

  async function launch(
    of: string,
    target: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Member> {
    const [health, port, sandboxPort] = await Promise.all([freePort(), freePort(), freePort()]);
    const env = {
      ...process.env,
      ...environment(target),
      HEALTH_PORT: String(health),
      PORT: String(port),
      SANDBOX_PORT: String(sandboxPort),
      ...more,
    };
    const main = join(of, 'deploy', 'dist', 'main.js');
    const child = spawn(process.execPath, [main, `--target=${target}`], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(user ?? {}),
    });
    let log = '';
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const serving = new Promise<void>((serves, failed) => {
      const read = (chunk: Buffer): void => {
        log += chunk.toString();
        if (!log.includes('"ready":true')) return;
        if (target === 'gateway') balancer.add(port);
        serves();
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('exit', (code) => {
        members.delete(member);
        balancer.remove(port);
        failed(new Error(`${target} of ${of} ended with ${code}:\n${log.slice(-4000)}`));
      });
    });
    // It ends all the same for a caller that does not wait for it.
    serving.catch(() => {});
    const member: Member = {
      target,
      health: `http://127.0.0.1:${env.HEALTH_PORT}`,
      serving,
      ended,
      log: () => log,
      signal: (name) => void child.kill(name),
      stop: async () => {
        balancer.remove(port);
        await end(child);
      },
    };
    members.add(member);
    return member;
  }

  return {
    dataDirectory: data,
    databaseUrl: stores.databaseUrl,
    natsUrl: stores.natsUrl,
    launch,
    async configure(of) {
      await command(of, 'configure', '--origin', origin, '--issuer', issuer);
      const [demo, other] = tenants;
      const trust = join(data, 'trust.json');
      const file = { origin, sandboxOrigin, issuer, ...demo, trust, other } as Demo;
      writeFileSync(join(data, 'demo.json'), JSON.stringify(file));
      return file;
    },
    async stop() {
      await Promise.all([...members].map((member) => member.stop()));
      await started.stop();
    },
  };
}

/** The commands for developers of the version whose root that is: the version before has them in its command line. */
export function commandsOf(root: string): string {
  const file = join(root, 'tools', 'develop.mjs');
  return existsSync(file) ? file : join(root, 'deploy', 'countersign.mjs');
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
  await ended;
  clearTimeout(force);
}

interface Balancer {
  readonly port: number;
  add(backend: number): void;
  remove(backend: number): void;
  close(): void;
}

/** The one address of all gateways: each connection goes to the next of them. */
async function startBalancer(): Promise<Balancer> {
  const backends: number[] = [];
  const sockets = new Set<Socket>();
  let turn = 0;
  const server = createServer((incoming) => {
    turn += 1;
    const backend = backends[turn % backends.length];
    if (backend === undefined) {
      incoming.destroy();
      return;
    }
    const outgoing = connect(backend, '127.0.0.1');
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      socket.on('error', () => {});
    }
    incoming.pipe(outgoing).pipe(incoming);
    incoming.once('close', () => outgoing.destroy());
    outgoing.once('close', () => incoming.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    add: (backend) => void backends.push(backend),
    remove: (backend) => {
      const at = backends.indexOf(backend);
      if (at >= 0) backends.splice(at, 1);
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
