import { AnswerInvalid, ServiceRefusal, Unreachable, WaitEnded } from './errors.js';
import type { Surroundings } from './exchange.js';
import type { RequestStatus } from './generated/records.js';

/**
 * `decided`: no longer pending. `available`: may be claimed, or never will be. `settled`: its outcome is recorded, or never
 * will be.
 */
export type Goal = 'decided' | 'available' | 'settled';

export interface WaitOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds; without it a wait ends with its request. */
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

/** Between two looks while the service holds no calls, each a fifth longer or shorter. */
const PAUSES_MS = [1_000, 2_000, 5_000, 10_000, 30_000] as const;
/** While an operator has to act first. */
const PERSON_MS = 30_000;

/**
 * Waits until a request is where the caller wants it. The state decides and never a message, so that a decision made before
 * the wait counts too. A service that is away for a while does not end the wait.
 *
 * @throws WaitEnded when `timeout` has passed or `signal` aborted, which says nothing about the request; ServiceRefusal and
 *   AnswerInvalid
 */
export async function until(
  read: ReadStatus,
  around: Surroundings,
  id: string,
  goal: Goal,
  { signal, timeout }: WaitOptions,
): Promise<RequestStatus> {
  const ends = new AbortController();
  const abort = () => ends.abort(new WaitEnded('aborted'));
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort);
  const late =
    timeout === undefined
      ? undefined
      : setTimeout(() => ends.abort(new WaitEnded('timeout')), timeout);
  try {
    return await reached(read, around, id, goal, ends.signal);
  } finally {
    clearTimeout(late);
    signal?.removeEventListener('abort', abort);
  }
}

/** Longer and longer pauses, until something was new. */
export function pauses(around: Surroundings) {
  let idle = 0;
  return {
    pause: (signal: AbortSignal | undefined) => {
      const ms = PAUSES_MS[Math.min(idle, PAUSES_MS.length - 1)] as number;
      idle += 1;
      return around.sleep(ms * (0.8 + 0.4 * around.chance()), signal);
    },
    reset: () => {
      idle = 0;
    },
  };
}

async function reached(
  read: ReadStatus,
  around: Surroundings,
  id: string,
  goal: Goal,
  signal: AbortSignal,
): Promise<RequestStatus> {
  let revision: number | null = null;
  const { pause, reset } = pauses(around);
  for (;;) {
    signal.throwIfAborted();
    try {
      const { status, wasHeld } = await read(id, revision, signal);
      if (isReached(goal, status)) return status;
      // The first look cannot be held: the next one can, at once.
      const mayWaitThere = revision === null || wasHeld;
      if (status.revision !== revision) reset();
      revision = status.revision;
      if (!mayWaitThere) await pause(signal);
    } catch (fault) {
      signal.throwIfAborted();
      if (!passes(fault)) throw fault;
      const isForPerson = fault instanceof ServiceRefusal && fault.retry === 'person';
      await (isForPerson ? around.sleep(PERSON_MS, signal) : pause(signal));
    }
  }
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

/** Whether a later look may find the service in a better state. */
function passes(fault: unknown): boolean {
  if (fault instanceof ServiceRefusal) return fault.retry !== 'never';
  return fault instanceof Unreachable && !(fault.cause instanceof AnswerInvalid);
}
