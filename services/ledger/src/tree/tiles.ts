import { HASH_BYTES, rangeHash, tileWidth, tilesOf } from '@countersign/protocol';
import type { LeafRange, TileId, TileReader } from '@countersign/protocol';
import type { TreeStore } from '../store/tree.js';

/** Tiles read beforehand, so that computing from them need not wait. */
export async function readerOf(
  store: Pick<TreeStore, 'tiles'>,
  tenant: string,
  wanted: readonly TileId[],
): Promise<TileReader> {
  const unique = new Map(wanted.map((id) => [keyOf(id), id]));
  const tiles = await store.tiles(tenant, [...unique.values()]);
  const hashes = new Map(tiles.map((tile) => [keyOf(tile), tile.hashes]));
  return (id) => hashes.get(keyOf(id));
}

/**
 * Tiles as the tree of `size` entries has them, even if entries were added since: another process may grow the tree between
 * two of our reads, and only ever adds.
 */
export function asOf(size: number, read: TileReader): TileReader {
  return (id) => read(id)?.subarray(0, tileWidth(id, size) * HASH_BYTES);
}

/** The hashes that a proof is made of. */
export async function pathHashes(
  store: Pick<TreeStore, 'tiles'>,
  tenant: string,
  path: readonly LeafRange[],
): Promise<Buffer[]> {
  const read = await readerOf(store, tenant, path.flatMap(tilesOf));
  return path.map((range) => rangeHash(read, range));
}

export function keyOf({ level, index }: TileId): string {
  return `${level}/${index}`;
}
