#!/usr/bin/env node
// `npm run check`: everything that can be said about the code without servers. Runs all of it, whatever fails; what it runs and
// what each reads is in turbo.json, and one whose files did not change since it passed is not run again.
import { availableParallelism } from 'node:os';
import { Missing, endWithNpm, prepare, prepareArchive, run, turbo } from './prepare.mjs';

// Boundaries are lint rules (boundaries.config.mjs), and unit tests show that they refuse.
const CHECKS = [
  ...[
    'lint',
    'lint:types',
    'types',
    'check:archive',
    'check:format',
    'check:imports',
    'check:dependencies',
  ],
  ...['check:citations', 'check:generated', 'test:unit'],
];

endWithNpm();
try {
  await prepare();
  await prepareArchive();
} catch (error) {
  if (!(error instanceof Missing)) throw error;
  console.error(error.message);
  process.exit(1);
}
// `npm test`, which usually follows, runs the unit tests.
const wanted = CHECKS.filter(
  (name) => name !== 'test:unit' || !process.argv.includes('--without-unit-tests'),
);
// Most of them use one core.
const flags = ['--continue=always', `--concurrency=${availableParallelism()}`];
const tasks = wanted.map((name) => `//#${name}`);
const { code } = await run(...turbo(...tasks, ...flags), { inherit: true });
process.exit(code);
