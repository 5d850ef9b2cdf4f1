import { existsSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from './prepare.mjs';

/**
 * Test files that take longest for their size, the longest first: 100 to 25 seconds, of processor time or of waiting. One that
 * begins last would leave the other workers with nothing to do.
 */
const LONGEST = [
  'test/guard/crash.test.ts',
  'test/guard/histories.test.ts',
  'test/fault/stores.test.ts',
  'test/fault/race.test.ts',
  'test/guard/planted.test.ts',
  'test/e2e/matrix/matrix.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/e2e/proof/keys.test.ts',
  'test/fault/deliveries.test.ts',
  'test/conformance/verifier-page.test.ts',
  'test/browser/security-log.test.ts',
  'test/e2e/deliveries/webhooks.test.ts',
  'test/e2e/deliveries/reminders.test.ts',
  'test/guard/torture/torture.test.ts',
];

/** Jest's order of test files (`--testSequencer`): those of the list, then the others by their size, on every machine alike. */
export default class LongestFirst {
  constructor() {
    const gone = LONGEST.find((file) => !existsSync(join(ROOT, file)));
    if (gone !== undefined) throw new Error(`tools/longest-first.mjs names ${gone}, which is gone`);
  }

  sort(tests) {
    const ranked = tests.map((test) => {
      const at = LONGEST.indexOf(relative(ROOT, test.path));
      return { test, rank: at === -1 ? LONGEST.length : at, size: statSync(test.path).size };
    });
    return ranked.sort((a, b) => a.rank - b.rank || b.size - a.size).map(({ test }) => test);
  }

  /** Called by jest when it has run the files: nothing of one run is kept for the next. */
  cacheResults() {}
}
