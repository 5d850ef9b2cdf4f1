import type pg from 'pg';
import type { Client } from '../../support/client.js';
import type { Instance } from '../../support/instance.js';
import { startInstance } from '../../support/instance.js';
import { MORE_PEOPLE, gatherNeighbours } from '../../support/neighbours.js';
import { inParallel } from '../../support/parallel.js';
import { decide, reviewInput, until } from '../../support/requests.js';
import { changesBetween, connectTo, readTruths } from '../../support/truths.js';
import { contradictAnchors, takeAnchorsAway } from './anchors.js';
import { awaitSituation, build } from './building.js';
import type { Built } from './building.js';
import { collectionFindings } from './collections.js';
import { faultsOf, recordFault } from './effects.js';
import type { Finding } from './finding.js';
import { listFindings } from './lists.js';
import { cellsOf, groupsOf, isHarmless, isHeld, placesOf } from './plan.js';
import type { Place } from './plan.js';
import { ALL_SITUATIONS, COLLECTION_CELLS, tableFaults } from './reading.js';
import { replayFindings } from './replays.js';
import { gatherScenarios } from './scenarios.js';
import type { Scenario } from './scenarios.js';

// Every cell of table.ts over HTTP. Requests are brought into every situation first; then everything that must be
// refused or only reads is asked of one request per situation and scenario, and the whole database must be as it was;
// then every success is asked of requests of their own, which must be in the next state afterwards, with the records
// that belong to it.

const WIDTH = 8;

const findings: Finding[] = [];
let collections: readonly string[];
let changes: readonly string[];
let instance: Instance;
let database: pg.Client;

beforeAll(async () => {
  const watch = stopwatch();
  instance = await startInstance({ people: MORE_PEOPLE });
  database = await connectTo(instance);
  const scenarios = await gatherScenarios(await gatherNeighbours(instance));
  watch('started');

  const places = placesOf(scenarios);
  const plans = places.map((place) => ({ place, cells: cellsOf(place) }));
  const groups = plans.flatMap(({ place, cells }) =>
    groupsOf(
      place,
      cells.filter((cell) => !isHarmless(cell)),
    ),
  );
  const built = await buildAll([...places, ...groups], scenarios);
  const prototypes = places.map((place) => ({ ...place, built: built.get(place) as Built }));
  watch('built');

  const atFirst = await readTruths(database);
  const harmless = plans.flatMap(({ place, cells }) =>
    cells.filter(isHarmless).map((cell) => ({ cell, request: built.get(place) as Built })),
  );
  await inParallel(harmless, WIDTH, async ({ cell, request }, turn) => {
    note(cell, await faultsOf(cell, request, turn));
  });
  watch('refused and read');
  const lists = await listFindings(prototypes);
  const replays = await replayFindings(prototypes.map(({ built: request }) => request));
  findings.push(...lists.findings, ...replays.findings);
  const before = await readTruths(database);
  changes = changesBetween(atFirst, before);
  watch('listed and replayed');

  await inParallel(groups, WIDTH, async (group, turn) => {
    for (const cell of group.cells) {
      note(cell, await faultsOf(cell, built.get(group) as Built, turn));
    }
  });
  const after = await readTruths(database);
  for (const group of groups) {
    const fault = recordFault(group, built.get(group) as Built, before, after);
    const calls = group.cells.map(({ operation, caller }) => `${operation} by ${caller}`);
    if (fault !== null) note(group, [`${calls.join(', ')}, ${group.scenario.name}: ${fault}`]);
  }
  collections = await collectionFindings(withAllCallers(scenarios));
  watch('had effects');

  const effects = groups.flatMap(({ cells }) => cells).length;
  const all = harmless.length + effects + lists.cells + COLLECTION_CELLS.length;
  process.stdout.write(
    `matrix: ${all} cells (${harmless.length} without an effect, ${effects} with one, ${lists.cells} of lists, ` +
      `${COLLECTION_CELLS.length} about no request) and ${replays.calls} replays in ${ALL_SITUATIONS.length} situations ` +
      `on ${built.size} requests; ${watch.text()}\n`,
  );
}, 600_000);
afterAll(async () => {
  await database?.end();
  await instance?.stop();
});

function note({ situation }: Place, faults: readonly string[]): void {
  findings.push(...faults.map((text) => ({ situation: situation.name, text })));
}

/**
 * Those that need the anchor store, then its contradiction, then those that need it away, then those that only need time.
 */
async function buildAll(
  all: readonly Place[],
  scenarios: readonly Scenario[],
): Promise<ReadonlyMap<Place, Built>> {
  const built = new Map<Place, Built>();
  const buildThose = (held: boolean) =>
    inParallel(
      all.filter(({ situation }) => isHeld(situation) === held),
      WIDTH,
      async (place) => {
        built.set(place, await build(place));
      },
    );
  await buildThose(false);
  for (const scenario of scenarios.filter(({ fenced }) => fenced)) await fence(scenario);
  takeAnchorsAway(instance);
  await buildThose(true);
  await inParallel([...built], WIDTH, async ([place, request]) => {
    const fault = await awaitSituation(request);
    if (fault !== null) note(place, [`request ${place.scenario.name}: ${fault}`]);
  });
  return built;
}

/** By a decision whose checkpoint the anchor store knows otherwise. */
async function fence({ demo, owner, reviewers, route }: Scenario): Promise<void> {
  const settle = await contradictAnchors(instance, database, demo.other.tenant);
  const input = reviewInput(demo, { route: await route() });
  const created = await owner.post('/v2/requests', input);
  await decide(reviewers[0] as Client, created.body.request.id, 'approve');
  await until(
    () => owner.get(`/v2/requests/${created.body.request.id}`),
    ({ body }) => body.audit_state === 'conflict',
  );
  settle();
}

/** One scenario with all callers of the table. */
function withAllCallers([first, ...others]: readonly Scenario[]): Scenario {
  const scenario = first as Scenario;
  const callers = Object.assign({}, ...others.map((other) => other.callers), scenario.callers);
  return { ...scenario, callers };
}

function stopwatch() {
  const laps: string[] = [];
  let since = performance.now();
  const lap = (name: string) => {
    const now = performance.now();
    laps.push(`${name} ${((now - since) / 1000).toFixed(1)} s`);
    since = now;
  };
  return Object.assign(lap, { text: () => laps.join(', ') });
}

it('has a table without gaps', () => {
  expect(tableFaults()).toEqual([]);
});

it('changes nothing by a refusal, a read or a replay', () => {
  expect(changes).toEqual([]);
});

it('answers all callers as the table says, about operations without a request', () => {
  expect(collections).toEqual([]);
});

describe('every operation by every caller answers as the table says', () => {
  test.each(ALL_SITUATIONS.map(({ name }) => name))('%s', (name) => {
    const own = findings.filter(({ situation }) => situation === name);
    expect(own.map(({ text }) => text)).toEqual([]);
  });
});
