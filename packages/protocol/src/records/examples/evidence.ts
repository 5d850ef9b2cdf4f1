import { PROTOCOL_REVISION } from '../../constants.js';
import type { JsonValue } from '../../json/value.js';
import type * as records from '../index.js';
import { TrustManifest } from './service.js';
import { DecisionCandidate, DecisionRequest, Material, ReviewBundle } from './request.js';
import { CANDIDATE_ID, LEDGER_ID, NAMESPACE, ORIGIN, REQUEST_ID, digest } from './example-ids.js';

const CLAIM_ID = '91f0c6f2-3b1d-4a0e-8f57-6f2f6b0f8a21';
const EVENT_ID = '5f0b7c1a-2d3e-4f60-8a9b-0c1d2e3f4a5b';

/** The shape of a signed record; the signature is not a real one. */
function signed(
  type: records.RecordType,
  issuedAt: string,
  payload: JsonValue,
): records.SignedRecord {
  const { purpose, audience } = {
    purpose: type === 'AuditCheckpoint' ? ('service' as const) : ('authorise_execution' as const),
    audience: type === 'AuditCheckpoint' ? 'proto.audit' : 'bot-7',
  };
  return {
    protected: {
      type,
      protocol_revision: PROTOCOL_REVISION,
      purpose,
      profiles: {},
      issuer: ORIGIN,
      audience,
      tenant: type === 'AuditCheckpoint' ? LEDGER_ID : 'acme',
      key_id: 'k-2026-01',
      issued_at: issuedAt,
    },
    payload,
    signature: 'A'.repeat(86),
  };
}

export const DecisionReceipt: records.DecisionReceipt = {
  purpose: 'authorise_execution',
  request_id: REQUEST_ID,
  request_digest: digest('ab'),
  candidate_id: CANDIDATE_ID,
  candidate_digest: digest('d2'),
  reviewer: 'rev-2',
  requester: 'owner-1',
  response_digest: digest('d1'),
  decision: 'authorise',
  confirmed_at: '2026-05-01T09:05:00.000Z',
  grant_deadline: '2026-05-02T09:00:00.000Z',
};

export const SignedRecord = signed('DecisionReceipt', '2026-05-01T09:05:00.000Z', {
  ...DecisionReceipt,
});

export const ClaimInput: records.ClaimInput = {
  execution_identity: 'runner-1/run-88',
  execution_binding_digest: digest('e1'),
};

export const ExecutionClaim: records.ExecutionClaim = {
  id: CLAIM_ID,
  request_id: REQUEST_ID,
  request_digest: digest('ab'),
  receipt_digest: digest('e2'),
  execution_identity: 'runner-1/run-88',
  action_occurrence_id: 'invoice-4711/payment-1',
  execution_binding_digest: digest('e1'),
  claimed_at: '2026-05-01T09:06:00.000Z',
  dispatch_before: '2026-05-02T09:00:00.000Z',
  execution_seconds: 600,
};

export const AdmissionInput: records.AdmissionInput = {
  claim_id: CLAIM_ID,
  nonce: 'n0nce_-0123456789',
  execution_identity: 'runner-1/run-88',
};

export const AuditCheckpoint: records.AuditCheckpoint = {
  ledger_id: LEDGER_ID,
  generation: NAMESPACE,
  sequence: 2,
  head: digest('f2'),
};

export const AnchorAcceptance: records.AnchorAcceptance = {
  backend: 'files',
  key: `anchor/${LEDGER_ID}/${NAMESPACE}/0000000000000002.json`,
  version_id: '1',
  digest: digest('f3'),
  retained_until: '2026-08-01T00:00:00.000Z',
};

export const LedgerNode: records.LedgerNode = {
  sequence: 2,
  previous_head: digest('f1'),
  record_digest: digest('e2'),
  head: digest('f2'),
};

export const AnchorProof: records.AnchorProof = {
  checkpoint: signed('AuditCheckpoint', '2026-05-01T09:05:01.000Z', { ...AuditCheckpoint }),
  acceptance: AnchorAcceptance,
  proof: [LedgerNode],
};

export const AdmissionStatus: records.AdmissionStatus = {
  claim_id: CLAIM_ID,
  claim_digest: digest('e3'),
  request_id: REQUEST_ID,
  execution_identity: 'runner-1/run-88',
  execution_binding_digest: digest('e1'),
  checked_at: '2026-05-01T09:06:01.000Z',
  dispatch_before: '2026-05-02T09:00:00.000Z',
  execution_seconds: 600,
  nonce: 'n0nce_-0123456789',
  anchor: { ...AnchorProof },
};

export const ExecutionOutcome: records.ExecutionOutcome = {
  execution_identity: 'runner-1/run-88',
  status: 'completed',
  details: { transfer: 'T-2026-0815' },
};

export const Recorder: records.Recorder = { kind: 'producer', subject: 'bot-7' };

export const RecordedOutcome: records.RecordedOutcome = {
  request_id: REQUEST_ID,
  claim_digest: digest('e3'),
  outcome: ExecutionOutcome,
  recorded_at: '2026-05-01T09:10:00.000Z',
  recorded_by: Recorder,
};

export const RecordedReconciliation: records.RecordedReconciliation = {
  request_id: REQUEST_ID,
  claim_digest: digest('e3'),
  outcome: {
    execution_identity: 'runner-1/run-88',
    status: 'failed',
    details: { reason: 'The bank refused it', evidence: 'statement-17' },
  },
  recorded_at: '2026-05-03T12:00:00.000Z',
  recorded_by: { kind: 'operator', subject: 'ops-1' },
};

export const RequestChangedEvent: records.RequestChangedEvent = {
  event_id: EVENT_ID,
  type: 'proto.request.changed',
  request_id: REQUEST_ID,
  revision: 2,
  reason: 'decision',
  state: {
    decision: 'confirmed',
    audit: 'pending',
    grant: 'pending_anchor',
    execution: 'unclaimed',
  },
  deadline: '2026-05-02T09:00:00.000Z',
  status_ref: `${ORIGIN}/v2/requests/${REQUEST_ID}`,
};

const event = signed('RequestChangedEvent', '2026-05-01T09:05:00.000Z', {
  ...RequestChangedEvent,
});

export const EventPage: records.EventPage = { items: [event], next: 2 };

export const WebhookDelivery: records.WebhookDelivery = {
  delivery_id: '8d2f6a34-1c5b-4e7d-9f80-a1b2c3d4e5f6',
  event_id: EVENT_ID,
  timestamp: '2026-05-01T09:05:02.000Z',
  event,
};

export const MaterialDiscarded: records.MaterialDiscarded = {
  request_id: REQUEST_ID,
  request_digest: digest('ab'),
  reason: 'retention',
  recorded_by: { kind: 'system', subject: 'proto.retention' },
};

export const LedgerEntry: records.LedgerEntry = {
  tenant: 'acme',
  sequence: '2',
  request_id: REQUEST_ID,
  previous_head: digest('f1'),
  head: digest('f2'),
  record_digest: digest('e2'),
  record: null,
  created_at: '2026-05-01T09:05:00.400Z',
};

export const LedgerPage: records.LedgerPage = [LedgerEntry];

export const ExportedMaterial: records.ExportedMaterial = {
  payload: Material.payload,
  response_schema: Material.response_schema,
  review_document: Material.review_document,
  candidate: DecisionCandidate,
  bundle: { manifest: ReviewBundle, html: '<!doctype html><title>Invoice</title>' },
};

export const AuditExport: records.AuditExport = {
  request: DecisionRequest,
  request_digest: digest('ab'),
  records: [SignedRecord],
  audit: [
    {
      sequence: '2',
      previous_head: digest('f1'),
      head: digest('f2'),
      record_digest: digest('e2'),
      record: null,
    },
  ],
  anchor: AnchorProof,
  material: ExportedMaterial,
  verification: 'Verify every signature against keys that you obtained out of band.',
};

export const EvidenceLog: records.EvidenceLog = {
  checkpoint: `review.example/log/${LEDGER_ID}/${NAMESPACE}\n9\n${'A'.repeat(43)}=\n\n— review.example/log/${LEDGER_ID}/${NAMESPACE} ${'A'.repeat(91)}=\n`,
  opening: null,
  nodes: `${'A'.repeat(43)}=`,
};

export const Evidence: records.Evidence = {
  evidence: 'countersign-evidence-1',
  export: AuditExport,
  log: EvidenceLog,
  trust: TrustManifest,
};

export const DeliveryStatus: records.DeliveryStatus = {
  id: 'c0ffee00-0000-4000-8000-000000000001',
  kind: 'webhook',
  state: 'failed',
  attempts: 3,
  error: 'delivery_failed',
};

export const RequestStatus: records.RequestStatus = {
  request: DecisionRequest,
  request_digest: digest('ab'),
  decision_state: 'confirmed',
  audit_state: 'anchored',
  grant_state: 'available',
  execution_state: 'unclaimed',
  revision: 3,
  receipt: SignedRecord,
  claim: null,
  outcome: null,
  anchor: AnchorProof,
  delivery: [DeliveryStatus],
  review_link: `${ORIGIN}/review/${REQUEST_ID}`,
  polling_link: `${ORIGIN}/v2/requests/${REQUEST_ID}`,
};

export const Assignment: records.Assignment = {
  id: 'e9b1a2c3-4d5e-4f6a-8b7c-9d0e1f2a3b4c',
  reviewer: 'rev-2',
  expires_at: '2026-05-01T09:09:00.000Z',
};

export const RequestListItem: records.RequestListItem = {
  id: REQUEST_ID,
  summary: DecisionRequest.summary,
  deadline: DecisionRequest.review_deadline,
  decision: 'pending',
  audit: 'unanchored',
  grant: 'none',
  execution: 'unclaimed',
  assignment: Assignment,
};

export const RequestList: records.RequestList = { items: [RequestListItem], next_offset: null };

export const ReminderResult: records.ReminderResult = {
  request_id: REQUEST_ID,
  notification: 'queued',
};
