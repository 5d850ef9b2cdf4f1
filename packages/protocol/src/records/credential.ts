import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { assertion } from './assertion.js';
import { CredentialKey } from './credential-key.js';
import { Recorder } from './execution.js';
import {
  Digest,
  Identifier,
  MillisecondTimestamp,
  Uuid,
  choice,
  closed,
  named,
  nullable,
  text,
} from './primitives.js';
import { CountersignStatement, EnrolmentStatement } from './statements.js';

/** Who vouched for a key: another person, a bearer token (of the first key of a tenant), or another key of the same person. */
const Countersigner = closed({
  kind: choice(['human', 'operator_token', 'own_credential']),
  /** Principal id. */
  subject: Identifier,
  /** Null for a person without a key, and for a bearer token. */
  credential: nullable(Uuid),
  signature: nullable(closed({ statement: CountersignStatement, ...assertion })),
});

/** A person's key, from when it counts (protocol §19.3). */
export const CredentialBound = named('CredentialBound', {
  credential: Uuid,
  /** The authenticator's id of it: at most 1023 bytes in base64url. */
  credential_id: Type.String({ pattern: '^[A-Za-z0-9_-]+$', maxLength: 1364 }),
  principal: Identifier,
  person: Digest,
  public_key: CredentialKey,
  algorithm: choice(['ES256', 'EdDSA']),
  rp_id: text(1, 253),
  origin: text(1, 300),
  /** Model of the authenticator; zeroes where it does not say. */
  aaguid: Type.String({ pattern: '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
  attestation: closed({ format: Identifier, verified: Type.Boolean() }),
  /** Whether the key cannot be copied to another device. */
  device_bound: Type.Boolean(),
  enrolment: closed({ statement: EnrolmentStatement, ...assertion }),
  /** Null where the policy let people enrol by themselves. */
  countersigned_by: nullable(Countersigner),
  bound_at: MillisecondTimestamp,
});
export type CredentialBound = Static<typeof CredentialBound>;

/** A key that counts no more (protocol §19.3). */
export const CredentialEnded = named('CredentialEnded', {
  credential: Uuid,
  principal: Identifier,
  person: Digest,
  /** Record digest of its CredentialBound. */
  bound: Digest,
  reason: choice(['replaced', 'lost', 'compromised', 'left']),
  /** From when votes by it do not count, also those given before its end. */
  compromised_since: nullable(MillisecondTimestamp),
  ended_by: Recorder,
  ended_at: MillisecondTimestamp,
});
export type CredentialEnded = Static<typeof CredentialEnded>;
