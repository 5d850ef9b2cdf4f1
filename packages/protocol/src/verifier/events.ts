import type { RequestChangedEvent } from '../records/index.js';
import type { Findings } from './findings.js';

type States = RequestChangedEvent['state'];

/** The permitted successors of each state (protocol §5), across a recovery too; every state may stay as it is. */
const NEXT = {
  decision: { pending: ['confirmed', 'cancelled', 'expired', 'superseded'] },
  audit: {
    unanchored: ['pending', 'conflict'],
    pending: ['anchored', 'conflict'],
    anchored: ['conflict'],
    // Only operators end a conflict (R18).
    conflict: ['unanchored', 'pending', 'anchored'],
  },
  grant: {
    none: ['pending_anchor', 'revoked'],
    pending_anchor: ['available', 'expired', 'revoked'],
    available: ['consumed', 'expired', 'revoked'],
  },
  execution: {
    unclaimed: ['claimed', 'uncertain'],
    claimed: [
      'admitted',
      'completed',
      'failed',
      'failed_partial',
      'uncertain',
      'cancelled_before_dispatch',
      'abandoned',
    ],
    admitted: [
      'completed',
      'failed',
      'failed_partial',
      'uncertain',
      'cancelled_before_dispatch',
      'abandoned',
    ],
  },
} as const satisfies {
  [Machine in keyof States]: Partial<Record<States[Machine], readonly States[Machine][]>>;
};

const OUTCOMES: readonly string[] = [
  'completed',
  'failed',
  'failed_partial',
  'uncertain',
  'cancelled_before_dispatch',
  'abandoned',
];

/** An event of one request and its place in the document. */
export interface PlacedEvent {
  readonly path: string;
  readonly payload: RequestChangedEvent;
}

export function startsRight({ reason, state }: RequestChangedEvent): boolean {
  const fresh = state.execution === 'unclaimed' ? 'none' : 'not_applicable';
  return (
    reason === 'created' &&
    state.decision === 'pending' &&
    state.audit === 'unanchored' &&
    state.grant === fresh &&
    (state.execution === 'unclaimed' || state.execution === 'not_applicable')
  );
}

export function mayFollow(before: States, after: States): boolean {
  return (
    (['decision', 'audit', 'grant'] as const).every((machine) => {
      const next: Partial<Record<string, readonly string[]>> = NEXT[machine];
      return before[machine] === after[machine] || next[before[machine]]?.includes(after[machine]);
    }) && executionMayFollow(before.execution, after.execution)
  );
}

function executionMayFollow(before: States['execution'], after: States['execution']): boolean {
  const next: Partial<Record<string, readonly string[]>> = NEXT.execution;
  if (before === after || next[before]?.includes(after)) return true;
  // A reconciliation replaces any outcome.
  return OUTCOMES.includes(before) && OUTCOMES.includes(after);
}

/** Whether the state is a possible result of the reason. */
export function reasonFits({ reason, state }: RequestChangedEvent): boolean {
  switch (reason) {
    case 'decision':
      return state.decision === 'confirmed' && state.audit === 'pending';
    case 'anchor_accepted':
      return state.audit === 'anchored';
    case 'claimed':
      return state.grant === 'consumed' && state.execution === 'claimed';
    case 'outcome':
      return OUTCOMES.includes(state.execution);
    case 'approval':
    case 'approval_ended':
    case 'quorum_unreachable':
      return state.decision === 'pending';
    case 'supersession':
    case 'approval_withdrawn':
    case 'material_deleted':
    case 'cancelled':
    case 'revoked':
      return state.decision !== 'pending' && !['pending_anchor', 'available'].includes(state.grant);
    default:
      // Receivers accept reasons that they do not know yet.
      return true;
  }
}

/** One request's events in their order: no gap, nothing that the state machines forbid (protocol §3.5, §5). */
export function checkEvents(
  findings: Findings,
  events: readonly PlacedEvent[],
  fromStart: boolean,
): void {
  const ids = new Set<string>();
  for (const [at, { path, payload }] of events.entries()) {
    const before = events[at - 1]?.payload;
    const first = before === undefined;
    const revision = first ? (fromStart ? 1 : payload.revision) : before.revision + 1;
    const fresh = !ids.has(payload.event_id);
    ids.add(payload.event_id);
    findings.check('event_revisions', path, payload.revision === revision && fresh);
    findings.check(
      'event_states',
      path,
      reasonFits(payload) &&
        (first ? !fromStart || startsRight(payload) : mayFollow(before.state, payload.state)),
    );
  }
}
