import type { TileId } from './tiles.js';
import { TILE_WIDTH } from './tiles.js';

/** The tile or entries that a path of c2sp.org/tlog-tiles names, below the prefix of a log. */
export type TileRequest =
  | { readonly kind: 'checkpoint' }
  | { readonly kind: 'tile'; readonly tile: TileId; readonly width: number }
  | { readonly kind: 'entries'; readonly index: number; readonly width: number };

const PATH = /^tile\/(entries|0|[1-9]\d?)\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;
const HIGHEST_LEVEL = 63;

/** Reads such a path; null for every other. */
export function readTilePath(path: string): TileRequest | null {
  if (path === 'checkpoint') return { kind: 'checkpoint' };
  const [, level = '', number = '', partial] = PATH.exec(path) ?? [];
  if (level === '') return null;
  const groups = number.replaceAll('x', '').split('/');
  // One spelling a number: no group of zeroes before others.
  if (groups.length > 1 && groups[0] === '000') return null;
  const index = Number(groups.join(''));
  const width = partial === undefined ? TILE_WIDTH : Number(partial);
  if (!Number.isSafeInteger(index)) return null;
  if (partial !== undefined && width >= TILE_WIDTH) return null;
  if (level === 'entries') return { kind: 'entries', index, width };
  if (Number(level) > HIGHEST_LEVEL) return null;
  return { kind: 'tile', tile: { level: Number(level), index }, width };
}

/** `tile/<level>/x001/x234/067`, with `.p/<width>` for a tile that is not full. */
export function tilePath(level: number | 'entries', index: number, width = TILE_WIDTH): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? [];
  const number = groups
    .map((group, at) => (at === groups.length - 1 ? group : `x${group}`))
    .join('/');
  return `tile/${level}/${number}${width === TILE_WIDTH ? '' : `.p/${width}`}`;
}

/** An entry bundle: each entry after its length in two bytes. */
export function entryBundle(entries: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    entries.flatMap((entry) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(entry.length);
      return [length, entry];
    }),
  );
}
