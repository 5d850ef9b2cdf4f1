import { LONG_POLLS, Refusal } from '@countersign/protocol';

import { CallerGone } from './refusals.js';

/** How often a held call looks. */
export interface Pace {
  /** After this long without a hint, give or take a quarter. */
  readonly lookMs: number;
  /** Between two looks of one call, however many hints come. */
  readonly restMs: number;
}

const USUAL_PACE: Pace = { lookMs: 1_000, restMs: 200 };

/** One call that may be held until there is something new. */
export interface LongPoll<Reply> {
  readonly tenant: string;
  /** See principalKey. */
  readonly principal: string;
  readonly hint: string;
  readonly ms: number;
  /** For reads that cost more than a request's: see {@link USUAL_PACE}. */
  readonly pace?: Pace;
  /** Aborts when the caller disconnects. */
  readonly gone: AbortSignal;
  /** The call as it is answered without waiting. */
  first(): Promise<Reply>;
  isNew(reply: Reply): boolean;
  /** Called when it begins to be held: it gives back what it uses. */
  begin(): void;
  /** The same call once more: authentication, visibility and state as they are now. */
  look(): Promise<Reply>;
  /** Called after each wait with its milliseconds. */
  waited(ms: number): void;
}

export interface LongPollAnswer<Reply> {
  readonly reply: Reply;
  /** Whether the caller's preference was followed; otherwise it was one too many. */
  readonly applied: boolean;
}

/** The calls that a gateway holds open until something happens (protocol §6.5). */
export interface LongPolls {
  /**
   * Answers as soon as an answer is new, and when the time is up with that of the moment. Rejects with what a look rejects
   * with, except that one before the last may find a service away, and `CallerGone`.
   */
  answer<Reply>(poll: LongPoll<Reply>): Promise<LongPollAnswer<Reply>>;
  /** There may be something new in that tenant. */
  wake(hint: string, tenant: string): void;
  /** All held calls are answered as if their time were up, and no others are held. */
  stop(): void;
}

export interface LongPollLimits {
  readonly ofPrincipal: number;
  readonly ofGateway: number;
}

/** A call between its first look and its answer. */
interface Watch {
  /** Since the last look began. */
  hinted: boolean;
  /** Called by a hint, while it waits. */
  hear: () => void;
  /** Ends its wait. */
  end: () => void;
}

const IDLE = () => {};

export function createLongPolls({
  ofPrincipal,
  ofGateway,
}: LongPollLimits = LONG_POLLS): LongPolls {
  /** By hint and tenant. */
  const watches = new Map<string, Set<Watch>>();
  /** Held calls of each principal. */
  const held = new Map<string, number>();
  let all = 0;
  let stopping = false;

  function watch(topic: string): Watch {
    const one: Watch = { hinted: false, hear: IDLE, end: IDLE };
    const others = watches.get(topic) ?? new Set();
    watches.set(topic, others.add(one));
    return one;
  }

  function unwatch(topic: string, one: Watch): void {
    const others = watches.get(topic);
    others?.delete(one);
    if (others?.size === 0) watches.delete(topic);
  }

  function takePlace(principal: string): boolean {
    const own = held.get(principal) ?? 0;
    if (stopping || own >= ofPrincipal || all >= ofGateway) return false;
    held.set(principal, own + 1);
    all += 1;
    return true;
  }

  function leavePlace(principal: string): void {
    const own = (held.get(principal) ?? 1) - 1;
    if (own === 0) held.delete(principal);
    else held.set(principal, own);
    all -= 1;
  }

  /** Until a hint, the next look, the end or the caller's; `looked` and `ends` as `performance.now()` gives them. */
  function pause(
    one: Watch,
    { lookMs, restMs }: Pace,
    looked: number,
    ends: number,
    gone: AbortSignal,
  ): Promise<void> {
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const end = () => {
        clearTimeout(timer);
        gone.removeEventListener('abort', end);
        Object.assign(one, { hear: IDLE, end: IDLE });
        resolve();
      };
      const after = (ms: number) => {
        clearTimeout(timer);
        timer = setTimeout(end, Math.max(0, Math.min(looked + ms, ends) - performance.now()));
      };
      if (stopping || gone.aborted) {
        resolve();
        return;
      }
      Object.assign(one, { hear: () => after(restMs), end });
      gone.addEventListener('abort', end);
      after(one.hinted ? restMs : lookMs * (0.75 + Math.random() / 2));
    });
  }

  async function hold<Reply>(poll: LongPoll<Reply>, one: Watch, begun: number): Promise<Reply> {
    const { ms, pace = USUAL_PACE, gone, isNew, look, waited } = poll;
    const ends = begun + ms;
    let looked = begun;
    for (;;) {
      const before = performance.now();
      await pause(one, pace, looked, ends, gone);
      looked = performance.now();
      waited(looked - before);
      if (gone.aborted) throw new CallerGone();
      const isLast = stopping || looked >= ends;
      one.hinted = false;
      try {
        const reply = await look();
        if (isLast || isNew(reply)) return reply;
      } catch (fault) {
        if (isLast || !passes(fault)) throw fault;
      }
    }
  }

  return {
    async answer(poll) {
      const topic = `${poll.hint} ${poll.tenant}`;
      // Before the first look: a hint that comes meanwhile is not lost.
      const one = watch(topic);
      const begun = performance.now();
      try {
        const reply = await poll.first();
        if (poll.isNew(reply)) return { reply, applied: true };
        if (!takePlace(poll.principal)) return { reply, applied: false };
        try {
          poll.begin();
          return { reply: await hold(poll, one, begun), applied: true };
        } finally {
          leavePlace(poll.principal);
        }
      } finally {
        unwatch(topic, one);
      }
    },

    wake(hint, tenant) {
      for (const one of watches.get(`${hint} ${tenant}`) ?? []) {
        one.hinted = true;
        one.hear();
      }
    },

    stop() {
      stopping = true;
      for (const others of watches.values()) for (const one of others) one.end();
    },
  };
}

/** Whether the next look may succeed: a service or its database is away for a moment. */
function passes(fault: unknown): boolean {
  return !(fault instanceof Refusal) || fault.code === 'service_unavailable';
}
