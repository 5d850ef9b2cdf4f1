import fc from 'fast-check';
import * as lifecycle from './index.js';
import { COMMANDS } from './testing/commands.js';
import { ONWARD, play } from './testing/histories.js';
import type { Choice } from './testing/histories.js';
import { checkMatrix } from './testing/matrix.js';
import { PLANTED_BUGS } from './testing/planted-bugs.js';
import type { Scenario } from './testing/request.js';

/** Random histories to play; 25000 of them are a million commands. */
const HISTORIES = Number(process.env['LIFECYCLE_HISTORIES'] ?? 1000);
const START = Date.UTC(2026, 4, 1);
const DAY = 86_400_000;

const seconds = (most: number) => fc.integer({ min: 1, max: most });

/** Deadlines as acceptance sets them (protocol §3.2), for all limits that a route may have. */
const scenarios: fc.Arbitrary<Scenario> = fc
  .record({
    purpose: fc.constantFrom(
      'review',
      ...Array<'authorise_execution'>(4).fill('authorise_execution'),
    ),
    reviewLimit: seconds(86_400),
    reviewSeconds: seconds(86_400),
    grantSeconds: seconds(86_400),
    executionSeconds: seconds(3600),
    reconciliationSeconds: seconds(604_800),
    validFor: fc.integer({ min: 1, max: 3 * DAY }),
    reminded: fc.option(fc.integer({ min: 1, max: 2 * DAY })),
  })
  .map((limits): Scenario => {
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

/** Half of the commands by column, so that the many ways to tell an outcome do not drown the rest. */
const picks: fc.Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(ONWARD) },
  { weight: 2, arbitrary: fc.constantFrom(...COMMANDS).map(({ name }) => name) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(...new Set(COMMANDS.map(({ column }) => column)))
      .chain((column) => fc.constantFrom(...COMMANDS.filter((each) => each.column === column)))
      .map(({ name }) => name),
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

describe('random histories of up to 40 commands', () => {
  it('keep every rule', () => {
    fc.assert(
      fc.property(scenarios, histories, (scenario, history) => {
        expect(play(lifecycle, scenario, history)).toBeNull();
      }),
      { numRuns: HISTORIES },
    );
  });
});

describe('a machine with a planted bug', () => {
  let caught = 0;

  test.each(PLANTED_BUGS)('is found out: $name', ({ machine, onlyInTables }) => {
    const inTables = checkMatrix(machine, 1).findings.length > 0;
    const inHistories =
      onlyInTables === true ||
      fc.check(
        fc.property(scenarios, histories, (scenario, history) => {
          return play(machine, scenario, history) === null;
        }),
        { numRuns: 10_000, endOnFailure: true, seed: 1 },
      ).failed;
    expect({ inTables, inHistories }).toEqual({ inTables: true, inHistories: true });
    caught += 1;
  });

  afterAll(() => {
    process.stdout.write(`planted bugs caught: ${caught} of ${PLANTED_BUGS.length}\n`);
  });
});
