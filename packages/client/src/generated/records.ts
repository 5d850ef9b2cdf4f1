// Made by `npm run generate`, of packages/protocol.

import type { Shape } from '../shape.js';

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

const identifier: Shape = {
  minLength: 1,
  maxLength: 160,
  pattern: '^[a-zA-Z0-9_.:@/-]+$',
  type: 'string',
};
const digest: Shape = { type: 'string', pattern: '^sha256:[a-f0-9]{64}$' };
const uuid: Shape = {
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
  type: 'string',
};
const timestamp: Shape = { format: 'date-time', type: 'string' };
const count: Shape = { minimum: 0, maximum: 9007199254740991, type: 'integer' };

export interface AdmissionInput {
  readonly claim_id: string;
  readonly nonce: string;
  readonly execution_identity: string;
}

export interface AgentUiCompatibility {
  readonly agent_ui: '2';
  readonly [name: string]: JsonValue;
}
export const AgentUiCompatibility: Shape = {
  additionalProperties: true,
  type: 'object',
  required: ['agent_ui'],
  properties: { agent_ui: { const: '2', type: 'string' } },
};

export interface AnchorAcceptance {
  readonly backend: string;
  readonly key: string;
  readonly version_id: string;
  readonly digest: string;
  readonly retained_until: string;
}
export const AnchorAcceptance: Shape = {
  optional: [],
  properties: {
    backend: { type: 'string' },
    key: { type: 'string' },
    version_id: { type: 'string' },
    digest: { type: 'string' },
    retained_until: timestamp,
  },
};

export interface Assignment {
  readonly id: string;
  readonly reviewer: string;
  readonly expires_at: string;
}
export const Assignment: Shape = {
  optional: [],
  properties: {
    id: uuid,
    reviewer: { minLength: 1, maxLength: 160, type: 'string' },
    expires_at: timestamp,
  },
};

export interface AuditCheckpoint {
  readonly ledger_id: string;
  readonly generation: string;
  readonly sequence: number;
  readonly head: string;
}
export const AuditCheckpoint: Shape = {
  optional: [],
  properties: { ledger_id: uuid, generation: uuid, sequence: count, head: digest },
};

export interface ClaimInput {
  readonly execution_identity: string;
  readonly execution_binding_digest: string;
}

export interface DecisionCandidate {
  readonly id: string;
  readonly request_id: string;
  readonly request_digest: string;
  readonly reviewer: string;
  readonly revision: number;
  readonly response: JsonValue;
  readonly response_canonical: string;
  readonly response_digest: string;
  readonly decision: 'answer' | 'approve' | 'reject' | 'authorise' | 'refuse';
  readonly created_at: string;
}
export const DecisionCandidate: Shape = {
  optional: [],
  properties: {
    id: identifier,
    request_id: identifier,
    request_digest: digest,
    reviewer: identifier,
    revision: count,
    response: {},
    response_canonical: { type: 'string' },
    response_digest: digest,
    decision: { type: 'string', enum: ['answer', 'approve', 'reject', 'authorise', 'refuse'] },
    created_at: timestamp,
  },
};

export type DecisionReceipt =
  | {
      readonly request_id: string;
      readonly request_digest: string;
      readonly candidate_id: string;
      readonly candidate_digest: string;
      readonly reviewer: string;
      readonly requester: string;
      readonly response_digest: string;
      readonly confirmed_at: string;
      readonly purpose: 'review';
      readonly decision: 'answer' | 'approve' | 'reject';
    }
  | {
      readonly request_id: string;
      readonly request_digest: string;
      readonly candidate_id: string;
      readonly candidate_digest: string;
      readonly reviewer: string;
      readonly requester: string;
      readonly response_digest: string;
      readonly confirmed_at: string;
      readonly purpose: 'authorise_execution';
      readonly decision: 'authorise' | 'refuse';
      readonly grant_deadline: string;
    };
export const DecisionReceipt: Shape = {
  anyOf: [
    {
      optional: [],
      properties: {
        request_id: identifier,
        request_digest: digest,
        candidate_id: identifier,
        candidate_digest: digest,
        reviewer: identifier,
        requester: identifier,
        response_digest: digest,
        confirmed_at: timestamp,
        purpose: { const: 'review', type: 'string' },
        decision: { type: 'string', enum: ['answer', 'approve', 'reject'] },
      },
    },
    {
      optional: [],
      properties: {
        request_id: identifier,
        request_digest: digest,
        candidate_id: identifier,
        candidate_digest: digest,
        reviewer: identifier,
        requester: identifier,
        response_digest: digest,
        confirmed_at: timestamp,
        purpose: { const: 'authorise_execution', type: 'string' },
        decision: { type: 'string', enum: ['authorise', 'refuse'] },
        grant_deadline: timestamp,
      },
    },
  ],
};

export interface DeliveryStatus {
  readonly id: string;
  readonly kind: 'smtp' | 'webhook' | 'checkpoint';
  readonly state: 'pending' | 'accepted' | 'failed' | 'expired';
  readonly attempts: number;
  readonly error:
    | 'delivery_failed'
    | 'destination_changed'
    | 'delivery_window_expired'
    | 'smtp_timeout'
    | 'anchor_conflict'
    | 'anchor_version_conflict'
    | 'anchor_deleted_version'
    | 'anchor_retention_invalid'
    | 'anchor_retention_expired'
    | 'anchor_history_invalid'
    | null;
}
export const DeliveryStatus: Shape = {
  optional: [],
  properties: {
    id: uuid,
    kind: { type: 'string', enum: ['smtp', 'webhook', 'checkpoint'] },
    state: { type: 'string', enum: ['pending', 'accepted', 'failed', 'expired'] },
    attempts: count,
    error: {
      anyOf: [
        {
          type: 'string',
          enum: [
            'delivery_failed',
            'destination_changed',
            'delivery_window_expired',
            'smtp_timeout',
            'anchor_conflict',
            'anchor_version_conflict',
            'anchor_deleted_version',
            'anchor_retention_invalid',
            'anchor_retention_expired',
            'anchor_history_invalid',
          ],
        },
        { type: 'null' },
      ],
    },
  },
};

export type EmptyInput = Readonly<Record<string, never>>;

export interface ExecutionClaim {
  readonly id: string;
  readonly request_id: string;
  readonly request_digest: string;
  readonly receipt_digest: string;
  readonly execution_identity: string;
  readonly action_occurrence_id: string;
  readonly execution_binding_digest: string;
  readonly claimed_at: string;
  readonly dispatch_before: string;
  readonly execution_seconds: number;
}
export const ExecutionClaim: Shape = {
  optional: [],
  properties: {
    id: identifier,
    request_id: identifier,
    request_digest: digest,
    receipt_digest: digest,
    execution_identity: identifier,
    action_occurrence_id: identifier,
    execution_binding_digest: digest,
    claimed_at: timestamp,
    dispatch_before: timestamp,
    execution_seconds: count,
  },
};

export type ExtendedDecisionReceipt =
  | {
      readonly request_id: string;
      readonly request_digest: string;
      readonly candidate_id: string;
      readonly candidate_digest: string;
      readonly reviewer: string;
      readonly requester: string;
      readonly response_digest: string;
      readonly confirmed_at: string;
      readonly purpose: 'review';
      readonly decision: 'answer' | 'approve' | 'reject';
      readonly quorum: {
        readonly policy_digest: string;
        readonly outcome: 'reached' | 'rejected';
        readonly mode: 'normal' | 'break_glass';
        readonly approvals: readonly {
          readonly record: string;
          readonly reviewer: string;
          readonly person: string;
          readonly stage: number;
          readonly group: string | null;
        }[];
      };
    }
  | {
      readonly request_id: string;
      readonly request_digest: string;
      readonly candidate_id: string;
      readonly candidate_digest: string;
      readonly reviewer: string;
      readonly requester: string;
      readonly response_digest: string;
      readonly confirmed_at: string;
      readonly purpose: 'authorise_execution';
      readonly decision: 'authorise' | 'refuse';
      readonly grant_deadline: string;
      readonly quorum: {
        readonly policy_digest: string;
        readonly outcome: 'reached' | 'rejected';
        readonly mode: 'normal' | 'break_glass';
        readonly approvals: readonly {
          readonly record: string;
          readonly reviewer: string;
          readonly person: string;
          readonly stage: number;
          readonly group: string | null;
        }[];
      };
    };
export const ExtendedDecisionReceipt: Shape = {
  anyOf: [
    {
      optional: [],
      properties: {
        request_id: identifier,
        request_digest: digest,
        candidate_id: identifier,
        candidate_digest: digest,
        reviewer: identifier,
        requester: identifier,
        response_digest: digest,
        confirmed_at: timestamp,
        purpose: { const: 'review', type: 'string' },
        decision: { type: 'string', enum: ['answer', 'approve', 'reject'] },
        quorum: {
          optional: [],
          properties: {
            policy_digest: digest,
            outcome: { type: 'string', enum: ['reached', 'rejected'] },
            mode: { type: 'string', enum: ['normal', 'break_glass'] },
            approvals: {
              minItems: 1,
              maxItems: 20,
              type: 'array',
              items: {
                optional: [],
                properties: {
                  record: digest,
                  reviewer: identifier,
                  person: digest,
                  stage: { minimum: 0, maximum: 5, type: 'integer' },
                  group: { anyOf: [identifier, { type: 'null' }] },
                },
              },
            },
          },
        },
      },
    },
    {
      optional: [],
      properties: {
        request_id: identifier,
        request_digest: digest,
        candidate_id: identifier,
        candidate_digest: digest,
        reviewer: identifier,
        requester: identifier,
        response_digest: digest,
        confirmed_at: timestamp,
        purpose: { const: 'authorise_execution', type: 'string' },
        decision: { type: 'string', enum: ['authorise', 'refuse'] },
        grant_deadline: timestamp,
        quorum: {
          optional: [],
          properties: {
            policy_digest: digest,
            outcome: { type: 'string', enum: ['reached', 'rejected'] },
            mode: { type: 'string', enum: ['normal', 'break_glass'] },
            approvals: {
              minItems: 1,
              maxItems: 20,
              type: 'array',
              items: {
                optional: [],
                properties: {
                  record: digest,
                  reviewer: identifier,
                  person: digest,
                  stage: { minimum: 0, maximum: 5, type: 'integer' },
                  group: { anyOf: [identifier, { type: 'null' }] },
                },
              },
            },
          },
        },
      },
    },
  ],
};

export interface HitlFormField {
  readonly key: string;
  readonly label: string;
  readonly type: string;
  readonly required?: boolean;
  readonly hint?: string;
  readonly default?: JsonValue;
  readonly options?: readonly { readonly value: string; readonly label: string }[];
  readonly validation?: {
    readonly minLength?: number;
    readonly maxLength?: number;
    readonly min?: number;
    readonly max?: number;
  };
}
export const HitlFormField: Shape = {
  optional: ['required', 'hint', 'default', 'options', 'validation'],
  properties: {
    key: { pattern: '^[a-zA-Z][a-zA-Z0-9_]*$', type: 'string' },
    label: { minLength: 1, maxLength: 200, type: 'string' },
    type: {
      pattern: '^(text|textarea|number|date|email|url|boolean|select|multiselect|range|x-.+)$',
      type: 'string',
    },
    required: { type: 'boolean' },
    hint: { type: 'string' },
    default: {},
    options: {
      type: 'array',
      items: { optional: [], properties: { value: { type: 'string' }, label: { type: 'string' } } },
    },
    validation: {
      optional: ['minLength', 'maxLength', 'min', 'max'],
      properties: {
        minLength: { minimum: 0, type: 'integer' },
        maxLength: { minimum: 0, type: 'integer' },
        min: { type: 'number' },
        max: { type: 'number' },
      },
    },
  },
};

export interface LedgerEntry {
  readonly sequence: string;
  readonly previous_head: string;
  readonly head: string;
  readonly record_digest: string;
  readonly record: string | null;
  readonly tenant: string;
  readonly request_id: string | null;
  readonly created_at: string;
}
export const LedgerEntry: Shape = {
  optional: [],
  properties: {
    sequence: { pattern: '^[0-9]+$', type: 'string' },
    previous_head: { type: 'string' },
    head: { type: 'string' },
    record_digest: { type: 'string' },
    record: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    tenant: { type: 'string' },
    request_id: { anyOf: [uuid, { type: 'null' }] },
    created_at: timestamp,
  },
};

export interface LedgerNode {
  readonly sequence: number;
  readonly previous_head: string;
  readonly record_digest: string;
  readonly head: string;
}
export const LedgerNode: Shape = {
  optional: [],
  properties: {
    sequence: count,
    previous_head: { type: 'string' },
    record_digest: { type: 'string' },
    head: { type: 'string' },
  },
};

export interface Limits {
  readonly bundle_bytes: number;
  readonly payload_bytes: number;
  readonly response_bytes: number;
  readonly inline_result_bytes: number;
  readonly retained_bytes: number;
  readonly review_seconds: number;
  readonly grant_seconds: number;
  readonly execution_seconds: number;
  readonly reconciliation_seconds: number;
  readonly audit_seconds: number;
}
export const Limits: Shape = {
  optional: [],
  properties: {
    bundle_bytes: count,
    payload_bytes: count,
    response_bytes: count,
    inline_result_bytes: count,
    retained_bytes: count,
    review_seconds: count,
    grant_seconds: count,
    execution_seconds: count,
    reconciliation_seconds: count,
    audit_seconds: count,
  },
};

export type Metadata = JsonObject;
export const Metadata: Shape = { type: 'object' };

export interface MetricsSnapshot {
  readonly admission_fenced: boolean;
  readonly requests: {
    readonly retained: number;
    readonly pending: number;
    readonly unresolved_execution: number;
    readonly oldest_pending_seconds: number;
    readonly retained_bytes: number;
    readonly [name: string]: JsonValue;
  };
  readonly enabled_reviewers: number;
  readonly pending_per_reviewer: number | null;
  readonly delivery: readonly {
    readonly kind: string;
    readonly state: string;
    readonly count: number;
    readonly oldest_seconds: number;
  }[];
  readonly incidents: readonly {
    readonly id: string;
    readonly code: string;
    readonly created_at: string;
  }[];
  readonly operations: readonly {
    readonly name: string;
    readonly succeeded_at: string | null;
    readonly failed_at: string | null;
  }[];
  readonly http_since_process_start: {
    readonly total: number;
    readonly failures: number;
    readonly conflicts: number;
  };
  readonly policy_and_executor_evidence: 'external_executor_responsibility';
}
export const MetricsSnapshot: Shape = {
  optional: [],
  properties: {
    admission_fenced: { type: 'boolean' },
    requests: {
      additionalProperties: { type: 'number' },
      type: 'object',
      required: [
        'retained',
        'pending',
        'unresolved_execution',
        'oldest_pending_seconds',
        'retained_bytes',
      ],
      properties: {
        retained: { minimum: 0, type: 'number' },
        pending: { minimum: 0, type: 'number' },
        unresolved_execution: { minimum: 0, type: 'number' },
        oldest_pending_seconds: { minimum: 0, type: 'number' },
        retained_bytes: { minimum: 0, type: 'number' },
      },
    },
    enabled_reviewers: count,
    pending_per_reviewer: { anyOf: [{ minimum: 0, type: 'number' }, { type: 'null' }] },
    delivery: {
      type: 'array',
      items: {
        optional: [],
        properties: {
          kind: { type: 'string' },
          state: { type: 'string' },
          count: count,
          oldest_seconds: { minimum: 0, type: 'number' },
        },
      },
    },
    incidents: {
      maxItems: 50,
      type: 'array',
      items: {
        optional: [],
        properties: { id: { type: 'string' }, code: { type: 'string' }, created_at: timestamp },
      },
    },
    operations: {
      type: 'array',
      items: {
        optional: [],
        properties: {
          name: { type: 'string' },
          succeeded_at: { anyOf: [timestamp, { type: 'null' }] },
          failed_at: { anyOf: [timestamp, { type: 'null' }] },
        },
      },
    },
    http_since_process_start: {
      optional: [],
      properties: { total: count, failures: count, conflicts: count },
    },
    policy_and_executor_evidence: { const: 'external_executor_responsibility', type: 'string' },
  },
};

export interface PrincipalConfig {
  readonly enabled: boolean;
  readonly identity_certain?: boolean;
  readonly name?: string;
  readonly publisher?: string;
  readonly owner?: string;
  readonly routes?: readonly string[];
  readonly oidc_issuer?: string;
  readonly oidc_subject?: string;
  readonly operator?: boolean;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly webhook?: string;
  readonly webhook_secret?: string;
}

export interface PrincipalConfigured {
  readonly id: string;
  readonly kind: 'producer' | 'publisher' | 'operator' | 'human';
  readonly enabled: boolean;
}
export const PrincipalConfigured: Shape = {
  optional: [],
  properties: {
    id: identifier,
    kind: { type: 'string', enum: ['producer', 'publisher', 'operator', 'human'] },
    enabled: { type: 'boolean' },
  },
};

export interface PrincipalResult {
  readonly id: string;
  readonly kind: string;
}
export const PrincipalResult: Shape = {
  optional: [],
  properties: { id: identifier, kind: { type: 'string' } },
};

export type Profiles = Readonly<Record<string, string>>;
export const Profiles: Shape = {
  type: 'object',
  maxProperties: 10,
  additionalProperties: { type: 'string', minLength: 1, maxLength: 100 },
};

export interface Recorder {
  readonly kind: 'producer' | 'human' | 'operator' | 'system';
  readonly subject: string;
}
export const Recorder: Shape = {
  optional: [],
  properties: {
    kind: { type: 'string', enum: ['producer', 'human', 'operator', 'system'] },
    subject: identifier,
  },
};

export interface RecoveryFence {
  readonly key: string;
  readonly value: JsonObject;
}
export const RecoveryFence: Shape = {
  optional: [],
  properties: { key: { pattern: '^[a-f0-9]{64}$', type: 'string' }, value: { type: 'object' } },
};

export interface ReminderResult {
  readonly request_id: string;
  readonly notification: 'queued' | 'polling-only';
}
export const ReminderResult: Shape = {
  optional: [],
  properties: {
    request_id: uuid,
    notification: { type: 'string', enum: ['queued', 'polling-only'] },
  },
};

export interface RequestChangedEvent {
  readonly event_id: string;
  readonly type: 'proto.request.changed';
  readonly request_id: string;
  readonly revision: number;
  readonly reason: string;
  readonly state: {
    readonly decision: 'pending' | 'confirmed' | 'cancelled' | 'expired' | 'superseded';
    readonly audit: 'unanchored' | 'pending' | 'anchored' | 'conflict';
    readonly grant:
      | 'not_applicable'
      | 'none'
      | 'pending_anchor'
      | 'available'
      | 'expired'
      | 'revoked'
      | 'consumed';
    readonly execution:
      | 'not_applicable'
      | 'unclaimed'
      | 'claimed'
      | 'admitted'
      | 'completed'
      | 'failed'
      | 'failed_partial'
      | 'uncertain'
      | 'cancelled_before_dispatch'
      | 'abandoned';
  };
  readonly deadline: string;
  readonly status_ref: string;
}
export const RequestChangedEvent: Shape = {
  optional: [],
  properties: {
    event_id: uuid,
    type: { const: 'proto.request.changed', type: 'string' },
    request_id: identifier,
    revision: { minimum: 1, maximum: 9007199254740991, type: 'integer' },
    reason: identifier,
    state: {
      optional: [],
      properties: {
        decision: {
          type: 'string',
          enum: ['pending', 'confirmed', 'cancelled', 'expired', 'superseded'],
        },
        audit: { type: 'string', enum: ['unanchored', 'pending', 'anchored', 'conflict'] },
        grant: {
          type: 'string',
          enum: [
            'not_applicable',
            'none',
            'pending_anchor',
            'available',
            'expired',
            'revoked',
            'consumed',
          ],
        },
        execution: {
          type: 'string',
          enum: [
            'not_applicable',
            'unclaimed',
            'claimed',
            'admitted',
            'completed',
            'failed',
            'failed_partial',
            'uncertain',
            'cancelled_before_dispatch',
            'abandoned',
          ],
        },
      },
    },
    deadline: timestamp,
    status_ref: { type: 'string' },
  },
};

export interface RouteInput {
  readonly reviewers: readonly string[];
  readonly separation_of_duties: boolean;
  readonly required_profiles: Readonly<Record<string, string>>;
  readonly allowed_producers: readonly string[];
  readonly modes: readonly string[];
  readonly limits: {
    readonly bundle_bytes: JsonValue;
    readonly payload_bytes: JsonValue;
    readonly response_bytes: JsonValue;
    readonly inline_result_bytes: JsonValue;
    readonly retained_bytes: JsonValue;
    readonly review_seconds: JsonValue;
    readonly grant_seconds: JsonValue;
    readonly execution_seconds: JsonValue;
    readonly reconciliation_seconds: JsonValue;
    readonly audit_seconds: JsonValue;
  };
}

export interface TrustManifest {
  readonly issuer: string;
  readonly protocol_revision: '2.0.0-draft.3';
  readonly keys: readonly {
    readonly key_id: string;
    readonly algorithm: 'Ed25519';
    readonly public_key: string;
    readonly not_before: string;
    readonly not_after: string;
    readonly revoked_at?: string;
  }[];
}
export const TrustManifest: Shape = {
  optional: [],
  properties: {
    issuer: { type: 'string' },
    protocol_revision: { const: '2.0.0-draft.3', type: 'string' },
    keys: {
      minItems: 1,
      maxItems: 128,
      type: 'array',
      items: {
        optional: ['revoked_at'],
        properties: {
          key_id: identifier,
          algorithm: { const: 'Ed25519', type: 'string' },
          public_key: { maxLength: 4096, type: 'string' },
          not_before: timestamp,
          not_after: timestamp,
          revoked_at: timestamp,
        },
      },
    },
  },
};

export interface AdmissionStatus {
  readonly claim_id: string;
  readonly claim_digest: string;
  readonly request_id: string;
  readonly execution_identity: string;
  readonly execution_binding_digest: string;
  readonly checked_at: string;
  readonly dispatch_before: string;
  readonly execution_seconds: number;
  readonly nonce: string;
  readonly anchor: Metadata;
}
export const AdmissionStatus: Shape = {
  optional: [],
  properties: {
    claim_id: identifier,
    claim_digest: digest,
    request_id: identifier,
    execution_identity: identifier,
    execution_binding_digest: digest,
    checked_at: timestamp,
    dispatch_before: timestamp,
    execution_seconds: count,
    nonce: { minLength: 16, maxLength: 160, type: 'string' },
    anchor: Metadata,
  },
};

export interface BundleRegistration {
  readonly html: string;
  readonly compatibility: AgentUiCompatibility;
  readonly author: string;
  readonly licence: string;
}

export interface Discovery {
  readonly name: string;
  readonly revisions: readonly '2.0.0-draft.3'[];
  readonly profiles: Profiles;
  readonly renderer: { readonly agent_ui: '2' };
  readonly mode: 'development' | 'production';
  readonly release_ready: boolean;
  readonly execution_admission: 'development_only' | 'independent_namespace_required';
  readonly notifications: 'smtp' | 'polling-only';
}
export const Discovery: Shape = {
  optional: [],
  properties: {
    name: { type: 'string' },
    revisions: { type: 'array', items: { const: '2.0.0-draft.3', type: 'string' } },
    profiles: Profiles,
    renderer: { optional: [], properties: { agent_ui: { const: '2', type: 'string' } } },
    mode: { type: 'string', enum: ['development', 'production'] },
    release_ready: { type: 'boolean' },
    execution_admission: {
      type: 'string',
      enum: ['development_only', 'independent_namespace_required'],
    },
    notifications: { type: 'string', enum: ['smtp', 'polling-only'] },
  },
};

export interface ExecutionBinding {
  readonly action_occurrence_id: string;
  readonly proposal_digest: string;
  readonly proposal_format: string;
  readonly context_digest: string;
  readonly context_format: string;
  readonly policy: { readonly source: string; readonly revision: string; readonly digest: string };
  readonly mode: 'live_window' | 'durable' | 'fixed_mock';
  readonly valid_until: string;
  readonly execution_seconds: number;
  readonly provenance: {
    readonly profile: string;
    readonly version: string;
    readonly references: Metadata;
  };
  readonly recovery_of?: string;
}
export const ExecutionBinding: Shape = {
  optional: ['recovery_of'],
  properties: {
    action_occurrence_id: identifier,
    proposal_digest: digest,
    proposal_format: identifier,
    context_digest: digest,
    context_format: identifier,
    policy: {
      optional: [],
      properties: { source: identifier, revision: identifier, digest: digest },
    },
    mode: { type: 'string', enum: ['live_window', 'durable', 'fixed_mock'] },
    valid_until: timestamp,
    execution_seconds: { minimum: 1, maximum: 3600, type: 'integer' },
    provenance: {
      optional: [],
      properties: { profile: identifier, version: identifier, references: Metadata },
    },
    recovery_of: identifier,
  },
};

export interface ExecutionOutcome {
  readonly execution_identity: string;
  readonly status:
    | 'completed'
    | 'failed'
    | 'failed_partial'
    | 'uncertain'
    | 'cancelled_before_dispatch'
    | 'abandoned';
  readonly details: Metadata;
}
export const ExecutionOutcome: Shape = {
  optional: [],
  properties: {
    execution_identity: identifier,
    status: {
      type: 'string',
      enum: [
        'completed',
        'failed',
        'failed_partial',
        'uncertain',
        'cancelled_before_dispatch',
        'abandoned',
      ],
    },
    details: Metadata,
  },
};

export type HitlHandover =
  | {
      readonly spec_version: '0.8';
      readonly case_id: string;
      readonly review_url: string;
      readonly poll_url: string;
      readonly prompt: string;
      readonly timeout: string;
      readonly default_action: 'abort';
      readonly created_at: string;
      readonly expires_at: string;
      readonly type: 'approval';
    }
  | {
      readonly spec_version: '0.8';
      readonly case_id: string;
      readonly review_url: string;
      readonly poll_url: string;
      readonly prompt: string;
      readonly timeout: string;
      readonly default_action: 'abort';
      readonly created_at: string;
      readonly expires_at: string;
      readonly type: 'input';
      readonly context: { readonly form: { readonly fields: readonly HitlFormField[] } };
    };
export const HitlHandover: Shape = {
  anyOf: [
    {
      optional: [],
      properties: {
        spec_version: { const: '0.8', type: 'string' },
        case_id: uuid,
        review_url: {
          format: 'uri',
          pattern: '^(https://.+|http://(localhost|127\\.0\\.0\\.1)(:[0-9]+)?(/.*)?$)',
          type: 'string',
        },
        poll_url: {
          format: 'uri',
          pattern: '^(https://.+|http://(localhost|127\\.0\\.0\\.1)(:[0-9]+)?(/.*)?$)',
          type: 'string',
        },
        prompt: { minLength: 1, maxLength: 300, type: 'string' },
        timeout: { pattern: '^PT[1-9][0-9]*S$', type: 'string' },
        default_action: { const: 'abort', type: 'string' },
        created_at: timestamp,
        expires_at: timestamp,
        type: { const: 'approval', type: 'string' },
      },
    },
    {
      optional: [],
      properties: {
        spec_version: { const: '0.8', type: 'string' },
        case_id: uuid,
        review_url: {
          format: 'uri',
          pattern: '^(https://.+|http://(localhost|127\\.0\\.0\\.1)(:[0-9]+)?(/.*)?$)',
          type: 'string',
        },
        poll_url: {
          format: 'uri',
          pattern: '^(https://.+|http://(localhost|127\\.0\\.0\\.1)(:[0-9]+)?(/.*)?$)',
          type: 'string',
        },
        prompt: { minLength: 1, maxLength: 300, type: 'string' },
        timeout: { pattern: '^PT[1-9][0-9]*S$', type: 'string' },
        default_action: { const: 'abort', type: 'string' },
        created_at: timestamp,
        expires_at: timestamp,
        type: { const: 'input', type: 'string' },
        context: {
          optional: [],
          properties: {
            form: { optional: [], properties: { fields: { type: 'array', items: HitlFormField } } },
          },
        },
      },
    },
  ],
};

export type LedgerPage = readonly LedgerEntry[];
export const LedgerPage: Shape = { maxItems: 100, type: 'array', items: LedgerEntry };

export interface MaterialDiscarded {
  readonly request_id: string;
  readonly request_digest: string;
  readonly reason: 'retention';
  readonly recorded_by: Recorder;
}
export const MaterialDiscarded: Shape = {
  optional: [],
  properties: {
    request_id: identifier,
    request_digest: digest,
    reason: { const: 'retention', type: 'string' },
    recorded_by: Recorder,
  },
};

export interface PrincipalInput {
  readonly id: string;
  readonly kind: 'producer' | 'publisher' | 'human';
  readonly config: PrincipalConfig;
  readonly token?: string;
}

export interface RequestListItem {
  readonly id: string;
  readonly summary: string;
  readonly deadline: string;
  readonly decision: 'pending' | 'confirmed' | 'cancelled' | 'expired' | 'superseded';
  readonly audit: 'unanchored' | 'pending' | 'anchored' | 'conflict';
  readonly grant:
    | 'not_applicable'
    | 'none'
    | 'pending_anchor'
    | 'available'
    | 'expired'
    | 'revoked'
    | 'consumed';
  readonly execution:
    | 'not_applicable'
    | 'unclaimed'
    | 'claimed'
    | 'admitted'
    | 'completed'
    | 'failed'
    | 'failed_partial'
    | 'uncertain'
    | 'cancelled_before_dispatch'
    | 'abandoned';
  readonly assignment: Assignment | null;
}
export const RequestListItem: Shape = {
  optional: [],
  properties: {
    id: uuid,
    summary: { type: 'string' },
    deadline: timestamp,
    decision: {
      type: 'string',
      enum: ['pending', 'confirmed', 'cancelled', 'expired', 'superseded'],
    },
    audit: { type: 'string', enum: ['unanchored', 'pending', 'anchored', 'conflict'] },
    grant: {
      type: 'string',
      enum: [
        'not_applicable',
        'none',
        'pending_anchor',
        'available',
        'expired',
        'revoked',
        'consumed',
      ],
    },
    execution: {
      type: 'string',
      enum: [
        'not_applicable',
        'unclaimed',
        'claimed',
        'admitted',
        'completed',
        'failed',
        'failed_partial',
        'uncertain',
        'cancelled_before_dispatch',
        'abandoned',
      ],
    },
    assignment: { anyOf: [Assignment, { type: 'null' }] },
  },
};

export interface ReviewBinding {
  readonly artefact_digest: string;
  readonly representation: string;
  readonly digest_rules: string;
  readonly payload_digest: string;
  readonly response_schema_digest: string;
  readonly document_digest: string;
  readonly bundle?: {
    readonly id: string;
    readonly publisher: string;
    readonly digest: string;
    readonly compatibility: AgentUiCompatibility;
    readonly created_at: string;
  };
}
export const ReviewBinding: Shape = {
  optional: ['bundle'],
  properties: {
    artefact_digest: digest,
    representation: identifier,
    digest_rules: identifier,
    payload_digest: digest,
    response_schema_digest: digest,
    document_digest: digest,
    bundle: {
      optional: [],
      properties: {
        id: identifier,
        publisher: identifier,
        digest: digest,
        compatibility: AgentUiCompatibility,
        created_at: {
          format: 'date-time',
          pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:[0-5]\\d\\.\\d{3}Z$',
          type: 'string',
        },
      },
    },
  },
};

export interface ReviewBundle {
  readonly id: string;
  readonly tenant: string;
  readonly publisher: string;
  readonly digest: string;
  readonly compatibility: AgentUiCompatibility;
  readonly author: string;
  readonly licence: string;
  readonly created_at: string;
}
export const ReviewBundle: Shape = {
  optional: [],
  properties: {
    id: identifier,
    tenant: identifier,
    publisher: identifier,
    digest: digest,
    compatibility: AgentUiCompatibility,
    author: { minLength: 1, maxLength: 1000, type: 'string' },
    licence: { minLength: 1, maxLength: 160, type: 'string' },
    created_at: timestamp,
  },
};

export interface RouteConfig {
  readonly reviewers: readonly string[];
  readonly separation_of_duties: boolean;
  readonly required_profiles: Profiles;
  readonly allowed_producers: readonly string[];
  readonly modes: readonly string[];
  readonly limits: Limits;
}
export const RouteConfig: Shape = {
  optional: [],
  properties: {
    reviewers: { type: 'array', items: identifier },
    separation_of_duties: { type: 'boolean' },
    required_profiles: Profiles,
    allowed_producers: { type: 'array', items: identifier },
    modes: { type: 'array', items: { type: 'string' } },
    limits: Limits,
  },
};

export interface SignedRecord {
  readonly protected: {
    readonly type: string;
    readonly protocol_revision: '2.0.0-draft.3';
    readonly purpose: 'review' | 'authorise_execution' | 'service';
    readonly profiles: Profiles;
    readonly issuer: string;
    readonly audience: string;
    readonly tenant: string;
    readonly key_id: string;
    readonly issued_at: string;
  };
  readonly payload: JsonValue;
  readonly signature: string;
}
export const SignedRecord: Shape = {
  optional: [],
  properties: {
    protected: {
      optional: [],
      properties: {
        type: identifier,
        protocol_revision: { const: '2.0.0-draft.3', type: 'string' },
        purpose: { type: 'string', enum: ['review', 'authorise_execution', 'service'] },
        profiles: Profiles,
        issuer: { type: 'string' },
        audience: { type: 'string' },
        tenant: identifier,
        key_id: identifier,
        issued_at: timestamp,
      },
    },
    payload: {},
    signature: { pattern: '^[A-Za-z0-9_-]{86}$', type: 'string' },
  },
};

export interface AnchorProof {
  readonly checkpoint: SignedRecord;
  readonly acceptance: AnchorAcceptance;
  readonly proof: readonly LedgerNode[];
}
export const AnchorProof: Shape = {
  optional: [],
  properties: {
    checkpoint: SignedRecord,
    acceptance: AnchorAcceptance,
    proof: { type: 'array', items: LedgerNode },
  },
};

export interface DecisionRequest {
  readonly id: string;
  readonly protocol_revision: '2.0.0-draft.3';
  readonly purpose: 'review' | 'authorise_execution';
  readonly profiles: Profiles;
  readonly tenant: string;
  readonly producer: string;
  readonly requester: { readonly subject: string; readonly source: string };
  readonly route: string;
  readonly authorisation_revision: number;
  readonly summary: string;
  readonly review: ReviewBinding;
  readonly execution?: ExecutionBinding;
  readonly limits: Limits;
  readonly accepted_at: string;
  readonly review_deadline: string;
  readonly private_delete_at: string;
  readonly audit_delete_at: string;
  readonly metadata: Metadata;
  readonly supersedes?: string;
  readonly authority_namespace?: string;
}
export const DecisionRequest: Shape = {
  optional: ['execution', 'supersedes', 'authority_namespace'],
  allOf: [
    {
      if: { properties: { purpose: { const: 'authorise_execution' } } },
      then: {
        required: ['execution'],
        properties: {
          profiles: {
            type: 'object',
            required: ['proto.execution'],
            properties: { 'proto.execution': { const: '1-draft.1' } },
          },
          execution: true,
        },
      },
    },
    {
      if: { properties: { purpose: { const: 'review' } } },
      then: { properties: { execution: false } },
    },
    {
      if: {
        properties: {
          review: { type: 'object', required: ['bundle'], properties: { bundle: true } },
        },
      },
      then: {
        properties: {
          profiles: {
            type: 'object',
            required: ['proto.agent-ui'],
            properties: { 'proto.agent-ui': { const: '2' } },
          },
        },
      },
    },
  ],
  properties: {
    id: identifier,
    protocol_revision: { const: '2.0.0-draft.3', type: 'string' },
    purpose: { type: 'string', enum: ['review', 'authorise_execution'] },
    profiles: Profiles,
    tenant: identifier,
    producer: identifier,
    requester: { optional: [], properties: { subject: identifier, source: identifier } },
    route: identifier,
    authorisation_revision: count,
    summary: { type: 'string' },
    review: ReviewBinding,
    execution: ExecutionBinding,
    limits: Limits,
    accepted_at: timestamp,
    review_deadline: timestamp,
    private_delete_at: timestamp,
    audit_delete_at: timestamp,
    metadata: Metadata,
    supersedes: identifier,
    authority_namespace: uuid,
  },
};

export interface EventPage {
  readonly items: readonly SignedRecord[];
  readonly next: number;
}
export const EventPage: Shape = {
  optional: [],
  properties: { items: { maxItems: 100, type: 'array', items: SignedRecord }, next: count },
};

export interface ExportedMaterial {
  readonly payload: JsonValue;
  readonly response_schema: JsonValue;
  readonly review_document: string;
  readonly candidate: DecisionCandidate | null;
  readonly bundle?: { readonly manifest: ReviewBundle; readonly html: string };
}
export const ExportedMaterial: Shape = {
  optional: ['bundle'],
  properties: {
    payload: {},
    response_schema: {},
    review_document: { type: 'string' },
    candidate: { anyOf: [DecisionCandidate, { type: 'null' }] },
    bundle: { optional: [], properties: { manifest: ReviewBundle, html: { type: 'string' } } },
  },
};

export type HitlPoll =
  | {
      readonly case_id: string;
      readonly created_at: string;
      readonly expires_at: string;
      readonly status: 'pending';
    }
  | {
      readonly case_id: string;
      readonly created_at: string;
      readonly expires_at: string;
      readonly status: 'cancelled';
      readonly cancelled_at: string;
      readonly reason: string;
    }
  | {
      readonly case_id: string;
      readonly created_at: string;
      readonly expires_at: string;
      readonly status: 'expired';
      readonly expired_at: string;
      readonly default_action: 'abort';
    }
  | {
      readonly case_id: string;
      readonly status: 'completed';
      readonly completed_at: string;
      readonly result: {
        readonly action: 'answer' | 'approve' | 'reject' | 'authorise' | 'refuse';
        readonly data: {
          readonly response: JsonValue;
          readonly proto_receipt: SignedRecord;
          readonly audit_state: 'unanchored' | 'pending' | 'anchored' | 'conflict';
          readonly material_available: boolean;
        };
      };
    };
export const HitlPoll: Shape = {
  anyOf: [
    {
      optional: [],
      properties: {
        case_id: uuid,
        created_at: timestamp,
        expires_at: timestamp,
        status: { const: 'pending', type: 'string' },
      },
    },
    {
      optional: [],
      properties: {
        case_id: uuid,
        created_at: timestamp,
        expires_at: timestamp,
        status: { const: 'cancelled', type: 'string' },
        cancelled_at: timestamp,
        reason: { type: 'string' },
      },
    },
    {
      optional: [],
      properties: {
        case_id: uuid,
        created_at: timestamp,
        expires_at: timestamp,
        status: { const: 'expired', type: 'string' },
        expired_at: timestamp,
        default_action: { const: 'abort', type: 'string' },
      },
    },
    {
      optional: [],
      properties: {
        case_id: uuid,
        status: { const: 'completed', type: 'string' },
        completed_at: timestamp,
        result: {
          optional: [],
          properties: {
            action: {
              type: 'string',
              enum: ['answer', 'approve', 'reject', 'authorise', 'refuse'],
            },
            data: {
              optional: [],
              properties: {
                response: {},
                proto_receipt: SignedRecord,
                audit_state: {
                  type: 'string',
                  enum: ['unanchored', 'pending', 'anchored', 'conflict'],
                },
                material_available: { type: 'boolean' },
              },
            },
          },
        },
      },
    },
  ],
};

export interface HumanInputRequired {
  readonly status: 'human_input_required';
  readonly message: string;
  readonly hitl: HitlHandover;
}
export const HumanInputRequired: Shape = {
  optional: [],
  properties: {
    status: { const: 'human_input_required', type: 'string' },
    message: { type: 'string' },
    hitl: HitlHandover,
  },
};

export interface RecordedOutcome {
  readonly request_id: string;
  readonly claim_digest: string;
  readonly outcome: ExecutionOutcome;
  readonly recorded_at: string;
  readonly recorded_by: Recorder;
}
export const RecordedOutcome: Shape = {
  optional: [],
  properties: {
    request_id: identifier,
    claim_digest: digest,
    outcome: ExecutionOutcome,
    recorded_at: timestamp,
    recorded_by: Recorder,
  },
};

export interface RecordedReconciliation {
  readonly request_id: string;
  readonly claim_digest: string;
  readonly outcome: ExecutionOutcome;
  readonly recorded_at: string;
  readonly recorded_by: { readonly kind: 'operator'; readonly subject: string };
}
export const RecordedReconciliation: Shape = {
  optional: [],
  properties: {
    request_id: identifier,
    claim_digest: digest,
    outcome: ExecutionOutcome,
    recorded_at: timestamp,
    recorded_by: {
      optional: [],
      properties: { kind: { const: 'operator', type: 'string' }, subject: identifier },
    },
  },
};

export interface RequestInput {
  readonly protocol_revision: '2.0.0-draft.3';
  readonly purpose: 'review' | 'authorise_execution';
  readonly profiles: Profiles;
  readonly route: string;
  readonly summary: string;
  readonly artefact: {
    readonly digest: string;
    readonly representation: string;
    readonly digest_rules: string;
  };
  readonly payload: JsonValue;
  readonly response_schema: JsonObject;
  readonly review_document: string;
  readonly bundle_id?: string;
  readonly execution?: ExecutionBinding;
  readonly review_seconds?: number;
  readonly metadata?: Metadata;
}

export interface RequestList {
  readonly items: readonly RequestListItem[];
  readonly next_offset: number | null;
}
export const RequestList: Shape = {
  optional: [],
  properties: {
    items: { maxItems: 50, type: 'array', items: RequestListItem },
    next_offset: { anyOf: [{ minimum: 0, maximum: 100000, type: 'integer' }, { type: 'null' }] },
  },
};

export interface RouteResult {
  readonly id: string;
  readonly revision: number;
  readonly config: RouteConfig;
}
export const RouteResult: Shape = {
  optional: [],
  properties: { id: identifier, revision: count, config: RouteConfig },
};

export interface WebhookDelivery {
  readonly delivery_id: string;
  readonly event_id: string;
  readonly timestamp: string;
  readonly event: SignedRecord;
}
export const WebhookDelivery: Shape = {
  optional: [],
  properties: { delivery_id: uuid, event_id: uuid, timestamp: timestamp, event: SignedRecord },
};

export interface AuditExport {
  readonly request: DecisionRequest;
  readonly request_digest: string;
  readonly records: readonly SignedRecord[];
  readonly audit: readonly {
    readonly sequence: string;
    readonly previous_head: string;
    readonly head: string;
    readonly record_digest: string;
    readonly record: string | null;
  }[];
  readonly anchor: AnchorProof | null;
  readonly material: ExportedMaterial | null;
  readonly verification: string;
}
export const AuditExport: Shape = {
  optional: [],
  properties: {
    request: DecisionRequest,
    request_digest: digest,
    records: { type: 'array', items: SignedRecord },
    audit: {
      type: 'array',
      items: {
        optional: [],
        properties: {
          sequence: { pattern: '^[0-9]+$', type: 'string' },
          previous_head: { type: 'string' },
          head: { type: 'string' },
          record_digest: { type: 'string' },
          record: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        },
      },
    },
    anchor: { anyOf: [AnchorProof, { type: 'null' }] },
    material: { anyOf: [ExportedMaterial, { type: 'null' }] },
    verification: { type: 'string' },
  },
};

export type HitlStatus = HumanInputRequired | HitlPoll;
export const HitlStatus: Shape = { anyOf: [HumanInputRequired, HitlPoll] };

export interface Material {
  readonly request: DecisionRequest;
  readonly request_digest: string;
  readonly payload: JsonValue;
  readonly response_schema: JsonValue;
  readonly review_document: string;
  readonly candidate: DecisionCandidate | null;
}
export const Material: Shape = {
  optional: [],
  properties: {
    request: DecisionRequest,
    request_digest: digest,
    payload: {},
    response_schema: {},
    review_document: { type: 'string' },
    candidate: { anyOf: [DecisionCandidate, { type: 'null' }] },
  },
};

export interface RequestStatus {
  readonly request: DecisionRequest;
  readonly request_digest: string;
  readonly decision_state: 'pending' | 'confirmed' | 'cancelled' | 'expired' | 'superseded';
  readonly audit_state: 'unanchored' | 'pending' | 'anchored' | 'conflict';
  readonly grant_state:
    | 'not_applicable'
    | 'none'
    | 'pending_anchor'
    | 'available'
    | 'expired'
    | 'revoked'
    | 'consumed';
  readonly execution_state:
    | 'not_applicable'
    | 'unclaimed'
    | 'claimed'
    | 'admitted'
    | 'completed'
    | 'failed'
    | 'failed_partial'
    | 'uncertain'
    | 'cancelled_before_dispatch'
    | 'abandoned';
  readonly revision: number;
  readonly receipt: SignedRecord | null;
  readonly claim: SignedRecord | null;
  readonly outcome: SignedRecord | null;
  readonly anchor: AnchorProof | null;
  readonly delivery: readonly DeliveryStatus[];
  readonly review_link: string;
  readonly polling_link: string;
}
export const RequestStatus: Shape = {
  optional: [],
  properties: {
    request: DecisionRequest,
    request_digest: digest,
    decision_state: {
      type: 'string',
      enum: ['pending', 'confirmed', 'cancelled', 'expired', 'superseded'],
    },
    audit_state: { type: 'string', enum: ['unanchored', 'pending', 'anchored', 'conflict'] },
    grant_state: {
      type: 'string',
      enum: [
        'not_applicable',
        'none',
        'pending_anchor',
        'available',
        'expired',
        'revoked',
        'consumed',
      ],
    },
    execution_state: {
      type: 'string',
      enum: [
        'not_applicable',
        'unclaimed',
        'claimed',
        'admitted',
        'completed',
        'failed',
        'failed_partial',
        'uncertain',
        'cancelled_before_dispatch',
        'abandoned',
      ],
    },
    revision: count,
    receipt: { anyOf: [SignedRecord, { type: 'null' }] },
    claim: { anyOf: [SignedRecord, { type: 'null' }] },
    outcome: { anyOf: [SignedRecord, { type: 'null' }] },
    anchor: { anyOf: [AnchorProof, { type: 'null' }] },
    delivery: { maxItems: 30, type: 'array', items: DeliveryStatus },
    review_link: { type: 'string' },
    polling_link: { type: 'string' },
  },
};
