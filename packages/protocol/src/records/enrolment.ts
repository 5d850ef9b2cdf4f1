import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { Base64url, SignedBy } from './assertion.js';
import { CredentialEnded } from './credential.js';
import {
  Digest,
  MillisecondTimestamp,
  SignedRecord,
  Uuid,
  choice,
  closed,
  named,
  nullable,
  text,
} from './primitives.js';
import { Nonce } from './statements.js';

/** Options of `navigator.credentials.create` (WebAuthn, 5.4), in the form of `parseCreationOptionsFromJSON`. */
const CreationOptions = closed({
  rp: closed({ id: text(1, 253), name: text(1, 60) }),
  user: closed({ id: Base64url, name: text(1, 160), displayName: text(1, 160) }),
  challenge: Base64url,
  pubKeyCredParams: Type.Array(
    closed({
      type: Type.Literal('public-key'),
      alg: Type.Union([Type.Literal(-7), Type.Literal(-8)]),
    }),
    { minItems: 1, maxItems: 2 },
  ),
  timeout: Type.Integer({ minimum: 1, maximum: 300_000 }),
  excludeCredentials: Type.Array(closed({ type: Type.Literal('public-key'), id: Base64url }), {
    maxItems: 100,
  }),
  authenticatorSelection: closed({ userVerification: Type.Literal('required') }),
  attestation: Type.Literal('none'),
});

/** What a browser is asked for a new key with, and what the key signs next (protocol §19.6). */
export const EnrolmentOffer = named('EnrolmentOffer', {
  credential: Uuid,
  person: Digest,
  issued_at: MillisecondTimestamp,
  nonce: Nonce,
  options: CreationOptions,
});
export type EnrolmentOffer = Static<typeof EnrolmentOffer>;

/** `RegistrationResponseJSON` of a browser (WebAuthn, 5.1), in the members that are read; browsers add others. */
const RegistrationResponse = Type.Object({
  response: Type.Object({ clientDataJSON: Base64url, attestationObject: Base64url }),
});

export const EnrolmentInput = named('EnrolmentInput', {
  registration: RegistrationResponse,
  /** By the new key, over the EnrolmentStatement. */
  assertion: SignedBy,
  /** By another active key of the same person, over the CountersignStatement: the new one counts at once. */
  by_own: Type.Optional(SignedBy),
  label: text(1, 60),
});
export type EnrolmentInput = Static<typeof EnrolmentInput>;

export const CREDENTIAL_STATES = ['waiting', 'active', 'suspended', 'ended'] as const;

export const CredentialStatus = named('CredentialStatus', {
  credential: Uuid,
  state: choice(CREDENTIAL_STATES),
  label: text(1, 60),
  algorithm: choice(['ES256', 'EdDSA']),
  device_bound: Type.Boolean(),
  created_at: MillisecondTimestamp,
  /** The CredentialBound; null while it waits. */
  bound: nullable(SignedRecord),
});
export type CredentialStatus = Static<typeof CredentialStatus>;

/** The newest ones first. */
export const CredentialList = Type.Array(CredentialStatus, {
  title: 'CredentialList',
  maxItems: 100,
});
export type CredentialList = Static<typeof CredentialList>;

/** A person with an active key signs the CountersignStatement. */
export const CountersignInput = named('CountersignInput', {
  assertion: Type.Optional(SignedBy),
});
export type CountersignInput = Static<typeof CountersignInput>;

/** `compromised_since` only where the key was compromised. */
export const EndCredential = named('EndCredential', {
  reason: CredentialEnded.properties.reason,
  compromised_since: Type.Optional(MillisecondTimestamp),
});
export type EndCredential = Static<typeof EndCredential>;

/** The CredentialEnded; null for a key that waited, which goes without a record. */
export const CredentialEnding = named('CredentialEnding', { ended: nullable(SignedRecord) });
export type CredentialEnding = Static<typeof CredentialEnding>;
