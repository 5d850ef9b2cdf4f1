import type { RequestStatus } from '@countersign/client';
import type { Ended, Job, JournalKind } from './executor.js';

/** A journal, and whether the second process runs on the host of the first. */
export interface Place {
  readonly kind: JournalKind;
  readonly host: 'same' | 'other';
}

/** Without a journal all hosts are alike. */
export const PLACES: readonly Place[] = [
  { kind: 'none', host: 'other' },
  ...(['file', 'postgres', 'redis'] as const).flatMap((kind) =>
    (['same', 'other'] as const).map((host) => ({ kind, host })),
  ),
];

/** Whether the second process holds the durable journal of the first. */
export function isDurable({ kind, host }: Place): boolean {
  return kind === 'postgres' || (kind === 'file' && host === 'same');
}

/** Whether the second process finds what the first wrote, durable or not. */
function isShared({ kind, host }: Place): boolean {
  return kind !== 'none' && !(kind === 'file' && host === 'other');
}

/** How the whole history of an occurrence ends. */
export interface Expected {
  /** What the second process gives its caller: `returned`, or the name of the error. */
  readonly said: string;
  readonly starts: number;
  readonly recorded: RequestStatus['execution_state'];
}

export const RETURNED: Expected = { said: 'returned', starts: 1, recorded: 'completed' };
const DONE: Expected = { said: 'AlreadyDone', starts: 1, recorded: 'completed' };
const CANCELLED: Expected = { said: 'Lapsed', starts: 0, recorded: 'cancelled_before_dispatch' };
const uncertain = (starts: number): Expected => ({
  ...{ said: 'OutcomeUnknown', starts, recorded: 'uncertain' },
});

/** A row of the table of docs/guard.md: where the first process dies, and what the second one makes of it. */
export interface Crash {
  readonly row: string;
  readonly killAt: (durable: boolean, kind: JournalKind) => string;
  readonly ends: (place: Place) => Expected;
  /** The function has started by then; a process that is too late for its window dies there without having started it. */
  readonly isStarted?: true;
  /** The window, where the second process needs some of it; 2 s otherwise, which are short to wait for. */
  readonly windowSeconds?: (place: Place) => number;
  /** The same where the guard can ask the outside world. */
  readonly endsWithProbe?: (place: Place) => Expected;
}

const asked = (starts: number): Expected =>
  starts === 0
    ? { said: 'NotDone', starts, recorded: 'failed' }
    : { said: 'AlreadyDone', starts, recorded: 'completed' };

export const CRASHES: readonly Crash[] = [
  { row: 'C1 before the request is sent', killAt: () => 'send create', ends: () => RETURNED },
  {
    row: 'C2 the answer to the request is lost',
    killAt: () => 'answer create',
    ends: () => RETURNED,
  },
  { row: 'C3 while people decide', killAt: () => 'send status', ends: () => RETURNED },
  { row: 'C4 decided, before the claim', killAt: () => 'send claim', ends: () => RETURNED },
  {
    row: 'C5 the answer to the claim is lost',
    killAt: () => 'answer claim',
    ends: (place) => (isDurable(place) ? RETURNED : CANCELLED),
  },
  {
    row: 'C6 claimed, before the launch call',
    killAt: () => 'send admit',
    ends: (place) => (isDurable(place) ? RETURNED : CANCELLED),
  },
  {
    row: 'C7 admitted, before the fence',
    killAt: (_, kind) => (kind === 'none' || kind === 'redis' ? 'answer admit' : 'before fence'),
    ends(place) {
      if (!isDurable(place)) return uncertain(0);
      // Another machine cannot tell how much time is left.
      return place.host === 'same' ? RETURNED : CANCELLED;
    },
    windowSeconds: (place) => (isDurable(place) ? 60 : 2),
  },
  {
    row: 'C9 behind the fence, before the function',
    killAt: () => 'fn begin',
    ends: () => uncertain(0),
    endsWithProbe: () => asked(0),
  },
  {
    row: 'C10 inside the function',
    isStarted: true,
    killAt: () => 'fn inside',
    ends: () => uncertain(1),
    endsWithProbe: () => asked(1),
  },
  {
    row: 'C11 the function returned, and that is not written down',
    isStarted: true,
    killAt: (_, kind) => (kind === 'none' ? 'fn end' : 'before advance end'),
    ends: () => uncertain(1),
    endsWithProbe: () => asked(1),
  },
  {
    row: 'C12 written down, before the outcome is sent',
    isStarted: true,
    killAt: () => 'send outcome',
    ends: (place) => (isDurable(place) ? RETURNED : uncertain(1)),
  },
  {
    row: 'C13 the answer to the outcome is lost',
    isStarted: true,
    killAt: () => 'answer outcome',
    ends: (place) => (isShared(place) ? RETURNED : DONE),
  },
  {
    row: 'C14 behind the outcome',
    isStarted: true,
    killAt: () => 'finished',
    ends: (place) => (isShared(place) ? RETURNED : DONE),
  },
];

/** What an executor gave its caller. */
export function saidBy(ended: Ended): string {
  if (ended.signal !== null) return ended.signal;
  return ended.threw?.name ?? (ended.returned === undefined ? ended.stderr : 'returned');
}

/** The job of the process that dies. */
export function dying(crash: Crash, { kind, host }: Place): Pick<Job, 'killAt'> {
  return { killAt: crash.killAt(isDurable({ kind, host }), kind) };
}
