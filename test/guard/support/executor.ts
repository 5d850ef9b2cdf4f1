import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { join, resolve } from 'node:path';
import { decided } from './guarded.js';
import type { Setup } from './guarded.js';

export type JournalKind = 'none' | 'file' | 'postgres' | 'redis';

/** The order that child.mjs gets. */
export interface Job {
  readonly occurrence: string;
  readonly journal: { readonly kind: JournalKind; readonly place?: string };
  /** The await at which it is killed, and at which of its passes. */
  readonly killAt?: string;
  readonly killTimes?: number;
  /** The number of the await at which it is killed. */
  readonly killAfter?: number;
  /** The call whose answers are lost, once. */
  readonly lose?: string;
  /** The call that finds no service. */
  readonly away?: string;
  /** Whether the disk is full at the fence. */
  readonly full?: boolean;
  readonly probe?: boolean;
  readonly runMs?: number;
  readonly untilAborted?: boolean;
  readonly executionSeconds?: number;
  /** Milliseconds of the wait for people. */
  readonly timeout?: number;
  /** What the function returns. */
  readonly result?: unknown;
  /** The await at which it stops, as by Ctrl-Z. */
  readonly stopAt?: string;
  /** How wrong its wall clock is, and the await at which it is set by how much. */
  readonly skewMs?: number;
  readonly stepAt?: string;
  readonly stepMs?: number;
  /** The built guard; the one of this project otherwise. */
  readonly guard?: string;
  readonly boot?: string;
  /** Goes on with the journal instead of calling. */
  readonly resume?: boolean;
  /** Asks anew. */
  readonly again?: boolean;
  /** A file for the names of the awaits. */
  readonly trace?: string;
  readonly connection?: string;
}

/** How an executor ended: what it printed, or the signal that killed it. */
export interface Ended {
  readonly signal: string | null;
  readonly returned?: unknown;
  readonly threw?: { readonly name: string; readonly why?: string; readonly message: string };
  readonly said: readonly string[];
  readonly amount?: number;
  /** The await at which it was killed. */
  readonly dying?: string;
  readonly stderr: string;
}

export interface Executor {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when it has said so. */
  said(event: string): Promise<void>;
}

const CHILD = resolve(__dirname, 'child.mjs');
const GUARD = resolve(__dirname, '../../../packages/guard/dist');

/** The decision of a request, or a function that has the request with that id decided; null for none. */
export type Deciding = 'authorise' | 'refuse' | null | ((id: string) => Promise<void>);

/** Starts an executor. Its request is authorised as soon as it asked, unless `deciding` says otherwise. */
export function startExecutor(
  setup: Pick<Setup, 'connection' | 'counter' | 'demo' | 'reviewer'>,
  job: Job,
  deciding: Deciding = 'authorise',
): Executor {
  const decide =
    typeof deciding === 'string' ? (id: string) => decided(setup, id, deciding) : deciding;
  const { connection, counter, demo } = setup;
  const route = demo.routes.execution;
  const told = { connection, counter: counter.origin, route, guard: GUARD, ...job };
  const child = spawn(process.execPath, [CHILD, JSON.stringify(told)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  const waiting = new Map<string, () => void>();
  let [stdout, stderr] = ['', ''];
  let end: Pick<Ended, 'returned' | 'threw' | 'amount' | 'dying'> = {};
  const hear = (line: string) => {
    const { event, value } = JSON.parse(line) as { event: string; value: any };
    said.push(event);
    if (event === 'returned' || event === 'threw') end = { ...end, [event]: value };
    if (event === 'amount' || event === 'dying') end = { ...end, [event]: value };
    // Another process may have had it decided.
    if (event === 'asked') void decide?.(value as string).catch(() => undefined);
    waiting.get(event)?.();
  };
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    const lines = stdout.split('\n');
    stdout = lines.pop() as string;
    for (const line of lines) hear(line);
  });
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<Ended>((settle) =>
    child.once('close', (_, signal) => settle({ signal, ...end, said, stderr })),
  );
  return {
    process: child,
    ended,
    said: (event) =>
      new Promise((resolve, reject) => {
        if (said.includes(event)) return resolve();
        waiting.set(event, resolve);
        void ended.then(({ stderr: why }) => reject(new Error(`never said ${event}: ${why}`)));
      }),
  };
}

/** Runs an executor to its end. */
export function execute(setup: Setup, job: Job, deciding?: Deciding): Promise<Ended> {
  return startExecutor(setup, job, deciding).ended;
}

/** The journal of one host; another host has another one, or comes to the same one as another machine. */
export function journalOf(
  { folder, stores }: Pick<Setup, 'folder' | 'stores'>,
  kind: JournalKind,
  host: 'same' | 'other',
): Pick<Job, 'journal' | 'boot'> {
  const boot = host === 'other' ? { boot: 'another-boot' } : {};
  switch (kind) {
    case 'none':
      return { journal: { kind } };
    case 'file':
      return { journal: { kind, place: join(folder, `journal-${host}`) } };
    case 'postgres':
      return { journal: { kind, place: stores.postgres }, ...boot };
    case 'redis':
      return { journal: { kind, place: stores.redis }, ...boot };
  }
}
