import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '@countersign/dev-servers';
import { forkProgram } from '../child.js';
import type { Ends } from '../ends.js';
import { connect } from '../load/connection.js';
import type { Answer } from '../load/connection.js';
import type { Caller, Decision, Peer, System } from './system.js';

/** Programs of the rivals, with packages and a lock of their own. */
const SOURCES = fileURLToPath(new URL('../../../bench/peers/rivals', import.meta.url));
const CACHE = process.env['COUNTERSIGN_CACHE'] ?? join(homedir(), '.cache', 'countersign');
/** Where they run, outside of the project: nothing of it can import their packages. */
const FOLDER = join(CACHE, 'rivals');

/** About 1 KB, as an agent would send it. */
const PADDING = 'x'.repeat(900);

const bodyOf = (acts: boolean): string =>
  JSON.stringify({ summary: 'Deploy build 4711', padding: PADDING, acts });

/** Copies the programs and installs what their lock names, unless it is there. Install scripts do not run. */
export function installRivals(say: (line: string) => void): void {
  const lock = (folder: string): string => join(folder, 'package-lock.json');
  const done = join(FOLDER, 'installed');
  const isCurrent =
    existsSync(done) && readFileSync(done, 'utf8') === readFileSync(lock(SOURCES), 'utf8');
  cpSync(SOURCES, FOLDER, { recursive: true });
  if (isCurrent) return;
  say('installing the rivals …');
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', ['ci', ...flags], { cwd: FOLDER, stdio: 'inherit' });
  if (status !== 0) throw new Error(`npm ci in ${FOLDER} ended with ${status}`);
  cpSync(lock(FOLDER), done);
}

/** What users would run instead, the plainest first. */
export const RIVALS: readonly Peer[] = [
  rival('plain table', 'table.mjs'),
  rival('table + pg-boss', 'pg-boss.mjs'),
  rival('table + graphile-worker', 'graphile-worker.mjs'),
  rival('LangGraph + Postgres', 'langgraph.mjs'),
  rival('DBOS Transact', 'dbos.mjs'),
  { name: 'Restate', proves: false, start: startRestate },
];

function rival(name: string, program: string): Peer {
  return {
    name,
    proves: false,
    async start(folder, ends) {
      const { roots, origin } = await startProgram(program, folder, ends);
      return { roots, open: async () => callerOf(origin) };
    },
  };
}

async function startProgram(
  program: string,
  folder: string,
  ends: Ends,
  env: Readonly<Record<string, string>> = {},
): Promise<{ origin: string; roots: readonly number[] }> {
  const postgres = await startPostgres({ dir: join(folder, 'postgres') });
  ends.push(() => postgres.stop());
  const child = forkProgram(join(FOLDER, program), {
    env: {
      ...{ PATH: process.env['PATH'], NODE_ENV: 'production', DATABASE_URL: postgres.url },
      // LangChain reports to nobody.
      ...{ LANGCHAIN_TRACING_V2: 'false', LANGSMITH_TRACING: 'false', RESTATE_LOGGING: 'ERROR' },
      ...env,
    },
  });
  ends.push(() => child.stop());
  const { origin } = await child.next<{ origin: string }>();
  return { origin, roots: [child.pid, postgres.pid] };
}

function callerOf(origin: string): Caller {
  const connection = connect(origin);
  const post = (path: string, body: string): Promise<Answer> =>
    connection.send('POST', path, {}, body);
  const read = async <T>(path: string): Promise<T> =>
    JSON.parse(succeeded(path, await connection.send('GET', path, {}))) as T;
  return {
    file: async (acts) =>
      (JSON.parse(succeeded('/file', await post('/file', bodyOf(acts)))) as { id: string }).id,
    prepare: async () => {},
    decide: async (id, decision) =>
      isAccepted('/decide', await post(`/decide/${id}`, bodyFor(decision))),
    result: async (id) => (await read<{ decision: Decision }>(`/result/${id}`)).decision,
    runs: (id) => read(`/runs/${id}`),
    close: () => connection.close(),
  };
}

const bodyFor = (decision: Decision): string => JSON.stringify({ decision });

function isAccepted(path: string, answer: Answer): boolean {
  if (answer.status === 409) return false;
  succeeded(path, answer);
  return true;
}

function succeeded(path: string, { status, text }: Answer): string {
  if (status < 300) return text;
  throw new Error(`${path} answered ${status} ${text.slice(0, 400)}`);
}

/** Its server has a store of its own; the service that it calls is the program. */
async function startRestate(folder: string, ends: Ends): Promise<System> {
  const [ingress, admin, node] = await freePorts(3);
  const data = join(folder, 'restate');
  mkdirSync(data);
  const built = `@restatedev/restate-server-${process.platform}-${process.arch}`;
  const program = join(FOLDER, 'node_modules', built, 'bin/restate-server');
  const server = spawn(program, ['--no-logo'], {
    cwd: data,
    stdio: 'ignore',
    env: {
      ...{ PATH: process.env['PATH'], HOME: data, RESTATE_BASE_DIR: data },
      ...{ RESTATE_LISTEN_MODE: 'tcp', RESTATE_BIND_IP: '127.0.0.1' },
      ...{ RESTATE_BIND_PORT: `${node}`, RESTATE_INGRESS__BIND_PORT: `${ingress}` },
      ...{ RESTATE_ADMIN__BIND_PORT: `${admin}`, RESTATE_DISABLE_TELEMETRY: 'true' },
      RESTATE_LOG_FILTER: 'error',
    },
  });
  const ended = new Promise<void>((end) => server.once('exit', () => end()));
  ends.push(() => {
    server.kill('SIGINT');
    return ended;
  });
  const service = await startProgram('restate.mjs', folder, ends, {
    RESTATE_ADMIN: `http://127.0.0.1:${admin}`,
  });
  return {
    roots: [...service.roots, server.pid as number],
    open: async () => restateCaller(`http://127.0.0.1:${ingress}`, callerOf(service.origin)),
  };
}

function restateCaller(origin: string, service: Caller): Caller {
  const connection = connect(origin);
  const post = (path: string, body: string): Promise<Answer> =>
    connection.send('POST', path, {}, body);
  return {
    ...service,
    async file(acts) {
      const id = randomUUID();
      succeeded('run', await post(`/approval/${id}/run/send`, bodyOf(acts)));
      return id;
    },
    decide: async (id, decision) =>
      isAccepted('decide', await post(`/approval/${id}/decide`, bodyFor(decision))),
    async result(id) {
      const path = `/restate/workflow/approval/${id}/attach`;
      const answer = succeeded(path, await connection.send('GET', path, {}));
      return (JSON.parse(answer) as { decision: Decision }).decision;
    },
    close() {
      connection.close();
      service.close();
    },
  };
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((found) =>
          server.listen(0, '127.0.0.1', () => found((server.address() as AddressInfo).port)),
        ),
    ),
  );
  for (const server of servers) server.close();
  return ports;
}
