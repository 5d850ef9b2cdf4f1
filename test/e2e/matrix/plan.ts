import { ALL_SITUATIONS, OPERATIONS, expectationOf, fencedSituation } from './reading.js';
import type { Expected, Situation } from './reading.js';
import type { Scenario } from './scenarios.js';

/** A request to be, in a situation of a scenario. */
export interface Place {
  readonly scenario: Scenario;
  readonly situation: Situation;
}

export interface Cell extends Place {
  readonly operation: string;
  readonly caller: string;
  readonly expected: Expected;
}

/** Cells that are asked of one and the same request, in this order. */
export interface CellGroup extends Place {
  readonly cells: readonly Cell[];
}

const READS = ['status', 'material', 'app', 'export', 'hitl', 'hitl poll'];
/** Where these leave all states as they were, one request takes them all, one after the other. */
const REPEATABLE = ['outcomes again', 'cancel', 'revoke', 'discard'];

/** Every situation of every scenario; of fenced ones only those that need no outage and no waiting. */
export function placesOf(scenarios: readonly Scenario[]): readonly Place[] {
  return scenarios.flatMap((scenario) =>
    scenario.fenced
      ? ALL_SITUATIONS.filter((situation) => !isHeld(situation) && !isAwaited(situation)).map(
          (situation) => ({ scenario, situation: fencedSituation(situation) }),
        )
      : ALL_SITUATIONS.map((situation) => ({ scenario, situation })),
  );
}

/** All cells of a place, but for those of lists. */
export function cellsOf(place: Place): readonly Cell[] {
  return OPERATIONS.filter((operation) => operation !== 'list').flatMap((operation) =>
    Object.keys(place.scenario.callers).flatMap((caller) => {
      const expected = expectationOf(place.situation, operation, caller);
      return expected === null ? [] : [{ ...place, operation, caller, expected }];
    }),
  );
}

/** Refusals and reads: nothing may change, so one request per place takes them all. */
export function isHarmless({ operation, expected }: Cell): boolean {
  return expected.code !== null || READS.includes(operation);
}

/** Requests to build for the cells of a place that have an effect. */
export function groupsOf(place: Place, cells: readonly Cell[]): readonly CellGroup[] {
  const isShared = ({ operation, expected }: Cell) =>
    REPEATABLE.includes(operation) && Object.keys(expected.moves).length === 0;
  const rank = ({ operation }: Cell) => REPEATABLE.indexOf(operation);
  const shared = cells.filter(isShared).sort((one, other) => rank(one) - rank(other));
  const own = cells.filter((cell) => !isShared(cell)).map((cell) => [cell]);
  return [...own, ...(shared.length === 0 ? [] : [shared])].map((some) => ({
    ...place,
    cells: some,
  }));
}

/** The anchor store must be out of reach for these. */
export function isHeld({ states }: Situation): boolean {
  return states.audit === 'pending';
}

function isAwaited({ steps }: Situation): boolean {
  return steps.some((step) => step.endsWith(' over'));
}
