import { readFileSync, writeFileSync } from 'node:fs';

import { UsageError } from '../exits.js';
import type { Definition } from './definitions.js';
import { isObject, parsed } from './frames.js';

/** The definitions that were looked at: a tool that means something else by now is refused. */
export type Lock = ReadonlyMap<string, string>;

/** Beside the policy. */
export function lockFileOf(policy: string): string {
  return `${policy.replace(/\.ya?ml$/, '')}.lock`;
}

/** @throws UsageError for a file that is missing or none of a lock */
export function readLock(file: string): Lock {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `${file} cannot be read (${code}): \`countersign mcp-guard lock\` writes it, from the server's tools as they are.`,
    );
  }
  const value = parsed(text);
  const tools = isObject(value) && value['version'] === 1 ? value['tools'] : undefined;
  if (!isObject(tools) || !Object.values(tools).every((digest) => typeof digest === 'string'))
    throw new UsageError(`${file} is no lock: write it again with \`countersign mcp-guard lock\`.`);
  return new Map(Object.entries(tools) as [string, string][]);
}

export function writeLock(file: string, definitions: Iterable<Definition>): void {
  const tools = Object.fromEntries(
    [...definitions]
      .map(({ name, digest }) => [name, digest] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  writeFileSync(file, `${JSON.stringify({ version: 1, tools }, null, 2)}\n`);
}
