import { writeFileSync } from 'node:fs';
import { connect } from '@countersign/client/node';
import type { Client } from '@countersign/client/node';
import { stopAsked } from '../../support/campaign-stop.js';
import { inParallel } from '../../support/parallel.js';
import { startGuarded } from '../support/guarded.js';
import type { Setup } from '../support/guarded.js';
import { drawn, faultOf, history, randomOf, summaryOf, tableOf } from './kills.js';
import type { History } from './kills.js';

// docs/guard.md: executors are killed at random awaits, and between them, and others call for the same occurrences. `npm run
// torture:guard` runs it longer, with other seeds.

const KILLS = Number(process.env['GUARD_KILLS'] ?? 25);
/** Ends the run in place of the number of kills; 0 does not. */
const MINUTES = Number(process.env['GUARD_MINUTES'] ?? 0);
const SEED = Number(process.env['GUARD_SEED'] ?? 20261124);
const REPORT = process.env['GUARD_REPORT'];
const AT_ONCE = 6;

let setup: Setup;
let client: Client;

beforeAll(async () => {
  setup = await startGuarded();
  client = await connect(setup.connection);
});
afterAll(async () => {
  await setup?.stop();
});

function reportOf(histories: readonly History[], wrong: readonly object[]): string {
  const faults = wrong.map((each) => `${JSON.stringify(each)}\n`).join('');
  return `${summaryOf(histories)}\n\n${tableOf(histories)}\n${faults}`;
}

it(
  `starts no function twice in ${MINUTES > 0 ? `${MINUTES} minutes of` : KILLS} kills`,
  async () => {
    const random = randomOf(SEED);
    const histories: History[] = [];
    const wrong: object[] = [];
    let kills = 0;
    const end = performance.now() + MINUTES * 60_000;
    const goesOn = (): boolean =>
      !stopAsked() && (MINUTES > 0 ? performance.now() < end : kills < KILLS);
    await inParallel(Array.from({ length: AT_ONCE }), AT_ONCE, async () => {
      while (goesOn()) {
        const came = await history(setup, client, drawn(random));
        kills += came.kills.length;
        histories.push(came);
        const fault = faultOf(came);
        if (fault !== null) wrong.push({ fault, ...came });
        // A run that is ended early leaves what it has.
        if (REPORT !== undefined) writeFileSync(REPORT, reportOf(histories, wrong));
      }
    });
    if (REPORT !== undefined) console.log(reportOf(histories, wrong));
    expect(wrong).toEqual([]);
    expect(kills).toBeGreaterThanOrEqual(MINUTES > 0 || stopAsked() ? 1 : KILLS);
  },
  Math.max(300_000, KILLS * 10_000, MINUTES * 60_000 * 3),
);
