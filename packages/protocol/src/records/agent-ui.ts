import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { AGENT_UI_LIFECYCLE, AGENT_UI_LIMITS, AGENT_UI_PROFILE } from '../constants.js';
import {
  AnyJson,
  AnyObject,
  Count,
  Digest,
  Identifier,
  MillisecondTimestamp,
  PurposeName,
  Revision,
  StandardUuid,
  closed,
  named,
  nullable,
  text,
} from './primitives.js';
import { DecisionProposal, EmptyInput } from './review.js';

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const port = '(?:[1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])';

/** A canonical origin: an address in full or a name with a letter, no default port (protocol §3.9). */
export const AgentUiOrigin = Type.String({
  title: 'AgentUiOrigin',
  pattern:
    '^(?!http://[^:]*:80$)(?!https://[^:]*:443$)https?://' +
    `(?:${octet}(?:\\.${octet}){3}|(?=[0-9.-]*[a-z])${label}(?:\\.${label})*)(?::${port})?$`,
});
export type AgentUiOrigin = Static<typeof AgentUiOrigin>;

const Profile = Type.Literal(AGENT_UI_PROFILE);
const JsonRpc = Type.Literal('2.0');

/** An object whose every member is one constant. */
function constants<const Values extends Record<string, string | number>>(
  title: string,
  values: Values,
) {
  return Type.Unsafe<Values>({
    title,
    type: 'object',
    required: Object.keys(values),
    properties: Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, { const: value }]),
    ),
    additionalProperties: false,
  });
}

export const AgentUiLimits = constants('AgentUiLimits', AGENT_UI_LIMITS);
export type AgentUiLimits = Static<typeof AgentUiLimits>;
export const AgentUiLifecycle = constants('AgentUiLifecycle', AGENT_UI_LIFECYCLE);
export type AgentUiLifecycle = Static<typeof AgentUiLifecycle>;

export const AgentUiRequestIdentity = named('AgentUiRequestIdentity', {
  id: StandardUuid,
  digest: Digest,
  purpose: PurposeName,
  authorisation_revision: Count,
  supersedes: nullable(Identifier),
});
export type AgentUiRequestIdentity = Static<typeof AgentUiRequestIdentity>;

export const AgentUiBundleIdentity = named('AgentUiBundleIdentity', {
  id: Identifier,
  publisher: Identifier,
  digest: Digest,
  created_at: MillisecondTimestamp,
});
export type AgentUiBundleIdentity = Static<typeof AgentUiBundleIdentity>;

export const AgentUiSource = named('AgentUiSource', {
  tenant: Identifier,
  producer: Identifier,
  requester: closed({ subject: Identifier, source: Identifier }),
  origin: AgentUiOrigin,
});
export type AgentUiSource = Static<typeof AgentUiSource>;

export const AgentUiSnapshotDigests = named('AgentUiSnapshotDigests', {
  input_digest: Digest,
  result_digest: Digest,
});
export type AgentUiSnapshotDigests = Static<typeof AgentUiSnapshotDigests>;

const envelope = {
  profile: Profile,
  protocol_revision: Revision,
  request: AgentUiRequestIdentity,
  bundle: AgentUiBundleIdentity,
  source: AgentUiSource,
  snapshots: AgentUiSnapshotDigests,
  binding_digest: Digest,
};
export const AgentUiEnvelope = named('AgentUiEnvelope', envelope);
export type AgentUiEnvelope = Static<typeof AgentUiEnvelope>;

export const AgentUiInput = named('AgentUiInput', {
  request_id: StandardUuid,
  purpose: PurposeName,
});
export type AgentUiInput = Static<typeof AgentUiInput>;

export const AgentUiResult = named('AgentUiResult', {
  content: Type.Array(closed({ type: Type.Literal('text'), text: Type.String() })),
  structuredContent: closed({ payload: AnyJson }),
});
export type AgentUiResult = Static<typeof AgentUiResult>;

/** `html` is the exact registered text, `origin` equals `source.origin` (protocol §3.3). */
export const StoredApp = named('StoredApp', {
  ...envelope,
  html: Type.String(),
  origin: AgentUiOrigin,
  scope: Type.String({ pattern: '^[a-f0-9]{64}$' }),
  input: AgentUiInput,
  result: AgentUiResult,
});
export type StoredApp = Static<typeof StoredApp>;

const Capabilities = closed({ localProposal: Type.Literal(true) });

export const AgentUiInitializeParams = named('AgentUiInitializeParams', {
  protocolVersion: Profile,
  capabilities: Capabilities,
  viewInfo: Type.Optional(closed({ name: text(1, 120), version: text(1, 40) })),
});
export type AgentUiInitializeParams = Static<typeof AgentUiInitializeParams>;

export const AgentUiInitializeResult = named('AgentUiInitializeResult', {
  protocolVersion: Profile,
  capabilities: Capabilities,
  hostInfo: closed({ name: Type.String(), version: Type.String() }),
  envelope: AgentUiEnvelope,
  limits: AgentUiLimits,
  lifecycle: AgentUiLifecycle,
});
export type AgentUiInitializeResult = Static<typeof AgentUiInitializeResult>;

/** The same shapes under the names of the profile (protocol §3.9). */
export const AgentUiProposeParams = DecisionProposal;
export type AgentUiProposeParams = DecisionProposal;
export const AgentUiTeardownParams = EmptyInput;
export type AgentUiTeardownParams = EmptyInput;

export const AgentUiProposeResult = named('AgentUiProposeResult', {
  candidate_id: Type.String(),
  status: Type.Literal('awaiting_human_confirmation'),
});
export type AgentUiProposeResult = Static<typeof AgentUiProposeResult>;

export const AgentUiTeardownResult = named('AgentUiTeardownResult', {
  closed: Type.Literal(true),
});
export type AgentUiTeardownResult = Static<typeof AgentUiTeardownResult>;

export const AgentUiId = Type.Union(
  [
    text(1, AGENT_UI_LIMITS.request_id_codepoints),
    Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  ],
  { title: 'AgentUiId' },
);
export type AgentUiId = Static<typeof AgentUiId>;

export const AgentUiRequestMessage = named('AgentUiRequestMessage', {
  jsonrpc: JsonRpc,
  id: AgentUiId,
  method: Type.String(),
  params: AnyObject,
});
export type AgentUiRequestMessage = Static<typeof AgentUiRequestMessage>;

export const AgentUiNotification = named('AgentUiNotification', {
  jsonrpc: JsonRpc,
  method: Type.String(),
  params: AnyObject,
});
export type AgentUiNotification = Static<typeof AgentUiNotification>;

export const AgentUiSuccess = named('AgentUiSuccess', {
  jsonrpc: JsonRpc,
  id: AgentUiId,
  result: AnyObject,
});
export type AgentUiSuccess = Static<typeof AgentUiSuccess>;

export const AgentUiError = named('AgentUiError', {
  jsonrpc: JsonRpc,
  id: AgentUiId,
  error: closed({
    code: Type.Unsafe<-32600 | -32601 | -32602 | -32000>({
      type: 'integer',
      enum: [-32600, -32601, -32602, -32000],
    }),
    message: Type.String({ maxLength: AGENT_UI_LIMITS.error_message_codepoints }),
  }),
});
export type AgentUiError = Static<typeof AgentUiError>;

export const AgentUiResourceReadyParams = named('AgentUiResourceReadyParams', {
  html: Type.String(),
  sandbox: Type.Literal('allow-scripts'),
});
export type AgentUiResourceReadyParams = Static<typeof AgentUiResourceReadyParams>;

export const AgentUiViewFailedParams = named('AgentUiViewFailedParams', {
  reason: Type.String({ maxLength: AGENT_UI_LIMITS.failure_reason_codepoints }),
});
export type AgentUiViewFailedParams = Static<typeof AgentUiViewFailedParams>;
