import type { DecisionCandidate, SignedRecord } from '@countersign/protocol';

import { canonicalText, textDigest, valueDigest } from '../material/digest.js';

/** The members of a receipt that bind the answer. */
export interface Signed {
  readonly reviewer: string;
  readonly decision: string;
  readonly candidate_digest: string;
  readonly response_digest: string;
}

export function signedOf(receipt: SignedRecord): Signed {
  return receipt.payload as unknown as Signed;
}

/** Whether a receipt signs exactly this candidate, and with it this answer. */
export async function signs(receipt: SignedRecord, candidate: DecisionCandidate): Promise<boolean> {
  const { candidate_digest, response_digest } = signedOf(receipt);
  const [whole, response] = await Promise.all([
    valueDigest(candidate),
    textDigest(canonicalText(candidate.response)),
  ]);
  return whole === candidate_digest && response === response_digest;
}
