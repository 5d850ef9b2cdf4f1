import {
  LOCAL_OPERATOR,
  Refusal,
  isConfirmed,
  proposalEnds,
  valueDigest,
} from '@countersign/protocol';
import type { Digest, MembershipTerms, Proposal, RoutePolicy, Trust } from '@countersign/protocol';
import { isOperator } from '@countersign/database';
import type { Principal } from '@countersign/database';
import { personOfHuman } from './persons.js';
import type { DirectoryChange, DirectoryView, ProposedKind } from './store/directory.js';

/** A change that an operator asks for. */
interface Asked {
  readonly kind: ProposedKind;
  /** Of the route or principal. */
  readonly id: string;
  /** The configuration that it would bring; null removes a policy. */
  readonly to: RoutePolicy | MembershipTerms | null;
  readonly needsTwo: boolean;
}

/**
 * The operators who carry out a change (protocol §18.2): this one, or the one who proposed the same change and this one. Null
 * where it waits for a second operator: then it is proposed, and nothing else changes.
 */
export async function operatorsOf(
  change: DirectoryChange,
  operator: Principal,
  { kind, id, to, needsTwo }: Asked,
  trust: Trust,
): Promise<readonly [string] | readonly [string, string] | null> {
  if (!needsTwo) {
    // It was made against the configuration that ends now.
    await change.dropProposal(kind, id);
    return [operator.id];
  }
  const digest = valueDigest(to);
  const person = await personOf(change, operator, trust);
  const proposal = await standingProposal(change, { kind, id }, trust);
  if (proposal !== null && isConfirmed(proposal, { digest, person }, change.now)) {
    await change.dropProposal(kind, id);
    return [proposal.by, operator.id];
  }
  // Asked again it keeps its end, and no bearer token takes the place of the person who proposed it.
  const isStanding = proposal?.digest === digest && (proposal.person !== null || person === null);
  if (!isStanding) {
    await change.saveProposal(kind, id, { digest, by: operator.id, person, at: change.now }, to);
    await change.saveSecurityEvent({
      kind: 'change.proposed',
      actor: { id: operator.id, kind: operator.kind },
      subject: id,
      detail: { kind, digest },
    });
  }
  return null;
}

/**
 * The proposal that a second operator may confirm, or null: it has not ended, and its author still is an operator and the same
 * person, or the local command has confirmed it.
 */
export async function standingProposal(
  view: DirectoryView,
  { kind, id }: Pick<Asked, 'kind' | 'id'>,
  trust: Trust,
): Promise<Proposal | null> {
  const proposal = await view.proposal(kind, id);
  if (proposal === null || view.now >= proposalEnds(proposal)) return null;
  if (proposal.person === LOCAL_OPERATOR) return proposal;
  const author = await view.principal(proposal.by);
  if (author?.enabled !== true || !isOperator(author)) return null;
  try {
    return (await personOf(view, author, trust)) === proposal.person ? proposal : null;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** Null for a bearer token. Throws `identity_uncertain`. */
async function personOf(
  view: DirectoryView,
  operator: Principal,
  trust: Trust,
): Promise<Digest | null> {
  return operator.kind === 'human' ? personOfHuman(view, operator, trust) : null;
}

/** The members of a proposal that its readers see, beside what it proposes. */
export function proposer(proposal: Proposal): { by: string; until: string } {
  return { by: proposal.by, until: new Date(proposalEnds(proposal)).toISOString() };
}
