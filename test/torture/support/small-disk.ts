import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** What a server of a short run needs, and little enough to be filled at once. */
const SIZE = '1g';
const BLOCK = Buffer.alloc(1 << 20);
const BALLAST = 'ballast';

/** A folder that is a disk of its own, in memory. As root on Linux. */
export function mountSmallDisk(dir: string): void {
  mkdirSync(dir, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=0700`, 'tmpfs', dir]);
}

export function unmountSmallDisk(dir: string): void {
  // Files that a killed server still holds open must not keep it.
  execFileSync('umount', ['--lazy', dir]);
}

/** Leaves no byte; what it gives makes room again. */
export function fillDisk(dir: string): () => void {
  const file = join(dir, BALLAST);
  const ballast = openSync(file, 'w');
  try {
    // The last writes take what is left of a block.
    for (let size = BLOCK.length; size >= 1; size = Math.floor(size / 16)) {
      while (writes(ballast, size));
    }
  } finally {
    closeSync(ballast);
  }
  return () => rmSync(file);
}

function writes(file: number, size: number): boolean {
  try {
    writeSync(file, BLOCK, 0, size);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}
