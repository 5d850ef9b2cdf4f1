import { Refusal } from '../errors.js';

/** The facts about a person that a decision depends on (protocol §3.7). */
export interface Person {
  readonly id: string;
  readonly enabled: boolean;
  readonly certain: boolean;
  readonly issuer: string | null;
  readonly subject: string | null;
}

export interface RouteRules {
  readonly revision: number;
  readonly reviewers: readonly string[];
  readonly separationOfDuties: boolean;
}

/**
 * ELIG of protocol §6.4 without INT: may this person decide this request? Separation of duties compares people, not ids
 * (R22): issuer and subject, over the requester, the owner, the owner's bound human and those who configured it (R38).
 */
export function requireEligible(
  reviewer: Person,
  request: { authorisationRevision: number },
  route: RouteRules | null,
  requester: Person | null,
  others: readonly (Person | null)[],
): void {
  if (!reviewer.certain) throw new Refusal('identity_uncertain');
  if (
    route === null ||
    route.revision !== request.authorisationRevision ||
    !route.reviewers.includes(reviewer.id)
  ) {
    throw new Refusal('reviewer_ineligible');
  }
  if (requester === null || !requester.enabled || !requester.certain) {
    throw new Refusal('requester_identity_uncertain');
  }
  if (!route.separationOfDuties) return;
  for (const other of [requester, ...others]) {
    if (other !== null && samePerson(reviewer, other)) throw new Refusal('separation_of_duties');
  }
}

export function samePerson(one: Person, other: Person): boolean {
  if (one.id === other.id) return true;
  return one.subject !== null && one.subject === other.subject && one.issuer === other.issuer;
}
