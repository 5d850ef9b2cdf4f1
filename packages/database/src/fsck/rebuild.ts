import { mayFollow, reasonFits, startsRight } from '@countersign/protocol';
import type {
  DecisionReceipt,
  RequestChangedEvent,
  SignedRecord,
  States,
} from '@countersign/protocol';
import type { FsckFault } from './report.js';

/** A record of a request in the order of the chain; what waits for the chain comes after what is in it. */
export interface PlacedRecord {
  readonly id: string;
  readonly sequence: number | null;
  readonly record: SignedRecord;
}

/** What the records of a request say of it. */
export interface Rebuilt {
  readonly faults: readonly FsckFault[];
  readonly states: States | null;
  readonly revision: number;
  readonly receipt: (PlacedRecord & { readonly payload: DecisionReceipt }) | null;
  readonly claim: PlacedRecord | null;
  readonly outcome: PlacedRecord | null;
  readonly nonces: readonly string[];
  readonly materialDiscarded: boolean;
  /** Whether something took its authority away for good. */
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
];

/**
 * Leads a request through its records: every change of its state is told by an event, but for an admission (protocol
 * §3.5) and a recovery (R18), which leaves no record.
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
      default:
        faults.add('record_header');
    }
  }
  return {
    ...{ faults: [...faults], states, revision, receipt, claim, outcome },
    ...{ nonces, materialDiscarded, withdrawn },
  };
}

/** What a recovery makes of a state (`retireNamespace`); a deadline that came before it may have been applied by it. */
export function isRetired(before: States, after: States): boolean {
  const decision =
    before.decision === 'pending'
      ? ['cancelled', 'expired'].includes(after.decision)
      : after.decision === before.decision;
  const grant = ['none', 'pending_anchor', 'available'].includes(before.grant)
    ? ['revoked', 'expired'].includes(after.grant)
    : after.grant === before.grant;
  const execution =
    before.execution === 'not_applicable'
      ? after.execution === 'not_applicable'
      : after.execution === 'uncertain';
  return decision && grant && execution && after.audit === before.audit;
}
