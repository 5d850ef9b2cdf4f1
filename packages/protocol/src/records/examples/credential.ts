import type * as records from '../index.js';
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
