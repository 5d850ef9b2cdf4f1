import type { Machine } from './commands.js';
import { withoutStacks } from './exploration.js';
import type { Cast, Event } from './casts.js';
import { INTERLEAVED_CALLS } from './interleaved-calls.js';
import type { InterleavedCall } from './interleaved-calls.js';
import {
  STORE_RULES,
  begin,
  canSave,
  changeRoute,
  recover,
  removeReviewer,
  save,
} from './model-store.js';
import type { Saved, StoreRules } from './model-store.js';
import type { Scenario } from './request.js';
import { observe } from './invariants.js';
import { beginning, identityOf, later } from './world.js';
import type { World } from './world.js';

export interface Exploration {
  readonly states: number;
  readonly transitions: number;
  /** Steps from the beginning to the states that are farthest away; after it no new states appear. */
  readonly depth: number;
  /** The first invariant that was broken, and the shortest way to it; null when all hold in every state. */
  readonly breach: {
    readonly invariants: readonly string[];
    readonly path: readonly string[];
  } | null;
}

interface Visited {
  readonly world: World;
  readonly from: number;
  readonly move: string;
  readonly depth: number;
}

/**
 * Every interleaving of a cast's calls by so many processes on a request and its replacement, breadth first, to the depth at which
 * no new state appears. A process loads and decides in one step and saves in another; it may die before the second, and
 * after it before its answer is sent. Every call is made again at any time, under the same key and others. Between two deadlines
 * all moments are alike, so time goes from deadline to deadline.
 */
export function explore(
  machine: Machine,
  scenario: Scenario,
  cast: Cast,
  { processes = 3, rules = STORE_RULES }: { processes?: number; rules?: StoreRules } = {},
): Exploration {
  return withoutStacks(() => {
    const calls = INTERLEAVED_CALLS.filter(({ name }) => isNamed(cast, name));
    const seen = new Set<string>();
    const visited: Visited[] = [];
    let transitions = 0;
    const arrive = (world: World, from: number, move: string): void => {
      const name = identityOf(world);
      if (seen.has(name)) return;
      seen.add(name);
      visited.push({ world, from, move, depth: from < 0 ? 0 : (visited[from]?.depth ?? 0) + 1 });
    };
    const result = (breach: Exploration['breach']): Exploration => {
      return { states: visited.length, transitions, depth: visited.at(-1)?.depth ?? 0, breach };
    };
    arrive(beginning(machine, scenario, cast), -1, 'create');
    for (let at = 0; at < visited.length; at += 1) {
      const { world } = visited[at] as Visited;
      for (const { move, saved } of moves(machine, rules, world, cast, calls, processes)) {
        transitions += 1;
        if (saved.breaches.length > 0) {
          return result({ invariants: saved.breaches, path: [...pathTo(visited, at), move] });
        }
        if (saved.world !== world) arrive(withoutHopeless(rules, saved.world), at, move);
      }
    }
    return result(null);
  });
}

interface Move {
  readonly move: string;
  readonly saved: Saved;
}

function* moves(
  machine: Machine,
  rules: StoreRules,
  world: World,
  cast: Cast,
  calls: readonly InterleavedCall[],
  processes: number,
): Generator<Move> {
  const { pending } = world;
  for (const call of calls) {
    const begun = begin(machine, rules, world, call);
    if (begun === null) continue;
    if ('answered' in begun) {
      const breaches = observe(world.observations, begun.answered);
      yield { move: call.name, saved: { world, breaches } };
    } else if (pending.length < processes) {
      const more = { ...world, pending: [...pending, begun.pending] };
      yield { move: `decide ${call.name}`, saved: { world: more, breaches: [] } };
    }
  }
  for (const [at, each] of pending.entries()) {
    const others = { ...world, pending: pending.toSpliced(at, 1) };
    yield { move: `die before ${each.call}`, saved: { world: others, breaches: [] } };
    if (!canSave(rules, world, each)) continue;
    for (const saved of save(rules, others, each)) yield { move: `save ${each.call}`, saved };
  }
  const [{ subject }] = world.rows as [World['rows'][0]];
  const { routeRevision, reviewers } = world.directory;
  const events: readonly (readonly [Event, boolean, () => Saved])[] = [
    [
      'change the route',
      routeRevision === subject.request.authorisation_revision,
      () => changeRoute(machine, world),
    ],
    ['remove a reviewer', reviewers.length > 1, () => removeReviewer(machine, world)],
    ['recover', !world.recovered, () => recover(world)],
  ];
  for (const [move, isOpen, happen] of events) {
    if (isOpen && cast.events.includes(move)) yield { move, saved: happen() };
  }
  const next = later(world);
  if (next !== null) yield { move: 'time passes', saved: { world: next, breaches: [] } };
}

/** A save that can have no effect any more is as good as none: its process reads again, as for a new call. */
function withoutHopeless(rules: StoreRules, world: World): World {
  if (world.pending.every((each) => canSave(rules, world, each))) return world;
  return { ...world, pending: world.pending.filter((each) => canSave(rules, world, each)) };
}

function isNamed({ calls }: Cast, name: string): boolean {
  return calls.some((call) => name === call || name.startsWith(`${call} `));
}

function pathTo(visited: readonly Visited[], at: number): string[] {
  const path: string[] = [];
  for (let each = visited[at]; each !== undefined; each = visited[each.from]) {
    path.unshift(each.move);
  }
  return path;
}
