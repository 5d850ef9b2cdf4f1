import type {
  AdmissionStatus,
  DecisionReceipt,
  DecisionRequest,
  ExecutionClaim,
  RecordType,
} from '../../records/index.js';
import { hasUnusedGrant } from '../index.js';
import type { EventReason, States } from '../index.js';
import { canFollow } from './moves.js';

// The invariants of requests as callers and auditors can see them, each written once: the model checker of this folder
// judges every interleaving by them, and the tests against running services judge what they observed.

/** One thing that happened. The records of a request are observed in the order of their commits, as the ledger has them. */
export type Observation =
  /** A request was accepted; observed before its records, where its limits are known. */
  | { readonly kind: 'request'; readonly id: string; readonly request: DecisionRequest }
  | {
      readonly kind: 'record';
      readonly type: RecordType;
      readonly payload: object;
      /** Epoch milliseconds of the commit, where that is known. */
      readonly committedAt?: number;
    }
  /** A call under that key had its effect, and its answer may be lost. */
  | { readonly kind: 'effect'; readonly key: string; readonly body: string }
  /** A success under an idempotency key; `body`: any text that tells one body from another. */
  | { readonly kind: 'answer'; readonly key: string; readonly body: string; readonly text: string }
  | { readonly kind: 'refusal'; readonly key: string; readonly body: string }
  /** From here on these people alone may decide. */
  | { readonly kind: 'reviewers'; readonly ids: readonly string[] }
  /** A recovery ended all authority that was given before. */
  | { readonly kind: 'recovery' };

/** The bounds that a request sets to its grant. */
export interface GrantLimits {
  readonly grantSeconds: number;
  /** Epoch milliseconds. */
  readonly validUntil: number;
}

/** The observations of one request. */
export interface Observed {
  revision: number;
  states: States | null;
  /** Null where they are not known. */
  limits: GrantLimits | null;
  decisions: number;
  /** Of its newest receipt. */
  reviewer: string | null;
  /** As a timestamp, of the receipt that authorises; null without one. */
  grantDeadline: string | null;
  /** Its authority was taken away, or has run out. */
  ended: boolean;
  claims: number;
  claimId: string | null;
  nonces: string[];
  reports: number;
  outcomes: number;
}

export interface Observations {
  requests: Map<string, Observed>;
  occurrences: string[];
  identities: string[];
  /** Of each key, the body and the answer; null while only its effect was observed. */
  answers: Map<string, { body: string; text: string | null }>;
  /** Null before the first list of them. */
  reviewers: readonly string[] | null;
}

export function noObservations(): Observations {
  return {
    requests: new Map(),
    occurrences: [],
    identities: [],
    answers: new Map(),
    reviewers: null,
  };
}

/** A copy that can be continued by itself. */
export function branchOf(from: Observations): Observations {
  return {
    requests: new Map(
      [...from.requests].map(([id, each]) => [id, { ...each, nonces: [...each.nonces] }]),
    ),
    occurrences: [...from.occurrences],
    identities: [...from.identities],
    answers: new Map(from.answers),
    reviewers: from.reviewers,
  };
}

/** Adds an observation, and answers the names of the invariants that it breaks. */
export function observe(before: Observations, observation: Observation): Invariant[] {
  switch (observation.kind) {
    case 'request':
      requestOf(before, observation.id).limits = limitsOf(observation.request);
      return [];
    case 'record':
      return observeRecord(before, observation);
    case 'effect':
      return observeEffect(before, observation);
    case 'answer':
      return observeAnswer(before, observation);
    case 'refusal':
      return before.answers.get(observation.key)?.body === observation.body ? [KEPT_ANSWER] : [];
    case 'reviewers':
      before.reviewers = observation.ids;
      return [];
    case 'recovery':
      for (const request of before.requests.values()) request.ended = true;
      return [];
  }
}

export const ONE_CLAIM = 'one claim of a request, an occurrence and an identity (I1)';
export const KEPT_ANSWER = 'a key has one body, one effect and one answer for ever (I2)';
export const NO_LATE_AUTHORITY = 'nothing is decided, claimed or admitted after the end (I3)';
export const BOUNDED =
  'a grant ends as its request says, claim and permits are given before that, and end with it (I3)';
export const ONE_NONCE = 'a nonce admits once (I4)';
export const IN_ORDER = 'each event of a request has the next revision (I6)';
export const LEGAL = 'events tell of legal moves, and terminal states stay (I8)';
export const ONE_DECISION = 'a request has one decision and one report (I8)';
export const RESTS_ON =
  'a grant rests on an authorisation, a claim on its anchor, permits and outcomes on the claim (I8)';
export const ELIGIBLE = 'those who were removed do not decide, and have given no authority (I3)';

export type Invariant =
  | typeof ONE_CLAIM
  | typeof KEPT_ANSWER
  | typeof NO_LATE_AUTHORITY
  | typeof BOUNDED
  | typeof ONE_NONCE
  | typeof IN_ORDER
  | typeof LEGAL
  | typeof ONE_DECISION
  | typeof RESTS_ON
  | typeof ELIGIBLE;

function observeEffect(
  { answers }: Observations,
  { key, body }: Observation & { kind: 'effect' },
): Invariant[] {
  if (answers.has(key)) return [KEPT_ANSWER];
  answers.set(key, { body, text: null });
  return [];
}

function observeAnswer(
  { answers }: Observations,
  { key, body, text }: Observation & { kind: 'answer' },
): Invariant[] {
  const known = answers.get(key);
  if (known === undefined || (known.body === body && known.text === null)) {
    answers.set(key, { body, text });
    return [];
  }
  return known.body === body && known.text === text ? [] : [KEPT_ANSWER];
}

function observeRecord(
  before: Observations,
  { type, payload, committedAt }: Observation & { kind: 'record' },
): Invariant[] {
  const observed = OBSERVERS[type];
  if (observed === undefined) return [];
  const { request_id: id } = payload as { request_id: string };
  const breaches = observed(requestOf(before, id), payload as never, before);
  const { dispatch_before: bound } = payload as { dispatch_before?: string };
  const isLate =
    bound !== undefined && committedAt !== undefined && committedAt >= Date.parse(bound);
  return isLate ? [...breaches, BOUNDED] : breaches;
}

type Observer = (request: Observed, payload: never, all: Observations) => Invariant[];

const OBSERVERS: Partial<Record<RecordType, Observer>> = {
  DecisionReceipt: observeReceipt,
  ExecutionClaim: observeClaim,
  AdmissionStatus: observeAdmission,
  ExecutionOutcome: (request) => {
    request.reports += 1;
    return [...broken({ [ONE_DECISION]: request.reports > 1 }), ...observeOutcome(request)];
  },
  ExecutionReconciliation: observeOutcome,
  RequestChangedEvent: observeEvent,
};

function observeReceipt(
  request: Observed,
  receipt: DecisionReceipt,
  { reviewers }: Observations,
): Invariant[] {
  request.decisions += 1;
  request.reviewer = receipt.reviewer;
  if (receipt.decision === 'authorise') request.grantDeadline = receipt.grant_deadline ?? null;
  return broken({
    [ONE_DECISION]: request.decisions > 1,
    [NO_LATE_AUTHORITY]: request.ended,
    [ELIGIBLE]: isRemoved(receipt.reviewer, reviewers),
    [BOUNDED]: isTooLong(receipt, request.limits),
  });
}

function isRemoved(reviewer: string | null, reviewers: Observations['reviewers']): boolean {
  return reviewer !== null && reviewers !== null && !reviewers.includes(reviewer);
}

function isTooLong(receipt: DecisionReceipt, limits: GrantLimits | null): boolean {
  if (limits === null || receipt.decision !== 'authorise') return false;
  const { confirmed_at, grant_deadline } = receipt;
  const longest = Date.parse(confirmed_at) + limits.grantSeconds * 1000;
  return Date.parse(grant_deadline ?? '') > Math.min(longest, limits.validUntil);
}

function observeClaim(
  request: Observed,
  { id, action_occurrence_id, execution_identity, dispatch_before, claimed_at }: ExecutionClaim,
  { occurrences, identities, reviewers }: Observations,
): Invariant[] {
  const { grantDeadline, ended, states, reviewer } = request;
  const breaches = broken({
    [ONE_CLAIM]:
      request.claims > 0 ||
      occurrences.includes(action_occurrence_id) ||
      identities.includes(execution_identity),
    [RESTS_ON]: grantDeadline === null || states?.grant !== 'available',
    [NO_LATE_AUTHORITY]: ended,
    [ELIGIBLE]: isRemoved(reviewer, reviewers),
    [BOUNDED]: dispatch_before !== grantDeadline || claimed_at >= dispatch_before,
  });
  request.claims += 1;
  request.claimId = id;
  occurrences.push(action_occurrence_id);
  identities.push(execution_identity);
  return breaches;
}

function observeAdmission(
  request: Observed,
  { nonce, claim_id, dispatch_before, checked_at }: AdmissionStatus,
  { reviewers }: Observations,
): Invariant[] {
  const { grantDeadline, ended, claimId, outcomes, nonces, reviewer } = request;
  const breaches = broken({
    [ONE_NONCE]: nonces.includes(nonce),
    [RESTS_ON]: claimId === null || claimId !== claim_id,
    [NO_LATE_AUTHORITY]: ended || outcomes > 0,
    [ELIGIBLE]: isRemoved(reviewer, reviewers),
    [BOUNDED]: dispatch_before !== grantDeadline || checked_at >= dispatch_before,
  });
  nonces.push(nonce);
  return breaches;
}

function observeOutcome(request: Observed): Invariant[] {
  request.outcomes += 1;
  return request.claims === 0 ? [RESTS_ON] : [];
}

const ENDINGS: readonly EventReason[] = [
  ...(['expiry', 'cancelled', 'revoked', 'supersession', 'material_deleted'] as const),
  ...(['requester_removed', 'reviewer_removed', 'producer_removed'] as const),
  ...(['producer_authorisation_changed', 'authorisation_changed'] as const),
];

function observeEvent(
  request: Observed,
  event: { readonly reason: EventReason; readonly revision: number; readonly state: States },
): Invariant[] {
  const { revision, states, grantDeadline } = request;
  request.revision = event.revision;
  request.states = event.state;
  request.ended ||= ENDINGS.includes(event.reason) || event.state.grant === 'expired';
  return broken({
    [IN_ORDER]: event.revision !== revision + 1,
    [RESTS_ON]: hasUnusedGrant(event.state) && grantDeadline === null,
    [LEGAL]: states !== null && !canFollow(states, event.state),
  });
}

function broken(breaks: Partial<Readonly<Record<Invariant, boolean>>>): Invariant[] {
  return (Object.keys(breaks) as Invariant[]).filter((name) => breaks[name]);
}

function requestOf({ requests }: Observations, id: string): Observed {
  const known = requests.get(id);
  if (known !== undefined) return known;
  const nothing = nothingOf();
  requests.set(id, nothing);
  return nothing;
}

function limitsOf({ limits, execution }: DecisionRequest): GrantLimits {
  return {
    grantSeconds: limits.grant_seconds,
    validUntil: execution === undefined ? Infinity : Date.parse(execution.valid_until),
  };
}

function nothingOf(): Observed {
  return {
    revision: 0,
    states: null,
    limits: null,
    decisions: 0,
    reviewer: null,
    grantDeadline: null,
    ended: false,
    claims: 0,
    claimId: null,
    nonces: [],
    reports: 0,
    outcomes: 0,
  };
}
