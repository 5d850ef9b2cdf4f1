import { createHash } from 'node:crypto';
import {
  HASH_BYTES,
  NOTE_ALGORITHM,
  appendEntries,
  noteText,
  rangeHash,
  sharedPath,
  sharedRoots,
  signatureLine,
  treeHeadText,
  treeRoot,
} from '@countersign/protocol';
import type { TileId } from '@countersign/protocol';

const SIZE = 1_000_000;
const KiB = 1024;

/** Digests of no records, as the entries of a large log. */
const entryOf = (index: number) => createHash('sha256').update(`entry ${index}`).digest();

/** Places of nine entries of six steps: a step's record and its event are neighbours. */
const STEPS = [1, 2, 1, 2, 1, 2];

function placesFrom(starts: readonly number[]): number[] {
  return starts.flatMap((start, step) =>
    Array.from({ length: STEPS[step] as number }, (_, at) => start + at),
  );
}

describe('in a log of a million entries', () => {
  const entries = Array.from({ length: SIZE }, (_, index) => entryOf(index));
  const tiles = new Map<string, Uint8Array>();
  for (const tile of appendEntries(0, () => undefined, entries)) {
    tiles.set(`${tile.level}/${tile.index}`, tile.hashes);
  }
  const read = ({ level, index }: TileId) => tiles.get(`${level}/${index}`);
  const origin = 'review.example.org/log/3f2504e0-4f89-41d3-9a0c-0305e82c3301/'.padEnd(101, '0');
  const root = treeRoot(read, SIZE);

  /** A checkpoint with two witnesses, as long as a real one. */
  function checkpointOf(size: number): string {
    const key = { name: origin, algorithm: NOTE_ALGORITHM.ed25519, publicKey: Buffer.alloc(32) };
    const witness = { ...key, name: 'witness.example.org/countersign-1' };
    return noteText(treeHeadText({ origin, size, root: treeRoot(read, size) }), [
      signatureLine(key, Buffer.alloc(64)),
      signatureLine(witness, Buffer.alloc(72)),
      signatureLine({ ...witness, name: 'witness.example.net/countersign-2' }, Buffer.alloc(72)),
    ]);
  }

  function logOf(places: readonly number[]) {
    const receipt = places[1] as number;
    // A busy chain: the checkpoint comes after a hundred entries.
    const proof = Array.from({ length: 60 }, (_, at) => receipt + at);
    const earlier = Math.min(SIZE - 1, receipt + 90);
    const leaves = [...new Set([...places, ...proof])].filter((leaf) => leaf < SIZE);
    const nodes = sharedPath(leaves, { size: SIZE, earlier }).map((range) =>
      rangeHash(read, range),
    );
    const known = new Map(leaves.map((leaf) => [leaf, entries[leaf] as Buffer]));
    const roots = sharedRoots(known, { size: SIZE, earlier }, nodes);
    expect(roots).toEqual({ root, earlierRoot: treeRoot(read, earlier) });
    const log = {
      checkpoint: checkpointOf(SIZE),
      opening: checkpointOf(earlier),
      nodes: Buffer.concat(nodes).toString('base64'),
    };
    const around = '{"evidence":"countersign-evidence-1","export":,"log":,"trust":}';
    return { bytes: around.length + JSON.stringify(log).length, hashes: nodes.length };
  }

  it.each([
    ['within a second', [700_000, 700_050, 700_100, 700_150, 700_200, 700_250]],
    ['within a day of 100,000 entries', [610_033, 655_100, 655_700, 699_001, 699_420, 700_777]],
    ['over the whole log', [12_345, 170_001, 345_677, 512_313, 777_777, 999_990]],
  ])('nine entries %s take at most 6 KiB besides the export', (_, starts) => {
    const { bytes, hashes } = logOf(placesFrom(starts));
    console.log(`${_}: ${bytes} bytes, ${hashes} hashes of ${HASH_BYTES} bytes`);
    expect(bytes).toBeLessThanOrEqual(6 * KiB);
  });
});
