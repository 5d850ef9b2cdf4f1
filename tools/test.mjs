#!/usr/bin/env node
// `npm test`: every test, unit and system, against real Postgres, NATS and Redis that the tests start themselves. `npm run
// test:fast` (--fast): unit tests and a choice of system tests that need neither Go nor a browser. Works on a clone with
// nothing installed. The last line has the counts of jest.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { Missing, ROOT, endWithNpm, prepare, prepareArchive, run } from './prepare.mjs';
import { provideBrowser, provideData, provideTestServers } from './test-servers.mjs';

const JEST = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');

// System tests start servers of their own, and two files keep two processors busy: a third at a time leaves a fifth less of them
// idle, and is not faster. Tests that kill and measure get the machine to themselves, one file at a time.
const AT_ONCE = availableParallelism() >= 4 ? 3 : 2;
const SEQUENCER = `--testSequencer=${join(ROOT, 'tools', 'longest-first.mjs')}`;
// Jest leaves one processor to the person at the machine, who waits here.
const UNIT = { project: 'unit', flags: [`--maxWorkers=${availableParallelism()}`] };
const FAST = [UNIT, { project: 'fast', flags: [`--maxWorkers=${AT_ONCE}`] }];
const ALL = [
  UNIT,
  { project: 'archive', flags: [`--maxWorkers=${AT_ONCE}`] },
  { project: 'system', flags: [`--maxWorkers=${AT_ONCE}`, SEQUENCER] },
  { project: 'alone', flags: ['--runInBand'] },
];

const SLOWEST = 40;

const isFast = process.argv[2] === '--fast';
const filters = process.argv.slice(isFast ? 3 : 2);

endWithNpm();
if (!isFast && filters.length === 0) buildMeanwhile();
try {
  await prepare();
  if (!isFast) await prepareArchive();
  const browser = isFast ? {} : await provideBrowser(console.log);
  Object.assign(process.env, await provideTestServers(console.log));
  const data = await provideData();
  const failed = await testAll(browser, { system: data, fast: data });
  process.exit(failed ? 1 : 0);
} catch (error) {
  // Our own errors name the missing part; all others are printed whole.
  console.error(error instanceof Missing || error.name === 'PlainError' ? error.message : error);
  console.log('0 passed, 1 failed, 0 skipped');
  process.exit(1);
}

/** Programs that only Go can build: the first tests need none, and the others wait for them and report a failure. */
function buildMeanwhile() {
  const script = join(ROOT, 'test', 'support', 'programs', 'obtain.mjs');
  spawn(process.execPath, [script, '--all'], { stdio: 'ignore' }).unref();
}

/**
 * Runs every project of the lane with the filters of the command line, in `env` and the additions of `envOf`; prints the
 * counts; resolves to whether anything failed.
 */
async function testAll(env, envOf) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const stories = [];
  const files = [];
  let codes = 0;
  for (const { project, flags } of isFast ? FAST : ALL) {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-test-'));
    const file = join(folder, 'result.json');
    const args = ['--selectProjects', project, '--json', '--outputFile', file, '--passWithNoTests'];
    const { code } = await run(
      process.execPath,
      [JEST, ...args, ...flags, ...filters],
      { ...env, ...envOf[project] },
      { inherit: true },
    );
    codes += code;
    if (existsSync(file)) {
      const result = JSON.parse(readFileSync(file, 'utf8'));
      counts.passed += result.numPassedTests;
      // A file that does not even load holds no tests, and fails all the same.
      counts.failed += result.numFailedTests + result.numRuntimeErrorTestSuites;
      counts.skipped += result.numPendingTests + result.numTodoTests;
      stories.push(...result.testResults.flatMap(storiesOf));
      files.push(...result.testResults);
    } else {
      console.error(`jest left no result for the ${project} tests.`);
      counts.failed += 1;
    }
    rmSync(folder, { recursive: true, force: true });
  }
  if (counts.passed + counts.failed === 0) console.error('No test ran.');
  if (!isFast && filters.length === 0) console.log(slowestOf(files));
  // Once more at the end: the first print is thousands of lines above.
  for (const story of stories) console.log(story);
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return codes !== 0 || counts.failed > 0 || counts.passed === 0;
}

/** The files that took longest, in seconds: where time is to be saved. */
function slowestOf(files) {
  const seconds = ({ startTime, endTime }) => Math.round((endTime - startTime) / 1000);
  const slowest = files.toSorted((a, b) => seconds(b) - seconds(a)).slice(0, SLOWEST);
  const lines = slowest.map((file) => `${seconds(file)} s ${relative(ROOT, file.name)}`);
  return ['Slowest files:', ...lines].join('\n  ');
}

/** The failed tests of one file, each with the first lines of its error. */
function storiesOf({ name, message, assertionResults }) {
  const file = relative(ROOT, name);
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  const told = failed.map(({ fullName, failureMessages }) => [
    fullName,
    failureMessages.join('\n'),
  ]);
  // A file that does not load has no tests to say so.
  if (told.length === 0 && message !== '') told.push(['beside its tests', message]);
  return told.map(([what, why]) => {
    const lines = stripVTControlCharacters(why).trim().split('\n').slice(0, 12);
    return `FAILED ${file}: ${what}\n  ${lines.join('\n  ')}`;
  });
}
