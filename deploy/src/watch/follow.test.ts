import { HASH_BYTES, TILE_WIDTH, appendEntries, treeEntry, treeRoot } from '@countersign/protocol';
import type { TileId, TreeHead } from '@countersign/protocol';
import { follow } from './follow.js';
import type { Step, Wanted, WatchedLog } from './follow.js';
import type { LogSource } from './log-source.js';
import { Violation } from './violation.js';

const ORIGIN = 'log.example/one';
const SIZE = 66_000;
const digestOf = (at: number): string => `sha256:${at.toString(16).padStart(64, '0')}`;
const entries = Array.from({ length: SIZE }, (_, at) => treeEntry(digestOf(at)));
const tiles = new Map(
  appendEntries(0, () => undefined, entries).map((tile) => [nameOf(tile), tile.hashes]),
);
const read = (tile: TileId) => tiles.get(nameOf(tile));
const headOf = (size: number): TreeHead => ({ origin: ORIGIN, size, root: treeRoot(read, size) });

function nameOf({ level, index }: TileId): string {
  return `${level}/${index}`;
}

type Change = (name: string, hashes: Uint8Array) => Uint8Array | null;

const unchanged: Change = (_, hashes) => hashes;

function step(
  size: number,
  seen: number | null,
  change: Change = unchanged,
  wanted: readonly Wanted[] = [],
): Promise<Step> {
  const source: LogSource = {
    checkpoint: async () => '',
    tile: async (tile, width) => {
      const hashes = read(tile)?.subarray(0, width * HASH_BYTES);
      return hashes === undefined ? null : change(nameOf(tile), hashes);
    },
  };
  const log: WatchedLog = { origin: ORIGIN, keys: [], revoked: [], source };
  return follow(log, '', headOf(size), seen === null ? null : headOf(seen), wanted);
}

/** Null when it holds. */
async function violationOf(looking: Promise<Step>): Promise<string | null> {
  try {
    await looking;
    return null;
  } catch (error) {
    if (error instanceof Violation) return error.kind;
    throw error;
  }
}

it('holds for a log that grows, from every size to every other', async () => {
  const sizes = [0, 1, 2, 255, 256, 257, 511, 512, 600];
  for (const [at, size] of sizes.entries()) {
    const { read: leaves } = await step(size, null);
    expect(leaves).toEqual({ start: 0, end: size });
    for (const seen of sizes.slice(0, at + 1)) {
      expect(await violationOf(step(size, seen))).toBeNull();
    }
  }
  for (const [seen, size] of [
    [65_400, 65_535],
    [65_400, 65_536],
    [65_536, 65_537],
    [65_537, 66_000],
  ] as const) {
    expect(await violationOf(step(size, seen))).toBeNull();
  }
});

it('names every tile that was changed, cut or taken away', async () => {
  const size = SIZE;
  const needed = ['0/0', '0/100', '0/256', '0/257', '1/0', '1/1', '2/0'];
  for (const name of needed) {
    const only =
      (change: (hashes: Uint8Array) => Uint8Array | null): Change =>
      (asked, hashes) =>
        asked === name ? change(hashes) : hashes;
    const flip = only((hashes) => hashes.map((byte, at) => (at === 5 ? byte ^ 1 : byte)));
    expect([name, await violationOf(step(size, null, flip))]).toEqual([name, 'tampered']);
    const cut = only((hashes) => hashes.subarray(1));
    expect([name, await violationOf(step(size, null, cut))]).toEqual([name, 'truncated']);
    const gone = only(() => null);
    expect([name, await violationOf(step(size, null, gone))]).toEqual([name, 'tile_missing']);
  }
});

it('reads only what is new, and the way to the root', async () => {
  const asked: string[] = [];
  const note: Change = (name, hashes) => {
    asked.push(name);
    return hashes;
  };
  await step(66_000, 65_900, note);
  // The edge, and the tiles of the new leaves and of the proof.
  expect(new Set(asked).size).toBeLessThan(8);
  expect(asked.length).toBeLessThan(TILE_WIDTH / 16);
});

it('finds records where they are, and waits for those that are to come', async () => {
  const record = (sequence: number, of = sequence - 1) => ({ sequence, digest: digestOf(of) });
  const { pending } = await step(300, 300, unchanged, [record(1), record(300), record(301)]);
  expect(pending).toEqual([record(301)]);
  expect(await violationOf(step(300, 300, unchanged, [record(7, 7)]))).toBe('not_included');
});

it('refuses to go back', async () => {
  expect(await violationOf(step(299, 300))).toBe('rolled_back');
});
