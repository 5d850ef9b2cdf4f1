import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { REVIEW_DOCUMENT_CHARACTERS, SUPPORTED_PROFILES } from '../constants.js';
import {
  AnyJson,
  AnyObject,
  Count,
  Digest,
  Identifier,
  Metadata,
  MillisecondTimestamp,
  Profiles,
  PurposeName,
  Revision,
  Timestamp,
  Uuid,
  choice,
  closed,
  named,
  selectsProfile,
  text,
} from './primitives.js';
import { EXECUTION_MODES } from './vocabulary.js';

export const Limits = named('Limits', {
  bundle_bytes: Count,
  payload_bytes: Count,
  response_bytes: Count,
  inline_result_bytes: Count,
  retained_bytes: Count,
  review_seconds: Count,
  grant_seconds: Count,
  execution_seconds: Count,
  reconciliation_seconds: Count,
  audit_seconds: Count,
});
export type Limits = Static<typeof Limits>;

/** Open: extra members are kept and bound by the digest (protocol §7 request.register-bundle). */
export const AgentUiCompatibility = Type.Object(
  { agent_ui: Type.Literal(SUPPORTED_PROFILES['proto.agent-ui']) },
  { title: 'AgentUiCompatibility', additionalProperties: true },
);
export type AgentUiCompatibility = Static<typeof AgentUiCompatibility>;

export const ExecutionBinding = named('ExecutionBinding', {
  action_occurrence_id: Identifier,
  proposal_digest: Digest,
  proposal_format: Identifier,
  context_digest: Digest,
  context_format: Identifier,
  policy: closed({ source: Identifier, revision: Identifier, digest: Digest }),
  mode: choice(EXECUTION_MODES),
  valid_until: Timestamp,
  execution_seconds: Type.Integer({ minimum: 1, maximum: 3600 }),
  provenance: closed({ profile: Identifier, version: Identifier, references: Metadata }),
  recovery_of: Type.Optional(Identifier),
});
export type ExecutionBinding = Static<typeof ExecutionBinding>;

export const ReviewBinding = named('ReviewBinding', {
  artefact_digest: Digest,
  representation: Identifier,
  digest_rules: Identifier,
  payload_digest: Digest,
  response_schema_digest: Digest,
  document_digest: Digest,
  bundle: Type.Optional(
    closed({
      id: Identifier,
      publisher: Identifier,
      digest: Digest,
      compatibility: AgentUiCompatibility,
      created_at: MillisecondTimestamp,
    }),
  ),
});
export type ReviewBinding = Static<typeof ReviewBinding>;

export const ReviewBundle = named('ReviewBundle', {
  id: Identifier,
  tenant: Identifier,
  publisher: Identifier,
  digest: Digest,
  compatibility: AgentUiCompatibility,
  author: text(1, 1000),
  licence: text(1, 160),
  created_at: Timestamp,
});
export type ReviewBundle = Static<typeof ReviewBundle>;

export const BundleRegistration = named('BundleRegistration', {
  html: Type.String({ minLength: 1 }),
  compatibility: AgentUiCompatibility,
  author: text(1, 1000),
  licence: text(1, 160),
});
export type BundleRegistration = Static<typeof BundleRegistration>;

const executionProfile = selectsProfile('proto.execution', SUPPORTED_PROFILES['proto.execution']);
const appProfile = selectsProfile('proto.agent-ui', SUPPORTED_PROFILES['proto.agent-ui']);

/** Rules 2 and 3 of RequestInput, which hold for the stored request too (protocol §3.2). */
const executionByPurpose = [
  {
    if: { properties: { purpose: { const: 'authorise_execution' } } },
    then: {
      required: ['execution'],
      properties: { ...executionProfile.properties, execution: true },
    },
  },
  {
    if: { properties: { purpose: { const: 'review' } } },
    then: { properties: { execution: false } },
  },
];

/**
 * The maximum of `review_document` stays in the schema, so that a valid record is valid by itself. The service compares the
 * sizes of its parts first, and answers 413 instead (R27).
 */
export const RequestInput = named(
  'RequestInput',
  {
    protocol_revision: Revision,
    purpose: PurposeName,
    profiles: Profiles,
    route: Identifier,
    summary: text(1, 300),
    artefact: closed({ digest: Digest, representation: Identifier, digest_rules: Identifier }),
    payload: AnyJson,
    response_schema: AnyObject,
    review_document: Type.String({ maxLength: REVIEW_DOCUMENT_CHARACTERS }),
    bundle_id: Type.Optional(Identifier),
    execution: Type.Optional(ExecutionBinding),
    review_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 86400 })),
    metadata: Type.Optional(Metadata),
  },
  {
    allOf: [
      ...executionByPurpose,
      { if: { required: ['bundle_id'], properties: { bundle_id: true } }, then: appProfile },
    ],
  },
);
export type RequestInput = Static<typeof RequestInput>;

export const DecisionRequest = named(
  'DecisionRequest',
  {
    id: Identifier,
    protocol_revision: Revision,
    purpose: PurposeName,
    profiles: Profiles,
    tenant: Identifier,
    producer: Identifier,
    requester: closed({ subject: Identifier, source: Identifier }),
    route: Identifier,
    authorisation_revision: Count,
    summary: Type.String(),
    review: ReviewBinding,
    execution: Type.Optional(ExecutionBinding),
    limits: Limits,
    accepted_at: Timestamp,
    review_deadline: Timestamp,
    private_delete_at: Timestamp,
    audit_delete_at: Timestamp,
    metadata: Metadata,
    supersedes: Type.Optional(Identifier),
    authority_namespace: Type.Optional(Uuid),
  },
  {
    allOf: [
      ...executionByPurpose,
      {
        if: {
          properties: {
            review: { type: 'object', required: ['bundle'], properties: { bundle: true } },
          },
        },
        then: appProfile,
      },
    ],
  },
);
export type DecisionRequest = Static<typeof DecisionRequest>;
