import {
  canonicalText,
  textDigest,
  valueDigest,
  verifyAnchorProof,
  verifyLedgerRange,
} from '@countersign/protocol';
import type {
  AuditCheckpoint,
  ChainPoint,
  ExecutionClaim,
  RequestChangedEvent,
  RecordType,
  RequestStatus,
  SignedRecord,
} from '@countersign/protocol';
import { noObservations, observe } from '@countersign/protocol/testing';
import type { Invariant } from '@countersign/protocol/testing';
import type { Evidence } from './evidence.js';
import type { Journal, Step } from './lifecycles.js';

export type Fault =
  | Invariant
  | 'not_completed'
  | 'answers_differ'
  | 'answer_denied'
  | 'no_claim'
  | 'broken_chain'
  | 'record_not_in_ledger'
  | 'record_twice_in_ledger'
  | 'export_incomplete'
  | 'proof_refused'
  | 'cursor_jump'
  | 'cursor_gap'
  | 'event_twice'
  | 'event_missing'
  | 'event_unknown'
  | 'revision_gap'
  | 'status_differs';

export interface Finding {
  readonly fault: Fault;
  readonly about: string;
}

/** Everything that must never be, looked for in all that was collected; empty when all is well. */
export function findingsIn(evidence: Evidence): Finding[] {
  const records = evidence.ledger.flatMap(({ record }) =>
    record === null ? [] : [JSON.parse(record) as SignedRecord],
  );
  return [
    ...lifecycles(evidence),
    ...claims(evidence.journals, records),
    ...invariants(evidence, records),
    ...chain(evidence),
    ...membership(evidence),
    ...exports(evidence, records),
    ...proofs(evidence),
    ...cursor(evidence),
    ...events(evidence, records),
  ];
}

const found = (fault: Fault, about: string): Finding => ({ fault, about });

/** Every lifecycle is complete, and the service still gives the same answers. */
function lifecycles({ journals, statuses }: Evidence): Finding[] {
  return journals.flatMap(({ requestId, answers }) => {
    const status = statuses.get(requestId);
    if (status === undefined || !isComplete(status)) return [found('not_completed', requestId)];
    const textsOf = (step: Step): string[] =>
      answers.filter((answer) => answer.step === step).map(({ text }) => text);
    const differing = (['create', 'propose', 'confirm', 'claim', 'report'] as const)
      .filter((step) => new Set(textsOf(step)).size > 1)
      .map((step) => found('answers_differ', `${step} of ${requestId}`));
    const kept = { confirm: status.receipt, claim: status.claim, report: status.outcome };
    const denied = (['confirm', 'claim', 'report'] as const)
      .filter((step) => textsOf(step).some((text) => text !== canonicalText(kept[step])))
      .map((step) => found('answer_denied', `${step} of ${requestId}`));
    return [...differing, ...denied];
  });
}

function isComplete(status: RequestStatus): boolean {
  const { decision_state, audit_state, grant_state, execution_state } = status;
  return (
    decision_state === 'confirmed' &&
    audit_state === 'anchored' &&
    grant_state === 'consumed' &&
    execution_state === 'completed'
  );
}

/** Every request was claimed. */
function claims(journals: readonly Journal[], records: readonly SignedRecord[]): Finding[] {
  const claimed = new Set(
    records
      .filter(isOf('ExecutionClaim'))
      .map(payloadOf<ExecutionClaim>)
      .map(({ request_id }) => request_id),
  );
  return journals
    .filter(({ requestId }) => !claimed.has(requestId))
    .map(({ requestId }) => found('no_claim', requestId));
}

/** The invariants that the model checker judges interleavings by, on the records in the order of the ledger (R16). */
function invariants({ exports: exported }: Evidence, records: readonly SignedRecord[]): Finding[] {
  const observations = noObservations();
  for (const [id, { request }] of exported) observe(observations, { kind: 'request', id, request });
  return records.flatMap((record) => {
    const type = record.protected.type as RecordType;
    const payload = payloadOf<{ request_id: string }>(record);
    return observe(observations, { kind: 'record', type, payload }).map((invariant) =>
      found(invariant, payload.request_id),
    );
  });
}

/** No gap, every head and signature right, and every checkpoint that was handed out lies on the chain. */
function chain({ ledger, trust, tenant, statuses }: Evidence): Finding[] {
  const points = new Map<number, ChainPoint>();
  for (const { anchor } of statuses.values()) {
    if (anchor === null) continue;
    const { sequence, head } = payloadOf<AuditCheckpoint>(anchor.checkpoint);
    points.set(sequence, { sequence, head });
  }
  const verified = verifyLedgerRange(ledger, trust, { tenant, points: [...points.values()] });
  return verified.ok
    ? []
    : [found('broken_chain', `${verified.reason} at entry ${verified.sequence}`)];
}

/** Every record that was answered, exported or fed is chained, and none is chained twice. */
function membership(evidence: Evidence): Finding[] {
  const digests = evidence.ledger.map(({ record_digest }) => record_digest);
  const chained = new Set(digests);
  const seen = new Map<string, string>();
  const note = (where: string, ...records: (SignedRecord | null)[]): void => {
    for (const record of records) if (record !== null) seen.set(valueDigest(record), where);
  };
  for (const { requestId, answers } of evidence.journals) {
    for (const { step, text } of answers) {
      if (step !== 'create' && step !== 'propose') {
        seen.set(textDigest(text), `${step} of ${requestId}`);
      }
    }
  }
  for (const [id, { receipt, claim, outcome }] of evidence.statuses) {
    note(`status of ${id}`, receipt, claim, outcome);
  }
  for (const [id, { records }] of evidence.exports) note(`export of ${id}`, ...records);
  for (const { after, items } of evidence.feed) note(`feed after ${after}`, ...items);
  return [
    ...repeated(digests).map((digest) => found('record_twice_in_ledger', digest)),
    ...[...seen]
      .filter(([digest]) => !chained.has(digest))
      .map(([digest, where]) => found('record_not_in_ledger', `${where}: ${digest}`)),
  ];
}

/** An export holds all records and all entries of its request, as the ledger has them. */
function exports(evidence: Evidence, records: readonly SignedRecord[]): Finding[] {
  const own = new Map<string, string[]>();
  for (const record of records.filter((each) => !isOf('RequestChangedEvent')(each))) {
    const { request_id } = payloadOf<{ request_id?: string }>(record);
    if (request_id === undefined) continue;
    own.set(request_id, [...(own.get(request_id) ?? []), canonicalText(record)]);
  }
  const entries = new Map<string, string[]>();
  for (const {
    request_id,
    sequence,
    previous_head,
    head,
    record_digest,
    record,
  } of evidence.ledger) {
    if (request_id === null) continue;
    const text = canonicalText({ sequence, previous_head, head, record_digest, record });
    entries.set(request_id, [...(entries.get(request_id) ?? []), text]);
  }
  return evidence.journals.flatMap(({ requestId }) => {
    const exported = evidence.exports.get(requestId);
    if (exported === undefined) return [found('export_incomplete', requestId)];
    const findings: Finding[] = [];
    if (!same(exported.records.map(canonicalText), own.get(requestId))) {
      findings.push(found('export_incomplete', `records of ${requestId}`));
    }
    if (!same(exported.audit.map(canonicalText), entries.get(requestId))) {
      findings.push(found('export_incomplete', `entries of ${requestId}`));
    }
    return findings;
  });
}

/** Every anchor proof leads from the receipt to a checkpoint of which the anchor store has the same copy. */
function proofs({ statuses, exports: exported, trust, anchored }: Evidence): Finding[] {
  return [...statuses].flatMap(([id, { receipt, anchor }]) =>
    [anchor, exported.get(id)?.anchor ?? null].flatMap((proof) => {
      if (proof === null) return [found('proof_refused', `${id}: there is none`)];
      const storedCopy = anchored.get(proof.acceptance.key);
      if (storedCopy === undefined) return [found('proof_refused', `${id}: not in the store`)];
      const verified = verifyAnchorProof(proof, trust, {
        recordDigest: valueDigest(receipt),
        storedCopy,
      });
      return verified.ok ? [] : [found('proof_refused', `${id}: ${verified.reason}`)];
    }),
  );
}

/** Each page starts where the one before ended, and its numbers have no gap (R15, R31). */
function cursor({ feed }: Evidence): Finding[] {
  return feed.flatMap(({ after, next, items }, index) => {
    const findings: Finding[] = [];
    const before = index === 0 ? 0 : (feed[index - 1]?.next as number);
    if (after !== before) findings.push(found('cursor_jump', `${before} to ${after}`));
    if (next - after !== items.length) findings.push(found('cursor_gap', `${after} to ${next}`));
    return findings;
  });
}

/** Every event is seen once, in the order of its request, and the last one has the states of the status. */
function events(evidence: Evidence, records: readonly SignedRecord[]): Finding[] {
  const fed = evidence.feed.flatMap(({ items }) => items).map(payloadOf<RequestChangedEvent>);
  const seen = new Set(fed.map(({ event_id }) => event_id));
  const chained = records
    .filter(({ protected: { type, audience } }) => {
      return type === 'RequestChangedEvent' && audience === evidence.producer;
    })
    .map(payloadOf<RequestChangedEvent>);
  const known = new Set(chained.map(({ event_id }) => event_id));
  const byRequest = new Map<string, RequestChangedEvent[]>();
  for (const event of fed) {
    byRequest.set(event.request_id, [...(byRequest.get(event.request_id) ?? []), event]);
  }
  return [
    ...repeated(fed.map(({ event_id }) => event_id)).map((id) => found('event_twice', id)),
    ...[...known].filter((id) => !seen.has(id)).map((id) => found('event_missing', id)),
    ...[...seen].filter((id) => !known.has(id)).map((id) => found('event_unknown', id)),
    ...[...evidence.statuses].flatMap(([id, status]) => story(id, status, byRequest.get(id) ?? [])),
  ];
}

function story(id: string, status: RequestStatus, told: readonly RequestChangedEvent[]): Finding[] {
  const revisions = told.map(({ revision }) => revision);
  if (
    !same(
      revisions,
      told.map((_, index) => index + 1),
    )
  ) {
    return [found('revision_gap', `${id}: ${revisions.join(', ')}`)];
  }
  const state = {
    decision: status.decision_state,
    audit: status.audit_state,
    grant: status.grant_state,
    execution: status.execution_state,
  };
  const last = told.at(-1);
  return last?.revision === status.revision && canonicalText(last.state) === canonicalText(state)
    ? []
    : [found('status_differs', id)];
}

function isOf(type: string): (record: SignedRecord) => boolean {
  return (record) => record.protected.type === type;
}

function payloadOf<T>(record: SignedRecord): T {
  return record.payload as T;
}

/** Each value that occurs more than once. */
function repeated(values: readonly string[]): string[] {
  const seen = new Set<string>();
  return [...new Set(values.filter((value) => seen.size === seen.add(value).size))];
}

function same<T>(one: readonly T[], other: readonly T[] | undefined): boolean {
  return one.length === other?.length && one.every((value, index) => value === other[index]);
}
