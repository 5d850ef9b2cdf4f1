import { Refusal, personDigest, verifiedMembership } from '@countersign/protocol';
import type { Digest, MembershipConfigured, Trust } from '@countersign/protocol';
import type { Principal } from '@countersign/database';
import type { DirectoryView } from './store/directory.js';

/**
 * The person of a human principal whose membership names this principal as the same person, or none (protocol §18.1). Throws
 * `identity_uncertain` when that one is no human with an identity.
 */
export async function personNamed(
  view: DirectoryView,
  principal: Principal,
  samePersonAs: string | null,
): Promise<Digest> {
  const named = samePersonAs === null ? principal : await view.principal(samePersonAs);
  const { issuer = null, subject = null } = named ?? {};
  if (issuer === null || subject === null) throw new Refusal('identity_uncertain');
  return personDigest({ issuer, subject, tenant: view.tenant });
}

/** The signed membership of a principal, or null. Throws `identity_uncertain` where its text does not verify. */
export async function membershipOf(
  view: DirectoryView,
  principal: string,
  trust: Trust,
): Promise<MembershipConfigured | null> {
  const text = await view.membership(principal);
  const who = { tenant: view.tenant, principal };
  return text === null ? null : verifiedMembership(text, who, trust);
}

/** The same by the signed membership of the principal; it must name the person as the directory has it. */
export async function personOfHuman(
  view: DirectoryView,
  principal: Principal,
  trust: Trust,
): Promise<Digest> {
  if (principal.config.identity_certain === false) throw new Refusal('identity_uncertain');
  const membership = await membershipOf(view, principal.id, trust);
  const person = await personNamed(view, principal, membership?.same_person_as ?? null);
  if (membership !== null && membership.person !== person) throw new Refusal('identity_uncertain');
  return person;
}
