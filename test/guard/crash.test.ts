import { randomUUID } from 'node:crypto';
import { list, status } from '@countersign/client';
import { connect } from '@countersign/client/node';
import type { Client, RequestStatus } from '@countersign/client/node';
import { inParallel } from '../support/parallel.js';
import { CRASHES, PLACES, dying, saidBy } from './support/crashes.js';
import type { Crash, Expected, Place } from './support/crashes.js';
import { execute, journalOf } from './support/executor.js';
import type { Job } from './support/executor.js';
import { startGuarded } from './support/guarded.js';
import type { Setup } from './support/guarded.js';

// docs/guard.md, "What happens after a crash": a process is killed at that point, another one calls for the same occurrence,
// and a server of its own counts how often the function started.

let setup: Setup;
let client: Client;

beforeAll(async () => {
  setup = await startGuarded();
  client = await connect(setup.connection);
});
afterAll(async () => {
  await setup?.stop();
});

const AT_ONCE = 4;

async function recordedOf(occurrence: string): Promise<RequestStatus> {
  const { items } = await client.call(list, { query: { occurrence } });
  expect(items.length).toBe(1);
  return client.call(status, { id: items[0]!.id });
}

/** The first process dies; the second one comes to the end. */
async function historyOf(
  crash: Crash,
  place: Place,
  more: Partial<Job>,
  executionSeconds = crash.windowSeconds?.(place) ?? 2,
): Promise<Expected> {
  const occurrence = `pay:${randomUUID()}`;
  const first = { occurrence, executionSeconds, ...more, ...journalOf(setup, place.kind, 'same') };
  const dead = await execute(setup, { ...first, ...dying(crash, place) });
  const isLate =
    saidBy(dead) === 'Lapsed' || (crash.isStarted && setup.counter.starts(occurrence) === 0);
  // The machine is too busy for the first one to come so far within its window.
  if (isLate && executionSeconds < 60) return historyOf(crash, place, more, 2 * executionSeconds);
  expect([crash.row, place, saidBy(dead)]).toEqual([crash.row, place, 'SIGKILL']);
  const second = await execute(setup, { ...first, ...journalOf(setup, place.kind, place.host) });
  const { execution_state: recorded } = await recordedOf(occurrence);
  return { said: saidBy(second), starts: setup.counter.starts(occurrence), recorded };
}

async function histories(
  crash: Crash,
  places: readonly Place[],
  more: Partial<Job>,
  ends: Crash['ends'],
) {
  const found = new Map<string, Expected>();
  const expected = new Map<string, Expected>();
  await inParallel(places, AT_ONCE, async (place) => {
    const name = `${place.kind}, ${place.host} host`;
    expected.set(name, ends(place));
    found.set(name, await historyOf(crash, place, more));
  });
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
}

it.each(CRASHES)('$row', (crash) => histories(crash, PLACES, {}, crash.ends));

const PROBED = PLACES.filter(({ kind }) => kind === 'none' || kind === 'file');
const probed = CRASHES.filter(({ endsWithProbe }) => endsWithProbe !== undefined);
it.each(probed)('$row, and the outside world can be asked', (crash) =>
  histories(crash, PROBED, { probe: true }, crash.endsWithProbe!),
);
