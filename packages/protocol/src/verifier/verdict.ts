import type { CheckCode } from './checks.js';

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

export function overall(checks: readonly Check[]): Verdict['verdict'] {
  if (checks.some(({ status }) => status === 'fails')) return 'fails';
  const open = checks.some(({ status, decisive }) => decisive && status !== 'holds');
  // Without checks nothing is proven.
  return open || !checks.some(({ status }) => status === 'holds') ? 'incomplete' : 'holds';
}
