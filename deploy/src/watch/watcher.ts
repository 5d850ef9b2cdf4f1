import type { TreeHead } from '@countersign/protocol';
import { PlainError, explain } from '../plain-error.js';
import { follow, headOf } from './follow.js';
import type { Step, Wanted, WatchedLog } from './follow.js';
import type { Outcome, WatchMetrics } from './metrics.js';
import type { SeenCheckpoint, WatchState } from './state.js';
import { Violation } from './violation.js';
import type { Alarm } from './webhook.js';

export interface WatcherDeps {
  readonly log: WatchedLog;
  readonly wanted: readonly Wanted[];
  readonly seen: SeenCheckpoint;
  /** Resolves when the state is kept. */
  readonly save: (state: WatchState) => Promise<void>;
  /** Resolves with the reason when nobody took the alarm. */
  readonly alarm: (alarm: Alarm) => Promise<string | null>;
  readonly metrics: WatchMetrics;
  /** A line for a person. */
  readonly say: (line: string) => void;
  /** A line about a failure. */
  readonly complain: (line: string) => void;
}

export interface Watcher {
  /** Looks at the log once. */
  look(): Promise<Outcome>;
  /** Records that the tree did not reach when it was looked at last. */
  pending(): readonly Wanted[];
}

/**
 * Follows a log from the checkpoint verified last. After a violation it stays at that checkpoint, so that the log has to
 * continue it; a violation that lasts is reported once.
 */
export function watcher(deps: WatcherDeps): Watcher {
  const { log, metrics, say, complain } = deps;
  let { state, head } = deps.seen;
  let pending = deps.wanted;

  async function held({ head: now, checkpoint, read, pending: open }: Step): Promise<Outcome> {
    const isNew = head === null || now.size > head.size;
    if (isNew || state.told.length > 0) {
      const next = { checkpoint, told: [] };
      await deps.save(next);
      state = next;
    }
    if (isNew) say(sentence(now, head, read.end - read.start));
    head = now;
    pending = open;
    metrics.held(now.size);
    return 'held';
  }

  async function violated(violation: Violation, checkpoint: string | null): Promise<Outcome> {
    metrics.violated(violation.kind);
    if (state.told.includes(violation.kind)) return 'violated';
    complain(`VIOLATION: ${violation.message}`);
    const seen = state.checkpoint;
    const failed = await deps.alarm({ violation, origin: log.origin, checkpoint, seen });
    if (failed !== null) {
      complain(`The webhook was not told: ${failed}.`);
      return 'violated';
    }
    state = { ...state, told: [...state.told, violation.kind] };
    // A state that cannot be written makes no violation undone: it is told again after a restart.
    await deps.save(state).catch((error: unknown) => complain(explain(error)));
    return 'violated';
  }

  async function look(): Promise<Outcome> {
    let checkpoint: string | null = null;
    try {
      checkpoint = await log.source.checkpoint();
      const now = headOf(log, checkpoint);
      return await held(await follow(log, checkpoint, now, head, pending));
    } catch (error) {
      if (error instanceof Violation) return violated(error, checkpoint);
      if (!(error instanceof PlainError)) throw error;
      complain(`NOT CHECKED: ${error.message}`);
      return 'unchecked';
    }
  }

  return {
    async look() {
      const outcome = await look();
      metrics.looked(outcome);
      return outcome;
    },
    pending: () => pending,
  };
}

function sentence({ origin, size, root }: TreeHead, before: TreeHead | null, read: number): string {
  const since = before === null ? '' : `, which continue the ${before.size} seen before`;
  const all = size - (before?.size ?? 0);
  const verified = read === all ? `${read} hashes verified` : 'only its edge verified';
  return `HOLDS: ${origin} has ${size} entries${since}; ${verified}, root ${root.toString('base64')}`;
}
