#!/usr/bin/env node
// `npm run check`: everything that can be said about the code without servers. Runs all checks, even after a failure.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ARCHIVE, Missing, ROOT, endWithNpm, prepare, prepareArchive, run } from './prepare.mjs';

const bin = (name) => join(ROOT, 'node_modules', '.bin', name);

function lint(part, { of = [part], without = [] } = {}) {
  return {
    name: `lint and boundaries: ${part}`,
    command: [
      bin('eslint'),
      ...of,
      ...without.flatMap((folder) => ['--ignore-pattern', `${folder}/**`]),
      ...['--max-warnings', '0'],
    ],
    advice: 'npm run lint',
  };
}

// Boundaries are lint rules (boundaries.config.mjs), and unit tests show that they refuse.
const CHECKS = [
  // The longest first. One process for all of it would keep the types of everything at once, and take twice as long.
  lint('test'),
  lint('packages and services', {
    of: ['packages', 'services'],
    without: ['packages/pages'],
  }),
  lint('pages and apps', { of: ['packages/pages', 'examples'] }),
  lint('everything else', {
    of: ['.'],
    without: ['packages', 'services', 'test', 'examples'],
  }),
  {
    name: 'format',
    command: [bin('prettier'), '--check', '--log-level', 'warn', '.'],
    advice: 'npm run format',
  },
  {
    name: 'types',
    command: [bin('tsc'), '-p', 'tsconfig.json', '--noEmit'],
    advice: 'npm run types',
  },
  {
    name: 'types of the pages',
    command: [bin('tsc'), '-p', join('packages', 'pages'), '--noEmit'],
    advice: 'npm run types',
  },
  {
    name: 'types of the pages’ tests',
    command: [bin('tsc'), '-p', join('test', 'browser'), '--noEmit'],
    advice: 'npm run types',
  },
  {
    name: 'types of the library for apps',
    command: [bin('tsc'), '-p', join('packages', 'view'), '--noEmit'],
    advice: 'npm run types',
  },
  {
    name: 'types of the example app',
    command: [bin('tsc'), '-p', join('examples', 'payment-batch'), '--noEmit'],
    advice: 'npm run types',
  },
  {
    name: 'types of the verifier page',
    command: [bin('tsc'), '-p', join('packages', 'verifier-page'), '--noEmit'],
    advice: 'npm run types',
  },
  {
    name: 'types of the archive',
    command: [bin('tsc'), '-p', ARCHIVE, '--noEmit'],
    advice: `npx tsc -p ${ARCHIVE} --noEmit`,
  },
  {
    name: 'dependencies',
    command: [bin('knip'), '--dependencies', '--no-progress'],
    advice: 'npm run check:dependencies',
  },
  {
    name: 'imports',
    command: [
      bin('depcruise'),
      ...['--config', 'imports.config.mjs'],
      ...['packages', 'services', 'deploy', 'tools', 'test', 'examples', 'archive'],
    ],
    advice: 'npm run check:imports',
  },
  {
    name: 'citations and links',
    command: [process.execPath, join('deploy', 'citations.mjs')],
    advice: 'docs/protocol/README.md',
  },
  {
    name: 'generated files',
    command: [process.execPath, join('deploy', 'generate.mjs'), '--check'],
    advice: 'npm run generate',
  },
  {
    name: 'unit tests',
    command: [bin('jest'), '--selectProjects', 'unit', '--passWithNoTests=false'],
    advice: 'npm run test:unit',
  },
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

const results = [];
// `npm test`, which usually follows, runs the unit tests.
const waiting = CHECKS.filter(
  ({ name }) => name !== 'unit tests' || !process.argv.includes('--without-unit-tests'),
);
// Most of them use one core.
await Promise.all(Array.from({ length: availableParallelism() >= 4 ? 3 : 2 }, work));

console.log();
for (const { name, advice, failed, seconds } of results) {
  console.log(
    `${failed ? 'FAILED' : 'ok    '}  ${name} (${seconds} s)${failed ? `: ${advice}` : ''}`,
  );
}
const failures = results.filter(({ failed }) => failed).length;
console.log(`check: ${results.length - failures} ok, ${failures} failed`);
process.exit(failures === 0 ? 0 : 1);

async function work() {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
    const { name, command, advice } = check;
    const start = performance.now();
    console.log(`${name} …`);
    const { code, output } = await run(command[0], command.slice(1));
    if (code !== 0) console.log(`\n${name}:\n${output.trimEnd()}\n`);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    results.push({ name, advice, failed: code !== 0, seconds });
  }
}
