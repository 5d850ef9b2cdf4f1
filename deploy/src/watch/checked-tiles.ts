import {
  HASH_BYTES,
  TILE_WIDTH,
  edgeOf,
  perfectRoot,
  tilePath,
  tileWidth,
  treeRoot,
} from '@countersign/protocol';
import type { TileId, TreeHead } from '@countersign/protocol';
import type { LogSource } from './log-source.js';
import { Violation } from './violation.js';

/** Tiles that belong to the tree of a head, whatever their source says. */
export interface CheckedTiles {
  /**
   * The hashes of a tile as far as the tree goes.
   *
   * @throws Violation when the log does not have it, or it does not belong to the tree
   */
  hashes(tile: TileId): Promise<Uint8Array>;
}

/**
 * Reads the right edge of the tree, which makes its root, and by it every other tile: the root of a full tile is a hash in the
 * tile above it. So a tile that was changed is named, and no other reading has to doubt it.
 *
 * @throws Violation when the edge does not lead to the root
 */
export async function checkTiles(
  { origin, size, root }: TreeHead,
  source: Pick<LogSource, 'tile'>,
): Promise<CheckedTiles> {
  const known = new Map<string, Promise<Uint8Array>>();
  const edge = edgeOf(size);
  const contents = await Promise.all(edge.map((tile) => fetched(tile)));
  const edges = new Map(edge.map((tile, at) => [nameOf(tile), contents[at] as Uint8Array]));
  if (!treeRoot((tile) => edges.get(nameOf(tile)), size).equals(root)) {
    throw new Violation(
      'tampered',
      `The tiles of ${origin} do not lead to the root of its checkpoint of ${size} entries.`,
    );
  }

  async function fetched(tile: TileId): Promise<Uint8Array> {
    const width = tileWidth(tile, size);
    const path = tilePath(tile.level, tile.index, width);
    const found = await source.tile(tile, width);
    if (found === null) {
      throw new Violation(
        'tile_missing',
        `${origin} does not serve ${path}, which belongs to its checkpoint of ${size} entries.`,
      );
    }
    if (found.length < width * HASH_BYTES) {
      throw new Violation(
        'truncated',
        `The tree of ${origin} is truncated: ${path} has ${Math.floor(found.length / HASH_BYTES)} of ${width} hashes.`,
      );
    }
    return found.subarray(0, width * HASH_BYTES);
  }

  async function checked(tile: TileId): Promise<Uint8Array> {
    if (tileWidth(tile, size) < TILE_WIDTH) return edges.get(nameOf(tile)) as Uint8Array;
    const above = { level: tile.level + 1, index: Math.floor(tile.index / TILE_WIDTH) };
    const [content, parents] = await Promise.all([fetched(tile), hashes(above)]);
    const from = (tile.index % TILE_WIDTH) * HASH_BYTES;
    if (perfectRoot(content).equals(parents.subarray(from, from + HASH_BYTES))) return content;
    const path = tilePath(tile.level, tile.index);
    throw new Violation(
      'tampered',
      `${path} of ${origin} was changed: it does not belong to the checkpoint of ${size} entries.`,
    );
  }

  function hashes(tile: TileId): Promise<Uint8Array> {
    // The tiles of leaves are read once each, and are nearly all of the tree.
    if (tile.level === 0) return checked(tile);
    const name = nameOf(tile);
    const reading = known.get(name) ?? checked(tile);
    known.set(name, reading);
    return reading;
  }

  return { hashes };
}

function nameOf({ level, index }: TileId): string {
  return `${level}/${index}`;
}
