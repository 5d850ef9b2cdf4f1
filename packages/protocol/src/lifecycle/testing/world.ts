import { formatTimestamp } from '../../records/timestamp.js';
import type { ExecutionClaim, RecordType } from '../../records/index.js';
import { hasUnusedGrant } from '../index.js';
import type { Lifecycle, Transition } from '../index.js';
import { valueDigest } from '../../json/index.js';
import type { Cast } from './casts.js';
import type { Machine } from './commands.js';
import { branchOf, noObservations, observe } from './invariants.js';
import type { Observation, Observations } from './invariants.js';
import { waitingAfter } from './memory.js';
import type { Deadlines } from './memory.js';
import { subjectOf } from './request.js';
import type { Scenario, Subject } from './request.js';

/** A request as the database keeps it. */
export interface Row {
  readonly subject: Subject;
  readonly state: Lifecycle;
  /** Rises with every save. */
  readonly version: number;
  readonly deadlines: Deadlines;
  /** The reviewer of its receipt. */
  readonly decidedBy: string | null;
  readonly claim: ExecutionClaim | null;
}

export interface Directory {
  readonly revision: number;
  readonly routeRevision: number;
  readonly reviewers: readonly string[];
}

/** The request that an action's occurrence belongs to, and the claim that consumed it. */
export interface Occurrence {
  readonly request: string;
  readonly consumedBy: string | null;
}

/** Everything that calls read and write, the decisions that wait for their save, and what was observed so far. */
export interface World {
  readonly now: number;
  readonly scenario: Scenario;
  /** A request, and the one that replaced it or stands beside it. */
  readonly rows: readonly Row[];
  readonly directory: Directory;
  /** A recovery has retired the namespace of the requests. */
  readonly recovered: boolean;
  /** By the id of the action's occurrence. */
  readonly occurrences: ReadonlyMap<string, Occurrence>;
  readonly identities: readonly string[];
  /** Each with its request. */
  readonly nonces: readonly string[];
  readonly answers: ReadonlyMap<string, { readonly body: string; readonly text: string }>;
  readonly pending: readonly Pending[];
  readonly observations: Observations;
}

/** A call that has loaded and decided, and whose process may still save it or die. */
export interface Pending {
  readonly call: string;
  readonly row: number;
  readonly step: Step;
  /** As they were read. */
  readonly version: number;
  readonly directory: number;
  readonly before: number | null;
  /** Tells it from others with another effect. */
  readonly mark: string;
}

/** The results of a decision. */
export interface Step {
  readonly transition: Transition;
  /** The request that replaces this one. */
  readonly replacement?: Transition;
  readonly reviewer?: string;
  readonly answer?: { readonly key: string; readonly body: string; readonly text: string };
}

export const REVIEWERS = ['rev-1', 'rev-2'];

export function beginning(machine: Machine, scenario: Scenario, { beside }: Cast): World {
  const first = subjectOf(scenario);
  const subjects = beside === true ? [first, besideOf(first)] : [first];
  const created = subjects.map((subject) => {
    return { subject, transition: machine.create(subject.request, scenario.remindedAt) };
  });
  const begun: World = {
    now: scenario.start,
    scenario,
    rows: created.map(({ subject, transition }) => newRow(subject, transition)),
    directory: {
      revision: 1,
      routeRevision: first.request.authorisation_revision,
      reviewers: REVIEWERS,
    },
    recovered: false,
    occurrences: new Map(
      subjects.map((subject) => [occurrenceOf(subject), { request: subject.id, consumedBy: null }]),
    ),
    identities: [],
    nonces: [],
    answers: new Map(),
    pending: [],
    observations: noObservations(),
  };
  return observed(begun, [
    { kind: 'reviewers', ids: REVIEWERS },
    ...created.flatMap(({ subject, transition }) => bornOf(subject, transition, scenario.start)),
  ]).world;
}

export function occurrenceOf({ execution }: Subject): string {
  return execution.action_occurrence_id;
}

/** A new request as it is observed: with its limits, and its first records. */
export function bornOf(subject: Subject, created: Transition, now: number): Observation[] {
  const { id, request } = subject;
  return [{ kind: 'request', id, request }, ...recordsOf(subject, created, now)];
}

/** Another subject with another action and the same deadlines. */
function besideOf(subject: Subject): Subject {
  const action_occurrence_id = `${occurrenceOf(subject)}-beside`;
  const execution = { ...subject.execution, action_occurrence_id };
  return {
    ...replacementOf(subject),
    request: { ...subject.request, execution },
    execution,
    executionDigest: valueDigest(execution),
  };
}

/** Another subject with the same action and the same deadlines. */
export function replacementOf(subject: Subject): Subject {
  return { ...subject, id: `${subject.id.slice(0, -1)}${subject.id.endsWith('a') ? 'b' : 'a'}` };
}

export function newRow(subject: Subject, created: Transition): Row {
  return {
    subject,
    state: created.next,
    version: 1,
    deadlines: waitingAfter({}, created),
    decidedBy: null,
    claim: null,
  };
}

/** The world at the next moment from which something is answered otherwise; null when none is left. */
export function later(world: World): World | null {
  const times = world.rows
    .flatMap((row) => momentsOf(row, world.scenario))
    .filter((time) => time > world.now);
  return times.length === 0 ? null : { ...world, now: Math.min(...times) };
}

function momentsOf({ state, deadlines }: Row, { executionSeconds }: Scenario): number[] {
  const { decision, grant, grantDeadline, claimed, outcomeRecorded, privateDeleteAt } = state;
  const isGrantUsed = hasUnusedGrant({ grant }) || (claimed && !outcomeRecorded);
  return [
    ...(decision === 'pending' ? [state.reviewDeadline] : []),
    ...(isGrantUsed && grantDeadline !== null
      ? [grantDeadline, grantDeadline + executionSeconds * 1000]
      : []),
    ...(state.materialDeleted ? [] : [privateDeleteAt]),
    ...(deadlines.reconciliation_end === undefined ? [] : [deadlines.reconciliation_end]),
  ];
}

/** A world in which this was observed too, and the invariants that it breaks. */
export function observed(
  world: World,
  observations: readonly Observation[],
): { world: World; breaches: string[] } {
  const all = branchOf(world.observations);
  const breaches = observations.flatMap((each) => observe(all, each));
  return { world: { ...world, observations: all }, breaches };
}

/** The records of a transition as they are observed, each with the request that it is about. */
export function recordsOf(
  { id }: Subject,
  { records }: Transition,
  committedAt: number,
): (Observation & { kind: 'record' })[] {
  return records.map(({ type, payload }) => ({
    kind: 'record',
    type: type as RecordType,
    payload: { ...payload, request_id: id },
    committedAt,
  }));
}

/**
 * The same text for worlds that continue alike. Numbers of revisions and versions, and the texts of answers, only matter by
 * comparison.
 */
export function identityOf(world: World): string {
  const { now, rows, directory, recovered, occurrences, identities, nonces, answers } = world;
  const { observations, pending } = world;
  return [
    now,
    directory.routeRevision,
    directory.reviewers,
    recovered,
    ...[...occurrences.values()].map(({ request, consumedBy }) => {
      return `${request === rows[0]?.subject.id} ${consumedBy !== null}`;
    }),
    identities,
    nonces,
    ...[...answers]
      .map(([key, { body, text }]) => {
        const seen = observations.answers.get(key);
        return `${key}=${body}${seen?.text === text ? '' : '!'}`;
      })
      .sort(),
    ...rows.map((row) => `${stateOf(row)} ${rowObserved(row, observations)}`),
    ...pending
      .map(({ mark, row, version, directory: read }) => {
        return `${mark}-${(rows[row]?.version ?? 0) - version}-${directory.revision - read}`;
      })
      .sort(),
  ].join('|');
}

/** Everything about a row that later decisions depend on. */
export function stateOf({ state, deadlines, decidedBy, claim }: Row): string {
  const { decision, audit, grant, execution, invalidated, grantDeadline, privateDeleteAt } = state;
  const { claimed, outcomeRecorded, admissions, materialDeleted } = state;
  return [
    ...[decision, audit, grant, execution, invalidated, grantDeadline, privateDeleteAt],
    ...[claimed, outcomeRecorded, admissions, materialDeleted, decidedBy],
    claim?.execution_identity,
    deadlines.reconciliation,
    deadlines.reconciliation_end,
  ].join(' ');
}

function rowObserved(
  { subject, state, claim, decidedBy }: Row,
  { requests }: Observations,
): string {
  const seen = requests.get(subject.id);
  if (seen === undefined) return '';
  const { grantDeadline } = state;
  return [
    seen.revision - state.revision,
    seen.decisions,
    seen.reviewer === decidedBy,
    seen.claims,
    seen.reports,
    seen.outcomes,
    seen.ended,
    seen.claimId === (claim?.id ?? null),
    seen.grantDeadline === (grantDeadline === null ? null : formatTimestamp(grantDeadline)),
    seen.nonces,
  ].join();
}
