import { readFileSync, statSync } from 'node:fs';
import { DOCUMENT_LIMITS } from '@countersign/protocol';
import { PlainError } from './plain-error.js';

/** Why a file could not be read, for behind its name and a colon; no message quotes what it holds. */
export function whyUnreadable(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code})`;
}

/** The text of a file. Throws PlainError. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new PlainError(`${file}: ${whyUnreadable(error)}.`);
  }
}

/** The bytes of a file that the verifier is to read, `name` in messages. Throws PlainError. */
export function documentBytes(file: string, name = file): Uint8Array {
  try {
    if (statSync(file).size <= DOCUMENT_LIMITS.bytes) return readFileSync(file);
  } catch (error) {
    throw new PlainError(`${name}: ${whyUnreadable(error)}.`);
  }
  throw tooLarge(name);
}

export function tooLarge(name: string): PlainError {
  return new PlainError(`${name}: larger than ${DOCUMENT_LIMITS.bytes} bytes.`);
}
