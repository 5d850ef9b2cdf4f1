import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { link, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Makes a file that is complete and on the disk before it has its name. False when the name is taken.
 */
export async function writeOnce(folder: string, name: string, text: string): Promise<boolean> {
  const draft = join(folder, `draft-${randomUUID()}`);
  const file = await open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } catch (fault) {
    await file.close();
    await unlink(draft).catch(() => undefined);
    throw fault;
  }
  await file.close();
  try {
    await link(draft, join(folder, name));
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw fault;
  } finally {
    await unlink(draft);
  }
  await sync(folder);
  return true;
}

/** Makes the names in a folder durable. */
export async function sync(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
