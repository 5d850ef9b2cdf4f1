import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

import { UsageError } from '../exits.js';
import { digestOfFile, digestOfText } from './bound.js';
import type { BoundFile } from './bound.js';

/** What a non-zero exit code of the command means. */
export const NONZERO = ['failed', 'failed_partial', 'uncertain'] as const;
export type Nonzero = (typeof NONZERO)[number];

/** What people approve: exactly this command. It is signed, so it holds digests of values and not the values. */
export type Proposal = {
  /** The words of the command; there is no shell. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The program that the first word stands for. */
  readonly program: BoundFile;
  readonly files: readonly BoundFile[];
  readonly variables: readonly { readonly name: string; readonly digest: string }[];
  readonly nonzero: Nonzero;
  /** A shell command that finds out whether the action happened; null for none. */
  readonly probe: string | null;
};

export interface ProposalInput {
  readonly command: readonly string[];
  readonly files: readonly BoundFile[];
  readonly variables: readonly string[];
  readonly nonzero: Nonzero;
  readonly probe: string | null;
}

/** @throws UsageError for a program that is not there, and a variable that is not set */
export async function proposalOf(input: ProposalInput): Promise<Proposal> {
  const { command, files, variables, nonzero, probe } = input;
  const program = programOf(command[0] ?? '');
  const digest = await digestOfFile(program);
  if (digest === null) throw new UsageError(`${program} cannot be read.`);
  return {
    argv: command,
    cwd: process.cwd(),
    program: { path: program, digest },
    files: files.map(({ path, digest }) => ({ path, digest })),
    variables: variables.map((name) => ({ name, digest: digestOfVariable(name) })),
    ...{ nonzero, probe },
  };
}

function digestOfVariable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new UsageError(`--bind-env ${name}: this variable is not set.`);
  return digestOfText(value);
}

/** The file that a word stands for, as a shell would find it. @throws UsageError */
export function programOf(word: string): string {
  if (word === '') throw new UsageError('Name the command after `--`.');
  if (word.includes('/')) {
    const path = resolve(word);
    if (isProgram(path)) return path;
    throw new UsageError(`${word} is no program that may be run: check its path and its mode.`);
  }
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = resolve(join(folder === '' ? '.' : folder, word));
    if (isProgram(path)) return path;
  }
  throw new UsageError(`${word} is not in PATH.`);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * Why the machine is no longer as it was approved; null when it is. Files are compared when they are held.
 */
export async function changeSince({ program, variables }: Proposal): Promise<string | null> {
  if ((await digestOfFile(program.path)) !== program.digest)
    return `the program ${program.path} changed`;
  for (const { name, digest } of variables)
    if (process.env[name] === undefined || digestOfText(process.env[name]) !== digest)
      return `the variable ${name} changed`;
  return null;
}
