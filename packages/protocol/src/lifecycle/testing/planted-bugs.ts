import * as lifecycle from '../index.js';
import type { Lifecycle, Transition } from '../index.js';
import type { Machine } from './commands.js';

/** A machine that is wrong in one way. */
export interface PlantedBug {
  readonly name: string;
  readonly machine: Machine;
  /** No rule of histories speaks of it: the tables alone know the refusal's code or the event's number. */
  readonly onlyInTables?: true;
}

const { applyDue, quietly, step } = lifecycle;
const DAY = 86_400_000;

/** Changes what comes out of a transition, its last event included. */
function after(
  transition: Transition,
  change: (next: Lifecycle) => Partial<Lifecycle>,
): Transition {
  const next = { ...transition.next, ...change(transition.next) };
  const { decision, audit, grant, execution } = next;
  const events = transition.events.map((event, at) =>
    at === transition.events.length - 1
      ? {
          ...event,
          state: { decision, audit, grant, execution },
          deadline: next.grantDeadline ?? next.reviewDeadline,
        }
      : event,
  );
  return { next, events };
}

function bug(name: string, changed: Partial<Machine>): PlantedBug {
  return { name, machine: { ...lifecycle, ...changed } };
}

function tableBug(name: string, changed: Partial<Machine>): PlantedBug {
  return { ...bug(name, changed), onlyInTables: true };
}

export const PLANTED_BUGS: readonly PlantedBug[] = [
  // Deciding
  bug('confirm: once more after the decision', {
    confirm: (state, command, now) =>
      lifecycle.confirm(
        state.decision === 'confirmed' ? { ...state, decision: 'pending' } : state,
        command,
        now,
      ),
  }),
  bug('confirm: at the review deadline', {
    confirm: (state, command, now) =>
      lifecycle.confirm(state, command, now === state.reviewDeadline ? now - 1 : now),
  }),
  bug('confirm: the grant outlives valid_until', {
    confirm: (state, command, now) =>
      lifecycle.confirm(state, { ...command, validUntil: null }, now),
  }),
  bug('confirm: a refusal opens a grant', {
    confirm: (state, command, now) =>
      after(lifecycle.confirm(state, command, now), () =>
        command.decision === 'refuse' ? { grant: 'pending_anchor' } : {},
      ),
  }),
  bug('confirm: an invalidated request', {
    confirm: (state, command, now) =>
      lifecycle.confirm(
        state.decision === 'cancelled'
          ? { ...state, decision: 'pending', invalidated: null }
          : state,
        command,
        now,
      ),
  }),
  bug('anchor: ignores the grant deadline', {
    anchor: (state) => lifecycle.anchor(state, 0),
  }),
  bug('anchor: opens a revoked grant', {
    anchor: (state, now) =>
      lifecycle.anchor(
        state.grant === 'revoked'
          ? { ...state, grant: 'pending_anchor', invalidated: null }
          : state,
        now,
      ),
  }),
  bug('anchor: restarts the grant clock', {
    anchor: (state, now) => {
      const anchored = lifecycle.anchor(state, now);
      if (anchored?.next.grant !== 'available') return anchored;
      return after(anchored, () => ({ grantDeadline: now + DAY }));
    },
  }),
  bug('remind: twice a day', {
    remind: (state, now) => lifecycle.remind({ ...state, remindedAt: null }, now),
  }),
  bug('remind: forgets when', {
    remind: (state, now) => after(lifecycle.remind(state, now), () => ({ remindedAt: null })),
  }),

  // Taking away
  bug('cancel: leaves the grant available', {
    cancel: (state, now) =>
      after(lifecycle.cancel(state, now), (next) =>
        next.grant === 'revoked' && state.grant === 'available' ? { grant: 'available' } : {},
      ),
  }),
  bug('cancel: turns an expired request into a cancelled one', {
    cancel: (state, now) =>
      after(lifecycle.cancel(state, now), ({ decision }) =>
        decision === 'expired' ? { decision: 'cancelled' } : {},
      ),
  }),
  bug('revoke: leaves no mark', {
    revoke: (state, now) =>
      after(lifecycle.revoke(state, now), () => ({ invalidated: state.invalidated })),
  }),
  bug('revoke: gives a consumed grant back', {
    revoke: (state, now) =>
      after(lifecycle.revoke(state, now), ({ grant }) =>
        grant === 'consumed' ? { grant: 'revoked' } : {},
      ),
  }),
  bug('invalidate: writes over the first mark', {
    invalidate: (state, reason, now) =>
      after(lifecycle.invalidate(state, reason, now), () => ({ invalidated: reason })),
  }),
  bug('invalidate: leaves a pending request pending', {
    invalidate: (state, reason, now) =>
      after(lifecycle.invalidate(state, reason, now), ({ decision }) =>
        state.decision === 'pending' && decision === 'cancelled' ? { decision: 'pending' } : {},
      ),
  }),
  bug('supersede: after a claim', {
    supersede: (state, now) =>
      lifecycle.supersede(
        state.claimed ? { ...state, execution: 'unclaimed', claimed: false } : state,
        now,
      ),
  }),
  bug('supersede: after a recovery that may have forgotten the claim', {
    supersede: (state, now) =>
      lifecycle.supersede(
        state.execution === 'uncertain' && !state.claimed
          ? { ...state, execution: 'unclaimed' }
          : state,
        now,
      ),
  }),
  bug('deleteMaterial: leaves the grant', {
    deleteMaterial: (state, now) =>
      after(lifecycle.deleteMaterial(state, now), () =>
        state.grant === 'available' ? { grant: 'available' } : {},
      ),
  }),
  bug('deleteMaterial: an execution goes on without it', {
    deleteMaterial: (state, now) =>
      after(lifecycle.deleteMaterial(state, now), () => ({ invalidated: state.invalidated })),
  }),
  tableBug('deleteMaterial: tells it twice', {
    deleteMaterial: (state, now) =>
      lifecycle.deleteMaterial({ ...state, materialDeleted: false }, now),
  }),
  bug('deleteMaterial: moves the time of deletion to later', {
    deleteMaterial: (state, now) =>
      after(lifecycle.deleteMaterial(state, now), () => ({ privateDeleteAt: now })),
  }),
  bug('retireNamespace: counts an event that it does not tell', {
    retireNamespace: (state, now) => ({
      next: lifecycle.retireNamespace(state, now).next,
      events: [],
    }),
  }),
  bug('retireNamespace: revokes what had expired', {
    retireNamespace: (state, now) =>
      quietly(lifecycle.retireNamespace(state, now), {
        grant:
          state.grant === 'not_applicable' || state.grant === 'consumed' ? state.grant : 'revoked',
      }),
  }),
  bug('retireNamespace: leaves authority usable', {
    retireNamespace: (state, now) =>
      quietly(lifecycle.retireNamespace(state, now), { invalidated: state.invalidated }),
  }),

  // Executing
  bug('claim: does not consume', {
    claim: (state, fenced, now) =>
      after(lifecycle.claim(state, fenced, now), () => ({ grant: 'available' })),
  }),
  bug('claim: a second time', {
    claim: (state, fenced, now) =>
      lifecycle.claim(
        state.grant === 'consumed' ? { ...state, grant: 'available' } : state,
        fenced,
        now,
      ),
  }),
  bug('claim: at the grant deadline', {
    claim: (state, fenced, now) =>
      lifecycle.claim(state, fenced, now === state.grantDeadline ? now - 1 : now),
  }),
  bug('claim: before the anchor', {
    claim: (state, fenced, now) =>
      lifecycle.claim(
        state.grant === 'pending_anchor'
          ? { ...state, audit: 'anchored', grant: 'available' }
          : state,
        fenced,
        now,
      ),
  }),
  bug('claim: while the tenant is fenced', {
    claim: (state, _, now) => lifecycle.claim(state, false, now),
  }),
  tableBug('claim: asks the deadline before the anchor', {
    claim: (state, fenced, now) => {
      const late = state.grantDeadline !== null && now >= state.grantDeadline;
      return lifecycle.claim(late ? { ...state, audit: 'anchored' } : state, fenced, now);
    },
  }),
  bug('admit: after a cancellation', {
    admit: (state, command, fenced, now) => {
      if (state.invalidated !== 'cancelled') return lifecycle.admit(state, command, fenced, now);
      const standing = { ...state, invalidated: null };
      const { invalidated } = state;
      return quietly(lifecycle.admit(standing, command, fenced, now), { invalidated });
    },
  }),
  bug('admit: at the grant deadline', {
    admit: (state, command, fenced, now) =>
      lifecycle.admit(state, command, fenced, now === state.grantDeadline ? now - 1 : now),
  }),
  bug('admit: after the outcome', {
    admit: (state, command, fenced, now) =>
      lifecycle.admit({ ...state, outcomeRecorded: false }, command, fenced, now),
  }),
  tableBug('admit: a sixty-fifth time', {
    admit: (state, command, fenced, now) =>
      after(
        lifecycle.admit(
          { ...state, admissions: Math.min(state.admissions, 63) },
          command,
          fenced,
          now,
        ),
        () => ({ admissions: state.admissions + 1 }),
      ),
  }),
  bug('admit: the claim of another', {
    admit: (state, _, fenced, now) => lifecycle.admit(state, { ownClaim: true }, fenced, now),
  }),
  bug('admit: tells an event', {
    admit: (state, command, fenced, now) =>
      step(lifecycle.admit(state, command, fenced, now), 'claimed', {}),
  }),
  bug('report: over another outcome', {
    report: (state, command, now) =>
      lifecycle.report({ ...state, outcomeRecorded: false }, command, now),
  }),
  bug('report: abandons', {
    report: (state, command, now) =>
      command.status === 'abandoned'
        ? lifecycle.reconcile(state, command, now)
        : lifecycle.report(state, command, now),
  }),
  bug('report: keeps private material for longer', {
    report: (state, command, now) =>
      after(lifecycle.report(state, command, now), () => ({
        privateDeleteAt: now + command.reconciliationSeconds * 1000,
      })),
  }),
  bug('reconcile: without a claim', {
    reconcile: (state, command, now) =>
      lifecycle.reconcile(
        state.purpose === 'authorise_execution' ? { ...state, claimed: true } : state,
        command,
        now,
      ),
  }),
  bug('reconcile: refunds what was cancelled before dispatch', {
    reconcile: (state, command, now) =>
      after(lifecycle.reconcile(state, command, now), () =>
        command.status === 'cancelled_before_dispatch' ? { grant: 'available' } : {},
      ),
  }),
  bug('reconciliationDue: before the execution is over', {
    reconciliationDue: (state, _, now) =>
      lifecycle.reconciliationDue(state, { executionSeconds: 0 }, now),
  }),
  bug('reconciliationDue: calls it uncertain', {
    reconciliationDue: (state, command, now) => {
      const due = lifecycle.reconciliationDue(state, command, now);
      return due === null ? null : after(due, () => ({ execution: 'uncertain' }));
    },
  }),

  // Everywhere
  bug('applyDue: lets a grant run on', {
    applyDue: (state, now) => applyDue({ ...state, grantDeadline: null }, now),
  }),
  bug('applyDue: an instant late', {
    applyDue: (state, now) => applyDue(state, now - 1),
  }),
  bug('applyDue: tells what it told before', {
    applyDue: (state, now) => step(applyDue(state, now), 'expiry', {}),
  }),
  bug('cancel: writes into the state that it was given', {
    cancel: (state, now) => {
      Object.assign(state, { invalidated: 'cancelled' });
      return lifecycle.cancel(state, now);
    },
  }),
  bug('cancel: skips a revision', {
    cancel: (state, now) =>
      after(lifecycle.cancel(state, now), ({ revision }) => ({ revision: revision + 1 })),
  }),
  bug('revoke: tells the states of before', {
    revoke: (state, now) => {
      const { next, events } = lifecycle.revoke(state, now);
      const { decision, audit, grant, execution } = state;
      const before = { decision, audit, grant, execution };
      return { next, events: events.map((event) => ({ ...event, state: before })) };
    },
  }),
  bug('claim: tells the review deadline', {
    claim: (state, fenced, now) => {
      const { next, events } = lifecycle.claim(state, fenced, now);
      const deadline = state.reviewDeadline;
      return { next, events: events.map((event) => ({ ...event, deadline })) };
    },
  }),
];
