import * as lifecycle from '../index.js';
import type { Draft, Lifecycle, LifecycleEvent, Transition } from '../index.js';
import type { Machine } from './commands.js';

/** A machine that is wrong in one way. */
export interface PlantedBug {
  readonly name: string;
  readonly machine: Machine;
  /** No rule of histories speaks of it: the tables alone know the refusal's code or the event's number. */
  readonly onlyInTables?: true;
}

/** Changes the result of a transition, including its last event. */
export function after(
  transition: Transition,
  change: (next: Lifecycle) => Partial<Lifecycle>,
): Transition {
  const next = { ...transition.next, ...change(transition.next) };
  const { audit, decision, execution, grant } = next;
  const last = transition.records.length - 1;
  return {
    ...withEvents(transition, (event, at) => {
      if (at !== last) return event;
      return {
        ...event,
        state: { audit, decision, execution, grant },
        deadline: next.grantDeadline ?? next.reviewDeadline,
      };
    }),
    next,
  };
}

export function withEvents(
  transition: Transition,
  change: (event: LifecycleEvent, at: number) => LifecycleEvent,
): Transition {
  return {
    ...transition,
    records: transition.records.map((draft, at) =>
      draft.type === 'RequestChangedEvent'
        ? { ...draft, payload: change(draft.payload, at) }
        : draft,
    ),
  };
}

/** Changes the records that are no events. */
export function withEvidence(
  transition: Transition,
  change: (draft: Draft) => Draft[],
): Transition {
  return {
    ...transition,
    records: transition.records.flatMap((draft) =>
      draft.type === 'RequestChangedEvent' ? [draft] : change(draft),
    ),
  };
}

/** The machine with these commands in the place of its own. */
export function bug(name: string, changed: Partial<Machine>): PlantedBug {
  return { name, machine: { ...lifecycle, ...changed } };
}

/** One that the tables alone find. */
export function tableBug(name: string, changed: Partial<Machine>): PlantedBug {
  return { ...bug(name, changed), onlyInTables: true };
}
