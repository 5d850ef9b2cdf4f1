#!/usr/bin/env node
// `npm run torture:guard`: the torture of the system tests with any number of kills and any seed.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Missing, ROOT, endWithNpm, prepare, run } from '../../../tools/prepare.mjs';

const HELP = `npm run torture:guard -- [options]

Starts an instance of its own and executors that are killed by SIGKILL at random awaits, with each journal, on one host and
on two, and counts by a server of its own how often the guarded function started. Ends with a table, and with exit code 1
when an occurrence started twice or came to an end that its history does not allow.

  --kills N    how many kills at least (default 10000)
  --seed S     whole number that all choices follow from (default: by the clock)
  --report F   file for the table (default guard-torture.md)
  --help       this text`;

const OPTIONS = {
  kills: { type: 'string', default: '10000' },
  seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  report: { type: 'string', default: 'guard-torture.md' },
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
    GUARD_KILLS: values.kills,
    GUARD_SEED: values.seed,
    GUARD_REPORT: values.report,
  };
  const jest = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
  const file = join('test', 'guard', 'torture', 'torture.test.ts');
  const args = ['--selectProjects', 'system', '--runInBand', '--silent=false'];
  const all = [jest, ...args, '--testPathPatterns', file];
  const { code } = await run(process.execPath, all, env, { inherit: true });
  return code === 0 ? 0 : 1;
}

/** The options, or null when they cannot be meant. */
function parsed() {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    if ([values.kills, values.seed].every((text) => /^\d+$/.test(text))) return values;
    console.error('--kills and --seed are whole numbers.');
  } catch (error) {
    console.error(error.message);
  }
  return null;
}
