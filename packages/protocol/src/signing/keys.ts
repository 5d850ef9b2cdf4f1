import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { RecordType } from '../records/index.js';

/** Pure Ed25519 (RFC 8032, no pre-hash, no context) under one key of the trust manifest. */
export interface Signer {
  readonly keyId: string;
  /** 64 bytes; the same preimage always gives the same signature. */
  sign(preimage: Uint8Array): Buffer;
}

/** When a key may sign, epoch milliseconds: from `notBefore` until before `end`, its revocation included. */
export interface KeyWindow {
  readonly notBefore: number;
  readonly end: number;
}

/** A signer whose key may be elsewhere: in a key service, in hardware. */
export interface RemoteSigner {
  readonly keyId: string;
  /** When known, nothing of another time is signed. */
  readonly window?: KeyWindow | undefined;
  /** As `sign` of a {@link Signer}. */
  signLater(preimage: Uint8Array): Promise<Buffer>;
}

/** A signer that can be compared with the trust manifest at start-up. */
export interface KeySigner extends Signer, RemoteSigner {
  /** SubjectPublicKeyInfo, label PUBLIC KEY. */
  readonly publicPem: string;
}

export interface SigningKey {
  readonly keyId: string;
  /** PKCS #8. */
  readonly privatePem: string;
  readonly publicPem: string;
}

/** Makes a new key from the operating system's randomness. */
export function generateSigningKey(keyId: string): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    keyId,
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

/** @throws TypeError when the text is no Ed25519 private key; the message never quotes it */
export function signerFromPem(keyId: string, privatePem: string): KeySigner {
  const key = readPrivateKey(privatePem);
  if (key?.asymmetricKeyType !== 'ed25519') {
    throw new TypeError(`the private key of ${keyId} is not an Ed25519 key in PEM form`);
  }
  return {
    keyId,
    publicPem: createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString(),
    sign: (preimage) => sign(null, preimage, key),
    // Not on another thread: to wake one takes as long as the signature.
    signLater: async (preimage) => sign(null, preimage, key),
  };
}

function readPrivateKey(pem: string): KeyObject | null {
  try {
    return createPrivateKey({ key: pem, format: 'pem' });
  } catch {
    return null;
  }
}

/**
 * The same signer, restricted to some record types, and to other texts that `others` accepts. It looks at the bytes
 * themselves: in canonical form `type` is the last member of `protected`, which is the last member of a preimage.
 *
 * @throws TypeError from `sign` and `signLater`, for any other preimage
 */
export function restrictSigner<Restricted extends Signer & RemoteSigner>(
  signer: Restricted,
  allowed: readonly RecordType[],
  others: (preimage: Uint8Array) => boolean = () => false,
): Restricted {
  const check = checkOf(signer, allowed, others);
  return {
    ...signer,
    sign(preimage: Uint8Array): Buffer {
      check(preimage);
      return signer.sign(preimage);
    },
    async signLater(preimage: Uint8Array): Promise<Buffer> {
      check(preimage);
      return signer.signLater(preimage);
    },
  };
}

/** As {@link restrictSigner} for a signer that only signs later, and may learn its key later. */
export function restrictRemoteSigner(
  signer: RemoteSigner,
  allowed: readonly RecordType[],
  others: (preimage: Uint8Array) => boolean = () => false,
): RemoteSigner {
  const check = checkOf(signer, allowed, others);
  return {
    get keyId() {
      return signer.keyId;
    },
    get window() {
      return signer.window;
    },
    async signLater(preimage: Uint8Array): Promise<Buffer> {
      check(preimage);
      return signer.signLater(preimage);
    },
  };
}

function checkOf(
  signer: Pick<RemoteSigner, 'keyId'>,
  allowed: readonly RecordType[],
  others: (preimage: Uint8Array) => boolean,
): (preimage: Uint8Array) => void {
  const endings = allowed.map((type) => Buffer.from(`,"type":${JSON.stringify(type)}}}`));
  return (preimage) => {
    const isAllowed = endings.some((ending) => ending.equals(preimage.subarray(-ending.length)));
    if (!isAllowed && !others(preimage)) {
      throw new TypeError(`${signer.keyId} may not sign a record of this type`);
    }
  };
}

const publicPem =
  /^\s*-----BEGIN PUBLIC KEY-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END PUBLIC KEY-----\s*$/;

/** An Ed25519 public key out of a lone PUBLIC KEY block; null for private keys and anything else. */
export function readPublicPem(pem: string): KeyObject | null {
  // createPublicKey would also take private keys and certificates.
  if (pem.length > 4096 || !publicPem.test(pem)) return null;
  try {
    const key = createPublicKey({ key: pem.trim(), format: 'pem' });
    return key.asymmetricKeyType === 'ed25519' ? key : null;
  } catch {
    return null;
  }
}
