import fc from 'fast-check';
import * as lifecycle from './index.js';
import { COMMANDS } from './testing/commands.js';
import type { Machine, Setting } from './testing/commands.js';
import { ONWARD, play } from './testing/histories.js';
import type { Choice } from './testing/histories.js';
import { checkMatrix } from './testing/matrix.js';
import { PLANTED_BUGS } from './testing/planted-bugs.js';

/** Random histories to play; 25000 of them are a million commands. */
const HISTORIES = Number(process.env['LIFECYCLE_HISTORIES'] ?? 500);
const START = Date.UTC(2026, 4, 1);
const DAY = 86_400_000;

const seconds = (most: number) => fc.integer({ min: 1, max: most });

/** Deadlines as acceptance sets them (contract §3.2), for all limits that a route may have. */
const settings: fc.Arbitrary<Setting> = fc
  .record({
    purpose: fc.constantFrom('review', 'authorise_execution'),
    reviewLimit: seconds(86_400),
    reviewSeconds: seconds(86_400),
    grantSeconds: seconds(86_400),
    executionSeconds: seconds(3600),
    reconciliationSeconds: seconds(604_800),
    validFor: fc.integer({ min: 1, max: 3 * DAY }),
    reminded: fc.option(fc.integer({ min: 1, max: 2 * DAY })),
  })
  .map((limits): Setting => {
    const { purpose, reviewLimit, grantSeconds, executionSeconds, reconciliationSeconds } = limits;
    const execution = purpose === 'authorise_execution';
    const validUntil = execution ? START + limits.validFor : null;
    const keptSeconds =
      reviewLimit + (execution ? grantSeconds + executionSeconds + reconciliationSeconds : 0);
    return {
      purpose,
      start: START,
      reviewDeadline: Math.min(
        START + Math.min(limits.reviewSeconds, reviewLimit) * 1000,
        validUntil ?? Infinity,
      ),
      privateDeleteAt: START + keptSeconds * 1000,
      remindedAt: limits.reminded === null ? null : START - limits.reminded,
      grantSeconds,
      validUntil,
      executionSeconds,
      reconciliationSeconds,
    };
  });

const waits: fc.Arbitrary<Choice['wait']> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(0, 1, 1000) },
  { weight: 1, arbitrary: fc.nat(2 * DAY) },
  { weight: 2, arbitrary: fc.constantFrom(-1, 0, 1).map((pastDeadline) => ({ pastDeadline })) },
);

/** Columns first, so that the twenty-four ways to tell an outcome do not drown the rest. */
const picks: fc.Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(ONWARD) },
  {
    weight: 3,
    arbitrary: fc.oneof(
      ...[...Map.groupBy(COMMANDS, ({ column }) => column).values()].map((commands) =>
        fc.constantFrom(...commands.map(({ name }) => name)),
      ),
    ),
  },
);

/** Up to 40 commands, of which the first few go straight ahead. */
const histories: fc.Arbitrary<Choice[]> = fc
  .tuple(
    fc.array(fc.record({ wait: fc.constantFrom(0, 1), pick: fc.constant(ONWARD) }), {
      maxLength: 5,
      size: 'max',
    }),
    fc.array(fc.record({ wait: waits, pick: picks }), { maxLength: 35, size: 'max' }),
  )
  .map(([ahead, random]) => [...ahead, ...random]);

function playAll(machine: Machine, options: fc.Parameters<[Setting, Choice[]]>): void {
  fc.assert(
    fc.property(settings, histories, (setting, history) => {
      expect(play(machine, setting, history)).toBeNull();
    }),
    options,
  );
}

describe('random histories of up to 40 commands', () => {
  it('keep every rule', () => {
    playAll(lifecycle, { numRuns: HISTORIES });
  });
});

it.each(PLANTED_BUGS)('$name', ({ machine, onlyInTables }) => {
  const m = checkMatrix(machine, 1).findings.length > 0;
  const r = fc.check(
    fc.property(settings, histories, (a, b) => play(machine, a, b) === null),
    { numRuns: 500, endOnFailure: true, seed: 1 },
  );
  console.log(
    m,
    r.failed,
    r.numRuns,
    r.failed ? play(machine, ...(r.counterexample as any))?.rule : '',
  );
  expect([m, r.failed]).toEqual([true, !onlyInTables]);
});
