import { ServiceRefusal, WaitEnded } from './errors.js';
import type { Runtime } from './exchange.js';
import type { RequestStatus } from './generated/records.js';
import { passes, pauses } from './pauses.js';
import { newSharedReader } from './shared-reader.js';
import type { News, ReadPage } from './shared-reader.js';
import { newLanes } from './lanes.js';

/**
 * `decided`: no longer pending. `available`: may be claimed, or never will be. `settled`: its outcome is recorded, or never
 * will be.
 */
export type Goal = 'decided' | 'available' | 'settled';

export interface WaitOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds; 0 looks once. Without it a wait ends with its request. */
  readonly timeout?: number;
}

export interface StatusReading {
  readonly status: RequestStatus;
  /** Whether the service held the call until there was something new, or its time was up. */
  readonly wasHeld: boolean;
}

/** Reads a status; with a revision the service may hold the call until there is a higher one. */
export type ReadStatus = (
  id: string,
  revision: number | null,
  signal: AbortSignal,
) => Promise<StatusReading>;

/** The waits of one client. */
export interface Waits {
  /**
   * Waits until a request is where the caller wants it. The state decides and never a message, so that a decision made before
   * the wait counts too. A service that is away for a while does not end the wait.
   *
   * @throws WaitEnded when `timeout` has passed or `signal` aborted, which says nothing about the request; ServiceRefusal and
   *   AnswerInvalid
   */
  until(id: string, goal: Goal, options: WaitOptions): Promise<RequestStatus>;
}

/** As many calls as the service holds for one principal (protocol §6.5). More waits share one reader of the feed. */
const MOST_HELD = 8;
/** Looks that are made at the same time: many waits may begin or be woken at once. */
const MOST_LOOKS = 8;
/** While an operator has to act first. */
const PERSON_MS = 30_000;
/** Of a wait that hears of no event. */
const LOOK_MS = 60_000;
/** An anchor takes a second or so, and is no event. */
const ANCHOR_MS = [250, 500, 1_000, 5_000] as const;
/** After a deadline, for the difference of two clocks. */
const AFTER_MS = 1_000;

/** Why a held call ended: one reader of the feed begins to do it for all waits. */
const CROWDED = Symbol();

export function newWaits(read: ReadStatus, readPage: ReadPage, runtime: Runtime): Waits {
  const shared = newSharedReader(readPage, runtime);
  const inLane = newLanes(MOST_LOOKS);
  let waiting = 0;
  let single = new AbortController();

  function look(id: string, revision: number | null, signal: AbortSignal) {
    return revision === null
      ? inLane(() => read(id, null, signal), signal)
      : read(id, revision, AbortSignal.any([signal, single.signal]));
  }

  /** Until an event of the request, a deadline of it, or a minute. */
  async function heard(news: News, status: RequestStatus, signal: AbortSignal): Promise<void> {
    const late = new AbortController();
    const { grant_deadline = '' } = (status.receipt?.payload ?? {}) as { grant_deadline?: string };
    const ahead = [status.request.review_deadline, grant_deadline]
      .map((deadline) => Date.parse(deadline) + AFTER_MS - Date.now())
      .filter((ms) => ms > 0);
    const ms = Math.min(LOOK_MS, ...ahead);
    try {
      await Promise.race([news.next, runtime.sleep(ms, AbortSignal.any([signal, late.signal]))]);
    } finally {
      late.abort();
    }
  }

  async function reached(
    id: string,
    goal: Goal,
    signal: AbortSignal,
    isOnce: boolean,
  ): Promise<RequestStatus> {
    let last: RequestStatus | null = null;
    const idle = pauses(runtime);
    const anchor = pauses(runtime, ANCHOR_MS);
    for (;;) {
      signal.throwIfAborted();
      let news: News | null = null;
      try {
        if (waiting > MOST_HELD) news = await shared.listen(id, signal);
        // The first look has no revision to compare, and an anchor raises none.
        const revision: number | null =
          news !== null || last === null || isAnchorDue(last) ? null : last.revision;
        const { status, wasHeld } = await look(id, revision, signal);
        if (isReached(goal, status)) return status;
        if (isOnce) throw new WaitEnded('timeout');
        if (status.revision !== last?.revision) idle.reset();
        last = status;
        if (isAnchorDue(status)) await anchor.pause(signal);
        else if (news !== null) await heard(news, status, signal);
        else if (revision !== null && !wasHeld) await idle.pause(signal);
      } catch (fault) {
        signal.throwIfAborted();
        if (fault === CROWDED) continue;
        if (!passes(fault)) throw fault;
        const isForPerson = fault instanceof ServiceRefusal && fault.retry === 'person';
        await (isForPerson ? runtime.sleep(PERSON_MS, signal) : idle.pause(signal));
      } finally {
        news?.leave();
      }
    }
  }

  function enter(): void {
    waiting += 1;
    if (waiting !== MOST_HELD + 1) return;
    single.abort(CROWDED);
    single = new AbortController();
  }

  function leave(): void {
    waiting -= 1;
    // Each of the others has a call of its own again.
    if (waiting === MOST_HELD) shared.wakeAll();
  }

  return {
    async until(id, goal, { signal, timeout }) {
      const late = new AbortController();
      const timer = timeout && setTimeout(() => late.abort(new WaitEnded('timeout')), timeout);
      // Without a listener of its own for each wait, of which there may be hundreds.
      const ends = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
      enter();
      try {
        return await reached(id, goal, ends, timeout === 0);
      } catch (fault) {
        throw signal?.aborted === true ? new WaitEnded('aborted') : fault;
      } finally {
        leave();
        clearTimeout(timer);
      }
    },
  };
}

export function isReached(goal: Goal, status: RequestStatus): boolean {
  const { decision_state: decision, grant_state: grant } = status;
  const isDecided = decision !== 'pending';
  switch (goal) {
    case 'decided':
      return isDecided;
    case 'available':
      return isDecided && grant !== 'pending_anchor';
    case 'settled':
      if (status.outcome !== null) return true;
      // A claim may still have its outcome; without one there must be nothing left to claim.
      return isDecided && status.claim === null && !['pending_anchor', 'available'].includes(grant);
  }
}

function isAnchorDue({ grant_state: grant }: RequestStatus): boolean {
  return grant === 'pending_anchor';
}
