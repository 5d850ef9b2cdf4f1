import type * as records from '../legal-hold.js';
import { REQUEST_ID, digest } from './example-ids.js';

const HOLD = '5f0d9c52-3b1c-4c3a-9a57-0f4f2f6c7d10';
const REFERENCE = 'Case 2026-117';

export const LegalHoldInput: records.LegalHoldInput = {
  requests: [REQUEST_ID],
  reference: REFERENCE,
  until: '2028-05-01T00:00:00.000Z',
};

export const LiftInput: records.LiftInput = { reason: 'The case was closed.' };

export const LegalHoldSet: records.LegalHoldSet = {
  id: HOLD,
  revision: 1,
  requests: [{ id: REQUEST_ID, digest: digest('d1') }],
  reference: REFERENCE,
  until: '2028-05-01T00:00:00.000Z',
  set_by: 'custodian-1',
  set_at: '2026-05-02T09:00:00.000Z',
};

export const LegalHoldLifted: records.LegalHoldLifted = {
  id: HOLD,
  reference: REFERENCE,
  lifted_by: 'custodian-2',
  set_by: 'custodian-1',
  lifted_at: '2026-05-02T10:00:00.000Z',
};
