import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { HITL_VERSION } from '../constants.js';
import {
  AnyJson,
  SignedRecord,
  Timestamp,
  Uuid,
  choice,
  closed,
  named,
  text,
} from './primitives.js';
import { AUDIT_STATES, DECISIONS } from './vocabulary.js';

/** Every record here is a valid answer of the public v0.8 protocol as well (R19). */

const PublicUrl = Type.String({
  format: 'uri',
  pattern: '^(https://.+|http://(localhost|127\\.0\\.0\\.1)(:[0-9]+)?(/.*)?$)',
});
const Timeout = Type.String({ pattern: '^PT[1-9][0-9]*S$' });
const DefaultAction = Type.Literal('abort');

export const HitlFormField = named('HitlFormField', {
  key: Type.String({ pattern: '^[a-zA-Z][a-zA-Z0-9_]*$' }),
  label: text(1, 200),
  type: Type.String({
    pattern: '^(text|textarea|number|date|email|url|boolean|select|multiselect|range|x-.+)$',
  }),
  required: Type.Optional(Type.Boolean()),
  hint: Type.Optional(Type.String()),
  default: Type.Optional(AnyJson),
  options: Type.Optional(Type.Array(closed({ value: Type.String(), label: Type.String() }))),
  validation: Type.Optional(
    closed({
      minLength: Type.Optional(Type.Integer({ minimum: 0 })),
      maxLength: Type.Optional(Type.Integer({ minimum: 0 })),
      min: Type.Optional(Type.Number()),
      max: Type.Optional(Type.Number()),
    }),
  ),
});
export type HitlFormField = Static<typeof HitlFormField>;

const handover = {
  spec_version: Type.Literal(HITL_VERSION),
  case_id: Uuid,
  /** A plain link behind sign-in: links are never credentials. */
  review_url: PublicUrl,
  poll_url: PublicUrl,
  prompt: text(1, 300),
  timeout: Timeout,
  default_action: DefaultAction,
  created_at: Timestamp,
  expires_at: Timestamp,
};
const approval = closed({ ...handover, type: Type.Literal('approval') });
const input = closed({
  ...handover,
  type: Type.Literal('input'),
  context: closed({ form: closed({ fields: Type.Array(HitlFormField) }) }),
});

/** `approval` when the response schema is a closed object without properties, else `input` (R31). */
export const HitlHandover = Type.Union([approval, input], { title: 'HitlHandover' });
export type HitlHandover = Static<typeof HitlHandover>;

const open = { case_id: Uuid, created_at: Timestamp, expires_at: Timestamp };
const pending = closed({ ...open, status: Type.Literal('pending') });
const expired = closed({
  ...open,
  status: Type.Literal('expired'),
  expired_at: Timestamp,
  default_action: DefaultAction,
});
const cancelled = closed({
  ...open,
  status: Type.Literal('cancelled'),
  cancelled_at: Timestamp,
  reason: Type.String(),
});
const completed = closed({
  case_id: Uuid,
  status: Type.Literal('completed'),
  completed_at: Timestamp,
  result: closed({
    action: choice(DECISIONS),
    data: closed({
      response: AnyJson,
      proto_receipt: SignedRecord,
      audit_state: choice(AUDIT_STATES),
      material_available: Type.Boolean(),
    }),
  }),
});

export const HitlPoll = Type.Union([pending, cancelled, expired, completed], { title: 'HitlPoll' });
export type HitlPoll = Static<typeof HitlPoll>;

export const HumanInputRequired = named('HumanInputRequired', {
  status: Type.Literal('human_input_required'),
  message: Type.String(),
  hitl: HitlHandover,
});
export type HumanInputRequired = Static<typeof HumanInputRequired>;

/** 202 carries HumanInputRequired, 200 a HitlPoll (protocol §13). */
export const HitlStatus = Type.Union([HumanInputRequired, HitlPoll], { title: 'HitlStatus' });
export type HitlStatus = Static<typeof HitlStatus>;

/** `/.well-known/hitl.json` (R30). */
export const HitlDiscovery = named('HitlDiscovery', {
  hitl_protocol: closed({
    spec_version: Type.Literal(HITL_VERSION),
    service: closed({ name: Type.String(), description: Type.String(), url: PublicUrl }),
    capabilities: closed({
      review_types: Type.Array(choice(['approval', 'input'])),
      transports: Type.Array(Type.Literal('polling')),
      max_timeout: Timeout,
      default_timeout: Timeout,
      supports_reminders: Type.Boolean(),
      supports_multi_round: Type.Boolean(),
      supports_signatures: Type.Boolean(),
      supports_inline_submit: Type.Boolean(),
    }),
    endpoints: closed({
      reviews_base: PublicUrl,
      review_page_base: PublicUrl,
      well_known: PublicUrl,
    }),
    authentication: closed({ type: Type.String() }),
    rate_limits: closed({
      poll_min_interval_seconds: Type.Integer({ minimum: 1 }),
      poll_recommended_interval_seconds: Type.Integer({ minimum: 1 }),
      max_requests_per_minute: Type.Integer({ minimum: 1 }),
    }),
    examples: closed({ documentation: PublicUrl, openapi: PublicUrl }),
  }),
});
export type HitlDiscovery = Static<typeof HitlDiscovery>;
