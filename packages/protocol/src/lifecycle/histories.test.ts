import fc from 'fast-check';
import * as lifecycle from './index.js';
import { COMMANDS } from './testing/commands.js';
import type { Machine, Setting } from './testing/commands.js';
import { play } from './testing/histories.js';
import type { Choice } from './testing/histories.js';

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

const choices: fc.Arbitrary<Choice[]> = fc.array(
  fc.record({
    wait: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(0, 1, 1000) },
      { weight: 1, arbitrary: fc.nat(2 * DAY) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(-1, 0, 1).map((pastDeadline) => ({ pastDeadline })),
      },
    ),
    pick: fc.oneof(
      { weight: 1, arbitrary: fc.constant('onward' as const) },
      { weight: 2, arbitrary: fc.nat(COMMANDS.length - 1) },
    ),
  }),
  { maxLength: 40, size: 'max' },
);

function playAll(machine: Machine, options: fc.Parameters<[Setting, Choice[]]>): void {
  fc.assert(
    fc.property(settings, choices, (setting, history) => {
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
