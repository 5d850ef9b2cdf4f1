import { readCbor } from './cbor.js';

/** More than any authenticator answers; a registration holds a credential id of at most 1023 bytes. */
export const AUTHENTICATOR_DATA_BYTES = 4096;

/** Bits of the flags (WebAuthn, 6.1). */
const FLAGS = {
  userPresent: 0x01,
  userVerified: 0x04,
  backupEligible: 0x08,
  backedUp: 0x10,
  attested: 0x40,
  extensions: 0x80,
} as const;

const HEAD_BYTES = 37;

export interface AuthenticatorData {
  /** SHA-256 of the relying party's id. */
  readonly rpIdHash: Uint8Array;
  readonly userPresent: boolean;
  readonly userVerified: boolean;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
  readonly counter: number;
  /** Only in a registration. */
  readonly attested: AttestedCredential | null;
}

export interface AttestedCredential {
  /** 16 bytes: the authenticator's model. */
  readonly aaguid: Uint8Array;
  readonly credentialId: Uint8Array;
  /** A COSE key. */
  readonly publicKey: Uint8Array;
}

/**
 * Reads authenticator data (WebAuthn, 6.1) to its last byte: what follows the head is what the flags announce, and nothing
 * else. Null for any other bytes.
 */
export function readAuthenticatorData(bytes: Uint8Array): AuthenticatorData | null {
  if (bytes.length < HEAD_BYTES || bytes.length > AUTHENTICATOR_DATA_BYTES) return null;
  const flags = bytes[32] as number;
  const has = (flag: number): boolean => (flags & flag) !== 0;
  const backupEligible = has(FLAGS.backupEligible);
  const backedUp = has(FLAGS.backedUp);
  // A key that cannot be backed up is not backed up.
  if (backedUp && !backupEligible) return null;
  let at = HEAD_BYTES;
  let attested: AttestedCredential | null = null;
  if (has(FLAGS.attested)) {
    const read = readAttested(bytes.subarray(at));
    if (read === null) return null;
    attested = read.attested;
    at += read.length;
  }
  if (has(FLAGS.extensions)) {
    const read = readCbor(bytes.subarray(at));
    if (read === null || !(read.value instanceof Map)) return null;
    at += read.length;
  }
  if (at !== bytes.length) return null;
  return {
    rpIdHash: bytes.subarray(0, 32),
    userPresent: has(FLAGS.userPresent),
    userVerified: has(FLAGS.userVerified),
    backupEligible,
    backedUp,
    counter: bytes.subarray(33, HEAD_BYTES).reduce((sum, byte) => sum * 256 + byte, 0),
    attested,
  };
}

function readAttested(
  bytes: Uint8Array,
): { readonly attested: AttestedCredential; readonly length: number } | null {
  const [high, low] = bytes.subarray(16, 18);
  if (high === undefined || low === undefined) return null;
  const idLength = high * 256 + low;
  if (idLength === 0 || idLength > 1023) return null;
  const key = readCbor(bytes.subarray(18 + idLength));
  if (key === null) return null;
  const length = 18 + idLength + key.length;
  return {
    attested: {
      aaguid: bytes.subarray(0, 16),
      credentialId: bytes.subarray(18, 18 + idLength),
      publicKey: bytes.subarray(18 + idLength, length),
    },
    length,
  };
}
