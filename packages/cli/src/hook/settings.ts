import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { UsageError } from '../exits.js';

/** The first version whose hooks can block what they could not look at. */
const FIRST = [2, 1, 295] as const;
/** What the hook needs beside its wait: to ask, and to claim. */
const MORE_SECONDS = 45;
const REPORT_SECONDS = 60;

interface Handler {
  readonly type: 'command';
  readonly command: string;
  readonly timeout: number;
  readonly onFailure?: 'block';
}
interface Group {
  readonly matcher?: string;
  readonly hooks: readonly Handler[];
}
type Settings = { hooks?: Record<string, Group[]> } & Record<string, unknown>;

/** @throws UsageError for an agent that is not there, or too old to fail closed */
export function requireVersion(program: string): string {
  const { stdout, error } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  const found = /(\d+)\.(\d+)\.(\d+)/.exec(stdout ?? '');
  if (error !== undefined || found === null)
    throw new UsageError(
      `${program} --version says no version: name the program of Claude Code with --program.`,
    );
  const version = found.slice(1).map(Number);
  const at = version.findIndex((part, index) => part !== FIRST[index]);
  if (at >= 0 && (version[at] as number) < (FIRST[at] as number))
    throw new UsageError(
      `Claude Code ${found[0]} lets a tool run when its hook fails or is late; ${FIRST.join('.')} is the first version that can block it. Update it first.`,
    );
  return found[0];
}

/**
 * The settings with the hook in them, once, and all else as it was.
 *
 * @param command as a shell reads it
 * @throws UsageError for settings that cannot be read
 */
export function withHook(text: string, file: string, command: string, waitSeconds: number): string {
  const settings = settingsIn(text, file);
  const hooks = { ...settings.hooks };
  const put = (
    event: string,
    matcher: string | null,
    handler: Omit<Handler, 'type' | 'command'>,
  ) => {
    const others = (hooks[event] ?? []).filter(
      (group) => !group.hooks?.some((each) => isOurs(each.command)),
    );
    const ours: Group = {
      ...(matcher !== null && { matcher }),
      hooks: [{ type: 'command', command, ...handler }],
    };
    hooks[event] = [...others, ours];
  };
  put('PreToolUse', '*', { timeout: waitSeconds + MORE_SECONDS, onFailure: 'block' });
  for (const event of ['PostToolUse', 'PostToolUseFailure'])
    put(event, '*', { timeout: REPORT_SECONDS });
  for (const event of ['SessionStart', 'SessionEnd']) put(event, null, { timeout: REPORT_SECONDS });
  return `${JSON.stringify({ ...settings, hooks }, null, 2)}\n`;
}

const OURS = /countersign(\.js)?'? hook --policy /;
const isOurs = (command: unknown) => typeof command === 'string' && OURS.test(command);

export function commandOf(words: readonly string[]): string {
  return words
    .map((word) =>
      /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`,
    )
    .join(' ');
}

function settingsIn(text: string, file: string): Settings {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Settings;
  } catch {
    // Said below.
  }
  throw new UsageError(`${file} is no JSON object: put it right first. Nothing was changed.`);
}

export function readSettings(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '{}';
}

export function writeSettings(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
