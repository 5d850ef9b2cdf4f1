import {
  checkAnchor,
  checkBinding,
  checkDecision,
  checkEvents,
  checkExecution,
  checkRecord,
  checkRequest,
  expecting,
  isOf,
  readTrustManifest,
  textDigest,
  valueDigest,
} from '@countersign/protocol/verifier/parts';
import type {
  AuditExport,
  CheckedRecord,
  RecordType,
  VerifierContext,
} from '@countersign/protocol/verifier/parts';

import { ConfigurationInvalid, VerificationFailed } from './errors.js';
import { failing } from './failing.js';
import { status as readStatus } from './generated/operations.js';
import type {
  AuditExport as Export,
  EventPage,
  Material,
  RequestInput,
  RequestStatus,
  SignedRecord,
  TrustManifest,
} from './generated/records.js';
import type { VerificationReason } from './generated/reasons.js';
import type { Operation } from './operation.js';
import type { Shape } from './shape.js';

/** A checkpoint as the anchor store holds it, read by the program itself and not by way of the service. */
export interface AnchorCopy {
  /** The whole key, such as `checkpoints/<ledger>/<generation>/<sequence>.json`. */
  readonly key: string;
  readonly bytes: Uint8Array;
}

/** Where the program looks up checkpoints (protocol §4.3.5); null for a place that holds none. */
export interface AnchorStore {
  copy(
    ledgerId: string,
    generation: string,
    sequence: number,
  ): AnchorCopy | null | Promise<AnchorCopy | null>;
}

export interface VerificationOptions {
  readonly origin: string;
  readonly trust: TrustManifest;
  readonly tenant: string | undefined;
  readonly producer: string | undefined;
  readonly anchorStore: AnchorStore | undefined;
  /** The profiles that requests may select; those of the first revision when not given. */
  readonly profiles?: Readonly<Record<string, string>>;
}

/** A call that was answered; times are epoch milliseconds. */
export interface Answered {
  readonly number: number;
  readonly id: string | undefined;
  /** As it was sent. */
  readonly input: unknown;
  readonly body: unknown;
  readonly after: number;
  /** Before the first attempt. */
  readonly sentAt: number;
  readonly receivedAt: number;
  /** The revision that was known before the call was sent; answers may overtake one another. */
  readonly knownRevision: number;
}

/** How many requests are remembered: beyond, the one that was seen longest ago is forgotten. */
const MOST_KNOWN = 1_000;
/** Verified signatures that are remembered. */
const MOST_VERIFIED = 10_000;
/** protocol §15.6 */
const CLOCK_MS = 30_000;

const OUTCOMES: ReadonlySet<string> = new Set([
  ...['completed', 'failed', 'failed_partial', 'cancelled_before_dispatch', 'abandoned'],
]);

/** The verification of all answers of one client, which remembers what was verified before. */
export interface Verification {
  /** The highest revision that was seen of a request; 0 for an unknown one. */
  revisionOf(id: string | undefined): number;
  /**
   * What has to be read first of this request, because the answer rests on it; null for nothing. `body` is null before the
   * call.
   */
  restsOn(number: number, id: string | undefined, body: unknown): Operation | null;
  /** @throws VerificationFailed */
  verify(answered: Answered): Promise<void>;
}

type Context = VerifierContext & { readonly profiles: VerificationOptions['profiles'] };

/**
 * What a client needs for requests that several people decide: the entry `approvals` of this package, which programs without
 * such requests do not load.
 */
export interface Approvals {
  /** The shape of an answer about such a request; null for any other answer. */
  shapeOf(operation: Operation, body: unknown): Shape | null;
  /** @throws ConfigurationInvalid */
  newVerification(options: VerificationOptions): Verification;
}

/** @throws ConfigurationInvalid for a manifest that is none, or is of another service */
export function newVerification(options: VerificationOptions): Verification {
  const { origin, tenant, producer, anchorStore, profiles } = options;
  const { trust, faults } = readTrustManifest(options.trust, origin);
  if (trust === null)
    throw new ConfigurationInvalid(
      'trust',
      `cannot be used: ${faults.map(({ message }) => message).join(' ')} Ask the operator for the manifest again.`,
    );
  const verified: VerifierContext['memory']['verified'] = new Map();
  const known = new Map<string, RequestStatus>();

  function remember(status: RequestStatus): void {
    const { id } = status.request;
    const before = known.get(id);
    known.delete(id);
    known.set(id, before !== undefined && before.revision > status.revision ? before : status);
    for (const oldest of known.keys()) {
      if (known.size <= MOST_KNOWN) break;
      known.delete(oldest);
    }
  }

  async function contextOf(record: string, now: number, anchor: unknown): Promise<Context> {
    if (verified.size > MOST_VERIFIED) verified.clear();
    const copy = anchorStore === undefined ? null : await copyOf(anchorStore, anchor);
    return {
      trust: trust as NonNullable<typeof trust>,
      expected: {
        now,
        ...(tenant !== undefined && { tenant }),
        ...(producer !== undefined && { audience: producer }),
      },
      copies: anchorStore === undefined ? null : { copy: () => copy, within: () => [] },
      // No response is judged here by its schema: the service did, and the receipt says so.
      memory: { verified, canonical: new Set(), schemas: null as never },
      findings: failing(record),
      profiles,
    };
  }

  async function verifyStatus({ body, id, input, number, ...call }: Answered): Promise<void> {
    const status = body as RequestStatus;
    const context = await contextOf('RequestStatus', call.receivedAt, status.anchor);
    const fail = failOf('RequestStatus');
    // Supersession answers with the request that replaces the one of the call.
    if (id !== undefined && number !== SUPERSEDE && status.request.id !== id)
      fail('record_request', '/request/id');
    // A call with a key may be answered with what was answered then.
    if (number === STATUS && status.revision < call.knownRevision) fail('went_back', '/revision');
    checkWhole(context, status);
    if (input !== undefined && (number === CREATE || number === SUPERSEDE))
      compareWithInput(fail, status, input as RequestInput);
    remember(status);
  }

  /** A record that the service made for this call, with all that it rests on. */
  async function verifyRecord(answered: Answered): Promise<void> {
    const { number, id = '', input, body, receivedAt, sentAt } = answered;
    const status = known.get(id);
    const record = RECORD_OF[number] as RecordType;
    const fail = failOf(record);
    if (status === undefined) return fail('request_bound', '');
    const { execution_identity, execution_binding_digest, nonce } = input as Partial<
      Record<'execution_identity' | 'execution_binding_digest' | 'nonce', string>
    >;
    const context = await contextOf(record, receivedAt, status.anchor);
    const expected = {
      ...context.expected,
      // An operator reconciles for the executor.
      ...(number !== RECONCILE &&
        execution_identity !== undefined && { executionIdentity: execution_identity }),
      ...(execution_binding_digest !== undefined && { bindingDigest: execution_binding_digest }),
      ...(nonce !== undefined && { nonce }),
    };
    const fresh = checkWhole(
      { ...context, expected },
      { ...status, outcome: null, ...(number === CLAIM && { claim: null }) },
      { record: body as SignedRecord, type: record },
    );
    if (fresh === null) return fail('record_payload', '');
    if (isOf(fresh, 'AdmissionStatus')) {
      const early = fresh.issuedAt - receivedAt < -CLOCK_MS;
      const late = fresh.issuedAt - sentAt > CLOCK_MS;
      if (early || late) fail('admission_times', '/payload/checked_at');
    }
    if (isOf(fresh, 'ExecutionOutcome') || isOf(fresh, 'ExecutionReconciliation')) {
      if (valueDigest(fresh.payload.outcome) !== valueDigest(input))
        fail('not_as_asked', '/payload/outcome');
    }
    if (number === CLAIM) remember({ ...status, claim: body as SignedRecord });
  }

  async function verifyMaterial({ id = '', body, receivedAt }: Answered): Promise<void> {
    const material = body as Material;
    const fail = failOf('Material');
    if (material.request.id !== id) fail('record_request', '/request/id');
    const { request, request_digest: digest, candidate } = material;
    if (valueDigest(request) !== digest) fail('request_digest', '/request_digest');
    const { review } = request;
    if (valueDigest(material.payload) !== review.payload_digest)
      fail('material_payload', '/payload');
    if (valueDigest(material.response_schema) !== review.response_schema_digest)
      fail('material_schema', '/response_schema');
    if (textDigest(material.review_document) !== review.document_digest)
      fail('material_document', '/review_document');
    const status = known.get(id);
    if (status !== undefined && status.request_digest !== digest)
      fail('request_bound', '/request_digest');
    if (candidate === null) return;
    if (status === undefined || status.receipt === null) return fail('receipt_present', '');
    const context = await contextOf('Material', receivedAt, status.anchor);
    checkWhole(context, status, undefined, material);
  }

  /** The records of an export; the whole of it, with its part of the ledger, is for `verifyExport`. */
  async function verifyRecords({ id, body, receivedAt }: Answered): Promise<void> {
    const exported = body as Export;
    if (exported.request.id !== id) failOf('AuditExport')('record_request', '/request/id');
    const context = await contextOf('AuditExport', receivedAt, exported.anchor);
    const document = exported as unknown as AuditExport;
    const types: RecordType[] = ['DecisionReceipt', 'AdmissionStatus', ...Object.values(RECORD_OF)];
    const expected = expecting({ type: types, ...aboutOf(exported.request, context) });
    checkRequest(context, document, context.profiles);
    const records = exported.records.flatMap((record, at) => {
      const checked = checkRecord(context, record, `/records/${at}`, expected);
      return checked ?? [];
    });
    for (const { payload, path } of records) {
      const { request_id: of } = payload as { request_id?: string };
      context.findings.check('record_request', `${path}/payload/request_id`, of === id);
    }
    checkBinding(context, document, records);
    const receipt = checkDecision(context, document, records);
    const isClaimed = records.some(({ type }) => type === 'ExecutionClaim');
    const proof = checkAnchor(context, document, receipt, isClaimed);
    checkExecution(context, document, records, receipt, proof);
  }

  async function verifyEvents({ body, receivedAt, after }: Answered): Promise<void> {
    const page = body as EventPage;
    const context = await contextOf('EventPage', receivedAt, null);
    const expected = expecting({
      ...{ type: 'RequestChangedEvent', audience: producer ?? null, now: receivedAt },
      ...(tenant !== undefined && { tenant }),
    });
    const events = new Map<string, Parameters<typeof checkEvents>[1][number][]>();
    for (const [at, item] of page.items.entries()) {
      const path = `/items/${at}`;
      const event = checkRecord(context, item, path, expected);
      if (event === null || !isOf(event, 'RequestChangedEvent')) continue;
      const { payload } = event;
      const others = events.get(payload.request_id);
      if (others === undefined) events.set(payload.request_id, [{ path, payload }]);
      else others.push({ path, payload });
    }
    for (const each of events.values()) checkEvents(context.findings, each, false);
    if (page.next < after || (page.items.length > 0 && page.next === after))
      failOf('EventPage')('went_back', '/next');
  }

  return {
    revisionOf: (id) => (id === undefined ? 0 : (known.get(id)?.revision ?? 0)),
    restsOn(number, id = '', body) {
      const { receipt, anchor, claim } = known.get(id) ?? {};
      const isMissing =
        number === MATERIAL
          ? (body as Material | null)?.candidate && !receipt
          : body === null &&
            (number === CLAIM ? !receipt || !anchor : RESTS_ON_CLAIM.has(number) && !claim);
      return isMissing ? readStatus : null;
    },
    async verify(answered) {
      const { number } = answered;
      if (WITH_STATUS.has(number)) await verifyStatus(answered);
      else if (number in RECORD_OF) await verifyRecord(answered);
      else if (number === MATERIAL) await verifyMaterial(answered);
      else if (number === EXPORT) await verifyRecords(answered);
      else if (number === EVENTS) await verifyEvents(answered);
    },
  };
}

const [CREATE, STATUS, MATERIAL, SUPERSEDE] = [4, 6, 7, 16];
const [CLAIM, ADMIT, REPORT, RECONCILE, EXPORT, EVENTS] = [17, 18, 19, 20, 21, 22] as const;
const WITH_STATUS: ReadonlySet<number> = new Set([4, 6, 12, 13, 15, 16]);
const RESTS_ON_CLAIM: ReadonlySet<number> = new Set([ADMIT, REPORT, RECONCILE]);
const RECORD_OF: Readonly<Record<number, RecordType>> = {
  [CLAIM]: 'ExecutionClaim',
  [ADMIT]: 'AdmissionStatus',
  [REPORT]: 'ExecutionOutcome',
  [RECONCILE]: 'ExecutionReconciliation',
};

type Fail = (reason: VerificationReason, pointer: string) => never;

function failOf(record: string): Fail {
  return (reason, pointer) => {
    throw new VerificationFailed(record, reason, pointer);
  };
}

/**
 * A status with all its records (protocol §3.4, §4.3, §15.1 to §15.5), and a further record that stands at the root of its
 * own answer, which is returned.
 */
function checkWhole(
  context: Context,
  status: RequestStatus,
  added?: { readonly record: SignedRecord; readonly type: RecordType },
  material?: Material,
): CheckedRecord | null {
  const { findings } = context;
  const { request, anchor } = status;
  const document = {
    request,
    request_digest: status.request_digest,
    anchor,
    material: material ?? null,
    records: [],
    audit: [],
    verification: '',
  } as unknown as AuditExport;
  const about = aboutOf(request, context);
  const records: CheckedRecord[] = [];
  const take = (record: SignedRecord | null, path: string, ...type: RecordType[]) => {
    if (record === null) return null;
    const checked = checkRecord(context, record, path, expecting({ type, ...about }));
    if (checked === null) return null;
    const { request_id: id } = checked.payload as { request_id?: string };
    findings.check('record_request', `${path}/payload/request_id`, id === request.id);
    records.push(checked);
    return checked;
  };
  checkRequest(context, document, context.profiles);
  take(status.receipt, '/receipt', 'DecisionReceipt');
  take(status.claim, '/claim', 'ExecutionClaim');
  take(status.outcome, '/outcome', 'ExecutionOutcome', 'ExecutionReconciliation');
  const fresh = added === undefined ? null : take(added.record, '', added.type);
  checkBinding(context, document, records);
  const receipt = checkDecision(context, document, records);
  const isClaimed = records.some(({ type }) => type === 'ExecutionClaim');
  const proof = checkAnchor(context, document, receipt, isClaimed);
  checkExecution(context, document, records, receipt, proof);
  if (added === undefined) checkStates(status, records);
  return fresh;
}

function aboutOf(request: RequestStatus['request'], { expected }: VerifierContext) {
  return {
    audience: request.producer,
    tenant: request.tenant,
    purpose: request.purpose,
    profiles: request.profiles,
    now: expected.now as number,
  };
}

/** The states are not signed; those that a program acts on need the record that leads to them. */
function checkStates(status: RequestStatus, records: readonly CheckedRecord[]): void {
  const { decision_state, audit_state, grant_state, execution_state } = status;
  const has = (name: RecordType) => records.some(({ type }) => type === name);
  const authorises = records.some(
    (record) => isOf(record, 'DecisionReceipt') && record.payload.decision === 'authorise',
  );
  const outcomes = records.flatMap((record) =>
    isOf(record, 'ExecutionOutcome') || isOf(record, 'ExecutionReconciliation')
      ? [record.payload.outcome.status as string]
      : [],
  );
  const faults: readonly (readonly [string, boolean])[] = [
    ['/decision_state', decision_state === 'confirmed' && !has('DecisionReceipt')],
    ['/audit_state', audit_state === 'anchored' && status.anchor === null],
    ['/grant_state', grant_state === 'available' && !(authorises && status.anchor !== null)],
    ['/grant_state', grant_state === 'consumed' && !has('ExecutionClaim')],
    ['/execution_state', OUTCOMES.has(execution_state) && !outcomes.includes(execution_state)],
  ];
  for (const [pointer, isFault] of faults)
    if (isFault) failOf('RequestStatus')('state_unproven', pointer);
}

/** The request that was made is the one that was asked for. */
function compareWithInput(fail: Fail, { request }: RequestStatus, input: RequestInput): void {
  const { review } = request;
  const same = (one: unknown, other: unknown) =>
    valueDigest(one ?? null) === valueDigest(other ?? null);
  if (valueDigest(input.payload) !== review.payload_digest)
    fail('material_payload', '/request/review/payload_digest');
  if (valueDigest(input.response_schema) !== review.response_schema_digest)
    fail('material_schema', '/request/review/response_schema_digest');
  if (textDigest(input.review_document) !== review.document_digest)
    fail('material_document', '/request/review/document_digest');
  const { artefact } = input;
  const members: readonly (readonly [string, unknown, unknown])[] = [
    ['execution', request.execution, input.execution],
    ['purpose', request.purpose, input.purpose],
    ['profiles', request.profiles, input.profiles],
    ['route', request.route, input.route],
    ['summary', request.summary, input.summary],
    ['metadata', request.metadata, input.metadata ?? {}],
    ['review/artefact_digest', review.artefact_digest, artefact.digest],
    ['review/representation', review.representation, artefact.representation],
    ['review/digest_rules', review.digest_rules, artefact.digest_rules],
    ['review/bundle/id', review.bundle?.id, input.bundle_id],
  ];
  for (const [member, one, other] of members)
    if (!same(one, other)) fail('not_as_asked', `/request/${member}`);
}

async function copyOf(store: AnchorStore, anchor: unknown) {
  const { checkpoint } = (anchor ?? {}) as { checkpoint?: SignedRecord };
  const { ledger_id, generation, sequence } = (checkpoint?.payload ?? {}) as Record<
    string,
    unknown
  >;
  if (typeof ledger_id !== 'string' || typeof generation !== 'string') return null;
  if (typeof sequence !== 'number') return null;
  const copy = await store.copy(ledger_id, generation, sequence);
  return copy === null ? null : { ...copy, generation, sequence };
}

/** The keys by which the service's manifest of now differs from the pinned one; null when it is the same. */
export interface TrustDrift {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

export function driftOf(pinned: TrustManifest, served: TrustManifest): TrustDrift | null {
  if (valueDigest(pinned) === valueDigest(served)) return null;
  const keysOf = ({ keys }: TrustManifest) =>
    new Map(keys.map((key) => [key.key_id, valueDigest(key)]));
  const [before, now] = [keysOf(pinned), keysOf(served)];
  return {
    added: [...now.keys()].filter((id) => !before.has(id)),
    removed: [...before.keys()].filter((id) => !now.has(id)),
    changed: [...now].filter(([id, is]) => (before.get(id) ?? is) !== is).map(([id]) => id),
  };
}

/** The digest of a JSON value in canonical form, `sha256:…`, as records name it (protocol §2.2). */
export function digestOf(value: unknown): string {
  return valueDigest(value);
}

/**
 * A key that is the same after a crash and on any host: `cs1-` and base64url of the SHA-256 of the parts' canonical form
 * (RFC 8785). Name all that makes the call the one that it is: tenant, producer, operation, occurrence or request, attempt.
 */
export function keyOf(...parts: readonly (string | number)[]): string {
  const hex = valueDigest(parts).slice('sha256:'.length);
  const letters = btoa(
    String.fromCharCode(...(hex.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16))),
  );
  return `cs1-${letters.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}`;
}
