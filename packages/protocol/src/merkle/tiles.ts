import { HASH_BYTES, leafHash, nodeHash, EMPTY_ROOT } from './hash.js';
import type { LeafRange } from './range.js';
import { splitPoint } from './range.js';

/** Hashes in a full tile: a subtree of height 8 (c2sp.org/tlog-tiles). */
export const TILE_WIDTH = 256;

export interface TileId {
  /** 0 holds hashes of leaves; above it each hash is that of a full tile below. */
  readonly level: number;
  readonly index: number;
}

export interface Tile extends TileId {
  /** 1 to 256 hashes, one after the other. */
  readonly hashes: Uint8Array;
}

/** The hashes of a tile as far as it goes; undefined when it is not there. */
export type TileReader = (tile: TileId) => Uint8Array | undefined;

/** How many hashes of a level the tree of `size` leaves has in all. */
export function levelWidth(level: number, size: number): number {
  return Math.floor(size / TILE_WIDTH ** level);
}

/** How many hashes of that tile belong to the tree of `size` leaves; 0 when it has none of it. */
export function tileWidth({ level, index }: TileId, size: number): number {
  return Math.max(0, Math.min(TILE_WIDTH, levelWidth(level, size) - index * TILE_WIDTH));
}

/** The rightmost tile of each level that is not full: a tree of that size grows from these. */
export function edgeOf(size: number): TileId[] {
  const edge: TileId[] = [];
  for (let level = 0; levelWidth(level, size) > 0; level += 1) {
    const width = levelWidth(level, size);
    if (width % TILE_WIDTH > 0) edge.push({ level, index: Math.floor(width / TILE_WIDTH) });
  }
  return edge;
}

/**
 * Adds entries to a tree.
 *
 * @param size leaves that it has already
 * @param read at least the tiles of `edgeOf(size)`
 * @returns every tile that changed or is new, as it is now
 * @throws RangeError when a tile of the edge is missing or has another width
 */
export function appendEntries(
  size: number,
  read: TileReader,
  entries: readonly Uint8Array[],
): Tile[] {
  const changed: Tile[] = [];
  let added: Uint8Array[] = entries.map(leafHash);
  for (let level = 0; added.length > 0; level += 1) {
    const before = levelWidth(level, size);
    let index = Math.floor(before / TILE_WIDTH);
    let hashes = partOf(read, { level, index }, before % TILE_WIDTH);
    const full: Uint8Array[] = [];
    for (let at = 0; at < added.length; index += 1) {
      const room = TILE_WIDTH - hashes.length / HASH_BYTES;
      hashes = Buffer.concat([hashes, ...added.slice(at, at + room)]);
      at += room;
      changed.push({ level, index, hashes });
      if (hashes.length === TILE_WIDTH * HASH_BYTES) full.push(perfectRoot(hashes));
      hashes = Buffer.alloc(0);
    }
    added = full;
  }
  return changed;
}

function partOf(read: TileReader, id: TileId, width: number): Uint8Array {
  if (width === 0) return Buffer.alloc(0);
  const hashes = read(id);
  if (hashes?.length !== width * HASH_BYTES) {
    throw new RangeError(`tile ${id.level}/${id.index} has no ${width} hashes`);
  }
  return hashes;
}

/** Tiles that the hash of a range of leaves is made of. */
export function tilesOf(range: LeafRange): TileId[] {
  return perfectParts(range).map(({ start, count }) => placeOf(start, count).tile);
}

/**
 * Hash of the leaves of a range as one subtree (RFC 9162 §2.1.1, MTH). The range must begin where a subtree begins, as
 * those of proofs and whole trees do.
 *
 * @throws RangeError when a tile of `tilesOf(range)` is missing or too narrow
 */
export function rangeHash(read: TileReader, range: LeafRange): Buffer {
  const parts = perfectParts(range).map(({ start, count }) => {
    const { tile, from, width } = placeOf(start, count);
    const hashes = read(tile);
    const [first, end] = [from * HASH_BYTES, (from + width) * HASH_BYTES];
    if (hashes === undefined || hashes.length < end) {
      throw new RangeError(`tile ${tile.level}/${tile.index} has no ${from + width} hashes`);
    }
    return perfectRoot(hashes.subarray(first, end));
  });
  // From the right: each smaller subtree hangs beside the larger one before it.
  return parts.reduceRight((right, left) => nodeHash(left, right));
}

/** Root of the tree of `size` leaves. */
export function treeRoot(read: TileReader, size: number): Buffer {
  return size === 0 ? EMPTY_ROOT : rangeHash(read, { start: 0, end: size });
}

/** The perfect subtrees that a range falls into, from left to right. */
function perfectParts({ start, end }: LeafRange): { start: number; count: number }[] {
  const parts: { start: number; count: number }[] = [];
  for (let at = start; at < end;) {
    const left = end - at;
    const count = left === 1 ? 1 : splitPoint(left + 1);
    parts.push({ start: at, count });
    at += count;
  }
  return parts;
}

/** Where the root of a perfect subtree can be had: from so many hashes of one tile. */
function placeOf(start: number, count: number) {
  let [level, reach] = [0, 1];
  while (reach * TILE_WIDTH <= count) {
    reach *= TILE_WIDTH;
    level += 1;
  }
  const first = start / reach;
  const index = Math.floor(first / TILE_WIDTH);
  return { tile: { level, index }, from: first - index * TILE_WIDTH, width: count / reach };
}

/** Root over hashes whose number is a power of two, as a full tile has them. */
export function perfectRoot(hashes: Uint8Array): Buffer {
  let row: Buffer[] = Array.from({ length: hashes.length / HASH_BYTES }, (_, at) =>
    Buffer.from(hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)),
  );
  while (row.length > 1) {
    row = Array.from({ length: row.length / 2 }, (_, at) =>
      nodeHash(row[2 * at] as Buffer, row[2 * at + 1] as Buffer),
    );
  }
  return row[0] as Buffer;
}
