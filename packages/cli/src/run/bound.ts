import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { UsageError } from '../exits.js';

/** A file that belongs to the action, with the digest of the bytes that were approved. */
export type BoundFile = { readonly path: string; readonly digest: string };

/** Bytes that cannot change any more: a read-only copy in a folder of its own. */
export interface Held extends BoundFile {
  readonly copy: string;
}

/** Copies of bound files, in a folder that only this user may enter. */
export interface HeldFiles {
  /** Reads a file once: its digest is that of the copy. @throws UsageError */
  hold(path: string): Promise<Held>;
  /** Removes the copies. */
  release(): Promise<void>;
}

export async function newHeldFiles(): Promise<HeldFiles> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-'));
  let count = 0;
  return {
    async hold(path) {
      count += 1;
      const place = join(folder, String(count));
      await mkdir(place, { mode: 0o700 });
      const copy = join(place, basename(path));
      return { path, copy, digest: await copied(path, copy) };
    },
    release: () => rm(folder, { recursive: true, force: true }),
  };
}

async function copied(path: string, copy: string): Promise<string> {
  const hash = createHash('sha256');
  const from = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--bind ${path}: it cannot be read (${error.code}).`);
  });
  try {
    if (!(await from.stat()).isFile()) throw new UsageError(`--bind ${path}: it is no file.`);
    const { O_WRONLY, O_CREAT, O_EXCL } = constants;
    const to = await open(copy, O_WRONLY | O_CREAT | O_EXCL, 0o400);
    try {
      for await (const chunk of from.createReadStream({ autoClose: false })) {
        hash.update(chunk as Buffer);
        await to.writeFile(chunk as Buffer);
      }
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
  return `sha256:${hash.digest('hex')}`;
}

/** The digest of a file as it is now; null for one that cannot be read. */
export async function digestOfFile(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    const file = await open(path, 'r');
    try {
      for await (const chunk of file.createReadStream({ autoClose: false }))
        hash.update(chunk as Buffer);
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
  return `sha256:${hash.digest('hex')}`;
}

export function digestOfText(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
