import {
  APPROVAL_LIMITS,
  CUSTODIANS,
  NO_MEMBERSHIP,
  RESERVED_GROUPS,
  Refusal,
  canonicalText,
  membershipNeedsTwo,
} from '@countersign/protocol';
import type {
  JsonText,
  MembershipConfigured,
  MembershipInput,
  MembershipResult,
  MembershipTerms,
  Trust,
} from '@countersign/protocol';
import { isOperator, requireOperator } from '@countersign/database';
import type { Principal } from '@countersign/database';
import { answer } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import { membershipEffects } from '../directory-effects.js';
import { changedMembers, configDigest } from '../directory-difference.js';
import type { RequestDeps } from '../deps.js';
import { applyEffects } from '../apply-effects.js';
import { membershipOf, personNamed } from '../persons.js';
import { operatorsOf, proposer, standingProposal } from '../second-operator.js';
import type { DirectoryView } from '../store/directory.js';
import { requireEnabled } from './configure-principal.js';

/** `request.configure-membership`: the groups of a person, the team, and whose second principal this is (protocol §18.11). */
export function configureMembership(
  deps: RequestDeps,
): OperationHandler<'request.configure-membership'> {
  return async ({ caller, id, input }) => {
    const { tenant } = caller;
    const body = await deps.configuration.change(tenant, async (change) => {
      const operator = await requireEnabled(change, caller);
      requireOperator(operator);
      const principal = await change.principal(id);
      if (principal === null) throw new Refusal('not_found');
      if (principal.kind !== 'human') throw invalid('Only people have groups.');
      const before = await membershipOf(change, id, deps.trust);
      const was = before === null ? NO_MEMBERSHIP : termsOf(before);
      const terms = termsOf(input);
      requireAllowed(principal, terms, deps.custody);
      await requireTerms(change, id, was, terms, deps.trust);
      const person = await personNamed(change, principal, terms.same_person_as);
      const result = (standing: MembershipConfigured | null) =>
        membershipResult(change, principal, standing, deps.trust);
      if (canonicalText(was) === canonicalText(terms)) {
        // Also takes back a proposal.
        await change.dropProposal('membership', id);
        return result(before);
      }
      const guarded = await change.guardedGroups();
      const needsTwo = membershipNeedsTwo(was, terms, guarded, isOperator(principal));
      const asked = { kind: 'membership', id, to: terms, needsTwo } as const;
      const by = await operatorsOf(change, operator, asked, deps.trust);
      if (by === null) return result(before);

      const membership: MembershipConfigured = {
        ...{ principal: id, person, ...terms, groups: [...terms.groups] },
        revision: (before?.revision ?? 0) + 1,
        configured_by: [...by],
        configured_at: new Date(change.now).toISOString(),
      };
      const record = await deps.notary.issue(
        'MembershipConfigured',
        { tenant, audience: 'proto.directory', purpose: 'service', profiles: {} },
        change.now,
        membership,
      );
      await change.saveMembership(membership, record);
      const effects = takesAway(was, terms)
        ? await membershipEffects(change, id, deps.trust)
        : null;
      const touched = effects && (await applyEffects(change, deps.notary, caller, effects));
      await change.saveRecord(record);
      await change.saveSecurityEvent({
        kind: 'membership.changed',
        actor: { id: caller.id, kind: caller.kind },
        subject: id,
        detail: {
          changed: changedMembers(was, terms),
          before: configDigest(was),
          after: configDigest(terms),
          revision: membership.revision,
          configured_by: [...by],
          requests_affected: touched ?? 0,
        },
      });
      return result(membership);
    });
    deps.chained(tenant);
    return answer(200, body);
  };
}

function termsOf({ groups, team, same_person_as }: MembershipTerms | MembershipInput) {
  return { groups: [...groups].sort(), team, same_person_as };
}

/** A person who only joins groups loses nothing. */
function takesAway(before: MembershipTerms, after: MembershipTerms): boolean {
  return (
    before.team !== after.team ||
    before.same_person_as !== after.same_person_as ||
    before.groups.some((group) => !after.groups.includes(group))
  );
}

const invalid = (detail: string) => new Refusal('invalid_membership', { detail });

/** Of the reserved groups a deployment that offers legal holds has one, without operators. Throws `invalid_membership`. */
function requireAllowed(principal: Principal, { groups }: MembershipTerms, custody: boolean): void {
  const reserved = groups.filter((group) => group.startsWith(RESERVED_GROUPS));
  if (reserved.some((group) => group !== CUSTODIANS || !custody)) {
    throw invalid(`This deployment has no such group that begins with ${RESERVED_GROUPS}.`);
  }
  if (reserved.length > 0 && isOperator(principal)) throw invalid('A custodian is no operator.');
}

/** Throws `invalid_membership`. */
async function requireTerms(
  view: DirectoryView,
  id: string,
  before: MembershipTerms,
  after: MembershipTerms,
  trust: Trust,
): Promise<void> {
  await requireRoom(
    view,
    id,
    after.groups.filter((group) => !before.groups.includes(group)),
  );
  if (after.same_person_as === null || after.same_person_as === before.same_person_as) return;
  const named = await view.principal(after.same_person_as);
  if (named?.kind !== 'human' || named.id === id) {
    throw invalid('same_person_as names another principal of a person.');
  }
  // A person has one principal that the others name, so that no two of them can name one another.
  const ofNamed = await membershipOf(view, named.id, trust);
  const isChain = (ofNamed?.same_person_as ?? null) !== null || (await view.isNamedAsPerson(id));
  if (isChain) throw invalid('same_person_as names the one principal that all others name.');
}

async function requireRoom(
  view: DirectoryView,
  id: string,
  joined: readonly string[],
): Promise<void> {
  if (joined.length === 0) return;
  const sizes = await view.groupSizes(id);
  const { groups, members_of_a_group: members } = APPROVAL_LIMITS;
  if (new Set([...sizes.keys(), ...joined]).size > groups) {
    throw invalid(`A tenant has ${groups} groups at most.`);
  }
  if (joined.some((group) => (sizes.get(group) ?? 0) >= members)) {
    throw invalid(`A group has ${members} members at most.`);
  }
}

/** The membership in force, or the empty one, with a change that waits for a second operator. */
export async function membershipResult(
  view: DirectoryView,
  principal: Principal,
  standing: MembershipConfigured | null,
  trust: Trust,
): Promise<JsonText<MembershipResult>> {
  const proposal = await standingProposal(view, { kind: 'membership', id: principal.id }, trust);
  const none = async () => ({
    ...{ principal: principal.id, person: await personNamed(view, principal, null) },
    ...{ groups: [], team: null, same_person_as: null },
    ...{ revision: 0, configured_by: [], configured_at: null },
  });
  const result: MembershipResult = {
    ...(standing ?? (await none())),
    proposed: proposal && { membership_digest: proposal.digest, ...proposer(proposal) },
  };
  return canonicalText(result);
}
