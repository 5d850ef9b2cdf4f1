import type * as lifecycle from '../index.js';
import type {
  Decision,
  DirectoryInvalidation,
  EventReason,
  Invalidation,
  Lifecycle,
  OutcomeStatus,
  Purpose,
  Transition,
} from '../index.js';

/** The machine under test: the real one, or one with a planted bug. */
export type Machine = Pick<
  typeof lifecycle,
  | 'created'
  | 'applyDue'
  | 'confirm'
  | 'anchor'
  | 'remind'
  | 'cancel'
  | 'revoke'
  | 'invalidate'
  | 'supersede'
  | 'deleteMaterial'
  | 'retireNamespace'
  | 'claim'
  | 'admit'
  | 'report'
  | 'reconcile'
  | 'reconciliationDue'
>;

/** What a request brings along that is not in its state: when it starts, its deadlines, its limits. */
export interface Setting {
  readonly purpose: Purpose;
  readonly start: number;
  readonly reviewDeadline: number;
  readonly privateDeleteAt: number;
  readonly remindedAt: number | null;
  readonly grantSeconds: number;
  readonly validUntil: number | null;
  readonly executionSeconds: number;
  readonly reconciliationSeconds: number;
}

/** One command with all its arguments but state and time. */
export interface Command {
  readonly name: string;
  /** Its column in the tables of transitions. */
  readonly column: Column;
  /** What `@` stands for in its column: its own mark and reason, or the status that it reports. */
  readonly own?: string;
  run(machine: Machine, state: Lifecycle, now: number, setting: Setting): Transition | null;
  /** Fields that no table shows, as they are after the command had its effect. */
  writes?(state: Lifecycle, now: number, setting: Setting): Partial<Lifecycle>;
}

export type Column =
  | 'answer, approve, reject'
  | 'authorise'
  | 'refuse'
  | 'remind'
  | 'cancel, revoke, invalidate'
  | 'supersede'
  | 'deleteMaterial'
  | 'claim'
  | 'admit'
  | 'admit, claim of another'
  | 'claim, fenced'
  | 'admit, fenced'
  | 'report'
  | 'report abandoned'
  | 'reconcile'
  | 'report, reconcile, claim of another'
  | 'applyDue'
  | 'anchor'
  | 'reconciliationDue'
  | 'retireNamespace';

export const OUTCOMES: readonly OutcomeStatus[] = [
  'completed',
  'failed',
  'failed_partial',
  'uncertain',
  'cancelled_before_dispatch',
  'abandoned',
];

const DIRECTORY_CHANGES: readonly DirectoryInvalidation[] = [
  'requester_removed',
  'reviewer_removed',
  'producer_removed',
  'producer_authorisation_changed',
  'authorisation_changed',
];

export const COMMANDS: readonly Command[] = [
  ...(['answer', 'approve', 'reject'] as const).map((decision) =>
    confirming('answer, approve, reject', decision),
  ),
  confirming('authorise', 'authorise'),
  confirming('refuse', 'refuse'),
  {
    name: 'remind',
    column: 'remind',
    run: (machine, state, now) => machine.remind(state, now),
    writes: (_, now) => ({ remindedAt: now }),
  },
  withdrawing('cancelled', (machine, state, now) => machine.cancel(state, now)),
  withdrawing('revoked', (machine, state, now) => machine.revoke(state, now)),
  ...DIRECTORY_CHANGES.map((reason) =>
    withdrawing(reason, (machine, state, now) => machine.invalidate(state, reason, now)),
  ),
  {
    name: 'supersede',
    column: 'supersede',
    run: (machine, state, now) => machine.supersede(state, now),
  },
  {
    name: 'deleteMaterial',
    column: 'deleteMaterial',
    run: (machine, state, now) => machine.deleteMaterial(state, now),
    writes: (state, now) => ({
      materialDeleted: true,
      privateDeleteAt: Math.min(state.privateDeleteAt, now),
    }),
  },
  ...[false, true].map((fenced): Command => ({
    name: fenced ? 'claim, fenced' : 'claim',
    column: fenced ? 'claim, fenced' : 'claim',
    run: (machine, state, now) => machine.claim(state, fenced, now),
    writes: () => ({ claimed: true }),
  })),
  admitting('admit', true, false),
  admitting('admit, claim of another', false, false),
  admitting('admit, fenced', true, true),
  ...OUTCOMES.flatMap((status): readonly Command[] => [
    telling('report', status, true),
    telling('report', status, false),
    telling('reconcile', status, true),
    telling('reconcile', status, false),
  ]),
  {
    name: 'applyDue',
    column: 'applyDue',
    run: (machine, state, now) => machine.applyDue(state, now),
  },
  {
    name: 'anchor',
    column: 'anchor',
    run: (machine, state, now) => machine.anchor(state, now),
  },
  {
    name: 'reconciliationDue',
    column: 'reconciliationDue',
    run: (machine, state, now, { executionSeconds }) =>
      machine.reconciliationDue(state, { executionSeconds }, now),
  },
  {
    name: 'retireNamespace',
    column: 'retireNamespace',
    run: (machine, state, now) => machine.retireNamespace(state, now),
  },
];

const byName = new Map(COMMANDS.map((command) => [command.name, command]));

export function commandNamed(name: string): Command {
  const found = byName.get(name);
  if (found === undefined) throw new RangeError(`no command ${name}`);
  return found;
}

/** The request that a setting describes, with the events of its creation. */
export function create(machine: Machine, setting: Setting): Transition {
  const { reviewDeadline, privateDeleteAt, remindedAt } = setting;
  return machine.created(setting.purpose, { reviewDeadline, privateDeleteAt, remindedAt });
}

function confirming(column: Column, decision: Decision): Command {
  return {
    name: `confirm ${decision}`,
    column,
    run: (machine, state, now, { grantSeconds, validUntil }) =>
      machine.confirm(state, { decision, grantSeconds, validUntil }, now),
    writes: (state, now, { grantSeconds, validUntil }) =>
      state.purpose === 'review'
        ? {}
        : { grantDeadline: Math.min(now + grantSeconds * 1000, validUntil ?? Infinity) },
  };
}

function withdrawing(
  own: Extract<EventReason, Invalidation>,
  run: (machine: Machine, state: Lifecycle, now: number) => Transition,
): Command {
  return { name: own, column: 'cancel, revoke, invalidate', own, run };
}

function admitting(column: Column, ownClaim: boolean, fenced: boolean): Command {
  return {
    name: column,
    column,
    run: (machine, state, now) => machine.admit(state, { ownClaim }, fenced, now),
    writes: ({ admissions }) => ({ admissions: admissions + 1 }),
  };
}

function telling(kind: 'report' | 'reconcile', status: OutcomeStatus, ownClaim: boolean): Command {
  return {
    name: `${kind} ${status}${ownClaim ? '' : ', claim of another'}`,
    column: !ownClaim
      ? 'report, reconcile, claim of another'
      : kind === 'report' && status === 'abandoned'
        ? 'report abandoned'
        : kind,
    own: status,
    run: (machine, state, now, { reconciliationSeconds }) =>
      machine[kind](state, { ownClaim, status, reconciliationSeconds }, now),
    writes: ({ privateDeleteAt }, now, { reconciliationSeconds }) => ({
      outcomeRecorded: true,
      privateDeleteAt: Math.min(privateDeleteAt, now + reconciliationSeconds * 1000),
    }),
  };
}
