// Made by `npm run generate`, of packages/protocol.

/** A check of the verifier. */
export type CheckCode =
  | 'document_readable'
  | 'document_shape'
  | 'verifier_works'
  | 'expected_tenant'
  | 'expected_audience'
  | 'expected_identity'
  | 'expected_nonce'
  | 'expected_binding'
  | 'record_signature'
  | 'record_payload'
  | 'record_time'
  | 'record_header'
  | 'record_request'
  | 'request_digest'
  | 'request_bound'
  | 'request_times'
  | 'request_profiles'
  | 'request_execution'
  | 'request_supersedes'
  | 'material_payload'
  | 'material_schema'
  | 'material_document'
  | 'material_bundle'
  | 'material_kept'
  | 'candidate_request'
  | 'candidate_response'
  | 'candidate_schema'
  | 'receipt_present'
  | 'receipt_candidate'
  | 'receipt_requester'
  | 'receipt_times'
  | 'receipt_grant'
  | 'approval_numbers'
  | 'approval_policy'
  | 'approval_candidate'
  | 'approval_people'
  | 'approval_membership'
  | 'approval_seats'
  | 'approval_order'
  | 'approval_times'
  | 'approval_attention'
  | 'approval_live'
  | 'approval_complete'
  | 'approval_ledger'
  | 'human_present'
  | 'human_statement'
  | 'human_challenge'
  | 'human_flags'
  | 'human_signature'
  | 'human_credential'
  | 'human_enrolment'
  | 'human_counter'
  | 'human_pinned'
  | 'claim_once'
  | 'claim_receipt'
  | 'claim_binding'
  | 'claim_times'
  | 'admission_claim'
  | 'admission_times'
  | 'admission_nonce'
  | 'admission_count'
  | 'admission_anchor'
  | 'outcome_claim'
  | 'outcome_rules'
  | 'event_revisions'
  | 'event_states'
  | 'event_content'
  | 'ledger_entry'
  | 'ledger_order'
  | 'ledger_records'
  | 'ledger_place'
  | 'ledger_end'
  | 'anchor_proof'
  | 'anchor_key'
  | 'anchor_store'
  | 'anchor_ledger'
  | 'anchor_generation'
  | 'log_checkpoint'
  | 'log_entries'
  | 'log_growth'
  | 'log_witnesses'
  | 'manifest_inside'
  | 'delivery_event'
  | 'delivery_fresh'
  | 'range_start'
  | 'range_entry'
  | 'range_directory'
  | 'range_holds'
  | 'range_occurrences'
  | 'security_ledger'
  | 'security_entry'
  | 'security_checkpoint'
  | 'security_store'
  | 'range_store';

/** The result of one check. Only `holds` is a success; `cannot be known` and `not checked` are neither. */
export type CheckStatus = 'holds' | 'fails' | 'cannot be known' | 'not checked';

export interface Check {
  readonly code: CheckCode;
  readonly status: CheckStatus;
  /** JSON Pointer (RFC 6901) of its subject; empty for the whole document. */
  readonly path: string;
  /** One or two sentences for a person. */
  readonly says: string;
  /** For a failure of a signature, a proof or a text: the code of its reason. */
  readonly reason: string | null;
  /** Whether the verdict is incomplete unless this holds. A failure always counts. */
  readonly decisive: boolean;
}

export type DocumentKind =
  | 'evidence'
  | 'export'
  | 'record'
  | 'anchor proof'
  | 'ledger range'
  | 'webhook'
  | 'security log';

/** A part that the document no longer holds, or that nothing in it covers. */
export interface Remark {
  readonly path: string;
  readonly says: string;
}

/** One event of the request's history, taken from a record. */
export interface TimelineStep {
  /** As the record has it. */
  readonly at: string;
  readonly says: string;
  readonly path: string;
  /** Whether that record was verified. */
  readonly proven: boolean;
  /** Whether it belongs in a history of a few lines. */
  readonly brief: boolean;
}

/** A point of protocol §15: a condition that an executor must verify before it acts. */
export interface ChecklistItem {
  readonly item: number;
  readonly asks: string;
  readonly status: CheckStatus;
  readonly says: string;
  /** The checks that it rests on. */
  readonly codes: readonly CheckCode[];
}

export interface Verdict {
  /** `holds`: every decisive check holds and none fails. `incomplete`: none fails, but something stays open. */
  readonly verdict: 'holds' | 'fails' | 'incomplete';
  /** Null when the document could not be read at all. */
  readonly kind: DocumentKind | null;
  readonly checks: readonly Check[];
  /** Empty unless the document is about an execution. */
  readonly checklist: readonly ChecklistItem[];
  readonly gone: readonly Remark[];
  /** Members that no signature covers: anyone who had the file could have changed them. */
  readonly uncovered: readonly Remark[];
  readonly story: readonly TimelineStep[];
}
