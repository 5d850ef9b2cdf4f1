import type { Evidence, RequestStatus, Verdict } from '@countersign/protocol';
import { openBesidesVoucher } from '@countersign/protocol/verifier';

import { compare, isOfAnother } from './comparison.js';
import type { Comparison } from './comparison.js';

/** The one answer of a seal. Only `verified` is a success. */
export type Judgement =
  /** Every decisive check holds, the growth of the ledger is vouched for from outside, and the page shows the same. */
  | { readonly kind: 'verified' }
  /** Nothing fails, but only the service vouches for its ledger. */
  | { readonly kind: 'alone' }
  /** Nothing fails, but another decisive check is open. */
  | { readonly kind: 'open'; readonly says: string }
  /** Not provable yet: it is asked for again. */
  | { readonly kind: 'unanchored' }
  | { readonly kind: 'failed'; readonly says: string; readonly path: string }
  | { readonly kind: 'another request' | 'no evidence' }
  /** The page shows another state or another record, or one that the evidence cannot show. */
  | Exclude<Comparison, { readonly kind: 'same' }>;

/**
 * @param shown the status as the page shows it
 * @param evidence null when the document is no evidence in its form
 */
export function judge(
  verdict: Verdict,
  shown: RequestStatus,
  evidence: Evidence | null,
): Judgement {
  // The plainest reason first: the evidence of another request may be good.
  if (evidence !== null && isOfAnother(shown, evidence)) return { kind: 'another request' };
  const failed = verdict.checks.find(({ status }) => status === 'fails');
  if (failed) return { kind: 'failed', says: failed.says, path: failed.path };
  if (evidence === null) return { kind: 'no evidence' };
  const comparison = compare(shown, evidence);
  if (comparison.kind !== 'same') return comparison;
  if (verdict.verdict === 'holds') return { kind: 'verified' };
  const open = openBesidesVoucher(verdict);
  if (open.some(({ code }) => code === 'anchor_proof')) return { kind: 'unanchored' };
  return open[0] === undefined ? { kind: 'alone' } : { kind: 'open', says: open[0].says };
}
