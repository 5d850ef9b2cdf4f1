import { randomUUID } from 'node:crypto';
import { startLoop } from '@countersign/platform';
import type { Logger, Loop, Module } from '@countersign/platform';
import type { SecurityStreamStore, StreamBounds, StreamedEntry } from '../store/security-stream.js';
import { SinkUnavailable } from './sink.js';
import type { Sink } from './sink.js';

const EVERY_MS = 1000;
/** Longer than a batch takes; so long a sink waits when its sender died. */
const LEASE_SECONDS = 30;
const BATCH_ENTRIES = 500;
const BATCH_CHARACTERS = 524_288;
const MOST_WAIT_MS = 60_000;

export interface StreamDeps {
  readonly store: SecurityStreamStore;
  readonly sinks: readonly Sink[];
  readonly bounds: StreamBounds;
  readonly log: Logger;
}

/**
 * Sends the security log to each sink (protocol R41), behind a position in the database: at least once, in each chain's
 * order. Any number of replicas may run; one of them sends to a sink at a time. An unavailable sink is retried with a
 * growing pause, and delays no other sink and no caller.
 */
export function securityStreamModule(deps: StreamDeps): Module {
  const senders = deps.sinks.map((sink) => sender(sink, deps));
  return {
    name: 'security log stream',
    start: async () => {
      for (const { start } of senders) start();
    },
    stop: async () => {
      await Promise.all(senders.map(({ stop }) => stop()));
    },
  };
}

function sender(sink: Sink, { store, bounds, log }: StreamDeps) {
  const { name } = sink;
  const holder = randomUUID();
  let loop: Loop | undefined;
  let stopping = false;
  let failures = 0;
  let restsUntil = -Infinity;

  async function turn(): Promise<void> {
    try {
      while (!stopping && (await store.hold(name, holder, LEASE_SECONDS))) {
        if (performance.now() < restsUntil || !(await sendNext())) return;
      }
    } catch (error) {
      log.warn({ err: error, sink: name }, 'the security log cannot be read now');
    }
  }

  /** Whether more may be waiting. */
  async function sendNext(): Promise<boolean> {
    await store.begin(name, bounds);
    for (const { tenant, entries } of await store.skip(name, bounds)) {
      log.error(
        { sink: name, tenant, entries },
        'a collector was unavailable for too long and never gets these entries of the security log',
      );
    }
    const batch = cut(await store.next(name, BATCH_ENTRIES));
    if (batch.length === 0) return false;
    try {
      const { refused } = await sink.send(batch);
      failures = 0;
      await store.sent(name, batch, refused);
      if (refused > 0) {
        log.error(
          { sink: name, entries: refused },
          'a collector refused entries of the security log',
        );
      }
      return true;
    } catch (error) {
      if (!(error instanceof SinkUnavailable)) throw error;
      failures += 1;
      const pause = Math.max(error.retryAfterMs ?? 0, 500 * 2 ** Math.min(failures, 10));
      restsUntil = performance.now() + Math.min(MOST_WAIT_MS, pause);
      log.error(
        { sink: name, reason: error.message, failures },
        'a collector does not take the security log',
      );
      return false;
    }
  }

  return {
    start() {
      loop = startLoop(EVERY_MS, turn);
    },
    async stop() {
      stopping = true;
      await loop?.stop();
      await sink.close?.();
      await store.release(name, holder).catch((error: unknown) => {
        log.warn({ err: error, sink: name }, 'another sender has to wait for the end of the lease');
      });
    },
  };
}

/** As many of them as make a message of a bounded size, one at least. */
function cut(entries: readonly StreamedEntry[]): readonly StreamedEntry[] {
  let characters = 0;
  const end = entries.findIndex(({ entry }) => (characters += entry.length) > BATCH_CHARACTERS);
  return end === -1 ? entries : entries.slice(0, Math.max(1, end));
}
