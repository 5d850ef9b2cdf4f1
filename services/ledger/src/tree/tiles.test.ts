import { HASH_BYTES, TILE_WIDTH, appendEntries, edgeOf } from '@countersign/protocol';
import type { Tile } from '@countersign/protocol';
import { asOf, keyOf } from './tiles.js';

const entries = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, place) => Buffer.from(`entry ${from + place}`));

function treeOf(size: number): Map<string, Tile> {
  const tiles = appendEntries(0, () => undefined, entries(0, size));
  return new Map(tiles.map((tile) => [keyOf(tile), tile]));
}

it.each([
  [45, 46],
  [45, TILE_WIDTH],
  [45, TILE_WIDTH + 1],
  [TILE_WIDTH, TILE_WIDTH + 7],
  [TILE_WIDTH + 7, 3 * TILE_WIDTH + 2],
])('grows a tree of %i entries from tiles that hold %i by now', (size, since) => {
  const now = treeOf(since);
  const read = asOf(size, (id) => now.get(keyOf(id))?.hashes);
  for (const id of edgeOf(size)) expect(read(id)?.length).toBeLessThan(TILE_WIDTH * HASH_BYTES);
  const grown = appendEntries(size, read, entries(size, since));
  expect(grown.length).toBeGreaterThan(0);
  for (const tile of grown) expect(tile).toEqual(now.get(keyOf(tile)));
});

it('has no tile that is not there', () => {
  expect(asOf(45, () => undefined)({ level: 0, index: 0 })).toBeUndefined();
});
