import type * as records from '../index.js';
import { SignedRecord } from './evidence.js';
import { digest } from './example-ids.js';

const CREDENTIAL = '0b9a4c1e-7d2f-4a36-9a51-6f0d2c8e4b17';
const OPERATORS = '7e1c5a90-3b4d-4f68-8c2a-1d9e0f5b6a43';
const ORIGIN = 'https://review.example';
const SIGNED = { client_data_json: 'e30', authenticator_data: 'AA', signature: 'AA' };

const PUBLIC_KEY: records.CredentialKey = {
  kty: 'OKP',
  crv: 'Ed25519',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
};

export const CredentialBound: records.CredentialBound = {
  credential: CREDENTIAL,
  credential_id: 'AAECAwQFBgcICQoLDA0ODw',
  principal: 'plat-1',
  person: digest('7e'),
  public_key: PUBLIC_KEY,
  algorithm: 'EdDSA',
  rp_id: 'review.example',
  origin: ORIGIN,
  aaguid: '00000000-0000-0000-0000-000000000000',
  attestation: { format: 'none', verified: false },
  device_bound: true,
  enrolment: {
    statement: {
      statement: 'proto.enrolment-statement/1',
      issuer: ORIGIN,
      tenant: 'acme',
      principal: 'plat-1',
      person: digest('7e'),
      credential: CREDENTIAL,
      public_key: PUBLIC_KEY,
      issued_at: '2026-04-30T08:00:00.000Z',
      nonce: 'AAECAwQFBgcICQoLDA0ODw',
    },
    ...SIGNED,
  },
  countersigned_by: {
    kind: 'human',
    subject: 'op-1',
    credential: OPERATORS,
    signature: {
      statement: {
        statement: 'proto.countersign-statement/1',
        issuer: ORIGIN,
        tenant: 'acme',
        operator: 'op-1',
        person: digest('0b'),
        enrolment: digest('e4'),
        attempt: 1,
      },
      ...SIGNED,
    },
  },
  bound_at: '2026-04-30T08:01:00.000Z',
};

export const CredentialEnded: records.CredentialEnded = {
  credential: CREDENTIAL,
  principal: 'plat-1',
  person: digest('7e'),
  bound: digest('cb'),
  reason: 'lost',
  compromised_since: null,
  ended_by: { kind: 'human', subject: 'plat-1' },
  ended_at: '2026-05-01T12:00:00.000Z',
};

export const EnrolmentOffer: records.EnrolmentOffer = {
  credential: CREDENTIAL,
  person: digest('7e'),
  issued_at: '2026-04-30T08:00:00.000Z',
  nonce: 'AAECAwQFBgcICQoLDA0ODw',
  options: {
    rp: { id: 'review.example', name: 'Countersign' },
    user: {
      id: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8',
      name: 'plat-1',
      displayName: 'plat-1',
    },
    challenge: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8',
    pubKeyCredParams: [
      { type: 'public-key', alg: -7 },
      { type: 'public-key', alg: -8 },
    ],
    timeout: 300_000,
    excludeCredentials: [],
    authenticatorSelection: { userVerification: 'required' },
    attestation: 'none',
  },
};

export const EnrolmentInput: records.EnrolmentInput = {
  registration: { response: { clientDataJSON: 'e30', attestationObject: 'oA' } },
  assertion: { credential: CREDENTIAL, ...SIGNED },
  label: 'Laptop',
};

export const CredentialStatus: records.CredentialStatus = {
  credential: CREDENTIAL,
  state: 'active',
  label: 'Laptop',
  algorithm: 'EdDSA',
  device_bound: true,
  created_at: '2026-04-30T08:00:00.000Z',
  bound: SignedRecord,
};

export const CredentialList: records.CredentialList = [CredentialStatus];

export const CountersignInput: records.CountersignInput = {
  assertion: { credential: OPERATORS, ...SIGNED },
};

export const EndCredential: records.EndCredential = { reason: 'replaced' };

export const CredentialEnding: records.CredentialEnding = {
  ended: SignedRecord,
};

export const OfferInput: records.OfferInput = {
  candidate_id: '6f1d2c3b-4a59-4867-9b21-0c5d7e8f9a11',
  candidate_digest: digest('3e'),
  credential: CREDENTIAL,
};

export const ApprovalOffer: records.ApprovalOffer = {
  statement: {
    statement: 'proto.approval-statement/1',
    issuer: ORIGIN,
    tenant: 'acme',
    purpose: 'review',
    request_id: '0b9a4c1e-7d2f-4a36-9a51-6f0d2c8e4b18',
    request_digest: digest('4a'),
    policy_digest: digest('5d'),
    candidate_id: '6f1d2c3b-4a59-4867-9b21-0c5d7e8f9a11',
    candidate_digest: digest('3e'),
    response_digest: digest('6c'),
    decision: 'answer',
    mode: 'normal',
    reviewer: 'plat-1',
    person: digest('7e'),
    acting_for: null,
    emergency: null,
    attention: null,
    credential: CREDENTIAL,
    issued_at: '2026-05-01T08:00:00.000Z',
    nonce: 'AAECAwQFBgcICQoLDA0ODw',
  },
  offer: digest('0f'),
  options: {
    challenge: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8',
    timeout: 300_000,
    rpId: 'review.example',
    allowCredentials: [{ type: 'public-key', id: 'AAECAwQFBgcICQoLDA0ODw' }],
    userVerification: 'required',
  },
  expires_at: '2026-05-01T08:05:00.000Z',
};
