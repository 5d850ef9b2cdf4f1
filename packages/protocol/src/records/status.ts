import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { PAGE_SIZES } from '../constants.js';
import { AnchorProof } from './audit.js';
import {
  Count,
  Digest,
  SignedRecord,
  Timestamp,
  Uuid,
  choice,
  named,
  nullable,
  text,
} from './primitives.js';
import { DecisionRequest } from './request.js';
import {
  AUDIT_STATES,
  DECISION_STATES,
  DELIVERY_ERRORS,
  DELIVERY_KINDS,
  DELIVERY_STATES,
  EXECUTION_STATES,
  GRANT_STATES,
} from './vocabulary.js';

/** Never says where to: destinations are private (protocol §3.3). */
export const DeliveryStatus = named('DeliveryStatus', {
  id: Uuid,
  kind: choice(DELIVERY_KINDS),
  state: choice(DELIVERY_STATES),
  attempts: Count,
  error: nullable(choice(DELIVERY_ERRORS)),
});
export type DeliveryStatus = Static<typeof DeliveryStatus>;

export const RequestStatus = named('RequestStatus', {
  request: DecisionRequest,
  request_digest: Digest,
  decision_state: choice(DECISION_STATES),
  audit_state: choice(AUDIT_STATES),
  grant_state: choice(GRANT_STATES),
  execution_state: choice(EXECUTION_STATES),
  revision: Count,
  receipt: nullable(SignedRecord),
  claim: nullable(SignedRecord),
  outcome: nullable(SignedRecord),
  anchor: nullable(AnchorProof),
  delivery: Type.Array(DeliveryStatus, { maxItems: PAGE_SIZES.deliveries }),
  review_link: Type.String(),
  polling_link: Type.String(),
});
export type RequestStatus = Static<typeof RequestStatus>;

export const Assignment = named('Assignment', {
  id: Uuid,
  reviewer: text(1, 160),
  expires_at: Timestamp,
});
export type Assignment = Static<typeof Assignment>;

export const RequestListItem = named('RequestListItem', {
  id: Uuid,
  summary: Type.String(),
  deadline: Timestamp,
  decision: choice(DECISION_STATES),
  audit: choice(AUDIT_STATES),
  grant: choice(GRANT_STATES),
  execution: choice(EXECUTION_STATES),
  assignment: nullable(Assignment),
});
export type RequestListItem = Static<typeof RequestListItem>;

export const RequestList = named('RequestList', {
  items: Type.Array(RequestListItem, { maxItems: PAGE_SIZES.requests }),
  next_offset: nullable(Type.Integer({ minimum: 0, maximum: 100_000 })),
});
export type RequestList = Static<typeof RequestList>;

export const ReminderResult = named('ReminderResult', {
  request_id: Uuid,
  notification: choice(['queued', 'polling-only']),
});
export type ReminderResult = Static<typeof ReminderResult>;
