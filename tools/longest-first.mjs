import { existsSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from './prepare.mjs';

/**
 * Test files that take longest for their size, the longest first: 200 to 25 seconds, of processor time or of waiting. One that
 * begins last would leave the other workers with nothing to do.
 */
const LONGEST = [
  'test/adapters/adapters.test.ts',
  'test/browser/seal.test.ts',
  'test/cli/run.test.ts',
  'test/browser/extreme.test.ts',
  'test/guard/crash.test.ts',
  'test/chart/metrics.test.ts',
  'test/fault/upgrade.test.ts',
  'test/fault/stores.test.ts',
  'test/mcp-guard/tasks.test.ts',
  'test/chart/drawing.test.ts',
  'test/e2e/codes/machinery.test.ts',
  'test/guard/restored.test.ts',
  'test/e2e/matrix/matrix.test.ts',
  'test/witness/watch.test.ts',
  'test/conformance/verifier-page.test.ts',
  'test/e2e/deliveries/webhooks.test.ts',
  'test/guard/planted.test.ts',
  'test/guard/histories.test.ts',
  'test/hook/hook.test.ts',
  'test/mcp-guard/input.test.ts',
  'test/fault/race.test.ts',
  'test/fault/deliveries.test.ts',
  'test/e2e/proof/keys.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/browser/security-log.test.ts',
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
