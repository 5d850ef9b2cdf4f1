import fc from 'fast-check';
import { HASH_BYTES } from './hash.js';
import {
  appendEntries,
  consistencyPath,
  inclusionPath,
  rangeHash,
  sharedPath,
  sharedRoots,
  treeRoot,
} from './index.js';
import type { TileId } from './index.js';

const MOST = 700;
const entries = Array.from({ length: MOST }, (_, at) => Buffer.from(`entry ${at}`));
const tiles = new Map(
  appendEntries(0, () => undefined, entries).map((tile) => [
    `${tile.level}/${tile.index}`,
    tile.hashes,
  ]),
);
const read = ({ level, index }: TileId) => tiles.get(`${level}/${index}`);

function prove(leaves: readonly number[], size: number, earlier: number | null) {
  const nodes = sharedPath(leaves, { size, earlier }).map((range) => rangeHash(read, range));
  return { nodes, known: new Map(leaves.map((leaf) => [leaf, entries[leaf] as Buffer])) };
}

const cases = fc
  .record({
    size: fc.integer({ min: 1, max: MOST }),
    leaves: fc.array(fc.nat(), { maxLength: 12 }),
    earlier: fc.option(fc.nat()),
  })
  .map(({ size, leaves, earlier }) => ({
    size,
    leaves: [...new Set(leaves.map((leaf) => leaf % size))],
    earlier: earlier === null ? null : 1 + (earlier % size),
  }));

describe('a shared proof', () => {
  it('leads to the roots of both trees', () => {
    fc.assert(
      fc.property(cases, ({ size, leaves, earlier }) => {
        const { nodes, known } = prove(leaves, size, earlier);
        expect(sharedRoots(known, { size, earlier }, nodes)).toEqual({
          root: treeRoot(read, size),
          earlierRoot: earlier === null ? null : treeRoot(read, earlier),
        });
      }),
      { numRuns: 400 },
    );
  });

  it('is no longer than the proofs of RFC 9162 that it stands for, and the same for one leaf', () => {
    fc.assert(
      fc.property(cases, ({ size, leaves, earlier }) => {
        const single = [
          ...leaves.flatMap((leaf) => inclusionPath(leaf, size)),
          ...(earlier === null ? [] : consistencyPath(earlier, size)),
        ].map(({ start, end }) => `${start}-${end}`);
        const shared = sharedPath(leaves, { size, earlier });
        // The hash of a smaller tree that is one subtree is not in RFC 9162's proof: its verifier has it.
        const known = earlier === null ? [] : [`0-${earlier}`];
        for (const { start, end } of shared) {
          expect([...single, ...known, `0-${size}`]).toContain(`${start}-${end}`);
        }
        if (leaves.length === 1 && earlier === null) expect(shared).toHaveLength(single.length);
      }),
      { numRuns: 400 },
    );
  });

  it('notices every change of a leaf, a node, a size or the number of nodes', () => {
    fc.assert(
      fc.property(cases, fc.nat(), ({ size, leaves, earlier }, pick) => {
        const { nodes, known } = prove(leaves, size, earlier);
        const root = treeRoot(read, size);
        const rootOf = (...given: Parameters<typeof sharedRoots>) => sharedRoots(...given)?.root;
        const of = { size, earlier };
        expect(rootOf(known, of, [...nodes, root])).toBeUndefined();
        const at = pick % Math.max(1, nodes.length);
        if (nodes.length > 0) {
          expect(rootOf(known, of, nodes.slice(1))).toBeUndefined();
          expect(rootOf(known, of, nodes.with(at, Buffer.alloc(HASH_BYTES)))).not.toEqual(root);
        }
        for (const leaf of leaves.slice(0, 1)) {
          const forged = new Map(known).set(leaf, Buffer.from('forged'));
          expect(rootOf(forged, of, nodes)).not.toEqual(root);
        }
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    [[3], 3, null],
    [[-1], 3, null],
    [[0.5], 3, null],
    [[], 0, null],
    [[], 3, 4],
    [[], 3, 0],
    [[], 2 ** 53, null],
  ])('refuses leaves %j of %d with the smaller tree %j', (leaves, size, earlier) => {
    expect(() => sharedPath(leaves, { size, earlier })).toThrow(RangeError);
    const known = new Map(leaves.map((leaf) => [leaf, Buffer.alloc(1)]));
    expect(sharedRoots(known, { size, earlier }, [])).toBeNull();
  });

  it('needs few hashes in a tree of 2^53 − 1 leaves', () => {
    const size = Number.MAX_SAFE_INTEGER;
    const path = sharedPath([0, 1, 2 ** 40, size - 1], { size, earlier: 2 ** 41 + 7 });
    expect(path.length).toBeLessThan(200);
  });
});
