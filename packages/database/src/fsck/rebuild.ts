import {
  mayFollow,
  reasonFits,
  retireNamespace,
  retireWithoutEvents,
  startsRight,
} from '@countersign/protocol';
import type {
  DecisionReceipt,
  Lifecycle,
  RequestChangedEvent,
  SignedRecord,
  States,
} from '@countersign/protocol';
import type { FsckFault } from './report.js';

/** A record of a request in the order of the chain; records that wait for the chain come last. */
export interface PlacedRecord {
  readonly id: string;
  readonly sequence: number | null;
  readonly record: SignedRecord;
}

/** The state of a request according to its records. */
export interface Rebuilt {
  readonly faults: readonly FsckFault[];
  readonly states: States | null;
  readonly revision: number;
  readonly receipt: (PlacedRecord & { readonly payload: DecisionReceipt }) | null;
  readonly claim: PlacedRecord | null;
  readonly outcome: PlacedRecord | null;
  readonly nonces: readonly string[];
  readonly materialDiscarded: boolean;
  /** Whether its authority was withdrawn for good. */
  readonly withdrawn: boolean;
}

/** Reasons after which a request is invalidated (protocol §5.1). */
const WITHDRAWING: readonly string[] = [
  'cancelled',
  'revoked',
  'supersession',
  'requester_removed',
  'reviewer_removed',
  'producer_removed',
  'producer_authorisation_changed',
  'authorisation_changed',
  'approval_withdrawn',
];

/**
 * Leads a request through its records: every change of its state has an event, except an admission (protocol §3.5) and a
 * recovery (R18), which leaves no record.
 */
export function rebuild(records: readonly PlacedRecord[]): Rebuilt {
  const faults = new Set<FsckFault>();
  let states: States | null = null;
  let revision = 0;
  let receipt: Rebuilt['receipt'] = null;
  let claim: PlacedRecord | null = null;
  let outcome: PlacedRecord | null = null;
  let materialDiscarded = false;
  let withdrawn = false;
  const nonces: string[] = [];
  for (const placed of records) {
    const { record } = placed;
    switch (record.protected.type) {
      case 'RequestChangedEvent': {
        const event = record.payload as unknown as RequestChangedEvent;
        if (event.revision !== revision + 1) faults.add('event_revision');
        const follows: boolean =
          states === null ? startsRight(event) : mayFollow(states, event.state);
        if (!follows || !reasonFits(event)) faults.add('event_state');
        withdrawn ||= WITHDRAWING.includes(event.reason);
        revision = event.revision;
        states = event.state;
        break;
      }
      case 'DecisionReceipt':
        if (receipt !== null) faults.add('event_state');
        receipt = { ...placed, payload: record.payload as unknown as DecisionReceipt };
        break;
      case 'ExecutionClaim':
        if (claim !== null) faults.add('event_state');
        claim = placed;
        break;
      case 'AdmissionStatus':
        nonces.push((record.payload as { nonce: string }).nonce);
        states = states === null ? null : { ...(states as States), execution: 'admitted' };
        break;
      case 'ExecutionOutcome':
      case 'ExecutionReconciliation':
        outcome = placed;
        break;
      case 'MaterialDiscarded':
        materialDiscarded = true;
        break;
      // Votes change no state: their events do (protocol §18.7).
      case 'ApprovalRecord':
      case 'ApprovalEnded':
        break;
      default:
        faults.add('record_header');
    }
  }
  return {
    ...{ faults: [...faults], states, revision, receipt, claim, outcome },
    ...{ nonces, materialDiscarded, withdrawn },
  };
}

/** Before and after all deadlines of a request. */
const TIMES = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

/**
 * Whether a recovery makes `after` of `before`, the state that the request's records tell of. Its time is not known, so the
 * deadlines had come or had not. Earlier releases saved an expiry without its event.
 */
export function isRetired(before: Lifecycle, after: States): boolean {
  return TIMES.some((now) =>
    [retireWithoutEvents(before, now), retireNamespace(before, now).next].some((retired) =>
      (['decision', 'audit', 'grant', 'execution'] as const).every(
        (machine) => retired[machine] === after[machine],
      ),
    ),
  );
}
