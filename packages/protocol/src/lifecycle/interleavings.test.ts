import * as lifecycle from './index.js';
import { CASTS } from './testing/casts.js';
import type { Cast } from './testing/casts.js';
import { explore } from './testing/interleavings.js';
import type { Exploration } from './testing/interleavings.js';
import {
  BOUNDED,
  ELIGIBLE,
  IN_ORDER,
  KEPT_ANSWER,
  LEGAL,
  NO_LATE_AUTHORITY,
  ONE_CLAIM,
  ONE_DECISION,
  ONE_NONCE,
  RESTS_ON,
} from './testing/invariants.js';
import type { Invariant } from './testing/invariants.js';
import { SCENARIOS } from './testing/matrix.js';
import { STORE_RULES } from './testing/model-store.js';
import type { StoreRules } from './testing/model-store.js';
import { PLANTED_BUGS } from './testing/planted-bugs.js';
import type { Machine } from './testing/commands.js';
import type { Scenario } from './testing/request.js';

const PROCESSES = Number(process.env['LIFECYCLE_PROCESSES'] ?? 3);
const [FIRST] = SCENARIOS as [Scenario];
/** The action may not be done for as long as a grant could last. */
const SOON_INVALID: Scenario = { ...FIRST, validUntil: FIRST.start + 3_600_000 };

/** Prints one line of the tables of docs/reliability.md. */
function timed(name: string, run: () => Exploration): Exploration {
  const begin = process.cpuUsage();
  const explored = run();
  const { user, system } = process.cpuUsage(begin);
  const { states, transitions, depth, breach } = explored;
  const length = breach === null ? depth : breach.path.length;
  process.stdout.write(
    `interleavings: ${name}: ${states} states, ${transitions} transitions, depth ${length}, ${((user + system) / 1e6).toFixed(2)} s of processor time\n`,
  );
  return explored;
}

describe(`every interleaving of ${PROCESSES} processes keeps every invariant`, () => {
  test.each(CASTS)(
    '$name',
    (cast) => {
      const { breach } = timed(cast.name, () =>
        explore(lifecycle, FIRST, cast, { processes: PROCESSES }),
      );
      expect(breach).toBeNull();
    },
    30 * 60_000,
  );
});

const [DECIDING, CLAIMING, TELLING, REPLACING, BESIDE, REMOVING] = CASTS as [
  Cast,
  Cast,
  Cast,
  Cast,
  Cast,
  Cast,
];

/** A store that drops rules, a machine with a bug, or both where each alone is made good by the other. */
interface Planted {
  readonly without?: readonly (keyof StoreRules)[];
  readonly machine?: string;
  readonly breaks: Invariant;
  readonly cast: Cast;
  readonly scenario?: Scenario;
}

const PLANTED: readonly Planted[] = [
  { machine: 'claim: once more for the same execution', breaks: ONE_CLAIM, cast: CLAIMING },
  { machine: 'claim: leaves the identity to others', breaks: ONE_CLAIM, cast: BESIDE },
  { without: ['identities'], breaks: ONE_CLAIM, cast: BESIDE },
  { machine: 'claim: a second time', without: ['occurrences'], breaks: ONE_CLAIM, cast: CLAIMING },
  {
    machine: 'claim: does not consume',
    without: ['occurrences'],
    breaks: ONE_CLAIM,
    cast: CLAIMING,
  },

  { without: ['keys'], breaks: KEPT_ANSWER, cast: DECIDING },
  { without: ['oneStatement'], breaks: KEPT_ANSWER, cast: DECIDING },
  { without: ['answerFirst'], breaks: KEPT_ANSWER, cast: DECIDING },
  { without: ['bodies'], breaks: KEPT_ANSWER, cast: CLAIMING },

  { machine: 'confirm: an invalidated request', breaks: NO_LATE_AUTHORITY, cast: DECIDING },
  { machine: 'admit: after a cancellation', breaks: NO_LATE_AUTHORITY, cast: CLAIMING },
  { machine: 'admit: after the outcome', breaks: NO_LATE_AUTHORITY, cast: TELLING },
  { machine: 'applyDue: tells what it told before', breaks: NO_LATE_AUTHORITY, cast: DECIDING },

  { without: ['directory'], breaks: ELIGIBLE, cast: DECIDING },
  { without: ['reviewers'], breaks: ELIGIBLE, cast: DECIDING },
  { machine: 'confirm: the receipt names another reviewer', breaks: ELIGIBLE, cast: DECIDING },
  {
    machine: 'invalidate: leaves a decided request alone',
    without: ['standing'],
    breaks: ELIGIBLE,
    cast: REMOVING,
  },

  { without: ['clock'], breaks: BOUNDED, cast: CLAIMING },
  { machine: 'anchor: restarts the grant clock', breaks: BOUNDED, cast: REPLACING },
  {
    machine: 'confirm: the grant outlives valid_until',
    breaks: BOUNDED,
    cast: DECIDING,
    scenario: SOON_INVALID,
  },
  {
    machine: 'claim: restarts the grant clock',
    breaks: BOUNDED,
    cast: TELLING,
    scenario: SOON_INVALID,
  },
  {
    machine: 'admit: for the seconds of an execution from now on',
    breaks: BOUNDED,
    cast: TELLING,
  },

  { machine: 'admit: leaves the nonce to others', breaks: ONE_NONCE, cast: TELLING },
  { machine: 'admit: takes a spent nonce for a retry', breaks: ONE_NONCE, cast: TELLING },
  {
    machine: 'admit: keeps a nonce together with the number of its permit',
    breaks: ONE_NONCE,
    cast: TELLING,
  },
  { without: ['nonces'], breaks: ONE_NONCE, cast: TELLING },

  { without: ['versions'], breaks: IN_ORDER, cast: TELLING },
  { machine: 'cancel: skips a revision', breaks: IN_ORDER, cast: DECIDING },
  {
    machine: 'cancel: its event comes before that of the expiry',
    breaks: IN_ORDER,
    cast: DECIDING,
  },
  { machine: 'admit: takes a revision without an event', breaks: IN_ORDER, cast: TELLING },
  {
    machine: 'deleteMaterial: gives its event the revision of the expiry before it',
    breaks: IN_ORDER,
    cast: CLAIMING,
  },

  { machine: 'anchor: opens a revoked grant', breaks: LEGAL, cast: DECIDING },
  {
    machine: 'cancel: turns an expired request into a cancelled one',
    breaks: LEGAL,
    cast: DECIDING,
  },
  { machine: 'supersede: after a claim', breaks: LEGAL, cast: REPLACING },
  { machine: 'deleteMaterial: leaves the grant', breaks: LEGAL, cast: CLAIMING },

  { without: ['versions'], breaks: ONE_DECISION, cast: DECIDING },
  { machine: 'confirm: once more after the decision', breaks: ONE_DECISION, cast: DECIDING },
  {
    machine: 'reconcile: says that the producer reported it',
    breaks: ONE_DECISION,
    cast: TELLING,
  },

  { machine: 'confirm: a refusal opens a grant', breaks: RESTS_ON, cast: DECIDING },
  { machine: 'claim: before the anchor', breaks: RESTS_ON, cast: CLAIMING },
  { machine: 'reconcile: without a claim', breaks: RESTS_ON, cast: TELLING },
];

describe('the checker finds out a planted bug', () => {
  test.each(PLANTED.map((planted) => [nameOf(planted), planted.breaks, planted] as const))(
    '%s: %s',
    (name, _, { machine, without = [], breaks, cast, scenario = FIRST }) => {
      const dropped = Object.fromEntries(without.map((rule) => [rule, false]));
      const { breach } = timed(name, () =>
        explore(machineNamed(machine), scenario, cast, { rules: { ...STORE_RULES, ...dropped } }),
      );
      expect(breach?.invariants).toContain(breaks);
    },
  );

  it('three or more for every invariant', () => {
    const many = new Map<string, number>();
    for (const { breaks } of PLANTED) many.set(breaks, (many.get(breaks) ?? 0) + 1);
    expect([...many].filter(([, bugs]) => bugs < 3)).toEqual([]);
    expect(many.size).toBe(10);
  });
});

function nameOf({ machine, without = [] }: Planted): string {
  const store = without.length === 0 ? [] : [`a store without ${without.join(' and ')}`];
  return [...(machine === undefined ? [] : [machine]), ...store].join(', ');
}

function machineNamed(name: string | undefined): Machine {
  if (name === undefined) return lifecycle;
  const found = PLANTED_BUGS.find((bug) => bug.name === name);
  if (found === undefined) throw new RangeError(`no bug ${name}`);
  return found.machine;
}
