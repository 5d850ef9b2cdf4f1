import { APPROVAL_LIMITS } from '../constants.js';
import { canonicalText } from '../json/index.js';
import type { QuorumPolicy, RoutePolicy } from '../records/index.js';
import { asksForLess } from './attention.js';
import { seatCount } from './seats.js';

const { seats: MOST_SEATS, policy_bytes: MOST_BYTES } = APPROVAL_LIMITS;
/** Names of groups that the protocol defines itself (protocol §18.1). */
export const RESERVED_GROUPS = 'proto.';

/**
 * The first rule over several members that a policy of the right shape breaks (protocol §18.2), as a sentence for its
 * sender, or null. `production`: the deployment runs in production mode.
 */
export function policyFault(policy: RoutePolicy, production: boolean): string | null {
  const { quorum } = policy;
  const seats = quorum.stages.flatMap(({ seats: each }) => each);
  const total = seatCount(quorum);
  const names = quorum.stages.map(({ name }) => name);
  if (total > MOST_SEATS) return `It has more than ${MOST_SEATS} seats.`;
  if (total < 2 && policy.human_key === undefined && policy.attention === undefined) {
    return 'One seat needs no policy.';
  }
  if (new Set(names).size < names.length) return 'Two stages have the same name.';
  if (quorum.stages.some(({ seats: each }) => repeatsGroup(each))) {
    return 'A stage names a group twice.';
  }
  if (seats.some(({ group }) => group.startsWith(RESERVED_GROUPS))) {
    return `Groups that begin with ${RESERVED_GROUPS} have no seats.`;
  }
  if (production && !quorum.guard) return 'In production a policy is guarded.';
  if (production && policy.human_key?.enrolment === 'self') {
    return 'In production a key is countersigned.';
  }
  const pointers = policy.attention?.typed.map(({ pointer }) => pointer) ?? [];
  if (new Set(pointers).size < pointers.length) return 'A value is to be typed twice.';
  if (Buffer.byteLength(canonicalText(policy)) > MOST_BYTES) {
    return `Its canonical text is longer than ${MOST_BYTES} bytes.`;
  }
  return null;
}

function repeatsGroup(seats: readonly { readonly group: string }[]): boolean {
  return new Set(seats.map(({ group }) => group)).size < seats.length;
}

/**
 * Whether a change of a route's policy lets through a decision that the policy before would have stopped. A guarded policy
 * needs two operators for it (protocol §18.2). Where the comparison cannot tell, as for stages in another order, it says yes.
 */
export function weakens(before: RoutePolicy, after: RoutePolicy | null): boolean {
  if (after === null) return true;
  return quorumWeakens(before.quorum, after.quorum) || partsWeaken(before, after);
}

function quorumWeakens(before: QuorumPolicy, after: QuorumPolicy): boolean {
  return (
    !coversStages(before, after) ||
    after.rejection.count > before.rejection.count ||
    (before.distinct_by === 'team' && after.distinct_by !== 'team') ||
    (after.author_may_approve && !before.author_may_approve) ||
    (before.exclude.publisher_people && !after.exclude.publisher_people) ||
    (before.exclude.operators && !after.exclude.operators) ||
    (before.withdraw_after_completion && !after.withdraw_after_completion) ||
    (before.guard && !after.guard)
  );
}

/** Whether every stage is still there, in the same order, with at least its seats. */
function coversStages(before: QuorumPolicy, after: QuorumPolicy): boolean {
  let next = 0;
  for (const stage of before.stages) {
    const found = after.stages.findIndex(
      (candidate, at) => at >= next && coversSeats(stage.seats, candidate.seats),
    );
    if (found < 0) return false;
    next = found + 1;
  }
  return true;
}

type Seats = QuorumPolicy['stages'][number]['seats'];

function coversSeats(before: Seats, after: Seats): boolean {
  return before.every(({ group, count }) =>
    after.some((seat) => seat.group === group && seat.count >= count),
  );
}

/** Adding a part strengthens a policy. Whether another change of keys weakens it is not compared, so it counts as if it did. */
function partsWeaken(before: RoutePolicy, after: RoutePolicy): boolean {
  const { human_key: key, attention } = before;
  return (
    (key !== undefined && canonicalText(key) !== canonicalText(after.human_key ?? null)) ||
    (attention !== undefined && asksForLess(attention, after.attention))
  );
}
