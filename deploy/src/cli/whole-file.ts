import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { PlainError } from '../plain-error.js';

/** Writes a file atomically, so that no reader sees half of it. Throws PlainError. */
export function writeWhole(file: string, text: string, mode: number): void {
  try {
    // A file that was left there would keep its own mode.
    rmSync(`${file}.new`, { force: true });
    writeFileSync(`${file}.new`, text, { mode });
    renameSync(`${file}.new`, file);
  } catch (error) {
    throw new PlainError(`${file}: cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  }
}
