import type { Digest } from '../json/canonical.js';

/**
 * Stands for a person, and for the id of an operator, where a change was confirmed by the local command, which acts as the
 * database's owner (protocol §18.2). No person has such a digest.
 */
export const LOCAL_OPERATOR = 'proto.local';

/** A change that waits for a second operator. */
export interface Proposal {
  /** Of the policy or membership that it would bring. */
  readonly digest: Digest;
  /** Principal id of the operator who proposed it. */
  readonly by: string;
  /** The person of that operator; null for one with a bearer token. */
  readonly person: Digest | typeof LOCAL_OPERATOR | null;
  /** Epoch milliseconds. */
  readonly at: number;
}

const PROPOSAL_MS = 86_400_000;

/** When a proposal ends, epoch milliseconds: at that time it has ended. */
export function proposalEnds({ at }: Pick<Proposal, 'at'>): number {
  return at + PROPOSAL_MS;
}

/**
 * Whether a second operator confirms a proposal with this body (protocol §18.2). Both are people, and different ones: a bearer
 * token is of no person, and may be known to the one who uses it as the first.
 */
export function isConfirmed(
  proposal: Proposal,
  second: { readonly digest: Digest; readonly person: Digest | null },
  now: number,
): boolean {
  return (
    now < proposalEnds(proposal) &&
    proposal.digest === second.digest &&
    proposal.person !== null &&
    second.person !== null &&
    proposal.person !== second.person
  );
}
