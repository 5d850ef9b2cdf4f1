import { randomFillSync } from 'node:crypto';

const pool = Buffer.alloc(4096);
let taken = pool.length;

/**
 * Random bytes of the operating system, drawn in stock: ids are made for every call, and asking the system for a few
 * bytes costs as much as for many. They are the caller's own and never handed out twice.
 */
export function drawBytes(count: number): Buffer {
  if (taken + count > pool.length) {
    randomFillSync(pool);
    taken = 0;
  }
  const bytes = Buffer.from(pool.subarray(taken, taken + count));
  pool.fill(0, taken, taken + count);
  taken += count;
  return bytes;
}
