import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Replaces a file so that it has the new text after any crash once this resolves, and the old or the new one before: no reader
 * sees half of it. One writer at a time.
 */
export async function writeDurably(file: string, text: string, mode = 0o600): Promise<void> {
  const next = await open(`${file}.new`, 'w', mode);
  try {
    await next.writeFile(text);
    await next.sync();
  } finally {
    await next.close();
  }
  await rename(`${file}.new`, file);
  // The new name is an entry of the folder, which is synced by itself.
  const folder = await open(dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
