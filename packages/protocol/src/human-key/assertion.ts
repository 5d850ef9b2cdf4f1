import { createHash, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { Assertion, CredentialKey } from '../records/index.js';
import { AUTHENTICATOR_DATA_BYTES, readAuthenticatorData } from './authenticator-data.js';
import type { AuthenticatorData } from './authenticator-data.js';
import { decodeBase64url } from './base64url.js';
import { CLIENT_DATA_BYTES, clientDataFault } from './client-data.js';
import { rawSignature } from './der.js';
import { algorithmOf, importKey } from './public-key.js';
import type { KeyAlgorithm } from './public-key.js';
import type { AssertionReason } from './reasons.js';

/** Facts that the verifier knows from elsewhere. */
export interface ExpectedAssertion {
  /** Of the statement, in base64url. */
  readonly challenge: string;
  readonly origin: string;
  readonly rpId: string;
  readonly key: CredentialKey;
  readonly algorithm: KeyAlgorithm;
  /** Whether the key was bound as one that cannot be copied. */
  readonly deviceBound: boolean;
}

/** What is wrong with an assertion, by the three checks of protocol §19.2; all null when it is good. */
export interface JudgedAssertion {
  readonly challenge: AssertionReason | null;
  readonly flags: AssertionReason | null;
  readonly signature: AssertionReason | null;
  /** As signed; null for authenticator data that cannot be read. */
  readonly counter: number | null;
}

/** The longest DER form of a signature on P-256. */
const SIGNATURE_BYTES = 72;

/**
 * Judges a WebAuthn assertion (WebAuthn, 7.2) by itself. Nothing here remembers a challenge or a counter: the caller compares
 * those with its own.
 */
export function judgeAssertion(assertion: Assertion, expected: ExpectedAssertion): JudgedAssertion {
  const clientData = decodeBase64url(assertion.client_data_json, CLIENT_DATA_BYTES);
  const authenticatorData = decodeBase64url(assertion.authenticator_data, AUTHENTICATOR_DATA_BYTES);
  const read = authenticatorData === null ? null : readAuthenticatorData(authenticatorData);
  const { challenge, origin } = expected;
  return {
    challenge:
      clientData === null
        ? 'client_data_malformed'
        : clientDataFault(clientData, { type: 'webauthn.get', challenge, origin }),
    flags: flagsFault(read, expected),
    signature: signatureFault(assertion.signature, { clientData, authenticatorData }, expected),
    counter: read?.counter ?? null,
  };
}

/** The counter that the authenticator told, signed or not; null for authenticator data that cannot be read. */
export function counterOf({ authenticator_data }: Pick<Assertion, 'authenticator_data'>) {
  const bytes = decodeBase64url(authenticator_data, AUTHENTICATOR_DATA_BYTES);
  return bytes === null ? null : (readAuthenticatorData(bytes)?.counter ?? null);
}

/** The first reason why an assertion is refused; null for a good one. */
export function assertionFault({
  challenge,
  flags,
  signature,
}: JudgedAssertion): AssertionReason | null {
  return challenge ?? flags ?? signature;
}

function flagsFault(
  data: AuthenticatorData | null,
  { rpId, deviceBound }: ExpectedAssertion,
): AssertionReason | null {
  // A key is attested when it is made, and never again.
  if (data === null || data.attested !== null) return 'authenticator_data_malformed';
  const rpIdHash = createHash('sha256').update(rpId).digest();
  if (!rpIdHash.equals(data.rpIdHash)) return 'wrong_relying_party';
  if (!data.userPresent) return 'user_not_present';
  if (!data.userVerified) return 'user_not_verified';
  return data.backupEligible === deviceBound ? 'wrong_backup' : null;
}

interface SignedParts {
  readonly clientData: Uint8Array | null;
  readonly authenticatorData: Uint8Array | null;
}

function signatureFault(
  text: string,
  { clientData, authenticatorData }: SignedParts,
  { key: jwk, algorithm }: ExpectedAssertion,
): AssertionReason | null {
  const key = algorithmOf(jwk) === algorithm ? importKey(jwk) : null;
  if (key === null) return 'unusable_key';
  const signature = signatureBytes(text, algorithm);
  if (signature === null) return 'malformed_signature';
  // What cannot be read was not signed.
  if (clientData === null || authenticatorData === null) return 'wrong_signature';
  const clientDataHash = createHash('sha256').update(clientData).digest();
  const preimage = Buffer.concat([authenticatorData, clientDataHash]);
  return isSignedBy(key, algorithm, preimage, signature) ? null : 'wrong_signature';
}

function signatureBytes(text: string, algorithm: KeyAlgorithm): Uint8Array | null {
  const bytes = decodeBase64url(text, SIGNATURE_BYTES);
  if (bytes === null) return null;
  if (algorithm === 'ES256') return rawSignature(bytes);
  return bytes.length === 64 ? bytes : null;
}

function isSignedBy(
  key: KeyObject,
  algorithm: KeyAlgorithm,
  preimage: Uint8Array,
  signature: Uint8Array,
): boolean {
  return algorithm === 'ES256'
    ? verify('sha256', preimage, { key, dsaEncoding: 'ieee-p1363' }, signature)
    : verify(null, preimage, key, signature);
}
