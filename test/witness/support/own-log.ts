import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import {
  NOTE_ALGORITHM,
  appendEntries,
  consistencyPath,
  noteText,
  rangeHash,
  signatureLine,
  treeHeadText,
  treeRoot,
  verifierKeyText,
} from '@countersign/protocol';
import type { NoteKey, Tile, TileId } from '@countersign/protocol';

/** A log whose key the test has, so that it can do what no log may. */
export interface OwnLog {
  readonly origin: string;
  readonly vkey: string;
  /** A signed checkpoint of the first `size` entries. */
  checkpoint(size: number): string;
  /** The body of an add-checkpoint request. */
  request(old: number, size: number): string;
  tile(tile: TileId): Uint8Array | undefined;
}

export interface LogKeyPair {
  readonly privateKey: KeyObject;
  readonly key: NoteKey;
}

export function keyPairOf(origin: string, pem?: string): LogKeyPair {
  const privateKey =
    pem === undefined ? generateKeyPairSync('ed25519').privateKey : createPrivateKey(pem);
  const { x = '' } = privateKey.export({ format: 'jwk' });
  const publicKey = Buffer.from(x, 'base64url');
  return { privateKey, key: { name: origin, algorithm: NOTE_ALGORITHM.ed25519, publicKey } };
}

/** Logs of one key: those with the same first entries share these. */
export function logOf({ key, privateKey }: LogKeyPair, entries: readonly Uint8Array[]): OwnLog {
  const tiles = new Map(
    appendEntries(0, () => undefined, entries).map((tile: Tile) => [
      `${tile.level}/${tile.index}`,
      tile.hashes,
    ]),
  );
  const read = ({ level, index }: TileId) => tiles.get(`${level}/${index}`);
  const checkpoint = (size: number): string => {
    const body = treeHeadText({ origin: key.name, size, root: treeRoot(read, size) });
    return noteText(body, [signatureLine(key, sign(null, Buffer.from(body), privateKey))]);
  };
  return {
    origin: key.name,
    vkey: verifierKeyText(key),
    checkpoint,
    request(old, size) {
      const proof = consistencyPath(old, size)
        .map((range) => `${rangeHash(read, range).toString('base64')}\n`)
        .join('');
      return `old ${old}\n${proof}\n${checkpoint(size)}`;
    },
    tile: read,
  };
}

/** Entries that differ from those of another `tag` from `common` on. */
export function entriesOf(tag: string, many: number, common = 0): Buffer[] {
  return Array.from({ length: many }, (_, at) =>
    Buffer.from(`${at < common ? '' : tag}${at}`.padEnd(32, ' ')),
  );
}
