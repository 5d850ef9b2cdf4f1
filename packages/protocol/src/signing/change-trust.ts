import { PROTOCOL_REVISION } from '../constants.js';
import type { TrustManifest } from '../records/index.js';
import { formatTimestamp, parseTimestamp } from '../records/index.js';

export interface NewKey {
  readonly keyId: string;
  readonly publicPem: string;
  /** Epoch milliseconds. */
  readonly notBefore: number;
  readonly notAfter: number;
}

export function createTrustManifest(
  issuer: string,
  first: NewKey,
  ...others: readonly NewKey[]
): TrustManifest {
  return {
    issuer,
    protocol_revision: PROTOCOL_REVISION,
    keys: [first, ...others].map(manifestKey),
  };
}

/** A new manifest with one more key; keys that retire stay listed, for the records they signed. */
export function addKey(manifest: TrustManifest, key: NewKey): TrustManifest {
  return { ...manifest, keys: [...manifest.keys, manifestKey(key)] };
}

/**
 * A new manifest in which the records of a key that were issued at `at` (epoch milliseconds) or later do not count. A
 * revocation can be moved to an earlier time, never to a later one.
 *
 * @throws RangeError when the key is not listed, or was revoked earlier already
 */
export function revokeKey(manifest: TrustManifest, keyId: string, at: number): TrustManifest {
  return changeKey(manifest, keyId, (key) => {
    const before = key.revoked_at === undefined ? null : parseTimestamp(key.revoked_at);
    if (before !== null && before <= at) {
      throw new RangeError(`The key ${keyId} is revoked since ${key.revoked_at} already.`);
    }
    return { ...key, revoked_at: formatTimestamp(at) };
  });
}

/**
 * A new manifest in which a key signs no longer from `at` on (epoch milliseconds); its earlier records stay valid.
 *
 * @throws RangeError when the key is not listed, ends earlier already, or would never have been valid
 */
export function endKey(manifest: TrustManifest, keyId: string, at: number): TrustManifest {
  return changeKey(manifest, keyId, (key) => {
    if ((parseTimestamp(key.not_after) as number) <= at) {
      throw new RangeError(`The key ${keyId} ends at ${key.not_after} already.`);
    }
    if ((parseTimestamp(key.not_before) as number) >= at) {
      throw new RangeError(`The key ${keyId} begins only at ${key.not_before}.`);
    }
    return { ...key, not_after: formatTimestamp(at) };
  });
}

function changeKey(
  manifest: TrustManifest,
  keyId: string,
  change: (key: TrustManifest['keys'][number]) => TrustManifest['keys'][number],
): TrustManifest {
  if (!manifest.keys.some(({ key_id }) => key_id === keyId)) {
    throw new RangeError(`The manifest lists no key ${keyId}.`);
  }
  const keys = manifest.keys.map((key) => (key.key_id === keyId ? change(key) : key));
  return { ...manifest, keys };
}

function manifestKey(key: NewKey): TrustManifest['keys'][number] {
  return {
    key_id: key.keyId,
    algorithm: 'Ed25519',
    public_key: key.publicPem,
    not_before: formatTimestamp(key.notBefore),
    not_after: formatTimestamp(key.notAfter),
  };
}
