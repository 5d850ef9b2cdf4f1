import { Refusal } from '../errors.js';
import { MAX_JSON_DEPTH } from '../json/value.js';
import { SCHEMA_LIMITS } from './limits.js';
import type { SchemaPosition } from './structure.js';

/**
 * How many evaluations a schema can cause at most: one for itself, and for each keyword or reference
 * that leads on, again and again, those of the schema there; down to instance level 64, below which
 * no response reaches.
 *
 * @throws Refusal `schema_reference_cycle` when references lead in a circle without going deeper into
 *   the instance, `schema_complexity` when the work exceeds 10000
 */
export function schemaWork(positions: readonly SchemaPosition[]): number {
  const order = inPlaceOrder(positions);
  let deeper = new Float64Array(positions.length);
  for (let level = MAX_JSON_DEPTH; level >= 0; level--) {
    const here = new Float64Array(positions.length);
    for (const index of order) {
      let work = 1;
      for (const { target, reach } of edgesOf(positions, index)) {
        work += (reach === 'child' ? deeper[target] : here[target]) as number;
      }
      // Cut off, so that it stays exact as far as it matters.
      here[index] = Math.min(work, SCHEMA_LIMITS.work + 1);
    }
    const settled = here.every((work, index) => work === deeper[index]);
    deeper = here;
    if (settled) break;
  }
  const work = deeper[0] ?? 0;
  if (work > SCHEMA_LIMITS.work) throw new Refusal('schema_complexity');
  return work;
}

/** Every position after all those that it applies to the same value. A loop: chains may be long. */
function inPlaceOrder(positions: readonly SchemaPosition[]): number[] {
  const order: number[] = [];
  const state = new Uint8Array(positions.length);
  const OPEN = 1;
  const DONE = 2;
  for (let root = 0; root < positions.length; root++) {
    if (state[root] !== 0) continue;
    const path = [{ index: root, next: 0 }];
    state[root] = OPEN;
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const edge = edgesOf(positions, top.index)[top.next++];
      if (edge === undefined) {
        state[top.index] = DONE;
        order.push(top.index);
        path.pop();
      } else if (edge.reach === 'in-place' && state[edge.target] !== DONE) {
        if (state[edge.target] === OPEN) throw new Refusal('schema_reference_cycle');
        state[edge.target] = OPEN;
        path.push({ index: edge.target, next: 0 });
      }
    }
  }
  return order;
}

function edgesOf(positions: readonly SchemaPosition[], index: number): SchemaPosition['edges'] {
  return positions[index]?.edges ?? [];
}
