import { valueDigest } from '../../json/index.js';
import * as lifecycle from '../index.js';
import type { Draft, RequestFacts } from '../index.js';
import { FACT_BUGS } from './fact-bugs.js';
import { after, bug, tableBug, withEvents, withEvidence } from './planting.js';
import type { PlantedBug } from './planting.js';

const { applyDue, quietly, step } = lifecycle;
const DAY = 86_400_000;

export const PLANTED_BUGS: readonly PlantedBug[] = [
  ...FACT_BUGS,

  // Deciding
  bug('confirm: once more after the decision', {
    confirm: (state, about, command, now) =>
      lifecycle.confirm(
        state.decision === 'confirmed' ? { ...state, decision: 'pending' } : state,
        about,
        command,
        now,
      ),
  }),
  bug('confirm: at the review deadline', {
    confirm: (state, about, command, now) =>
      lifecycle.confirm(state, about, command, now === state.reviewDeadline ? now - 1 : now),
  }),
  bug('confirm: the grant outlives valid_until', {
    confirm: (state, about, command, now) =>
      lifecycle.confirm(state, withoutEnd(about), command, now),
  }),
  bug('confirm: a refusal opens a grant', {
    confirm: (state, about, command, now) =>
      after(lifecycle.confirm(state, about, command, now), () =>
        command.candidate?.decision === 'refuse' ? { grant: 'pending_anchor' } : {},
      ),
  }),
  bug('confirm: an invalidated request', {
    confirm: (state, about, command, now) =>
      lifecycle.confirm(
        state.decision === 'cancelled'
          ? { ...state, decision: 'pending', invalidated: null }
          : state,
        about,
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
    supersede: (state, about, command, now) =>
      lifecycle.supersede(
        state.claimed ? { ...state, execution: 'unclaimed', claimed: false } : state,
        about,
        command,
        now,
      ),
  }),
  bug('supersede: after a recovery that may have forgotten the claim', {
    supersede: (state, about, command, now) =>
      lifecycle.supersede(
        state.execution === 'uncertain' && !state.claimed
          ? { ...state, execution: 'unclaimed' }
          : state,
        about,
        command,
        now,
      ),
  }),
  bug('deleteMaterial: leaves the grant', {
    deleteMaterial: (state, about, recordedBy, now) =>
      after(lifecycle.deleteMaterial(state, about, recordedBy, now), () =>
        state.grant === 'available' ? { grant: 'available' } : {},
      ),
  }),
  bug('deleteMaterial: an execution goes on without it', {
    deleteMaterial: (state, about, recordedBy, now) =>
      after(lifecycle.deleteMaterial(state, about, recordedBy, now), () => ({
        invalidated: state.invalidated,
      })),
  }),
  tableBug('deleteMaterial: tells it twice', {
    deleteMaterial: (state, about, recordedBy, now) =>
      lifecycle.deleteMaterial({ ...state, materialDeleted: false }, about, recordedBy, now),
  }),
  bug('deleteMaterial: moves the time of deletion to later', {
    deleteMaterial: (state, about, recordedBy, now) =>
      after(lifecycle.deleteMaterial(state, about, recordedBy, now), () => ({
        privateDeleteAt: now,
      })),
  }),
  bug('retireNamespace: counts an event that it does not tell', {
    retireNamespace: (state, now) => ({ ...lifecycle.retireNamespace(state, now), records: [] }),
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
    claim: (state, about, command, tenant, now) =>
      after(lifecycle.claim(state, about, command, tenant, now), () => ({ grant: 'available' })),
  }),
  bug('claim: a second time', {
    claim: (state, about, command, tenant, now) =>
      lifecycle.claim(
        state.grant === 'consumed' ? { ...state, grant: 'available' } : state,
        about,
        command,
        tenant,
        now,
      ),
  }),
  bug('claim: at the grant deadline', {
    claim: (state, about, command, tenant, now) =>
      lifecycle.claim(state, about, command, tenant, now === state.grantDeadline ? now - 1 : now),
  }),
  bug('claim: before the anchor', {
    claim: (state, about, command, tenant, now) =>
      lifecycle.claim(
        state.grant === 'pending_anchor'
          ? { ...state, audit: 'anchored', grant: 'available' }
          : state,
        about,
        command,
        tenant,
        now,
      ),
  }),
  bug('claim: while the tenant is fenced', {
    claim: (state, about, command, tenant, now) =>
      lifecycle.claim(state, about, command, { ...tenant, fenced: false }, now),
  }),
  tableBug('claim: asks the deadline before the anchor', {
    claim: (state, about, command, tenant, now) => {
      const late = state.grantDeadline !== null && now >= state.grantDeadline;
      return lifecycle.claim(
        late ? { ...state, audit: 'anchored' } : state,
        about,
        command,
        tenant,
        now,
      );
    },
  }),
  bug('admit: after a cancellation', {
    admit: (state, about, command, tenant, now) => {
      if (state.invalidated !== 'cancelled')
        return lifecycle.admit(state, about, command, tenant, now);
      const standing = { ...state, invalidated: null };
      const { invalidated } = state;
      return quietly(lifecycle.admit(standing, about, command, tenant, now), { invalidated });
    },
  }),
  bug('admit: at the grant deadline', {
    admit: (state, about, command, tenant, now) =>
      lifecycle.admit(state, about, command, tenant, now === state.grantDeadline ? now - 1 : now),
  }),
  bug('admit: after the outcome', {
    admit: (state, about, command, tenant, now) =>
      lifecycle.admit({ ...state, outcomeRecorded: false }, about, command, tenant, now),
  }),
  tableBug('admit: a sixty-fifth time', {
    admit: (state, about, command, tenant, now) =>
      after(
        lifecycle.admit(
          { ...state, admissions: Math.min(state.admissions, 63) },
          about,
          command,
          tenant,
          now,
        ),
        () => ({ admissions: state.admissions + 1 }),
      ),
  }),
  bug('admit: the claim of another', {
    admit: (state, about, command, tenant, now) => {
      const { claim_id: id, execution_identity } = command.input;
      const claim = command.claim && { ...command.claim, id, execution_identity };
      return lifecycle.admit(state, about, { ...command, claim }, tenant, now);
    },
  }),
  bug('admit: tells an event', {
    admit: (state, about, command, tenant, now) =>
      step(lifecycle.admit(state, about, command, tenant, now), 'claimed', {}),
  }),
  bug('report: over another outcome', {
    reportOutcome: (state, about, command, now) =>
      lifecycle.reportOutcome({ ...state, outcomeRecorded: false }, about, command, now),
  }),
  bug('report: abandons', {
    reportOutcome: (state, about, command, now) =>
      command.input.status === 'abandoned'
        ? lifecycle.reconcile(state, about, { ...command, operator: 'op-1' }, now)
        : lifecycle.reportOutcome(state, about, command, now),
  }),
  bug('report: keeps private material for longer', {
    reportOutcome: (state, about, command, now) =>
      after(lifecycle.reportOutcome(state, about, command, now), () => ({
        privateDeleteAt: now + about.request.limits.reconciliation_seconds * 1000,
      })),
  }),
  bug('reconcile: without a claim', {
    reconcile: (state, about, command, now) =>
      lifecycle.reconcile(
        state.purpose === 'authorise_execution' ? { ...state, claimed: true } : state,
        about,
        command,
        now,
      ),
  }),
  bug('reconcile: refunds what was cancelled before dispatch', {
    reconcile: (state, about, command, now) =>
      after(lifecycle.reconcile(state, about, command, now), () =>
        command.input.status === 'cancelled_before_dispatch' ? { grant: 'available' } : {},
      ),
  }),
  bug('reconciliationDue: before the execution is over', {
    reconciliationDue: (state, about, now) =>
      lifecycle.reconciliationDue(
        state.grantDeadline === null ? state : { ...state, grantDeadline: now - DAY },
        about,
        now,
      ),
  }),
  bug('reconciliationDue: calls it uncertain', {
    reconciliationDue: (state, about, now) => {
      const due = lifecycle.reconciliationDue(state, about, now);
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
      const { audit, decision, execution, grant } = state;
      const before = { audit, decision, execution, grant };
      return withEvents(lifecycle.revoke(state, now), (event) => ({ ...event, state: before }));
    },
  }),
  bug('claim: tells the review deadline', {
    claim: (state, about, command, tenant, now) => {
      const claimed = lifecycle.claim(state, about, command, tenant, now);
      return withEvents(claimed, (event) => ({ ...event, deadline: state.reviewDeadline }));
    },
  }),

  // The results of a step beside states and events
  bug('confirm: no deadline of the grant', {
    confirm: (state, about, command, now) => ({
      ...lifecycle.confirm(state, about, command, now),
      deadlines: [],
    }),
  }),
  bug('confirm: no receipt', {
    confirm: (state, about, command, now) =>
      withEvidence(lifecycle.confirm(state, about, command, now), () => []),
  }),
  bug('confirm: the receipt comes after the event', {
    confirm: (state, about, command, now) => {
      const confirmed = lifecycle.confirm(state, about, command, now);
      return { ...confirmed, records: confirmed.records.toReversed() };
    },
  }),
  bug('confirm: the receipt names another reviewer', {
    confirm: (state, about, command, now) =>
      lifecycle.confirm(state, about, { ...command, reviewer: 'rev-3' }, now),
  }),
  bug('confirm: another candidate', {
    confirm: (state, about, command, now) =>
      lifecycle.confirm(
        state,
        about,
        { ...command, candidateDigest: command.input.candidate_digest },
        now,
      ),
  }),
  bug('supersede: by another purpose', {
    supersede: (state, about, command, now) =>
      lifecycle.supersede(
        state,
        about,
        { ...command, input: { ...command.input, purpose: about.request.purpose } },
        now,
      ),
  }),
  bug('supersede: by another occurrence', {
    supersede: (state, about, command, now) => {
      const { execution } = about.request;
      const { purpose } = command.input;
      const input = { purpose, ...(execution === undefined ? {} : { execution }) };
      return lifecycle.supersede(state, about, { ...command, input }, now);
    },
  }),
  bug('supersede: a request that has lost its occurrence', {
    supersede: (state, about, command, now) =>
      lifecycle.supersede(state, about, { ...command, occurrenceRequest: about.id }, now),
  }),
  bug('deleteMaterial: a record of the wrong type', {
    deleteMaterial: (state, about, recordedBy, now) =>
      withEvidence(lifecycle.deleteMaterial(state, about, recordedBy, now), (draft) => [
        { ...draft, type: 'DecisionReceipt' } as Draft,
      ]),
  }),
  bug('deleteMaterial: no deadline for what was on its way', {
    deleteMaterial: (state, about, recordedBy, now) => ({
      ...lifecycle.deleteMaterial(state, about, recordedBy, now),
      deadlines: [],
    }),
  }),
  tableBug('deleteMaterial: lets the grant wait for its deadline', {
    deleteMaterial: (state, about, recordedBy, now) => ({
      ...lifecycle.deleteMaterial(state, about, recordedBy, now),
      settled: ['review'],
    }),
  }),
  bug('claim: the execution has no deadline', {
    claim: (state, about, command, tenant, now) => ({
      ...lifecycle.claim(state, about, command, tenant, now),
      deadlines: [],
    }),
  }),
  bug('claim: the execution is asked for at the grant deadline', {
    claim: (state, about, command, tenant, now) => ({
      ...lifecycle.claim(state, about, command, tenant, now),
      deadlines: [{ kind: 'reconciliation', due: state.grantDeadline as number }],
    }),
  }),
  bug('claim: leaves the occurrence to others', {
    claim: (state, about, command, tenant, now) => {
      const claimed = lifecycle.claim(state, about, command, tenant, now);
      return { ...claimed, takes: claimed.takes.filter(({ fact }) => fact !== 'occurrence') };
    },
  }),
  bug('claim: with an identity that is used', {
    claim: (state, about, command, tenant, now) =>
      lifecycle.claim(state, about, { ...command, identityUsed: false }, tenant, now),
  }),
  bug('claim: an occurrence that is consumed', {
    claim: (state, about, command, tenant, now) => {
      const occurrence = { ...command.occurrence, consumedBy: null };
      return lifecycle.claim(state, about, { ...command, occurrence }, tenant, now);
    },
  }),
  bug('claim: another binding', {
    claim: (state, about, command, tenant, now) => {
      const digest = valueDigest(about.request.execution ?? null);
      const input = { ...command.input, execution_binding_digest: digest };
      return lifecycle.claim(state, about, { ...command, input }, tenant, now);
    },
  }),
  bug('claim: of a retired namespace', {
    claim: (state, about, command, tenant, now) => {
      const generation = about.request.authority_namespace as string;
      return lifecycle.claim(state, about, command, { ...tenant, generation }, now);
    },
  }),
  bug('admit: leaves the nonce to others', {
    admit: (state, about, command, tenant, now) => ({
      ...lifecycle.admit(state, about, command, tenant, now),
      takes: [],
    }),
  }),
  bug('admit: with a nonce that is used', {
    admit: (state, about, command, tenant, now) =>
      lifecycle.admit(state, about, { ...command, nonceUsed: false }, tenant, now),
  }),
  bug('reportOutcome: keeps asking for the outcome', {
    reportOutcome: (state, about, command, now) => ({
      ...lifecycle.reportOutcome(state, about, command, now),
      settled: [],
    }),
  }),
  bug('reportOutcome: no incident of an effect without admission', {
    reportOutcome: (state, about, command, now) => ({
      ...lifecycle.reportOutcome(state, about, command, now),
      incidents: [],
    }),
  }),
  bug('reportOutcome: an incident after an admission', {
    reportOutcome: (state, about, command, now) => ({
      ...lifecycle.reportOutcome(state, about, command, now),
      incidents: ['outcome_without_admission'],
    }),
  }),
  bug('reportOutcome: no deadline of the earlier deletion', {
    reportOutcome: (state, about, command, now) => ({
      ...lifecycle.reportOutcome(state, about, command, now),
      deadlines: [],
    }),
  }),
  bug('reconcile: says that the producer reported it', {
    reconcile: (state, about, command, now) =>
      withEvidence(lifecycle.reconcile(state, about, command, now), (draft) => [
        { ...draft, type: 'ExecutionOutcome' } as Draft,
      ]),
  }),
  bug('reconcile: without evidence', {
    reconcile: (state, about, command, now) =>
      lifecycle.reconcile(
        state,
        about,
        { ...command, input: { ...command.input, explained: true } },
        now,
      ),
  }),
  bug('reconciliationDue: no incident', {
    reconciliationDue: (state, about, now) => {
      const due = lifecycle.reconciliationDue(state, about, now);
      return due && { ...due, incidents: [] };
    },
  }),
  bug('reconciliationDue: sets no end', {
    reconciliationDue: (state, about, now) => {
      const due = lifecycle.reconciliationDue(state, about, now);
      return due && { ...due, deadlines: [] };
    },
  }),
  bug('reconciliationDue: says it again', {
    reconciliationDue: (state, about, now) => {
      const due = lifecycle.reconciliationDue(state, about, now);
      return due && { ...due, settled: [] };
    },
  }),
  bug('reconciliationOver: after the outcome', {
    reconciliationOver: (state) =>
      lifecycle.reconciliationOver({ ...state, outcomeRecorded: false }),
  }),
];

/** The request as if its execution were valid for ever. */
function withoutEnd(about: RequestFacts): RequestFacts {
  const { execution, ...request } = about.request;
  if (execution === undefined) return about;
  const endless = { ...execution, valid_until: '9999-12-31T00:00:00.000Z' };
  return { ...about, request: { ...request, execution: endless } };
}
