import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { copyCluster } from './cluster.js';
import { newDataFolder } from './folder.js';
import { writeTenants } from './people.js';

const ROOT = resolve(__dirname, '../..');

interface Tenant {
  tenant: string;
  producer: { id: string; token: string };
  publisher: { id: string; token: string };
  operator: { id: string; token: string };
  people: { id: string; name: string }[];
  routes: { review: string; execution: string };
}

/** The file that a running instance describes itself with. */
export interface Demo extends Tenant {
  origin: string;
  sandboxOrigin: string;
  issuer: string;
  trust: string;
  other: Tenant;
}

export interface Instance {
  readonly demo: Demo;
  readonly dataDirectory: string;
  readonly launcher: ChildProcess;
  /** All that the launcher printed. */
  readonly output: () => string;
  /** Ctrl-C, as a person would; resolves with the exit code. */
  stop(): Promise<number | null>;
}

export interface InstanceOptions {
  readonly split?: boolean;
  /** With `split`: processes of each target, or by target; one where none is given. */
  readonly replicas?: number | Readonly<Record<string, number>>;
  readonly quotas?: boolean;
  readonly demo?: boolean;
  /** Variables of the targets beside those of the launcher. */
  readonly env?: Readonly<Record<string, string>>;
  /** Keeps and reuses this directory; a temporary one otherwise. */
  readonly dataDirectory?: string;
  /** Ids of more people of the first tenant who can log in, of a new instance. */
  readonly people?: readonly string[];
}

const WORKERS = [
  'anchor',
  'security-log',
  'expiry',
  'deletion',
  'reconciliation',
  'delivery',
  'reminder',
];

/**
 * Replicas of a split installation that has these workers alone, one of each: starting a process takes half a second of
 * processor time.
 */
export function workersOnly(...names: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    WORKERS.map((name) => [`worker-${name}`, names.includes(name) ? 1 : 0]),
  );
}

const READY_WITHIN_MS = 90_000;

/** Starts the product as its first command does, on free ports and a database of its own, and waits until it serves. */
export async function startInstance(options: InstanceOptions = {}): Promise<Instance> {
  const dataDirectory = options.dataDirectory ?? newDataFolder('instance');
  const postgres = join(dataDirectory, 'postgres');
  if (!existsSync(postgres)) copyCluster(postgres, 'installation');
  if (options.people !== undefined) writeTenants(dataDirectory, options.people);
  const args = [
    'tools/start.mjs',
    '--no-build',
    ...['--data', dataDirectory, '--port', '0', '--sandbox-port', '0'],
    ...(options.demo === true ? [] : ['--no-demo']),
    ...(options.quotas === true ? [] : ['--no-quotas']),
    ...(options.split === true ? ['--split'] : []),
    ...(options.replicas === undefined ? [] : ['--replicas', replicasText(options.replicas)]),
  ];
  // Stores of its own, independent of the test's environment.
  const { DATABASE_URL: _1, NATS_URL: _2, REDIS_URL: _3, OIDC_ISSUER: _4, ...env } = process.env;
  const launcher = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const exited = new Promise<number | null>((settle) => launcher.once('exit', settle));
  await new Promise<void>((serves, failed) => {
    const late = setTimeout(() => {
      // No other process would end it, and jest would wait for it.
      launcher.kill('SIGINT');
      failed(new Error(`not ready in time:\n${output}`));
    }, READY_WITHIN_MS);
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      if (/^ready http/m.test(output)) {
        clearTimeout(late);
        serves();
      }
    };
    launcher.stdout.on('data', read);
    launcher.stderr.on('data', read);
    void exited.then((code) => {
      clearTimeout(late);
      failed(new Error(`the launcher ended with ${code}:\n${output}`));
    });
  });
  const demo = JSON.parse(readFileSync(join(dataDirectory, 'demo.json'), 'utf8')) as Demo;
  return {
    demo,
    dataDirectory,
    launcher,
    output: () => output,
    async stop() {
      launcher.kill('SIGINT');
      const code = await exited;
      if (options.dataDirectory === undefined)
        rmSync(dataDirectory, { recursive: true, force: true });
      return code;
    },
  };
}

function replicasText(replicas: NonNullable<InstanceOptions['replicas']>): string {
  if (typeof replicas === 'number') return String(replicas);
  return Object.entries(replicas)
    .map(([target, count]) => `${target}=${count}`)
    .join(',');
}

/** Runs one of the product's commands, or one of another `program`, and returns its output. */
export function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program = 'deploy/countersign.mjs',
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((settle) => child.once('close', (code) => settle({ code, stdout, stderr })));
}
