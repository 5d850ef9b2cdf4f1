import * as lifecycle from './index.js';
import { CASTS } from './testing/casts.js';
import type { Cast } from './testing/casts.js';
import { explore } from './testing/interleavings.js';
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

describe(`every interleaving of ${PROCESSES} processes keeps every invariant`, () => {
  test.each(CASTS)(
    '$name',
    (cast) => {
      const begin = process.cpuUsage();
      const { breach, states, transitions, depth } = explore(lifecycle, FIRST, cast, {
        processes: PROCESSES,
      });
      const { user, system } = process.cpuUsage(begin);
      process.stdout.write(
        `interleavings: ${cast.name}: ${states} states, ${transitions} transitions, depth ${depth}, ${((user + system) / 1e6).toFixed(1)} s of processor time\n`,
      );
      expect(breach).toBeNull();
    },
    30 * 60_000,
  );
});

const [DECIDING, CLAIMING, TELLING, REPLACING] = CASTS as [Cast, Cast, Cast, Cast];

function breaks(machine: Machine, dropped: Partial<StoreRules>, cast: Cast) {
  return explore(machine, FIRST, cast, { rules: { ...STORE_RULES, ...dropped } }).breach
    ?.invariants;
}

describe('a store that drops one of its rules breaks', () => {
  test.each<[keyof StoreRules, Invariant, Cast]>([
    ['versions', ONE_DECISION, DECIDING],
    ['directory', ELIGIBLE, DECIDING],
    ['clock', BOUNDED, CLAIMING],
    ['keys', KEPT_ANSWER, DECIDING],
    ['oneStatement', KEPT_ANSWER, DECIDING],
    ['answerFirst', KEPT_ANSWER, DECIDING],
    ['bodies', KEPT_ANSWER, CLAIMING],
  ])('without %s: %s', (rule, invariant, cast) => {
    expect(breaks(lifecycle, { [rule]: false }, cast)).toContain(invariant);
  });
});

describe('a machine with a planted bug breaks', () => {
  const bugNamed = (name: string): Machine => {
    const found = PLANTED_BUGS.find((bug) => bug.name === name);
    if (found === undefined) throw new RangeError(`no bug ${name}`);
    return found.machine;
  };

  test.each<[string, Invariant, Cast]>([
    ['confirm: once more after the decision', ONE_DECISION, DECIDING],
    ['confirm: an invalidated request', NO_LATE_AUTHORITY, DECIDING],
    ['confirm: a refusal opens a grant', RESTS_ON, DECIDING],
    ['confirm: the receipt names another reviewer', ELIGIBLE, DECIDING],
    ['anchor: opens a revoked grant', LEGAL, DECIDING],
    ['anchor: restarts the grant clock', BOUNDED, REPLACING],
    ['cancel: turns an expired request into a cancelled one', LEGAL, DECIDING],
    ['cancel: skips a revision', IN_ORDER, DECIDING],
    ['supersede: after a claim', LEGAL, REPLACING],
    ['deleteMaterial: leaves the grant', LEGAL, CLAIMING],
    ['claim: before the anchor', RESTS_ON, CLAIMING],
    ['admit: after a cancellation', NO_LATE_AUTHORITY, CLAIMING],
    ['admit: after the outcome', NO_LATE_AUTHORITY, TELLING],
    ['admit: leaves the nonce to others', ONE_NONCE, CLAIMING],
    ['reconcile: without a claim', RESTS_ON, TELLING],
    ['reconcile: says that the producer reported it', ONE_DECISION, TELLING],
    ['applyDue: tells what it told before', NO_LATE_AUTHORITY, DECIDING],
  ])('%s: %s', (name, invariant, cast) => {
    expect(breaks(bugNamed(name), {}, cast)).toContain(invariant);
  });

  // The store alone refuses a second claim too.
  it('claim: a second time, where the store leaves the occurrence to others', () => {
    const broken = breaks(bugNamed('claim: a second time'), { occurrences: false }, CLAIMING);
    expect(broken).toContain(ONE_CLAIM);
  });
});
