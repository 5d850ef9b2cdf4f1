import { requireEligible } from '../index.js';
import type { Lifecycle, Person, Transition } from '../index.js';
import { outcomeOf } from './commands.js';
import type { Machine } from './commands.js';
import {
  ANCHOR,
  CANDIDATE_DIGEST,
  CLAIM_DIGEST,
  CONFIRMATION,
  OPERATOR,
  RECEIPT_DIGEST,
  RECORDER,
  RECOVERED,
  TENANT,
  candidateOf,
} from './request.js';
import type { Subject } from './request.js';
import { REVIEWERS, occurrenceOf, replacementOf } from './world.js';
import type { Occurrence, Row, Step, World } from './world.js';

/** One call of a client, or one job of a worker, on one of the requests. */
export interface InterleavedCall {
  readonly name: string;
  readonly row: number;
  /** Null for workers and for admission. */
  readonly key: string | null;
  readonly body: string;
  /** The instant at which the save has no effect any more, as the service names it with the statement. */
  readonly before: (state: Lifecycle) => number | null;
  /** Throws a Refusal unless the reviewer of the decision may still decide. */
  readonly requireStanding?: (world: World, row: Row) => void;
  /** Throws a Refusal; null when nothing is left to do. */
  readonly decide: (machine: Machine, world: World, row: Row) => Transition | null;
  readonly more?: (machine: Machine, row: Row) => Partial<Step>;
}

const ROWS: readonly number[] = [0, 1];

/** All calls on the request (0) and on its replacement (1). */
export const INTERLEAVED_CALLS: readonly InterleavedCall[] = ROWS.flatMap((row) => [
  confirming(row, 'authorise', 0),
  confirming(row, 'authorise', 1),
  confirming(row, 'refuse', 1),
  keyed(row, 'cancel', (machine, { now }, { state }) => machine.cancel(state, now)),
  keyed(row, 'discard', (machine, { now }, { state, subject }) =>
    machine.deleteMaterial(state, subject, RECORDER, now),
  ),
  ...(row === 0 ? [superseding()] : []),
  claiming(row, 'k1', 'one'),
  // A retry of the same execution under another key, and another one under the first key.
  claiming(row, 'k2', 'one'),
  claiming(row, 'k1', 'two'),
  claiming(row, 'k3', 'two'),
  admitting(row, 'n1'),
  admitting(row, 'n2'),
  keyed(row, 'report', (machine, { now }, { state, subject, claim }) =>
    machine.reportOutcome(
      state,
      subject,
      { ...outcomeOf('completed', claimedBy(subject, claim)), recordedBy: RECORDER },
      now,
    ),
  ),
  keyed(row, 'reconcile', (machine, { now }, { state, subject, claim }) =>
    machine.reconcile(
      state,
      subject,
      { ...outcomeOf('failed', claimedBy(subject, claim)), operator: OPERATOR },
      now,
    ),
  ),
  ...workers(row),
]);

function keyed(
  row: number,
  name: string,
  decide: InterleavedCall['decide'],
): InterleavedCall & { key: string } {
  return {
    name: `${row}: ${name}`,
    row,
    key: `${row}: ${name}`,
    body: '',
    before: () => null,
    decide,
  };
}

function confirming(
  row: number,
  decision: 'authorise' | 'refuse',
  reviewerAt: number,
): InterleavedCall {
  const reviewer = REVIEWERS[reviewerAt] as string;
  return {
    ...keyed(row, `${decision} by ${reviewer}`, (machine, world, { state, subject }) => {
      requireReviewer(world, subject.request.authorisation_revision, reviewer);
      return machine.confirm(
        state,
        subject,
        {
          input: CONFIRMATION,
          candidate: candidateOf(decision),
          candidateDigest: CANDIDATE_DIGEST,
          reviewer,
        },
        world.now,
      );
    }),
    before: ({ reviewDeadline }) => reviewDeadline,
    more: () => ({ reviewer }),
  };
}

function superseding(): InterleavedCall {
  return {
    ...keyed(0, 'supersede', (machine, { now, occurrences }, { state, subject }) => {
      const { purpose, execution } = subject.request;
      const input = { purpose, ...(execution === undefined ? {} : { execution }) };
      return machine.supersede(
        state,
        subject,
        { input, occurrenceRequest: ownOccurrence(occurrences, subject).request },
        now,
      );
    }),
    more: (machine, { subject }) => ({
      replacement: machine.create(replacementOf(subject).request, null),
    }),
  };
}

function claiming(row: number, key: string, identity: string): InterleavedCall {
  return {
    name: `${row}: claim by ${identity} under ${key}`,
    row,
    key: `${row}: ${key}`,
    body: identity,
    before: ({ grantDeadline }) => grantDeadline,
    requireStanding,
    decide: (machine, world, { state, subject }) => {
      const { occurrences, identities, now } = world;
      return machine.claim(
        state,
        subject,
        {
          input: {
            execution_identity: identity,
            execution_binding_digest: subject.executionDigest,
          },
          claimId: `claim by ${identity} under ${key}`,
          receiptDigest: RECEIPT_DIGEST,
          occurrence: ownOccurrence(occurrences, subject),
          identityUsed: identities.includes(identity),
        },
        world.recovered ? RECOVERED : TENANT,
        now,
      );
    },
  };
}

/** An admission has no key: a client that lost its answer takes another nonce. */
function admitting(row: number, nonce: string): InterleavedCall {
  return {
    name: `${row}: admit ${nonce}`,
    row,
    key: null,
    body: nonce,
    before: ({ grantDeadline }) => grantDeadline,
    requireStanding,
    decide: (machine, world, { state, subject, claim }) => {
      return machine.admit(
        state,
        subject,
        {
          input: {
            claim_id: claim?.id ?? '',
            execution_identity: claim?.execution_identity ?? '',
            nonce,
          },
          claim,
          claimDigest: CLAIM_DIGEST,
          anchor: ANCHOR,
          nonceUsed: world.nonces.includes(`${row} ${nonce}`),
        },
        world.recovered ? RECOVERED : TENANT,
        world.now,
      );
    },
  };
}

/** Jobs of the workers: a job that comes before its time, or twice, finds nothing to do. */
function workers(row: number): InterleavedCall[] {
  const worker = (name: string, decide: InterleavedCall['decide']): InterleavedCall => ({
    ...keyed(row, name, decide),
    key: null,
  });
  return [
    worker('anchor', (machine, { now }, { state }) => machine.anchor(state, now)),
    worker('expire', (machine, { now }, { state }) => {
      const due = machine.applyDue(state, now);
      return due.records.length === 0 ? null : due;
    }),
    worker('delete', (machine, { now }, { state, subject }) =>
      state.materialDeleted || now < state.privateDeleteAt
        ? null
        : machine.deleteMaterial(state, subject, RECORDER, now),
    ),
    worker('reconciliation due', (machine, { now }, { state, subject, deadlines }) =>
      (deadlines.reconciliation ?? Infinity) > now
        ? null
        : machine.reconciliationDue(state, subject, now),
    ),
    worker('reconciliation over', (machine, { now }, { state, deadlines }) =>
      (deadlines.reconciliation_end ?? Infinity) > now ? null : machine.reconciliationOver(state),
    ),
  ];
}

function ownOccurrence(occurrences: World['occurrences'], subject: Subject): Occurrence {
  return occurrences.get(occurrenceOf(subject)) as Occurrence;
}

function claimedBy(subject: Subject, claim: Row['claim']): Subject {
  return claim === null ? subject : { ...subject, claim };
}

/** As `requireStandingAuthority` asks after the state's own refusals, which the machine gives here. */
function requireStanding(world: World, { state, subject, decidedBy }: Row): void {
  if (state.grant !== 'available' && state.grant !== 'consumed') return;
  requireReviewer(world, subject.request.authorisation_revision, decidedBy ?? '');
}

function requireReviewer(
  { directory: { routeRevision, reviewers } }: World,
  authorisationRevision: number,
  reviewer: string,
): void {
  requireEligible(
    person(reviewer),
    { authorisationRevision },
    { revision: routeRevision, reviewers, separationOfDuties: false },
    person('requester'),
    [],
  );
}

function person(id: string): Person {
  return { id, enabled: true, certain: true, issuer: null, subject: null };
}
