// The prerequisites of every program of this project: Node, the packages, the build. Plain Node without dependencies, for
// it runs on a clone with nothing installed.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../deploy/root.mjs';

export { ROOT, workspaces } from '../deploy/root.mjs';

/** A missing prerequisite, with its name and the remedy. */
export class Missing extends Error {}

/** The first generation of the server, relative to the root: no workspace, with a lock of its own. */
export const ARCHIVE = 'archive/first-generation';

/**
 * Checks Node, installs packages where the lock is newer than they are, and builds, which costs less than a second where
 * nothing changed (turbo.json). `say` receives a line of progress. Throws Missing.
 */
export async function prepare(say = console.log) {
  checkNode();
  await install(say);
  await build(say);
}

/** Installs and builds the archive, once this project itself is prepared. Throws Missing. */
export async function prepareArchive(say = console.log) {
  if (isStale(ARCHIVE)) {
    await step(say, 'installing packages of the archive', () =>
      npm('ci', '--ignore-scripts', '--include=dev', '--prefix', ARCHIVE, ...QUIET),
    );
  }
  await npm('run', 'build', '--prefix', ARCHIVE, ...QUIET);
}

/**
 * npm starts scripts by a shell, which does not pass SIGTERM on: this process would outlive npm.
 * So the end of our parent counts as that signal, if it is npm that started us.
 */
export function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 250);
  watch.unref();
}

function checkNode() {
  const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const [major, minor] = engines.node.match(/\d+/g).map(Number);
  const [haveMajor, haveMinor] = process.versions.node.split('.').map(Number);
  if (haveMajor > major || (haveMajor === major && haveMinor >= minor)) return;
  throw new Missing(
    `Node ${process.versions.node} is too old: Countersign needs ${engines.node}. ` +
      'Install a newer one (https://nodejs.org, or nvm install 20) and try again.',
  );
}

const QUIET = ['--no-audit', '--no-fund', '--loglevel=error'];

/** Whether the lock of that folder is newer than the installed packages. */
function isStale(folder) {
  // npm writes this file last, so an interrupted installation has none.
  const done = modified(join(ROOT, folder, 'node_modules', '.package-lock.json'));
  return done < modified(join(ROOT, folder, 'package-lock.json'));
}

async function install(say) {
  if (!isStale('.')) return;
  await step(say, 'installing packages (npm ci; a minute or two)', async () => {
    // A package's install script runs with all that we may do: only those run that package.json names.
    await npm('ci', '--ignore-scripts', '--include=dev', '--include=optional', ...QUIET);
    const scripted = scriptedPackages();
    if (scripted.length > 0) await npm('rebuild', ...scripted, ...QUIET);
  });
}

async function npm(...words) {
  const path = process.env.npm_execpath;
  const [command, args] = path?.endsWith('.js')
    ? [process.execPath, [path, ...words]]
    : ['npm', words];
  const { code, output } = await run(command, args);
  if (code === 0) return;
  throw new Missing(
    `npm ${words[0]} failed:\n${tail(output)}\n` +
      'It needs the npm registry: check the network (npm ping), a proxy (npm config get proxy) and the disk, then try again.',
  );
}

/** Installed packages whose scripts may run: they restore links that a package cannot hold. */
function scriptedPackages() {
  const { allowScripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return Object.keys(allowScripts).filter(
    (name) => allowScripts[name] && existsSync(join(ROOT, 'node_modules', name)),
  );
}

async function build(say) {
  await step(say, 'building', async () => {
    const { code, output } = await run(...turbo('build', '--no-color'));
    if (code !== 0) throw new Missing(`The build failed:\n${tail(output, 40)}`);
  });
}

/** What `run` takes to run tasks of turbo.json, which says what they read. */
export function turbo(...words) {
  const program = join(ROOT, 'node_modules', '.bin', 'turbo');
  const env = { TURBO_TELEMETRY_DISABLED: '1' };
  return [program, ['run', ...words, '--output-logs=errors-only'], env];
}

/** Runs `work` under a line with its description, repeated every 15 s, and then its duration. */
async function step(say, what, work) {
  const start = performance.now();
  const seconds = () => ((performance.now() - start) / 1000).toFixed(1);
  say(`${what} …`);
  const again = setInterval(() => say(`${what} … ${seconds()} s`), 15_000);
  try {
    await work();
  } finally {
    clearInterval(again);
  }
  say(`${what.replace(/ \(.*/, '')}: done in ${seconds()} s`);
}

/**
 * Runs a command in the root to its end and resolves to its exit code and output. A signal that ends us ends it
 * first. With `inherit`, its output goes straight to ours.
 */
export function run(command, args, env = {}, { inherit = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: inherit ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    });
    const release = endWithUs(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (data) => (output += data));
    child.once('error', (error) => {
      release();
      reject(new Missing(`${command} could not be started: ${error.message}`));
    });
    child.once('close', (code) => {
      release();
      resolve({ code: code ?? 1, output });
    });
  });
}

/** Passes the signals that end us on to `child` and ends with the conventional code; returns how to undo that. */
function endWithUs(child) {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const end = (signal) => {
    child.kill(signal);
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of signals) process.on(signal, end);
  return () => {
    for (const signal of signals) process.removeListener(signal, end);
  };
}

function modified(path) {
  return existsSync(path) ? statSync(path).mtimeMs : 0;
}

function tail(text, lines = 20) {
  return text.trimEnd().split('\n').slice(-lines).join('\n');
}
