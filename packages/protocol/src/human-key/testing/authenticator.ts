import { createECDH, createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import type { Assertion, CredentialKey } from '../../records/index.js';
import type { KeyAlgorithm } from '../public-key.js';

// An authenticator in software, for tests. Its keys and signatures follow from a seed, so vectors are the same everywhere.

export const FLAGS = { present: 0x01, verified: 0x04, eligible: 0x08, backedUp: 0x10 } as const;
export const EXTENSIONS = 0x80;

/** What it answers with; every member can be wrong. */
export interface Answer {
  readonly challenge: string;
  readonly type?: string;
  readonly origin?: string;
  /** Further members of the client data. */
  readonly members?: object;
  /** Instead of the JSON of the client data. */
  readonly clientData?: string | Uint8Array;
  readonly rpId?: string;
  readonly flags?: number;
  readonly counter?: number;
  /** Behind the head of the authenticator data. */
  readonly more?: Uint8Array;
  /** Instead of authenticator data and hash of the client data. */
  readonly signs?: (authenticatorData: Buffer, clientDataHash: Buffer) => Uint8Array;
}

export interface SoftAuthenticator {
  readonly algorithm: KeyAlgorithm;
  readonly key: CredentialKey;
  answer(answer: Answer): Assertion;
}

export const ORIGIN = 'https://review.example';
export const RP_ID = 'review.example';

export function softAuthenticator(seed: string, algorithm: KeyAlgorithm): SoftAuthenticator {
  const secret = sha256(`authenticator ${seed}`);
  const { key, signs } = algorithm === 'ES256' ? p256(secret) : ed25519(secret);
  return {
    algorithm,
    key,
    answer(answer) {
      const { flags = FLAGS.present | FLAGS.verified, counter = 0, more } = answer;
      const clientData = clientDataOf(answer);
      const count = Buffer.alloc(4);
      count.writeUInt32BE(counter);
      const authenticatorData = Buffer.concat([
        sha256(answer.rpId ?? RP_ID),
        Uint8Array.of(flags),
        count,
        more ?? new Uint8Array(),
      ]);
      const preimage = answer.signs ?? ((data, hash) => Buffer.concat([data, hash]));
      return {
        client_data_json: clientData.toString('base64url'),
        authenticator_data: authenticatorData.toString('base64url'),
        signature: signs(preimage(authenticatorData, sha256(clientData))).toString('base64url'),
      };
    },
  };
}

function clientDataOf({ challenge, type, origin, members, clientData }: Answer): Buffer {
  if (clientData !== undefined) return Buffer.from(clientData as string);
  return Buffer.from(
    JSON.stringify({
      type: type ?? 'webauthn.get',
      challenge,
      origin: origin ?? ORIGIN,
      crossOrigin: false,
      ...members,
    }),
  );
}

function ed25519(secret: Buffer) {
  // PKCS #8 around the 32 bytes of the seed.
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), secret]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return {
    key: { kty: 'OKP', crv: 'Ed25519', x } satisfies CredentialKey,
    signs: (preimage: Uint8Array): Buffer => sign(null, preimage, key),
  };
}

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** ECDSA by hand, because Node's chooses another number at every signature. */
function p256(secret: Buffer) {
  const d = numberOf(secret) % ORDER;
  const [x, y] = pointOf(d);
  return {
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: x.toString('base64url'),
      y: y.toString('base64url'),
    } satisfies CredentialKey,
    signs(preimage: Uint8Array): Buffer {
      const digest = sha256(preimage);
      const k = numberOf(sha256(Buffer.concat([secret, digest]))) % ORDER;
      const r = numberOf(pointOf(k)[0]) % ORDER;
      const s = (inverse(k) * (numberOf(digest) + r * d)) % ORDER;
      return derOf(r, s);
    },
  };
}

/** The DER form of two integers; negative ones and padding only where a test asks for them. */
export function derOf(r: bigint | Uint8Array, s: bigint | Uint8Array): Buffer {
  const integer = (value: bigint | Uint8Array): Buffer => {
    const content = typeof value === 'bigint' ? contentOf(value) : value;
    return Buffer.concat([Uint8Array.of(2, content.length), content]);
  };
  const both = Buffer.concat([integer(r), integer(s)]);
  return Buffer.concat([Uint8Array.of(0x30, both.length), both]);
}

/** The two numbers of a signature that {@link derOf} made. */
export function numbersOf(der: Uint8Array): [bigint, bigint] {
  const length = der[3] as number;
  return [numberOf(der.subarray(4, 4 + length)), numberOf(der.subarray(6 + length))];
}

export { ORDER as P256_ORDER };

function contentOf(value: bigint): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return (bytes[0] as number) > 0x7f ? Buffer.concat([Uint8Array.of(0), bytes]) : bytes;
}

function pointOf(scalar: bigint): [x: Buffer, y: Buffer] {
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex'));
  const point = curve.getPublicKey();
  return [point.subarray(1, 33), point.subarray(33)];
}

/** By Fermat: the order is prime. */
function inverse(value: bigint): bigint {
  let [result, base, exponent] = [1n, value, ORDER - 2n];
  for (; exponent > 0n; exponent >>= 1n) {
    if ((exponent & 1n) === 1n) result = (result * base) % ORDER;
    base = (base * base) % ORDER;
  }
  return result;
}

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

function sha256(content: string | Uint8Array): Buffer {
  return createHash('sha256').update(content).digest();
}

/** A registration; every member can be wrong. */
export interface Making extends Answer {
  readonly credentialId?: Uint8Array;
  /** Instead of the COSE form of the key. */
  readonly cose?: Uint8Array;
  /** Instead of model, id and key. */
  readonly attested?: Uint8Array;
  readonly format?: string;
  /** CBOR of the attestation statement. */
  readonly statement?: Uint8Array;
  /** Adds a member to the attestation object. */
  readonly members4?: boolean;
  /** Behind the attestation object. */
  readonly behind?: Uint8Array;
}

const AAGUID = Buffer.from('0102030405060708090a0b0c0d0e0f10', 'hex');

/** What the browser tells of a new key, with the attestation "none". */
export function registrationOf({ key }: SoftAuthenticator, making: Making) {
  const id = Buffer.from(making.credentialId ?? Buffer.alloc(16, 3));
  const idLength = Buffer.alloc(2);
  idLength.writeUInt16BE(id.length);
  const attested =
    making.attested ?? Buffer.concat([AAGUID, idLength, id, making.cose ?? coseKeyOf({ key })]);
  const authData = Buffer.concat([
    sha256(making.rpId ?? RP_ID),
    Uint8Array.of(making.flags ?? 0x45),
    Buffer.alloc(4),
    attested,
    making.more ?? Buffer.alloc(0),
  ]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(authData.length);
  const object = Buffer.concat([
    Uint8Array.of(making.members4 === true ? 0xa4 : 0xa3),
    cborText('fmt'),
    cborText(making.format ?? 'none'),
    cborText('attStmt'),
    making.statement ?? Uint8Array.of(0xa0),
    cborText('authData'),
    authData.length < 256
      ? Uint8Array.of(0x58, authData.length)
      : Buffer.concat([Uint8Array.of(0x59), length]),
    authData,
    ...(making.members4 === true ? [cborText('x'), Uint8Array.of(0)] : []),
    making.behind ?? Buffer.alloc(0),
  ]);
  return {
    client_data_json: clientDataOf({ type: 'webauthn.create', ...making }).toString('base64url'),
    attestation_object: object.toString('base64url'),
  };
}

/** The COSE form of a key. */
export function coseKeyOf({ key }: Pick<SoftAuthenticator, 'key'>): Buffer {
  const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');
  return key.kty === 'EC'
    ? Buffer.concat([
        Buffer.from('a5010203262001215820', 'hex'),
        bytes(key.x),
        Buffer.from('225820', 'hex'),
        bytes(key.y),
      ])
    : Buffer.concat([Buffer.from('a4010103272006215820', 'hex'), bytes(key.x)]);
}

/** Of fewer than 24 letters. */
function cborText(text: string): Buffer {
  return Buffer.concat([Uint8Array.of(0x60 + text.length), Buffer.from(text)]);
}
