import { admit, ServiceRefusal } from '@countersign/client';
import type { JsonObject } from '@countersign/client';

import type { Runtime } from './runtime.js';
import { PermitRefused } from './errors.js';
import type { Life } from './life.js';
import type { Action, Run } from './options.js';
import { runKeyOf } from './plan.js';

/** How a run ended, as this process saw it. */
export type RunEnd =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }
  /** It was told to stop, and did not settle in time. */
  | { readonly kind: 'open'; readonly why: string };

export interface Ran {
  readonly end: RunEnd;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly permits: number;
  /** What the function noted for the outcome. */
  readonly notes: JsonObject;
}

/** A claim has 64: one is the launch, one is kept back. */
const MOST_PERMITS = 62;
const BETWEEN_PERMITS_MS = 5_000;
/** The longest delay of a timer. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Tells of a revocation of the request until it is stopped. */
export type Watch = (id: string, revoked: () => void) => () => void;

/** Runs the function, once, within its window. It never throws. */
export async function execute<A, T>(
  life: Life<A>,
  action: Action<A, T>,
  args: A,
  watch: Watch,
): Promise<Ran> {
  const { runtime, options } = life.guarding;
  const ends = new AbortController();
  const { run, permits, notes } = newRun(life, ends);
  const caller = life.call.signal;
  const abort = () => ends.abort('caller');
  caller?.addEventListener('abort', abort, { once: true });
  const left = Math.min(LONGEST_TIMER_MS, Math.max(0, life.windowLeft));
  const window = setTimeout(() => ends.abort('window'), left);
  const unwatch = watch(life.id, () => ends.abort('revoked'));
  const startedAt = new Date(runtime.wall()).toISOString();

  let isReported = false;
  const settled: Promise<RunEnd> = started(action, args, run).then(
    (value): RunEnd => ({ kind: 'returned', value }),
    (error: unknown): RunEnd => ({ kind: 'threw', error }),
  );
  void settled.then((end) => {
    if (!isReported || end.kind === 'open') return;
    const late = end.kind === 'returned' ? { result: end.value } : { error: end.error };
    options.onLate?.(life.plan.occurrence, late);
  });
  const end = await Promise.race([settled, unsettled(ends.signal, runtime)]);
  isReported = end.kind === 'open';
  clearTimeout(window);
  unwatch();
  caller?.removeEventListener('abort', abort);
  const endedAt = new Date(runtime.wall()).toISOString();
  return { end, startedAt, endedAt, permits: permits(), notes };
}

async function started<A, T>(action: Action<A, T>, args: A, run: Run): Promise<T> {
  return action(args, run);
}

/** Resolves when the function was told to stop and its time for that is over. */
async function unsettled(signal: AbortSignal, runtime: Runtime): Promise<RunEnd> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await runtime.sleep(runtime.graceMs);
  return { kind: 'open', why: String(signal.reason) };
}

function newRun<A>(life: Life<A>, ends: AbortController) {
  const { runtime, options } = life.guarding;
  const { occurrence } = life.plan;
  const id = life.id;
  let count = 1;
  const notes: JsonObject = {};
  let newest = runtime.monotonic();
  let turn: Promise<void> = Promise.resolve();

  async function permit(): Promise<void> {
    const wait = newest + BETWEEN_PERMITS_MS - runtime.monotonic();
    if (wait > 0) await runtime.sleep(wait, ends.signal);
    if (ends.signal.aborted) throw new PermitRefused(String(ends.signal.reason));
    if (!life.isInTime()) throw refused(new PermitRefused('deadline'));
    if (count > MOST_PERMITS) throw refused(new PermitRefused('too_many'));
    newest = runtime.monotonic();
    try {
      const nonce = `permit-${runtime.random()}`;
      await life.client.call(admit, { id, body: { ...life.claimed, nonce } });
      count += 1;
    } catch (fault) {
      const code = fault instanceof ServiceRefusal ? fault.code : (fault as Error).name;
      throw refused(new PermitRefused(code, fault));
    }
  }
  function refused(fault: PermitRefused): PermitRefused {
    ends.abort('permit');
    return fault;
  }

  const run: Run = {
    signal: ends.signal,
    key: runKeyOf(life.client, occurrence),
    ...{ occurrence, requestId: id, response: life.response },
    deadline: new Date(runtime.wall() + life.windowLeft),
    permit() {
      const mine = turn.then(permit);
      turn = mine.catch(() => undefined);
      return mine;
    },
    progress(text) {
      options.onProgress?.(text, { id, occurrence });
    },
    note(details) {
      Object.assign(notes, details);
    },
  };
  return { run, notes, permits: () => count };
}
