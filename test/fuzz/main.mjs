#!/usr/bin/env node
// `npm run fuzz`: the fuzzer of the system tests with any number of calls and any seed.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Missing, ROOT, endWithNpm, prepare, run } from '../../tools/prepare.mjs';

const HELP = `npm run fuzz -- [options]

Starts an instance of its own, without quotas, and sends it calls of all 29 operations: valid ones, broken ones, and
chains that lead requests through their lives. Looks at every answer with docs/openapi.json, at errors for private
text, and at refusals for effects. Ends with what was answered, counted, and with exit code 1 when something was found.

  --calls N   how many calls to make at least (default 20000)
  --seed S    whole number that all choices follow from (default: by the clock); the end tells it
  --path P    go to the chain of a finding at once; told with it, for the same seed
  --all       go on after a finding, without making it smaller
  --crowd K   K fuzzers at once, each with its share of the calls, over two replicas of everything: finds what comes of
              calls in each other's way; looks at no effects, and makes nothing smaller
  --help      this text`;

const OPTIONS = {
  calls: { type: 'string', default: '20000' },
  seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  path: { type: 'string' },
  all: { type: 'boolean', default: false },
  crowd: { type: 'string', default: '1' },
  help: { type: 'boolean', default: false },
};

endWithNpm();
try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Missing ? error.message : error);
  process.exitCode = 1;
}

async function main() {
  const values = parsed();
  if (values === null || values.help) {
    console.log(HELP);
    return values === null ? 2 : 0;
  }
  await prepare();
  const env = {
    ...process.env,
    FUZZ_CALLS: values.calls,
    FUZZ_SEED: values.seed,
    ...(values.path === undefined ? {} : { FUZZ_PATH: values.path }),
    ...(values.all ? { FUZZ_ALL: '1' } : {}),
    FUZZ_CROWD: values.crowd,
  };
  const jest = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
  const file = join('test', 'fuzz', 'fuzz.test.ts');
  const args = [
    '--selectProjects',
    'system',
    '--runInBand',
    '--silent=false',
    '--testPathPatterns',
  ];
  const { code } = await run(process.execPath, [jest, ...args, file], env, { inherit: true });
  return code === 0 ? 0 : 1;
}

/** The options, or null when they cannot be meant. */
function parsed() {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    const whole = (text) => /^\d+$/.test(text);
    const crowd = /^[1-9]\d?$/.test(values.crowd);
    if (whole(values.calls) && whole(values.seed) && crowd) return values;
    console.error('--calls and --seed are whole numbers, --crowd is from 1 to 99.');
  } catch (error) {
    console.error(error.message);
  }
  return null;
}
