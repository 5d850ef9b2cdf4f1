import { canonicalText, textDigest } from '@countersign/protocol';
import type { DecisionProposal, Digest, JsonText } from '@countersign/protocol';

/** The input of `review.propose`. */
export interface ProposalInput {
  /** Of the whole body. */
  readonly digest: Digest;
  readonly decision: DecisionProposal['decision'];
  readonly response: {
    /** Canonical. */
    readonly text: JsonText<DecisionProposal['response']>;
    readonly bytes: number;
    readonly digest: Digest;
  };
}

/** Reads a body in canonical form, which the gateway has checked against its record. */
export function readProposal(body: string): ProposalInput {
  const { decision, response } = JSON.parse(body) as DecisionProposal;
  const text = canonicalText(response);
  return {
    digest: textDigest(body),
    decision,
    response: { text, bytes: Buffer.byteLength(text), digest: textDigest(text) },
  };
}
