import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import type { Ends } from './ends.js';
import type { Target } from './load/lifecycle.js';
import type { Side } from './side.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const READY_WITHIN_MS = 120_000;
const STOP_WITHIN_MS = 30_000;

export interface Product extends Side {
  readonly launcher: number;
  readonly demo: Demo;
  /** The demonstration's other tenant, as its callers. */
  targetOf(tenant: 'other'): Promise<Target>;
  /** From the command to `ready`. */
  readonly startMs: number;
  stop(): Promise<void>;
}

export interface ProductOptions {
  readonly folder: string;
  readonly split: boolean;
  /** Processes of each service and worker, with `split`. */
  readonly replicas?: number;
  /** Started by npm, as a person would, instead of Node itself. */
  readonly npm?: boolean;
  /** With the quotas and rates of a new tenant, which are lifted otherwise. */
  readonly quotas?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

interface DemoTenant {
  producer: { token: string };
  publisher: { token: string };
  operator: { token: string };
  people: { id: string }[];
  routes: { review: string; execution: string };
}

/** How a running instance describes itself. */
interface Demo extends DemoTenant {
  origin: string;
  /** Where its people log in. */
  issuer: string;
  other: DemoTenant;
}

/** The product as its first command starts it, on free ports and stores of its own, without demonstration. */
export async function startProduct(options: ProductOptions, ends: Ends): Promise<Product> {
  const { folder, split } = options;
  const began = performance.now();
  const launched = launch(options);
  let stopped = false;
  const stop = async (): Promise<void> => {
    if (stopped) return;
    stopped = true;
    await launched.stop(folder);
  };
  ends.push(stop);
  await launched.ready;
  const startMs = performance.now() - began;
  const demo = JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')) as Demo;
  const launcher = pidIn(folder);
  return {
    name: split ? 'split' : 'all',
    target: await targetOf(demo, demo.origin, folder),
    demo,
    targetOf: (tenant) => targetOf(demo[tenant], demo.origin, folder),
    roots: [launcher],
    databaseUrl: databaseOf(folder),
    launcher,
    startMs,
    stop,
  };
}

async function targetOf(tenant: DemoTenant, origin: string, folder: string): Promise<Target> {
  return {
    origin,
    producer: { authorization: `Bearer ${tenant.producer.token}` },
    reviewers: await sessions(tenant, origin, folder),
    route: tenant.routes.execution,
    waits: true,
  };
}

function launch({ folder, split, replicas, npm, quotas, env }: ProductOptions) {
  const args = [
    ...['--data', folder, '--port', '0', '--sandbox-port', '0', '--no-demo'],
    ...(quotas ? [] : ['--no-quotas']),
    ...(split ? ['--split'] : []),
    ...(replicas === undefined ? [] : ['--replicas', String(replicas)]),
  ];
  // Stores of its own, independent of the environment.
  const { DATABASE_URL: _1, NATS_URL: _2, REDIS_URL: _3, ...own } = process.env;
  const [command, before] = npm
    ? ['npm', ['start', '--silent', '--']]
    : [process.execPath, ['tools/start.mjs']];
  const child = spawn(command, [...before, ...args], {
    cwd: ROOT,
    env: { ...own, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl-C is for the bench, which then stops its processes in order.
    detached: true,
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    ready: isReady(child, exited),
    async stop(data: string) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      kill(pidIn(data) || (child.pid as number), 'SIGINT');
      const force = setTimeout(() => kill(-(child.pid as number), 'SIGKILL'), STOP_WITHIN_MS);
      await exited;
      clearTimeout(force);
    },
  };
}

function isReady(child: ChildProcess, exited: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (what: string): void => {
      clearTimeout(late);
      reject(new Error(`${what}; it said:\n${output}`));
    };
    const late = setTimeout(() => fail('the product is not ready in time'), READY_WITHIN_MS);
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        if (!/^ready http/m.test(output)) return;
        clearTimeout(late);
        resolve();
      });
    }
    child.once('error', (error) => fail(error.message));
    void exited.then(() => fail('the product ended'));
  });
}

/** The launcher's own process number, which is not npm's; 0 when there is none. */
function pidIn(folder: string): number {
  try {
    return Number(readFileSync(join(folder, 'launcher.pid'), 'utf8'));
  } catch {
    return 0;
  }
}

function databaseOf(folder: string): string {
  const text = readFileSync(join(folder, 'stores.json'), 'utf8');
  const { urls } = JSON.parse(text) as { urls: { DATABASE_URL: string } };
  return urls.DATABASE_URL;
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // gone already
  }
}

/** Credentials of the reviewers: all people but the owner, who comes first. */
async function sessions(
  { people: [, ...reviewers] }: DemoTenant,
  origin: string,
  folder: string,
): Promise<Record<string, string>[]> {
  return Promise.all(
    reviewers.map(async ({ id }) => {
      const { cookie, csrf } = JSON.parse(await session(id, folder)) as Record<
        'cookie' | 'csrf',
        string
      >;
      return { cookie, 'x-csrf-token': csrf, origin };
    }),
  );
}

function session(person: string, folder: string): Promise<string> {
  const args = ['tools/develop.mjs', 'session', person, '--data', folder];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`session ${person} ended with ${code}`)),
    );
  });
}
