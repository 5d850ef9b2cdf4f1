import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

const BENCH = resolve(__dirname, '../../tools/bench.mjs');

/** Nothing else loads them: they are built when they are run, from the sources that `tools/bench.mjs` names. */
test.each(['', 'anchoring', 'deadlines', 'deletion', 'drain', 'growth'])(
  'npm run bench -- %s: builds, loads and says what it does',
  async (name) => {
    const args = [BENCH, ...(name === '' ? [] : [name]), '--help'];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout).toContain(`npm run bench -- ${name}`.trim());
  },
);
