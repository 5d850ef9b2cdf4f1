import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { PlainError } from '@countersign/deploy/plain-error';

/** Whether missing servers can be installed here: Debian or its kin, as root. */
export function canInstall(): boolean {
  return (
    existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get') && process.getuid?.() === 0
  );
}

/** Asks in the terminal whether those packages may be installed; without a terminal they may not. */
export async function isAllowed(names: readonly string[]): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await terminal.question(
      `Missing servers: install ${names.join(', ')} with apt-get as root? [y/N] `,
    );
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}

/** Installs Debian packages, saying so first. Throws PlainError when that fails. */
export async function installPackages(
  names: readonly string[],
  say: (line: string) => void,
): Promise<void> {
  if (names.length === 0) return;
  const install = ['install', '--yes', '--no-install-recommends', ...names];
  say(
    `installing from Debian, for they are not on this machine: ${names.join(', ')} (apt-get ${install.join(' ')})`,
  );
  // A fresh image has no package lists: get them when the first attempt fails.
  if ((await aptGet(install)) === 0) return;
  await aptGet(['update']);
  if ((await aptGet(install)) === 0) return;
  throw new PlainError(
    `apt-get could not install ${names.join(', ')}. Install them by hand, or put their servers on PATH, and try again.`,
  );
}

function aptGet(args: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn('apt-get', ['--quiet', '--quiet', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    child.once('error', () => resolve(1));
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
