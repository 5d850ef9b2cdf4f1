import { setTimeout as delay } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import type { Logger } from '../log.js';
import { checkSubject, encodeHeaders, isLarge } from './envelope.js';
import { busRefusal } from './fault.js';
import { createPendingCalls } from './pending-calls.js';
import { bodyOf, createResponder } from './responder.js';
import type { Responder } from './responder.js';
import { linkThread } from './thread-link.js';
import type { Member, ThreadLink } from './thread-link.js';
import type { Bus } from './types.js';

export interface InProcessBusOptions {
  log: Logger;
  /** The longest that `close` waits for requests under way. */
  drainMs?: number;
}

/** The bus of one thread. */
export interface InProcessBus extends Bus {
  /**
   * Joins it to the bus of another thread, which links the other end of the channel: each reaches what the other serves.
   */
  link(port: MessagePort): void;
}

/** Members of one queue take turns. */
interface Queue<T> {
  readonly members: T[];
  turn: number;
}

/** By subject and queue name. */
type Queues<T> = Map<string, Map<string, Queue<T>>>;

/**
 * The bus of a process that holds everything, in one thread or in several. Headers and replies are encoded and decoded as
 * over NATS, bodies are handed over as they are, so a difference between the two shows in tests.
 */
export function createInProcessBus({ log, drainMs = 10_000 }: InProcessBusOptions): InProcessBus {
  const responders: Queues<Pick<Responder, 'deliver'>> = new Map();
  const listeners: Queues<(body: string) => void> = new Map();
  const calls = createPendingCalls();
  /** Of this thread. */
  const own: { readonly members: Member[]; readonly responders: Responder[] } = {
    members: [],
    responders: [],
  };
  const links: ThreadLink[] = [];
  let state: 'open' | 'draining' | 'closed' = 'open';
  let solitary = 0;

  function link(port: MessagePort): void {
    const theirs: (() => void)[] = [];
    const linked = linkThread(port, {
      joined: (member) => theirs.push(enter(member)),
      left: () => {
        for (const leave of theirs.splice(0)) leave();
      },
    });
    links.push(linked);
    for (const member of own.members) void linked.join(member);
  }

  /** Answers what takes the member out again. */
  function enter(member: Member): () => void {
    const { subject } = member;
    if ('responder' in member) {
      return join(responders, subject, member.queue ?? '', member.responder);
    }
    solitary += 1;
    // No queue: one of its own, under a name that no subject has.
    return join(listeners, subject, member.queue ?? `*${solitary}`, member.hear);
  }

  /** Resolves when the other threads know it too. */
  async function announce(member: Member): Promise<void> {
    own.members.push(member);
    enter('responder' in member ? { ...member, responder: later(member.responder) } : member);
    await Promise.all(links.map((linked) => linked.join(member)));
  }

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
    for (const linked of links) linked.leave();
    const finished = new AbortController();
    const done = Promise.all(own.responders.map((responder) => responder.idle())).then(() =>
      calls.idle(),
    );
    await Promise.race([
      done,
      delay(drainMs, undefined, { signal: finished.signal }).catch(() => {}),
    ]);
    finished.abort();
    state = 'closed';
    calls.failAll('closed');
    for (const linked of links) linked.close();
  }

  let closing: Promise<void> | null = null;

  return {
    local: true,
    link,

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
          nextOf(queue).deliver({
            headers: lines,
            body: bodyOf(body),
            lateMs: 0,
            answer: (envelope) => void calls.settle(token, envelope),
          });
        }
      });
    },

    async serve(subject, queue, handler, options = {}) {
      checkSubject(subject);
      checkSubject(queue);
      if (state !== 'open') throw busRefusal('closed', subject);
      const responder = createResponder(subject, handler, options, log);
      own.responders.push(responder);
      await announce({ subject, queue, responder });
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
      await announce({ subject, queue, hear: (body) => hand(handler, subject, body) });
    },

    close() {
      closing ??= drain();
      return closing;
    },

    ready: () => state === 'open',
  };
}

/** Whoever asks in the same thread goes on first, as over NATS. */
function later(responder: Pick<Responder, 'deliver'>): Pick<Responder, 'deliver'> {
  return { deliver: (request) => void setImmediate(() => responder.deliver(request)) };
}

/** Answers what takes it out again. */
function join<T>(all: Queues<T>, subject: string, name: string, member: T): () => void {
  const queues = all.get(subject) ?? new Map<string, Queue<T>>();
  all.set(subject, queues);
  const queue = queues.get(name) ?? { members: [], turn: 0 };
  queues.set(name, queue);
  queue.members.push(member);
  return () => {
    queue.members.splice(queue.members.indexOf(member), 1);
    if (queue.members.length === 0) queues.delete(name);
    if (queues.size === 0) all.delete(subject);
  };
}

function nextOf<T>(queue: Queue<T>): T {
  const member = queue.members[queue.turn % queue.members.length] as T;
  queue.turn += 1;
  return member;
}
