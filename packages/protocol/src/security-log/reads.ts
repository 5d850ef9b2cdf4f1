import type { SecurityEntry } from './entry.js';
import type { SignedSecurityCheckpoint } from './checkpoint.js';

// The reads of the security log for operators and auditors, outside /v2 (docs/security-log.md).

/**
 * `after` the entry that a page begins behind; `since`, `before` times of events; `actor` and `subject` ids; `request` its
 * id; `kind` one of `SECURITY_KINDS`; `export` is `true` on the first page of a download, which is recorded.
 */
export type SecurityParameter = keyof SecurityFilter | 'after' | 'export';

export interface SecurityFilter {
  readonly kind?: string;
  readonly actor?: string;
  readonly subject?: string;
  readonly request?: string;
  readonly since?: string;
  readonly before?: string;
}

const filter = ['kind', 'actor', 'subject', 'request', 'since', 'before'] as const;

/** Each by its name on the bus, its path, and its query parameters, each of which may be missing. */
export const SECURITY_READS = [
  {
    name: 'ledger.security-log',
    path: '/operator/data/security-log',
    query: [...filter, 'after'],
    input: null,
  },
  {
    name: 'ledger.security-log-pages',
    path: '/operator/data/security-log/pages',
    query: ['after', 'export'],
    input: null,
  },
  {
    name: 'ledger.security-log-csv',
    path: '/operator/data/security-log/csv',
    query: filter,
    input: null,
  },
] as const satisfies readonly {
  readonly name: string;
  readonly path: string;
  readonly query: readonly SecurityParameter[];
  readonly input: null;
}[];

export type SecurityRead = (typeof SECURITY_READS)[number];

/** Newest first, at most a hundred; `next` is the `after` of the next page, null at the end. */
export interface SecurityList {
  readonly items: readonly SecurityEntry[];
  readonly next: string | null;
}

/** A stretch of the chain without a gap, as `countersign verify` reads it; `next` is the `after` of the next. */
export interface SecurityPages {
  readonly security_log: { readonly tenant: string; readonly ledger_id: string };
  readonly entries: readonly SecurityEntry[];
  /** Those that lie on this stretch. */
  readonly checkpoints: readonly SignedSecurityCheckpoint[];
  readonly next: string | null;
}
