import { Refusal } from '../errors.js';
import type { MembershipConfigured } from '../records/index.js';
import { verifyRecord } from '../signing/index.js';
import type { Trust } from '../signing/index.js';
import { RESERVED_GROUPS } from './policy.js';

/** The parts of a membership that two operators may have to agree on. */
export type MembershipTerms = Pick<MembershipConfigured, 'groups' | 'team' | 'same_person_as'>;

/** Of a person without a membership. */
export const NO_MEMBERSHIP: MembershipTerms = { groups: [], team: null, same_person_as: null };

/**
 * Whether two operators have to carry out this change of a membership, because it could give a decision to people whom one
 * operator picks (protocol §18.2): it puts the person into a guarded group, changes team or person of a member of one, or makes
 * two persons of one who operates under two principals.
 *
 * @param guarded the groups that guarded policies of the tenant have seats for; reserved groups are guarded always
 * @param operates whether the principal has the power to operate
 */
export function membershipNeedsTwo(
  before: MembershipTerms,
  after: MembershipTerms,
  guarded: ReadonlySet<string>,
  operates: boolean,
): boolean {
  const isAnotherPerson = before.same_person_as !== after.same_person_as;
  if (operates && before.same_person_as !== null && isAnotherPerson) return true;
  const isGuarded = (group: string) => guarded.has(group) || group.startsWith(RESERVED_GROUPS);
  const [held, holds] = [before.groups.filter(isGuarded), after.groups.filter(isGuarded)];
  if (holds.some((group) => !held.includes(group))) return true;
  return (isAnotherPerson || before.team !== after.team) && [...held, ...holds].length > 0;
}

/**
 * The membership in force of a principal, out of its signed text: a column of the table that says otherwise changes nothing.
 * Throws `identity_uncertain` for a text that does not verify, or that is of another principal.
 */
export function verifiedMembership(
  text: string,
  { tenant, principal }: { readonly tenant: string; readonly principal: string },
  trust: Trust,
): MembershipConfigured {
  const verified = verifyRecord(JSON.parse(text), trust, {
    ...{ type: 'MembershipConfigured', audience: 'proto.directory', purpose: 'service', tenant },
  });
  const membership = verified.ok ? (verified.record.payload as MembershipConfigured) : null;
  if (membership?.principal !== principal) throw new Refusal('identity_uncertain');
  return membership;
}
