import { textDigest } from '../../json/index.js';
import type * as lifecycle from '../index.js';
import { readOutcome } from '../outcome.js';
import type {
  Admitting,
  Claiming,
  Confirming,
  Decision,
  DirectoryInvalidation,
  EventReason,
  Invalidation,
  Lifecycle,
  Outcome,
  OutcomeStatus,
  Superseding,
  TenantState,
  Transition,
} from '../index.js';
import {
  ADMISSION,
  ANCHOR,
  CANDIDATE_DIGEST,
  CLAIM_DIGEST,
  CONFIRMATION,
  EVIDENCE,
  FENCED,
  OPERATOR,
  RECEIPT_DIGEST,
  RECORDER,
  RECOVERED,
  REVIEWER,
  TENANT,
  candidateOf,
  subjectOf,
} from './request.js';
import type { Scenario, Subject } from './request.js';

/** The machine under test: the real one, or one with a planted bug. */
export type Machine = Pick<
  typeof lifecycle,
  | 'create'
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
  | 'reportOutcome'
  | 'reconcile'
  | 'reconciliationDue'
  | 'reconciliationOver'
>;

/** One command with all its arguments but state and time. */
export interface Command {
  readonly name: string;
  /** Its column in the tables of transitions. */
  readonly column: Column;
  /** The meaning of `@` in its column: its own mark and reason, or the status that it reports. */
  readonly own?: string;
  /** The refusal of its input, where the state itself would let the command have its effect. */
  readonly refusedAs?: (scenario: Scenario) => string | null;
  run(machine: Machine, state: Lifecycle, now: number, scenario: Scenario): Transition | null;
  /** Fields that no table shows, as they are after the command had its effect. */
  writes?(state: Lifecycle, now: number, scenario: Scenario): Partial<Lifecycle>;
}

export type Column =
  | 'answer, approve, reject'
  | 'authorise'
  | 'refuse'
  | 'confirm, another candidate'
  | 'remind'
  | 'cancel, revoke, invalidate'
  | 'supersede'
  | 'supersede, of another purpose'
  | 'deleteMaterial'
  | 'claim'
  | 'admit'
  | 'admit, claim of another'
  | 'claim, fenced'
  | 'admit, fenced'
  | 'claim, admit, retired'
  | 'report'
  | 'report abandoned'
  | 'reconcile'
  | 'reconcile, without evidence'
  | 'report, reconcile, claim of another'
  | 'applyDue'
  | 'anchor'
  | 'reconciliationDue'
  | 'reconciliationOver'
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

const ANOTHER = 'another';
const OTHER_DIGEST = textDigest(ANOTHER);

export const COMMANDS: readonly Command[] = [
  ...(['answer', 'approve', 'reject'] as const).map((decision) =>
    confirming('answer, approve, reject', decision),
  ),
  confirming('authorise', 'authorise'),
  confirming('refuse', 'refuse'),
  confirming('confirm, another candidate', 'authorise', { candidateDigest: OTHER_DIGEST }),
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
  superseding({}, () => ({})),
  superseding({ name: 'of another purpose', column: 'supersede, of another purpose' }, (given) => ({
    input: {
      ...given.input,
      purpose: given.input.purpose === 'review' ? 'authorise_execution' : 'review',
    },
  })),
  superseding(
    { name: 'of another occurrence', refusedAs: () => 'occurrence_changed' },
    (given, { execution }) => ({
      input: { ...given.input, execution: { ...execution, action_occurrence_id: ANOTHER } },
    }),
  ),
  superseding(
    {
      name: 'replaced before',
      refusedAs: ({ purpose }) => (purpose === 'review' ? null : 'occurrence_unavailable'),
    },
    () => ({ occurrenceRequest: ANOTHER }),
  ),
  {
    name: 'deleteMaterial',
    column: 'deleteMaterial',
    run: (machine, state, now, scenario) =>
      machine.deleteMaterial(state, subjectOf(scenario), RECORDER, now),
    writes: (state, now) => ({
      materialDeleted: true,
      privateDeleteAt: Math.min(state.privateDeleteAt, now),
    }),
  },
  claiming({}),
  claiming({ name: 'fenced', column: 'claim, fenced', tenant: FENCED }),
  claiming({ name: 'retired', column: 'claim, admit, retired', tenant: RECOVERED }),
  claiming({ name: 'of another binding', refusedAs: 'execution_binding_changed' }, ({ input }) => ({
    input: { ...input, execution_binding_digest: OTHER_DIGEST },
  })),
  claiming(
    { name: 'occurrence of another request', refusedAs: 'occurrence_consumed' },
    ({ occurrence }) => ({ occurrence: { ...occurrence, request: ANOTHER } }),
  ),
  claiming({ name: 'occurrence consumed', refusedAs: 'occurrence_consumed' }, ({ occurrence }) => ({
    occurrence: { ...occurrence, consumedBy: ANOTHER },
  })),
  claiming({ name: 'identity used', refusedAs: 'identity_conflict' }, () => ({
    identityUsed: true,
  })),
  admitting({}),
  admitting(
    { name: 'claim of another', column: 'admit, claim of another' },
    { input: { ...ADMISSION, claim_id: ANOTHER } },
  ),
  admitting(
    { name: 'identity of another', column: 'admit, claim of another' },
    { input: { ...ADMISSION, execution_identity: ANOTHER } },
  ),
  admitting({ name: 'fenced', column: 'admit, fenced', tenant: FENCED }),
  admitting({ name: 'retired', column: 'claim, admit, retired', tenant: RECOVERED }),
  admitting({ name: 'nonce used', refusedAs: 'nonce_reused' }, { nonceUsed: true }),
  ...OUTCOMES.flatMap((status): readonly Command[] => [
    telling('report', status, true),
    telling('report', status, false),
    telling('reconcile', status, true),
    telling('reconcile', status, false),
  ]),
  ...[{ evidence: 'some' }, { reason: 'a reason', evidence: '' }].map((details, at): Command => ({
    name: `reconcile, without evidence ${at}`,
    column: 'reconcile, without evidence',
    run: (machine, state, now, scenario) =>
      reconcile(machine, state, now, scenario, outcomeOf('failed', subjectOf(scenario), details)),
  })),
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
    run: (machine, state, now, scenario) =>
      machine.reconciliationDue(state, subjectOf(scenario), now),
  },
  {
    name: 'reconciliationOver',
    column: 'reconciliationOver',
    run: (machine, state) => machine.reconciliationOver(state),
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

/** The request that a scenario describes, with the results of its creation. */
export function create(machine: Machine, scenario: Scenario): Transition {
  return machine.create(subjectOf(scenario).request, scenario.remindedAt);
}

function confirming(
  column: Column,
  decision: Decision,
  changed: Partial<Confirming> = {},
): Command {
  const command: Confirming = {
    input: CONFIRMATION,
    candidate: candidateOf(decision),
    candidateDigest: CANDIDATE_DIGEST,
    reviewer: REVIEWER,
    ...changed,
  };
  return {
    name: column.startsWith('confirm') ? column : `confirm ${decision}`,
    column,
    run: (machine, state, now, scenario) =>
      machine.confirm(state, subjectOf(scenario), command, now),
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

function superseding(
  {
    name,
    column = 'supersede',
    refusedAs,
  }: Partial<Pick<Command, 'name' | 'column' | 'refusedAs'>>,
  changed: (given: Superseding, subject: Subject) => Partial<Superseding>,
): Command {
  return {
    name: name === undefined ? 'supersede' : `supersede, ${name}`,
    column,
    ...(refusedAs === undefined ? {} : { refusedAs }),
    run: (machine, state, now, scenario) => {
      const subject = subjectOf(scenario);
      const { purpose, execution } = subject.request;
      const input = { purpose, ...(execution === undefined ? {} : { execution }) };
      const given: Superseding = { input, occurrenceRequest: subject.id };
      return machine.supersede(state, subject, { ...given, ...changed(given, subject) }, now);
    },
  };
}

interface Variant {
  readonly name?: string;
  readonly column?: Column;
  readonly refusedAs?: string;
  readonly tenant?: TenantState;
}

function variantOf(kind: 'claim' | 'admit', { name, column, refusedAs }: Variant) {
  return {
    name: name === undefined ? kind : `${kind}, ${name}`,
    column: column ?? kind,
    ...(refusedAs === undefined ? {} : { refusedAs: () => refusedAs }),
  };
}

function claiming(
  variant: Variant,
  changed: (given: Claiming) => Partial<Claiming> = () => ({}),
): Command {
  return {
    ...variantOf('claim', variant),
    run: (machine, state, now, scenario) => {
      const subject = subjectOf(scenario);
      const { id, claim, executionDigest } = subject;
      const given: Claiming = {
        input: {
          execution_identity: claim.execution_identity,
          execution_binding_digest: executionDigest,
        },
        claimId: claim.id,
        receiptDigest: RECEIPT_DIGEST,
        occurrence: { request: id, consumedBy: null },
        identityUsed: false,
      };
      const command = { ...given, ...changed(given) };
      return machine.claim(state, subject, command, variant.tenant ?? TENANT, now);
    },
    writes: () => ({ claimed: true }),
  };
}

function admitting(variant: Variant, changed: Partial<Admitting> = {}): Command {
  return {
    ...variantOf('admit', variant),
    run: (machine, state, now, scenario) => {
      const subject = subjectOf(scenario);
      const command: Admitting = {
        input: ADMISSION,
        claim: subject.claim,
        claimDigest: CLAIM_DIGEST,
        anchor: ANCHOR,
        nonceUsed: false,
        ...changed,
      };
      return machine.admit(state, subject, command, variant.tenant ?? TENANT, now);
    },
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
    run: (machine, state, now, scenario) => {
      const subject = subjectOf(scenario);
      const own = outcomeOf(status, subject);
      const outcome = ownClaim
        ? own
        : { ...own, input: { ...own.input, execution_identity: ANOTHER } };
      return kind === 'reconcile'
        ? reconcile(machine, state, now, scenario, outcome)
        : machine.reportOutcome(state, subject, { ...outcome, recordedBy: RECORDER }, now);
    },
    writes: ({ privateDeleteAt }, now, { reconciliationSeconds }) => ({
      outcomeRecorded: true,
      privateDeleteAt: Math.min(privateDeleteAt, now + reconciliationSeconds * 1000),
    }),
  };
}

function reconcile(
  machine: Machine,
  state: Lifecycle,
  now: number,
  scenario: Scenario,
  outcome: Outcome,
): Transition {
  return machine.reconcile(state, subjectOf(scenario), { ...outcome, operator: OPERATOR }, now);
}

export function outcomeOf(
  status: OutcomeStatus,
  { claim }: Subject,
  details: object = EVIDENCE,
): Outcome {
  return {
    input: readOutcome({
      details: { ...details },
      execution_identity: claim.execution_identity,
      status,
    }),
    claim,
    claimDigest: CLAIM_DIGEST,
  };
}
