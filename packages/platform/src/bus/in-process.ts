import { bounded } from '../bounded.js';
import type { Logger } from '../log.js';
import { checkSubject, encodeHeaders, isLarge } from './envelope.js';
import { busRefusal } from './fault.js';
import { createPendingCalls } from './pending-calls.js';
import { bodyOf, createResponder } from './responder.js';
import type { Responder } from './responder.js';
import type { Bus } from './types.js';

export interface InProcessBusOptions {
  log: Logger;
  /** The longest that `close` waits for requests under way. */
  drainMs?: number;
}

/** Members of one queue take turns. */
interface Queue<T> {
  readonly members: T[];
  turn: number;
}

/** By subject and queue name. */
type Queues<T> = Map<string, Map<string, Queue<T>>>;

/**
 * The bus of a process that holds everything. Headers and replies are encoded and decoded as over NATS, bodies are handed over
 * as they are, so a difference between the two shows in tests.
 */
export function createInProcessBus({ log, drainMs = 10_000 }: InProcessBusOptions): Bus {
  const responders: Queues<Responder> = new Map();
  const listeners: Queues<(body: string) => void> = new Map();
  /** Also those that are no longer asked and have requests under way. */
  const serving: Responder[] = [];
  const calls = createPendingCalls();
  let state: 'open' | 'draining' | 'closed' = 'open';
  let solitary = 0;

  function hand(handler: (body: string) => void, subject: string, body: string): void {
    try {
      handler(body);
    } catch (error) {
      log.error({ err: error, subject }, 'hint handler failed');
    }
  }

  async function drain(): Promise<void> {
    state = 'draining';
    responders.clear();
    listeners.clear();
    await bounded(Promise.all(serving.map((responder) => responder.idle())), drainMs);
  }

  async function end(): Promise<void> {
    await leave();
    await bounded(calls.idle(), drainMs);
    state = 'closed';
    calls.failAll('closed');
  }

  let leaving: Promise<void> | null = null;
  let closing: Promise<void> | null = null;

  function leave(): Promise<void> {
    leaving ??= drain();
    return leaving;
  }

  return {
    local: true,

    async call(subject, headers, body) {
      checkSubject(subject);
      const lines = encodeHeaders(headers);
      if (state === 'closed') throw busRefusal('closed', subject);
      const queues = responders.get(subject);
      if (queues === undefined) throw busRefusal('no_responder', subject);
      if (!(headers.timeoutMs > 0)) throw busRefusal('timeout', subject);
      return calls.open(subject, headers.timeoutMs, (token) => {
        // As over NATS, one member of every queue gets the request and the first answer counts.
        for (const queue of queues.values()) {
          const responder = nextOf(queue);
          // The caller goes on first, as over NATS.
          setImmediate(() =>
            responder.deliver({
              headers: lines,
              body: bodyOf(body),
              lateMs: 0,
              answer: (envelope) => void calls.settle(token, envelope),
            }),
          );
        }
      });
    },

    async serve(subject, queue, handler, options = {}) {
      checkSubject(subject);
      checkSubject(queue);
      if (state !== 'open') throw busRefusal('closed', subject);
      const responder = createResponder(subject, handler, options, log);
      serving.push(responder);
      join(responders, subject, queue, responder);
    },

    publish(subject, body) {
      checkSubject(subject);
      if (state === 'closed') return;
      if (isLarge(body)) {
        log.error({ subject }, 'hint is too large and was not sent');
        return;
      }
      for (const queue of listeners.get(subject)?.values() ?? []) {
        setImmediate(nextOf(queue), body);
      }
    },

    async subscribe(subject, queue, handler) {
      checkSubject(subject);
      if (queue !== null) checkSubject(queue);
      if (state !== 'open') throw busRefusal('closed', subject);
      solitary += 1;
      // No queue: one of its own, under a name that no subject has.
      const name = queue ?? `*${solitary}`;
      join(listeners, subject, name, (body) => hand(handler, subject, body));
    },

    leave,

    close() {
      closing ??= end();
      return closing;
    },

    ready: () => state === 'open',
  };
}

function join<T>(all: Queues<T>, subject: string, name: string, member: T): void {
  const queues = all.get(subject) ?? new Map<string, Queue<T>>();
  all.set(subject, queues);
  const queue = queues.get(name) ?? { members: [], turn: 0 };
  queues.set(name, queue);
  queue.members.push(member);
}

function nextOf<T>(queue: Queue<T>): T {
  const member = queue.members[queue.turn % queue.members.length] as T;
  queue.turn += 1;
  return member;
}
