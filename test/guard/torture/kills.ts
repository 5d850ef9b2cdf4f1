import { randomUUID } from 'node:crypto';
import type { Client, RequestStatus } from '@countersign/client';
import { PLACES, isDurable, saidBy } from '../support/crashes.js';
import type { Place } from '../support/crashes.js';
import { journalOf, startExecutor } from '../support/executor.js';
import type { Ended, Job } from '../support/executor.js';
import { requestsOf } from '../support/history.js';
import type { Setup } from '../support/guarded.js';

/** One occurrence: processes that were killed one after the other, and one that came to the end. */
export interface History {
  readonly place: Place;
  /** The awaits at which they were killed; null for a moment between two. */
  readonly kills: readonly (string | null)[];
  readonly said: string;
  readonly starts: number;
  readonly recorded: RequestStatus['execution_state'] | 'unasked';
}

export type Random = () => number;

/** The same numbers for the same seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** More awaits than an action has with the journal that has most: a process that is to die behind its last one lives. */
const MOST_AWAITS = 44;
const MOST_KILLS = 3;
/** The time that an action takes, without people, on a machine that is not busy. */
const ACTION_MS = 700;

/** What is drawn for one history, before any of it happens: the same for the same seed, however the machine is. */
export function drawn(
  random: Random,
  places: readonly Place[] = PLACES,
): {
  place: Place;
  deaths: { after: number; ms: number | null }[];
} {
  const place = places[Math.floor(random() * places.length)]!;
  const kills = random() < 0.6 ? 1 : 1 + Math.floor(random() * MOST_KILLS);
  const deaths = Array.from({ length: kills }, () => ({
    after: 1 + Math.floor(random() * MOST_AWAITS),
    ms: random() < 0.2 ? Math.floor(random() * ACTION_MS) : null,
  }));
  return { place, deaths };
}

export async function history(
  setup: Setup,
  client: Client,
  { place, deaths }: ReturnType<typeof drawn>,
): Promise<History> {
  const occurrence = `pay:${randomUUID()}`;
  const job = { occurrence, executionSeconds: 3 };
  const on = (host: Place['host']) => ({ ...job, ...journalOf(setup, place.kind, host) });
  const kills: (string | null)[] = [];
  let last: Ended;
  for (const [at, { after, ms }] of deaths.entries()) {
    const from = on(at === 0 ? 'same' : place.host);
    last = await killed(setup, ms === null ? { ...from, killAfter: after } : from, ms);
    if (last.signal !== null) kills.push(last.dying ?? null);
  }
  // What came to its end is called for once more: that must start nothing.
  last = await startExecutor(setup, on(place.host)).ended;
  const [newest] = await requestsOf(client, occurrence);
  const recorded = newest?.execution_state ?? 'unasked';
  return { place, kills, said: saidBy(last), starts: setup.counter.starts(occurrence), recorded };
}

async function killed(setup: Setup, job: Job, ms: number | null): Promise<Ended> {
  const executor = startExecutor(setup, job);
  if (ms === null) return executor.ended;
  const timer = executor
    .said('ready')
    .then(() => new Promise((resolve) => setTimeout(resolve, ms)))
    .then(() => executor.process.kill('SIGKILL'))
    .catch(() => undefined);
  const ended = await executor.ended;
  await timer;
  return ended;
}

/** What is wrong with a history; null when it is as the guard promises. */
export function faultOf({ said, starts, recorded }: History): string | null {
  if (starts > 1) return 'started twice';
  if (said === 'returned' && (starts !== 1 || recorded !== 'completed'))
    return 'a result without a start';
  if (recorded === 'completed' && starts !== 1) return 'completed without a start';
  if (recorded === 'cancelled_before_dispatch' && starts !== 0) return 'cancelled behind a start';
  const isEnded = ['completed', 'cancelled_before_dispatch', 'uncertain'].includes(recorded);
  if (!isEnded) return `came to no end: ${said}`;
  const fitting: Readonly<Record<string, readonly string[]>> = {
    completed: ['returned', 'AlreadyDone'],
    cancelled_before_dispatch: ['Lapsed'],
    uncertain: ['OutcomeUnknown'],
  };
  return fitting[recorded]!.includes(said) ? null : `${recorded}, and told as ${said}`;
}

/** Rows of the crash table, by the awaits of an action. */
const ROWS: readonly (readonly [row: string, points: RegExp])[] = [
  ['C1 before the request', /open$|send create/],
  ['C2 request sent', /answer create|advance request/],
  ['C3 people decide', /(send|answer) status/],
  ['C4 before the claim', /hold|read|isFenced|advance identity|material|send claim/],
  ['C5 claim sent', /answer claim/],
  ['C6 claimed', /advance launch|send admit/],
  ['C7 admitted', /answer admit|before fence/],
  ['C9 behind the fence', /after fence|fn begin/],
  ['C10 inside the function', /fn inside/],
  ['C11 returned', /fn end|before advance end/],
  ['C12 result kept', /after advance end|send outcome/],
  ['C13 outcome sent', /answer outcome|before advance closed/],
  ['C14 closed', /after advance closed|finished/],
];

function rowOf(point: string | null | undefined): string {
  if (point === undefined) return 'none was killed';
  if (point === null) return 'between two awaits';
  return ROWS.find(([, points]) => points.test(point))?.[0] ?? 'while resuming';
}

/** Markdown: for each row how the histories with one kill there ended, with and without a durable journal. */
export function tableOf(histories: readonly History[]): string {
  const once = histories.filter(({ kills }) => kills.length === 1);
  const rows = [...ROWS.map(([row]) => row), 'between two awaits'];
  const cells = (row: string, durable: boolean) => {
    const here = once.filter(
      ({ kills, place }) => rowOf(kills[0]) === row && isDurable(place) === durable,
    );
    const share = (state: string) => {
      const count = here.filter(({ recorded }) => recorded === state).length;
      return here.length === 0 ? '–' : `${Math.round((100 * count) / here.length)} %`;
    };
    const states = ['completed', 'cancelled_before_dispatch', 'uncertain'].map(share);
    return [String(here.length), ...states];
  };
  return [
    '| Killed | durable: kills | completed | cancelled | uncertain | otherwise: kills | completed | cancelled | uncertain |',
    '| --- | --: | --: | --: | --: | --: | --: | --: | --: |',
    ...rows.map((row) => `| ${[row, ...cells(row, true), ...cells(row, false)].join(' | ')} |`),
  ].join('\n');
}

export function summaryOf(histories: readonly History[]): string {
  const kills = histories.reduce((sum, each) => sum + each.kills.length, 0);
  const starts = histories.reduce((sum, { starts }) => sum + starts, 0);
  const twice = histories.filter((each) => each.starts > 1).length;
  const byPlace = PLACES.map((place) => {
    const here = histories.filter((each) => each.place === place);
    const here_kills = here.reduce((sum, each) => sum + each.kills.length, 0);
    return `${place.kind}, ${place.host} host: ${here.length} occurrences, ${here_kills} kills`;
  });
  return [
    `${histories.length} occurrences, ${kills} kills, ${starts} starts, ${twice} second starts`,
    ...byPlace,
  ].join('\n');
}
