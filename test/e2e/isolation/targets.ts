import type { Client } from '../../support/client.js';
import { inParallel } from '../../support/parallel.js';
import { awaitSituation, build } from '../matrix/building.js';
import type { Built } from '../matrix/building.js';
import { ALL_SITUATIONS, expectationOf } from '../matrix/reading.js';
import type { Scenario } from '../matrix/scenarios.js';

/** As different as requests get: both purposes, open and ended, with and without material, claims and outcomes. */
const SITUATIONS = [
  'review: pending, answered',
  'review: confirmed, anchored',
  'review: cancelled, discarded',
  'review: superseded',
  'pending, answered',
  'refused, anchored',
  'available',
  'available, cancelled',
  'claimed',
  'admitted',
  'completed',
];

/** A request, and all callers who must not know of it. */
export interface Target {
  readonly scenario: Scenario;
  readonly built: Built;
  readonly strangers: readonly Stranger[];
}

export interface Stranger {
  readonly name: string;
  readonly client: Client;
}

export async function buildTargets(scenarios: readonly Scenario[]): Promise<readonly Target[]> {
  const places = scenarios.flatMap((scenario) =>
    ALL_SITUATIONS.filter(({ name }) => SITUATIONS.includes(name)).map((situation) => ({
      scenario,
      situation,
    })),
  );
  return inParallel(places, 8, async (place) => {
    const built = await build(place);
    const fault = await awaitSituation(built);
    if (fault !== null) throw new Error(`${place.situation.name}: ${fault}`);
    return { scenario: place.scenario, built, strangers: strangersTo(place.scenario, built) };
  });
}

/** Those whom not even the kind of their credential lets read it. */
function strangersTo({ callers }: Scenario, { situation }: Built): readonly Stranger[] {
  return Object.entries(callers)
    .filter(([name]) => expectationOf(situation, 'status', name)?.status !== 200)
    .map(([name, client]) => ({ name, client }));
}

/** The request of a scenario in a situation. */
export function targetIn(targets: readonly Target[], scenario: string, situation: string): Built {
  const found = targets.find(
    (target) => target.scenario.name === scenario && target.built.situation.name === situation,
  );
  if (found === undefined) throw new Error(`no target ${scenario}, ${situation}`);
  return found.built;
}
