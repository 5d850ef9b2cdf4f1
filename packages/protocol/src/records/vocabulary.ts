export const PURPOSES = ['review', 'authorise_execution'] as const;

export const DECISION_STATES = [
  'pending',
  'confirmed',
  'cancelled',
  'expired',
  'superseded',
] as const;

export const AUDIT_STATES = ['unanchored', 'pending', 'anchored', 'conflict'] as const;

export const GRANT_STATES = [
  'not_applicable',
  'none',
  'pending_anchor',
  'available',
  'expired',
  'revoked',
  'consumed',
] as const;

export const OUTCOME_STATUSES = [
  'completed',
  'failed',
  'failed_partial',
  'uncertain',
  'cancelled_before_dispatch',
  'abandoned',
] as const;

export const EXECUTION_STATES = [
  'not_applicable',
  'unclaimed',
  'claimed',
  'admitted',
  ...OUTCOME_STATUSES,
] as const;

export const REVIEW_DECISIONS = ['answer', 'approve', 'reject'] as const;
export const EXECUTION_DECISIONS = ['authorise', 'refuse'] as const;
export const DECISIONS = [...REVIEW_DECISIONS, ...EXECUTION_DECISIONS] as const;

export const EXECUTION_MODES = ['live_window', 'durable', 'fixed_mock'] as const;

export const DELIVERY_KINDS = ['smtp', 'webhook', 'checkpoint'] as const;
export const DELIVERY_STATES = ['pending', 'accepted', 'failed', 'expired'] as const;

/** The errors of the anchor store (protocol §4.2). */
export const ANCHOR_ERRORS = [
  'anchor_conflict',
  'anchor_version_conflict',
  'anchor_deleted_version',
  'anchor_retention_invalid',
  'anchor_retention_expired',
  'anchor_history_invalid',
] as const;

export const DELIVERY_ERRORS = [
  'delivery_failed',
  'destination_changed',
  'delivery_window_expired',
  'smtp_timeout',
  ...ANCHOR_ERRORS,
] as const;

/** Codes of incidents in MetricsSnapshot (protocol §4.2, §11, R18, R33). */
export const INCIDENT_CODES = [
  'anchor_conflict',
  'anchor_version_conflict',
  'anchor_deleted_version',
  'anchor_history_invalid',
  'credential_cloned',
  'ledger_behind_anchor',
  'namespace_retired',
  'outcome_without_admission',
  'quorum_unreachable',
  'reconciliation_due',
  'reconciliation_overdue',
  'retention_stalled',
] as const;
export type IncidentCode = (typeof INCIDENT_CODES)[number];
