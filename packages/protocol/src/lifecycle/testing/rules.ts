import type { States } from '../index.js';
import { CONSEQUENCE_RULES } from './consequence-rules.js';
import { ENDINGS, kindOf } from './memory.js';
import type { Memory, Taken } from './memory.js';
import { isLegal } from './moves.js';

const DECISIONS = ['answer', 'authorise', 'refuse'];

/** Rules for every step of every history, by name. */
export const RULES: Readonly<Record<string, (step: Taken, memory: Memory) => boolean>> = {
  ...CONSEQUENCE_RULES,

  'states move only as §5 draws it': ({ command, state, next, events }) => {
    const path = [state, ...events.map((event) => event.state), next];
    return path.every((to, at) => at === 0 || isLegal(path[at - 1] as States, to, kindOf(command)));
  },

  'the revision rises by exactly one per event': ({ state, next, events }) =>
    next.revision === state.revision + events.length &&
    events.every(({ revision }, at) => revision === state.revision + at + 1),

  'events carry the states and the deadline of their time': ({ command, state, next, events }) => {
    const last = events.at(-1);
    return (
      (last === undefined ||
        kindOf(command) === 'retireNamespace' ||
        sameStates(last.state, next)) &&
      events.every(({ reason, deadline }) => {
        const { grantDeadline } = reason === 'decision' ? next : state;
        return deadline === (grantDeadline ?? state.reviewDeadline);
      })
    );
  },

  'every changed state is told, except by admission and recovery': (step) =>
    step.events.length > 0 ||
    sameStates(step.state, step.next) ||
    ['admit', 'retireNamespace'].includes(kindOf(step.command)),

  'an admission has no event, and nothing falls due twice': ({ command, state, events }) =>
    (kindOf(command) !== 'admit' || events.length === 0) &&
    (kindOf(command) !== 'applyDue' || events.length === 0 || isOpen(state)),

  'what is due is applied, equality included': ({ command, now, next }) =>
    kindOf(command) !== 'applyDue' ||
    ((next.decision !== 'pending' || now < next.reviewDeadline) &&
      (!isUnused(next) || now < (next.grantDeadline ?? 0)) &&
      (next.purpose === 'review' || next.invalidated !== null || now < next.privateDeleteAt)),

  'a grant opens in time, for an authorisation that stands': ({ now, state, next }, memory) =>
    next.grant !== 'available' ||
    state.grant === 'available' ||
    (!memory.ended && memory.authorisedUntil !== null && now < memory.authorisedUntil),

  'what is invalidated is not pending and holds no unused grant': ({ next }) =>
    next.invalidated === null || !isOpen(next),

  'the grant deadline is set once, by confirmation': ({ command, state, now, scenario, next }) =>
    state.grantDeadline === null && ['authorise', 'refuse'].includes(kindOf(command))
      ? next.grantDeadline ===
        Math.min(now + scenario.grantSeconds * 1000, scenario.validUntil ?? Infinity)
      : next.grantDeadline === state.grantDeadline,

  'the first mark stays': ({ state, next }) =>
    state.invalidated === null || next.invalidated === state.invalidated,

  'what takes authority away marks an execution': ({ command, next }) =>
    next.purpose === 'review' || !ENDINGS.includes(kindOf(command)) || next.invalidated !== null,

  'private material goes earlier, never later, and for good': ({ command, state, now, next }) =>
    next.privateDeleteAt <= state.privateDeleteAt &&
    (next.materialDeleted || !state.materialDeleted) &&
    (kindOf(command) !== 'deleteMaterial' || (next.materialDeleted && next.privateDeleteAt <= now)),

  'an outcome bounds how long material is kept': ({ command, now, scenario, next }) =>
    !['report', 'reconcile'].includes(kindOf(command)) ||
    next.privateDeleteAt <= now + scenario.reconciliationSeconds * 1000,

  'what happened is not taken back': ({ state, next }) =>
    (next.claimed || !state.claimed) &&
    (next.outcomeRecorded || !state.outcomeRecorded) &&
    next.admissions >= state.admissions,

  'purpose and review deadline stay': ({ state, next }) =>
    next.purpose === state.purpose && next.reviewDeadline === state.reviewDeadline,

  'a decision is the first word, and in time': ({ command, state, now }, { ended }) =>
    !DECISIONS.includes(kindOf(command)) || (!ended && now < state.reviewDeadline),

  'one claim, in time, of an anchored authorisation that stands': ({ command, now }, memory) =>
    kindOf(command) !== 'claim' ||
    (command.name === 'claim' && memory.claims === 0 && stands(memory, now)),

  'admission is for the claim, in time, while the authority stands': ({ command, now }, memory) =>
    kindOf(command) !== 'admit' ||
    (command.name === 'admit' &&
      memory.claims === 1 &&
      memory.outcomes === 0 &&
      memory.admissions < 64 &&
      stands(memory, now)),

  'an outcome is of the claim, and only reconciliation follows another': ({ command }, memory) =>
    command.column === 'reconcile'
      ? memory.claims === 1
      : kindOf(command) !== 'report' ||
        (command.column === 'report' && memory.claims === 1 && memory.outcomes === 0),

  'only an unclaimed execution is replaced': ({ command, state }, { claims }) =>
    kindOf(command) !== 'supersede' ||
    (claims === 0 && ['unclaimed', 'not_applicable'].includes(state.execution)),

  'a reminder is of an open review, a day after the last': (
    { command, state, now, next },
    memory,
  ) =>
    kindOf(command) === 'remind'
      ? !memory.ended &&
        now < state.reviewDeadline &&
        (memory.remindedAt === null || now - memory.remindedAt >= 86_400_000) &&
        next.remindedAt === now
      : next.remindedAt === state.remindedAt,

  'a reconciliation is due after the execution, while its end is unknown': (step, memory) =>
    kindOf(step.command) !== 'reconciliationDue' ||
    (memory.claims === 1 &&
      memory.outcomes === 0 &&
      memory.authorisedUntil !== null &&
      step.now >= memory.authorisedUntil + step.scenario.executionSeconds * 1000),

  'only a claim without an outcome is asked about': ({ command }, { claims, outcomes }) =>
    kindOf(command) !== 'reconciliationOver' || (claims === 1 && outcomes === 0),
};

/** Something can still fall due. */
function isOpen(state: States): boolean {
  return state.decision === 'pending' || isUnused(state);
}

function isUnused({ grant }: States): boolean {
  return grant === 'pending_anchor' || grant === 'available';
}

function stands({ authorisedUntil, available, ended }: Memory, now: number): boolean {
  return available && !ended && authorisedUntil !== null && now < authorisedUntil;
}

function sameStates(one: States, other: States): boolean {
  return (
    one.decision === other.decision &&
    one.audit === other.audit &&
    one.grant === other.grant &&
    one.execution === other.execution
  );
}
