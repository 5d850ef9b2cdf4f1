import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import {
  Count,
  Digest,
  Identifier,
  Metadata,
  Timestamp,
  Uuid,
  choice,
  closed,
  named,
  text,
} from './primitives.js';
import { OUTCOME_STATUSES } from './vocabulary.js';

export const ClaimInput = named('ClaimInput', {
  execution_identity: Identifier,
  execution_binding_digest: Digest,
});
export type ClaimInput = Static<typeof ClaimInput>;

export const ExecutionClaim = named('ExecutionClaim', {
  id: Identifier,
  request_id: Identifier,
  request_digest: Digest,
  receipt_digest: Digest,
  execution_identity: Identifier,
  action_occurrence_id: Identifier,
  execution_binding_digest: Digest,
  claimed_at: Timestamp,
  dispatch_before: Timestamp,
  execution_seconds: Count,
});
export type ExecutionClaim = Static<typeof ExecutionClaim>;

export const AdmissionInput = named('AdmissionInput', {
  claim_id: Uuid,
  nonce: Type.String({ pattern: '^[A-Za-z0-9_-]{16,160}$' }),
  execution_identity: text(1, 160),
});
export type AdmissionInput = Static<typeof AdmissionInput>;

/** `anchor` is open: the AnchorProof of the request, for the executor to verify (protocol §3.4). */
export const AdmissionStatus = named('AdmissionStatus', {
  claim_id: Identifier,
  claim_digest: Digest,
  request_id: Identifier,
  execution_identity: Identifier,
  execution_binding_digest: Digest,
  checked_at: Timestamp,
  dispatch_before: Timestamp,
  execution_seconds: Count,
  nonce: text(16, 160),
  anchor: Metadata,
});
export type AdmissionStatus = Static<typeof AdmissionStatus>;

export const ExecutionOutcome = named('ExecutionOutcome', {
  execution_identity: Identifier,
  status: choice(OUTCOME_STATUSES),
  details: Metadata,
});
export type ExecutionOutcome = Static<typeof ExecutionOutcome>;

export const Recorder = named('Recorder', {
  kind: choice(['producer', 'human', 'operator', 'system']),
  subject: Identifier,
});
export type Recorder = Static<typeof Recorder>;

const outcome = {
  request_id: Identifier,
  claim_digest: Digest,
  outcome: ExecutionOutcome,
  recorded_at: Timestamp,
};

/** Payload of the signed ExecutionOutcome; the bare record of that name is the caller's input. */
export const RecordedOutcome = named('RecordedOutcome', { ...outcome, recorded_by: Recorder });
export type RecordedOutcome = Static<typeof RecordedOutcome>;

/** Payload of ExecutionReconciliation: the same, by an operator (protocol §2.5). */
export const RecordedReconciliation = named('RecordedReconciliation', {
  ...outcome,
  recorded_by: closed({ kind: Type.Literal('operator'), subject: Identifier }),
});
export type RecordedReconciliation = Static<typeof RecordedReconciliation>;
