import { createHash } from 'node:crypto';
import type { CredentialKey } from '../records/index.js';
import { AUTHENTICATOR_DATA_BYTES, readAuthenticatorData } from './authenticator-data.js';
import { decodeBase64url } from './base64url.js';
import { readCbor } from './cbor.js';
import type { CborValue } from './cbor.js';
import { CLIENT_DATA_BYTES, clientDataFault } from './client-data.js';
import { algorithmOf, importKey } from './public-key.js';
import type { KeyAlgorithm } from './public-key.js';
import type { AssertionReason } from './reasons.js';

/** A new key, as the browser tells it; base64url. */
export interface Registration {
  readonly client_data_json: string;
  readonly attestation_object: string;
}

export interface ExpectedRegistration {
  readonly challenge: string;
  readonly origin: string;
  readonly rpId: string;
}

/** The members of CredentialBound that an authenticator tells. */
export interface RegisteredKey {
  readonly credential_id: string;
  readonly public_key: CredentialKey;
  readonly algorithm: KeyAlgorithm;
  readonly aaguid: string;
  readonly device_bound: boolean;
}

export type ReadRegistration =
  | { readonly ok: true; readonly key: RegisteredKey }
  | { readonly ok: false; readonly reason: AssertionReason };

/**
 * Reads a registration with the attestation "none" (WebAuthn, 7.1): every byte of it is accounted for. Whether the key is known
 * already, and whose it is, the caller asks.
 */
export function readRegistration(
  { client_data_json, attestation_object }: Registration,
  { challenge, origin, rpId }: ExpectedRegistration,
): ReadRegistration {
  const refused = (reason: AssertionReason): ReadRegistration => ({ ok: false, reason });
  const clientData = decodeBase64url(client_data_json, CLIENT_DATA_BYTES);
  if (clientData === null) return refused('client_data_malformed');
  const fault = clientDataFault(clientData, { type: 'webauthn.create', challenge, origin });
  if (fault !== null) return refused(fault);
  const bytes = authenticatorDataIn(attestation_object);
  if (bytes === null) return refused('attestation_malformed');
  const data = readAuthenticatorData(bytes);
  if (data === null || data.attested === null) return refused('authenticator_data_malformed');
  const rpIdHash = createHash('sha256').update(rpId).digest();
  if (!rpIdHash.equals(data.rpIdHash)) return refused('wrong_relying_party');
  if (!data.userPresent) return refused('user_not_present');
  if (!data.userVerified) return refused('user_not_verified');
  const { aaguid, credentialId, publicKey } = data.attested;
  const key = jwkOf(readCbor(publicKey)?.value ?? null);
  if (key === null || importKey(key) === null) return refused('unusable_key');
  return {
    ok: true,
    key: {
      credential_id: Buffer.from(credentialId).toString('base64url'),
      public_key: key,
      algorithm: algorithmOf(key),
      aaguid: uuidOf(aaguid),
      device_bound: !data.backupEligible,
    },
  };
}

/** Of an attestation object of the format "none" with its three members and nothing else. */
function authenticatorDataIn(text: string): Uint8Array | null {
  const bytes = decodeBase64url(text, AUTHENTICATOR_DATA_BYTES + 64);
  const item = bytes === null ? null : readCbor(bytes);
  if (item === null || item.length !== bytes?.length || !(item.value instanceof Map)) return null;
  const object = item.value;
  const statement: CborValue = object.get('attStmt') ?? null;
  const data: CborValue = object.get('authData') ?? null;
  const isNone = object.get('fmt') === 'none' && statement instanceof Map && statement.size === 0;
  return isNone && object.size === 3 && data instanceof Uint8Array ? data : null;
}

/** Labels and values of COSE keys (RFC 9053 §7): type, algorithm, curve. */
const EC2 = new Map([
  [1, 2],
  [3, -7],
  [-1, 1],
]);
const OKP = new Map([
  [1, 1],
  [3, -8],
  [-1, 6],
]);

/** The JWK of a COSE key that has the members of its type, and no other. */
function jwkOf(value: CborValue): CredentialKey | null {
  if (!(value instanceof Map)) return null;
  const cose: ReadonlyMap<number | string, CborValue> = value;
  const is = (kind: ReadonlyMap<number, number>): boolean =>
    [...kind].every(([label, wanted]) => cose.get(label) === wanted);
  const [x, y] = [-2, -3].map((label) => {
    const bytes = cose.get(label);
    return bytes instanceof Uint8Array && bytes.length === 32
      ? Buffer.from(bytes).toString('base64url')
      : null;
  });
  if (is(EC2) && cose.size === 5 && x && y) return { kty: 'EC', crv: 'P-256', x, y };
  return is(OKP) && cose.size === 4 && x ? { kty: 'OKP', crv: 'Ed25519', x } : null;
}

function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
