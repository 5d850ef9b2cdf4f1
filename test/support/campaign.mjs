// A test that is run by itself for as long as its options say: the command around `npm run torture` and `npm run torture:guard`.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Missing, ROOT, endWithNpm, prepare } from '../../tools/prepare.mjs';

/**
 * Sets the process's exit code: that of jest for `file` in `project`, or 2 when the options cannot be meant. `options` are those
 * of parseArgs without `help`, all texts; those in `whole` are whole numbers from `least` on. `envOf` makes the test's variables.
 */
export async function runCampaign({ help, options, whole, least, envOf, project, file }) {
  endWithNpm();
  try {
    const values = parsed(options, whole, least);
    if (values === null || values.help) {
      console.log(help);
      process.exitCode = values === null ? 2 : 0;
      return;
    }
    await prepare();
    const jest = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
    const flags = ['--selectProjects', project, '--runInBand', '--forceExit', '--silent=false'];
    const code = await runUntilAsked([jest, ...flags, '--testPathPatterns', file], envOf(values));
    process.exitCode = code === 0 ? 0 : 1;
  } catch (error) {
    console.error(error instanceof Missing ? error.message : error);
    process.exitCode = 1;
  }
}

/**
 * Resolves to the exit code. The first Ctrl-C or SIGTERM makes the file that CAMPAIGN_STOP names: the test ends as if its time
 * were over, with its checks and its report, and stops what it started. A second Ctrl-C kills it.
 */
function runUntilAsked(args, env) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-campaign-'));
  const stop = join(folder, 'stop');
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env, CAMPAIGN_STOP: stop },
    stdio: ['ignore', 'inherit', 'inherit'],
    // A group of its own: a terminal sends Ctrl-C to all processes of ours.
    detached: true,
  });
  let asked = false;
  const end = (signal) => {
    // When npm ends by Ctrl-C, a SIGTERM follows (endWithNpm).
    if (asked && signal === 'SIGINT') process.kill(-child.pid, 'SIGKILL');
    if (!asked) console.log('ending, with all checks; once more: at once …');
    asked = true;
    writeFileSync(stop, '');
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      rmSync(folder, { recursive: true, force: true });
      resolve(code ?? 1);
    });
  });
}

/** The options, or null when they cannot be meant. */
function parsed(options, whole, least) {
  try {
    const { values } = parseArgs({
      options: { ...options, help: { type: 'boolean', default: false } },
    });
    const isWhole = (text) => /^\d+$/.test(text) && Number(text) >= least;
    if (whole.every((name) => isWhole(values[name]))) return values;
    console.error(
      `${whole.map((name) => `--${name}`).join(', ')} are whole numbers from ${least} on.`,
    );
  } catch (error) {
    console.error(error.message);
  }
  return null;
}
