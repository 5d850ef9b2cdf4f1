import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { PAGE_SIZES } from '../constants.js';
import { Recorder } from './execution.js';
import {
  Count,
  Digest,
  Identifier,
  SignedRecord,
  Timestamp,
  Uuid,
  choice,
  closed,
  named,
} from './primitives.js';
import { AUDIT_STATES, DECISION_STATES, EXECUTION_STATES, GRANT_STATES } from './vocabulary.js';

/** `reason` is an Identifier on the wire: receivers accept reasons that they do not know yet. */
export const RequestChangedEvent = named('RequestChangedEvent', {
  event_id: Uuid,
  type: Type.Literal('proto.request.changed'),
  request_id: Identifier,
  revision: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  reason: Identifier,
  state: closed({
    decision: choice(DECISION_STATES),
    audit: choice(AUDIT_STATES),
    grant: choice(GRANT_STATES),
    execution: choice(EXECUTION_STATES),
  }),
  deadline: Timestamp,
  status_ref: Type.String(),
});
export type RequestChangedEvent = Static<typeof RequestChangedEvent>;

export const EventPage = named('EventPage', {
  items: Type.Array(SignedRecord, { maxItems: PAGE_SIZES.events }),
  next: Count,
});
export type EventPage = Static<typeof EventPage>;

export const WebhookDelivery = named('WebhookDelivery', {
  delivery_id: Uuid,
  event_id: Uuid,
  timestamp: Timestamp,
  event: SignedRecord,
});
export type WebhookDelivery = Static<typeof WebhookDelivery>;

/** `recorded_by` is `{kind: "system", subject: "proto.retention"}` for the worker (protocol §2.5). */
export const MaterialDiscarded = named('MaterialDiscarded', {
  request_id: Identifier,
  request_digest: Digest,
  reason: Type.Literal('retention'),
  recorded_by: Recorder,
});
export type MaterialDiscarded = Static<typeof MaterialDiscarded>;
