import type { DeadlineKind, Lifecycle, LifecycleEvent, Transition } from '../index.js';
import type { Command } from './commands.js';
import type { Scenario } from './request.js';

/** A command that was not refused. */
export interface Taken {
  readonly command: Command;
  readonly state: Lifecycle;
  readonly now: number;
  readonly scenario: Scenario;
  readonly transition: Transition;
  readonly next: Lifecycle;
  readonly events: readonly LifecycleEvent[];
}

/** The knowledge of a client from the answers so far; kept apart from the machine's own state. */
export interface Memory {
  /** When the authorisation that a human gave ends. */
  readonly authorisedUntil: number | null;
  /** It was anchored before that. */
  readonly available: boolean;
  /** It was withdrawn, replaced or discarded, or has an expiry event. */
  readonly ended: boolean;
  readonly claims: number;
  readonly admissions: number;
  readonly outcomes: number;
  readonly remindedAt: number | null;
  /** Deadlines that something is left to do for. */
  readonly deadlines: Deadlines;
}

export type Deadlines = Readonly<Partial<Record<DeadlineKind, number>>>;

/** The knowledge about a request that was just created. */
export function beginning({ remindedAt }: Scenario, created: Transition): Memory {
  return {
    authorisedUntil: null,
    available: false,
    ended: false,
    claims: 0,
    admissions: 0,
    outcomes: 0,
    remindedAt,
    deadlines: waitingAfter({}, created),
  };
}

/** As the deadline rows of the database are kept. */
export function waitingAfter(before: Deadlines, { deadlines, settled }: Transition): Deadlines {
  const waiting = { ...before };
  for (const kind of settled) delete waiting[kind];
  for (const { kind, due } of deadlines) waiting[kind] = Math.min(waiting[kind] ?? due, due);
  return waiting;
}

export function remember(
  memory: Memory,
  { command, now, scenario, events, transition }: Taken,
): Memory {
  const { grantSeconds, validUntil } = scenario;
  const kind = kindOf(command);
  const { authorisedUntil, ended } = memory;
  const inTime = !ended && authorisedUntil !== null && now < authorisedUntil;
  return {
    authorisedUntil:
      kind === 'authorise'
        ? Math.min(now + grantSeconds * 1000, validUntil ?? Infinity)
        : authorisedUntil,
    available: memory.available || (kind === 'anchor' && inTime),
    ended: ended || ENDINGS.includes(kind) || events.some(({ reason }) => reason === 'expiry'),
    claims: memory.claims + (kind === 'claim' ? 1 : 0),
    admissions: memory.admissions + (kind === 'admit' ? 1 : 0),
    outcomes: memory.outcomes + (kind === 'report' || kind === 'reconcile' ? 1 : 0),
    remindedAt: kind === 'remind' ? now : memory.remindedAt,
    deadlines: waitingAfter(memory.deadlines, transition),
  };
}

export const ENDINGS = ['cancel', 'supersede', 'deleteMaterial', 'retireNamespace'];
/** The first word of a command's column. */
export function kindOf({ column }: Command): string {
  return column.split(/\W/)[0] as string;
}

/** The events among a transition's records. */
export function eventsOf({ records }: Transition): LifecycleEvent[] {
  return records.flatMap((draft) => (draft.type === 'RequestChangedEvent' ? [draft.payload] : []));
}
