import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { PROTOCOL_REVISION, SUPPORTED_PROFILES } from '../constants.js';
import { SENT_CODES } from '../errors.js';
import {
  Identifier,
  Profiles,
  Revision,
  Timestamp,
  choice,
  closed,
  named,
  text,
} from './primitives.js';

export const Discovery = named('Discovery', {
  name: Type.String(),
  revisions: Type.Array(Type.Literal(PROTOCOL_REVISION)),
  profiles: Profiles,
  renderer: closed({ agent_ui: Type.Literal(SUPPORTED_PROFILES['proto.agent-ui']) }),
  mode: choice(['development', 'production']),
  release_ready: Type.Boolean(),
  execution_admission: choice(['development_only', 'independent_namespace_required']),
  notifications: choice(['smtp', 'polling-only']),
});
export type Discovery = Static<typeof Discovery>;

/** Discovery only: trust is configured out of band (protocol §2.4). `public_key` is SPKI PEM. */
export const TrustManifest = named('TrustManifest', {
  issuer: Type.String(),
  protocol_revision: Revision,
  keys: Type.Array(
    closed({
      key_id: Identifier,
      algorithm: Type.Literal('Ed25519'),
      public_key: Type.String({ maxLength: 4096 }),
      not_before: Timestamp,
      not_after: Timestamp,
      revoked_at: Type.Optional(Timestamp),
    }),
    { minItems: 1, maxItems: 128 },
  ),
});
export type TrustManifest = Static<typeof TrustManifest>;

/** The body of every refusal (R3). */
export const ProblemDocument = named('ProblemDocument', {
  type: Type.String(),
  title: text(1, 200),
  status: Type.Integer({ minimum: 400, maximum: 503 }),
  detail: Type.String(),
  error: choice(SENT_CODES),
  instance: Type.String(),
});
export type ProblemDocument = Static<typeof ProblemDocument>;
