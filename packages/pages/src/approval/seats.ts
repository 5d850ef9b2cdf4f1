import type { ApprovalBoard, RoutePolicy } from '@countersign/protocol';

export type BoardCandidate = ApprovalBoard['candidates'][number];
export type BoardVote = ApprovalBoard['votes'][number];
export type Seat = BoardCandidate['seats'][number];
type Quorum = RoutePolicy['quorum'];

export interface StageSeats {
  readonly name: string;
  readonly seats: readonly Seat[];
}

/** The seats of every stage of a policy in its order, all of them open. */
export function openSeatsOf({ stages }: Quorum): Seat[] {
  return stages.flatMap(({ seats }, at) =>
    seats.flatMap(({ group, count }) =>
      Array.from({ length: count }, () => ({ stage: at + 1, group, filled_by: null })),
    ),
  );
}

/** Seats by the stage that they belong to, with its name. */
export function byStage({ stages }: Quorum, seats: readonly Seat[]): StageSeats[] {
  return stages.map(({ name }, at) => ({
    name,
    seats: seats.filter(({ stage }) => stage === at + 1),
  }));
}

/** How many seats have a person, and how many there are. */
export function tallyOf(seats: readonly Seat[]): readonly [filled: number, all: number] {
  return [seats.filter(({ filled_by }) => filled_by !== null).length, seats.length];
}

export function isNo(decision: string): boolean {
  return decision === 'reject' || decision === 'refuse';
}

/** The person's standing vote, if there is one. */
export function ownVoteIn({ votes }: ApprovalBoard, subject: string): BoardVote | null {
  return (
    votes.find(
      ({ reviewer, state }) => reviewer === subject && (state === 'live' || state === 'counted'),
    ) ?? null
  );
}

/** The reason for which a person cannot vote for one candidate, as a code; null when they can. */
export function barredFrom(
  { decision, author, open_stage, seats }: BoardCandidate,
  mine: ApprovalBoard['mine'],
  { author_may_approve }: Quorum,
  subject: string,
): string | null {
  if (mine === null) return 'reviewer_ineligible';
  if (isNo(decision)) return mine.can.includes('reject') ? null : mine.why_not;
  if (!mine.can.includes('approve')) return mine.why_not;
  if (author === subject && !author_may_approve) return 'separation_of_duties';
  const fits = seats.some(
    ({ stage, group }) => stage === open_stage && mine.groups.includes(group),
  );
  return fits ? null : 'stage_not_open';
}
