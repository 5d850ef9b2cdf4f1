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
import type { Demo } from '../../support/instance.js';
import { newDataFolder } from '../../support/folder.js';
import { keyFilesOf } from '../../support/key-files.js';

/** A process that runs one target of one version. */
export interface Member {
  readonly target: string;
  /** Where it tells whether it is ready. */
  readonly health: string;
  /** Once it says that it serves. */
  readonly serving: Promise<void>;
  log(): string;
  /** `SIGSTOP` and `SIGKILL` cannot be handled by a process. */
  signal(name: NodeJS.Signals): void;
  /** As an orchestrator does: takes it from the balancer, asks it to end, and waits. */
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

/** A fleet without members yet, on the schema of the version whose root that is. */
export async function startFleet(root: string, user: FleetUser | null = null): Promise<Fleet> {
  const data = newDataFolder('fleet');
  const logs = join(data, 'logs');
  mkdirSync(logs);
  const postgres = await startPostgres({
    dir: join(data, 'postgres'),
    log: join(logs, 'postgres'),
  });
  const nats = await startNats({ dir: join(data, 'nats'), log: join(logs, 'nats') });
  const redis = await startRedis({ dir: join(data, 'redis'), log: join(logs, 'redis') });
  const balancer = await startBalancer();
  const origin = `http://localhost:${balancer.port}`;
  const providerPort = await freePort();
  const issuer = `http://localhost:${providerPort}`;
  const sandboxOrigin = `http://localhost:${await freePort()}`;
  const members = new Set<Member>();

  const command = (of: string, ...args: string[]) =>
    promisify(execFile)(process.execPath, [commandsOf(of), ...args, '--data', data], {
      env: { ...process.env, DATABASE_URL: postgres.url },
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
    if (target === 'schema') return { MODE: 'development', NATS_URL: nats.url };
    const { key } = rowOf(target as Target);
    const people = tenants.flatMap((tenant: { people: unknown[] }) => tenant.people);
    return {
      DATABASE_URL: postgres.url,
      NATS_URL: nats.url,
      REDIS_URL: redis.url,
      MODE: 'development',
      ORIGIN: origin,
      SANDBOX_ORIGIN: sandboxOrigin,
      OIDC_ISSUER: issuer,
      DEVELOPMENT_PROVIDER_PORT: String(providerPort),
      DEVELOPMENT_PEOPLE: JSON.stringify(people),
      ANCHOR_DIR: join(data, 'anchor'),
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
        failed(new Error(`${target} of ${of} ended with ${code}:\n${log.slice(-4000)}`));
      });
    });
    // It ends all the same for a caller that does not wait for it.
    serving.catch(() => {});
    const member: Member = {
      target,
      health: `http://127.0.0.1:${env.HEALTH_PORT}`,
      serving,
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
    databaseUrl: postgres.url,
    natsUrl: nats.url,
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
      balancer.close();
      await Promise.all([redis.stop(), nats.stop()]);
      await postgres.stop();
      rmSync(data, { recursive: true, force: true });
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
