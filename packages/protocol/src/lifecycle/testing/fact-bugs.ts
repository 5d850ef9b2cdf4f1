import { formatTimestamp } from '../../records/timestamp.js';
import * as lifecycle from '../index.js';
import type { Draft, Lifecycle, Transition } from '../index.js';
import { after, bug, withEvents, withEvidence } from './planting.js';
import type { PlantedBug } from './planting.js';

/** Mistakes about what may happen once, about the bounds of permits, and about the numbers of events. */
export const FACT_BUGS: readonly PlantedBug[] = [
  bug('claim: once more for the same execution', {
    claim: (state, about, command, tenant, now) => {
      if (!state.claimed || !command.identityUsed)
        return lifecycle.claim(state, about, command, tenant, now);
      const unclaimed: Lifecycle = { ...state, grant: 'available' };
      const occurrence = { request: about.id, consumedBy: null };
      const given = { ...command, occurrence, identityUsed: false };
      return { ...lifecycle.claim(unclaimed, about, given, tenant, now), takes: [] };
    },
  }),
  bug('claim: leaves the identity to others', {
    claim: (state, about, command, tenant, now) =>
      withoutFact(lifecycle.claim(state, about, command, tenant, now), 'identity'),
  }),
  bug('claim: restarts the grant clock', {
    claim: (state, about, command, tenant, now) =>
      withEvidence(lifecycle.claim(state, about, command, tenant, now), (draft) => [
        endingAt(draft, now + about.request.limits.grant_seconds * 1000),
      ]),
  }),
  bug('admit: for the seconds of an execution from now on', {
    admit: (state, about, command, tenant, now) =>
      withEvidence(lifecycle.admit(state, about, command, tenant, now), (draft) => [
        endingAt(draft, now + (command.claim?.execution_seconds ?? 0) * 1000),
      ]),
  }),
  bug('admit: takes a spent nonce for a retry', {
    admit: (state, about, command, tenant, now) => {
      const permit = lifecycle.admit(state, about, { ...command, nonceUsed: false }, tenant, now);
      return command.nonceUsed ? { ...permit, takes: [] } : permit;
    },
  }),
  bug('admit: keeps a nonce together with the number of its permit', {
    admit: (state, about, command, tenant, now) => {
      const permit = lifecycle.admit(state, about, command, tenant, now);
      return {
        ...permit,
        takes: permit.takes.map((take) => ({
          ...take,
          value: `${permit.next.admissions} ${take.value}`,
        })),
      };
    },
  }),
  bug('admit: takes a revision without an event', {
    admit: (state, about, command, tenant, now) =>
      after(lifecycle.admit(state, about, command, tenant, now), ({ revision }) => ({
        revision: revision + 1,
      })),
  }),
  bug('deleteMaterial: gives its event the revision of the expiry before it', {
    deleteMaterial: (state, about, recordedBy, now) => {
      const deleted = lifecycle.deleteMaterial(state, about, recordedBy, now);
      const revision = state.revision + 1;
      const told = withEvents(deleted, (event) => ({ ...event, revision }));
      return { ...told, next: { ...deleted.next, revision } };
    },
  }),
  bug('cancel: its event comes before that of the expiry', {
    cancel: (state, now) => {
      const cancelled = lifecycle.cancel(state, now);
      return { ...cancelled, records: cancelled.records.toReversed() };
    },
  }),
  bug('invalidate: leaves a decided request alone', {
    invalidate: (state, reason, now) =>
      state.decision === 'confirmed'
        ? lifecycle.applyDue(state, now)
        : lifecycle.invalidate(state, reason, now),
  }),
];

function withoutFact(
  transition: Transition,
  fact: Transition['takes'][number]['fact'],
): Transition {
  return { ...transition, takes: transition.takes.filter((take) => take.fact !== fact) };
}

/** A claim or a permit that is good until then. */
function endingAt(draft: Draft, end: number): Draft {
  const payload = { ...draft.payload, dispatch_before: formatTimestamp(end) };
  return { ...draft, payload } as Draft;
}
