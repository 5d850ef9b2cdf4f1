import { readFileSync } from 'node:fs';

import { UsageError } from './exits.js';

/** The bytes of a file that an option names; `-` is standard input. @throws UsageError */
export function bytesOf(option: string, file: string): Uint8Array {
  try {
    return readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code})`;
    throw new UsageError(`${option} ${file}: ${why}.`);
  }
}

/** @throws UsageError for a file that is not UTF-8 */
export function textOf(option: string, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(option, file));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${option} ${file}: it is no text in UTF-8.`);
  }
}

/** @throws UsageError for a file that is no JSON */
export function jsonOf(option: string, file: string): unknown {
  try {
    return JSON.parse(textOf(option, file)) as unknown;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${option} ${file}: it is no JSON.`);
  }
}
