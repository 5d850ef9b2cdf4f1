import { createHash } from 'node:crypto';

/** Bytes of a SHA-256 hash. */
export const HASH_BYTES = 32;

/** Root of the tree without leaves (RFC 9162 §2.1.1). */
export const EMPTY_ROOT: Buffer = createHash('sha256').digest();

const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

/** Hash of a leaf (RFC 9162 §2.1.1): the prefix keeps leaves and nodes apart. */
export function leafHash(entry: Uint8Array): Buffer {
  return createHash('sha256').update(LEAF).update(entry).digest();
}

/** Hash of a node over its two children (RFC 9162 §2.1.1). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return createHash('sha256').update(NODE).update(left).update(right).digest();
}

const DIGEST = /^sha256:([a-f0-9]{64})$/;

/**
 * The entry of a tenant's tree for a record: the 32 bytes of the record's digest, nothing else.
 *
 * @throws TypeError for a value that is no digest
 */
export function treeEntry(recordDigest: string): Buffer {
  const hex = DIGEST.exec(recordDigest)?.[1];
  if (hex === undefined) throw new TypeError('no digest of a record');
  return Buffer.from(hex, 'hex');
}
