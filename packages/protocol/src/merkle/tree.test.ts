import fc from 'fast-check';
import {
  EMPTY_ROOT,
  appendEntries,
  consistencyPath,
  edgeOf,
  inclusionPath,
  leafHash,
  nodeHash,
  rangeHash,
  tilesOf,
  tileWidth,
  treeRoot,
  verifyConsistency,
  verifyInclusion,
} from './index.js';
import type { Tile, TileId } from './index.js';

/** RFC 9162 §2.1.1, word for word. */
function mth(entries: readonly Buffer[]): Buffer {
  if (entries.length === 0) return EMPTY_ROOT;
  if (entries.length === 1) return leafHash(entries[0] as Buffer);
  let k = 1;
  while (k * 2 < entries.length) k *= 2;
  return nodeHash(mth(entries.slice(0, k)), mth(entries.slice(k)));
}

class Tree {
  readonly tiles = new Map<string, Tile>();
  size = 0;
  readonly read = ({ level, index }: TileId) => this.tiles.get(`${level}/${index}`)?.hashes;

  append(entries: readonly Buffer[]): void {
    // Nothing but the edge is looked at.
    const edge = new Map(edgeOf(this.size).map((id) => [`${id.level}/${id.index}`, this.read(id)]));
    const changed = appendEntries(
      this.size,
      ({ level, index }) => edge.get(`${level}/${index}`),
      entries,
    );
    for (const tile of changed) this.tiles.set(`${tile.level}/${tile.index}`, tile);
    this.size += entries.length;
  }
}

const entriesOf = (count: number): Buffer[] =>
  Array.from({ length: count }, (_, at) => Buffer.from(`entry ${at}`));

// The tree of eight entries that implementations of certificate transparency are tested with.
const REFERENCE = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657']
  .map((hex) => Buffer.from(hex, 'hex'))
  .concat(Buffer.from('606162636465666768696a6b6c6d6e6f', 'hex'));
const REFERENCE_ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const hex = (hashes: readonly Buffer[]) => hashes.map((hash) => hash.toString('hex'));

function treeOf(entries: readonly Buffer[]): Tree {
  const tree = new Tree();
  tree.append(entries);
  return tree;
}
const inclusion = (tree: Tree, index: number, size = tree.size) =>
  inclusionPath(index, size).map((range) => rangeHash(tree.read, range));
const consistency = (tree: Tree, first: number, second: number) =>
  consistencyPath(first, second).map((range) => rangeHash(tree.read, range));

describe('the reference tree', () => {
  const tree = treeOf(REFERENCE);

  it.each(REFERENCE_ROOTS.map((root, at) => [at + 1, root] as const))(
    'of %i entries has its root',
    (size, root) => {
      expect(treeRoot(tree.read, size).toString('hex')).toBe(root);
    },
  );

  it('has the proofs of the reference', () => {
    expect(hex(inclusion(tree, 0, 8))).toEqual([
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ]);
    expect(hex(consistency(tree, 6, 8))).toEqual([
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ]);
    expect(hex(inclusion(tree, 2, 3))).toEqual([REFERENCE_ROOTS[1]]);
    expect(consistency(tree, 1, 1)).toEqual([]);
  });
});

describe('a tree of tiles', () => {
  const most = 700;
  const entries = entriesOf(most);
  const whole = treeOf(entries);

  it('has the root of the definition, however the entries came', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 6 }), (batches) => {
        const tree = new Tree();
        for (const count of batches) {
          const rest = Math.min(count, most - tree.size);
          tree.append(entries.slice(tree.size, tree.size + rest));
          expect(treeRoot(tree.read, tree.size)).toEqual(mth(entries.slice(0, tree.size)));
        }
      }),
      { numRuns: 40 },
    );
  });

  it('keeps the roots of all its prefixes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: most }), (size) => {
        expect(treeRoot(whole.read, size)).toEqual(mth(entries.slice(0, size)));
      }),
      { numRuns: 60 },
    );
  });

  it('proves its own entries, and no others', () => {
    const cases = fc
      .tuple(fc.integer({ min: 1, max: most }), fc.nat(), fc.nat())
      .map(([size, index, other]) => ({ size, index: index % size, other: other % most }));
    fc.assert(
      fc.property(cases, ({ size, index, other }) => {
        const root = treeRoot(whole.read, size);
        const path = inclusion(whole, index, size);
        const leaf = leafHash(entries[index] as Buffer);
        expect(verifyInclusion(leaf, index, size, path, root)).toBe(true);
        const wrongLeaf = leafHash(entries[(index + 1) % most] as Buffer);
        expect(verifyInclusion(wrongLeaf, index, size, path, root)).toBe(false);
        if (other !== index) expect(verifyInclusion(leaf, other, size, path, root)).toBe(false);
        expect(verifyInclusion(leaf, index, size, [...path, root], root)).toBe(false);
        if (path.length > 0) {
          expect(verifyInclusion(leaf, index, size, path.slice(1), root)).toBe(false);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('proves of each prefix that it is one, and of nothing else', () => {
    const cases = fc
      .tuple(fc.integer({ min: 1, max: most }), fc.integer({ min: 1, max: most }))
      .map(([a, b]) => ({ first: Math.min(a, b), second: Math.max(a, b) }));
    fc.assert(
      fc.property(cases, ({ first, second }) => {
        const [from, to] = [treeRoot(whole.read, first), treeRoot(whole.read, second)];
        const path = consistency(whole, first, second);
        expect(verifyConsistency(first, second, from, to, path)).toBe(true);
        const forged = treeRoot(treeOf([Buffer.from('forged'), ...entries.slice(1)]).read, first);
        expect(verifyConsistency(first, second, forged, to, path)).toBe(false);
        expect(verifyConsistency(first, second, from, forged, path)).toBe(false);
        expect(verifyConsistency(first, second, from, to, [...path, from])).toBe(false);
        for (const at of path.keys()) {
          const altered = path.with(at, forged);
          expect(verifyConsistency(first, second, from, to, altered)).toBe(false);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('has a full tile, its neighbour and the tile above them at 70,000 leaves', () => {
    const size = 70_000;
    expect(edgeOf(size)).toEqual([
      { level: 0, index: 273 },
      { level: 1, index: 1 },
      { level: 2, index: 0 },
    ]);
    const widths = edgeOf(size).map((tile) => tileWidth(tile, size));
    expect(widths).toEqual([112, 17, 1]);
    expect(tileWidth({ level: 0, index: 274 }, size)).toBe(0);
  });

  it('needs few tiles for a proof in a tree of 2^53 − 1 leaves', () => {
    const size = Number.MAX_SAFE_INTEGER;
    const needed = inclusionPath(size - 3, size).flatMap(tilesOf);
    expect(new Set(needed.map(({ level, index }) => `${level}/${index}`)).size).toBe(7);
    expect(consistencyPath(2 ** 40 + 5, size).length).toBeLessThan(64);
  });

  it('refuses to go on from an edge that is not there', () => {
    expect(() => appendEntries(3, () => undefined, entriesOf(1))).toThrow(RangeError);
    expect(() => appendEntries(3, () => Buffer.alloc(64), entriesOf(1))).toThrow(RangeError);
  });
});

describe('numbers that no tree has', () => {
  it.each([
    [-1, 3],
    [3, 3],
    [0, 0],
    [0.5, 3],
    [0, 2 ** 53],
  ])('leaf %d of %d', (index, size) => {
    expect(() => inclusionPath(index, size)).toThrow(RangeError);
    expect(verifyInclusion(EMPTY_ROOT, index, size, [], EMPTY_ROOT)).toBe(false);
  });

  it('a prefix longer than the tree', () => {
    expect(() => consistencyPath(4, 3)).toThrow(RangeError);
    expect(verifyConsistency(4, 3, EMPTY_ROOT, EMPTY_ROOT, [])).toBe(false);
  });
});
