import { IDENTIFIER } from './constants.js';
import type { ErrorCode } from './errors.js';
import { Refusal } from './errors.js';
import type { DecisionState } from './lifecycle/state.js';
import type { RecordName, RecordOf } from './records/registry.js';
import { DECISION_STATES } from './records/vocabulary.js';
import type { ServiceName } from './services.js';

/**
 * Kinds of principals that call. An auditor reads the security log (R41), and so is let in by no operation; a monitor reads
 * the metrics and may do nothing else (R42).
 */
export const CALLER_KINDS = [
  'producer',
  'publisher',
  'operator',
  'human',
  'auditor',
  'monitor',
] as const;
export type CallerKind = (typeof CALLER_KINDS)[number];
export type Method = 'GET' | 'POST' | 'PUT';
/** Which credentials the interface lets in (protocol §8). */
export type Security = 'none' | 'either' | 'human' | 'bearer';

interface CallerRule {
  readonly kinds: readonly CallerKind[];
  /** A human passes only with this power, which only their configuration tells (R2). */
  readonly humanNeeds?: 'operator' | 'publisher';
  /** The answer to every other kind. */
  readonly refusal: ErrorCode;
}

/** The kinds of callers of each operation (protocol §1, §7, R1, R2, R26). The service checks ownership and routes. */
export const CALLER_RULES = {
  anyone: { kinds: ['producer', 'publisher', 'operator', 'human'], refusal: 'forbidden' },
  publisher: {
    kinds: ['publisher', 'human'],
    humanNeeds: 'publisher',
    refusal: 'publisher_required',
  },
  /** Creates requests and owns them: a producer, or a human whom the route names. */
  owner: { kinds: ['producer', 'human'], refusal: 'producer_required' },
  lister: { kinds: ['producer', 'operator', 'human'], refusal: 'forbidden' },
  /** A publisher that reads a request by id learns nothing, not even a 403 (protocol §1). */
  reader: { kinds: ['producer', 'operator', 'human'], refusal: 'not_found' },
  reviewer: { kinds: ['human'], refusal: 'human_required' },
  ownerOrOperator: { kinds: ['producer', 'operator', 'human'], refusal: 'forbidden' },
  /** A person's own key, or an operator's power over it; the service tells them apart (protocol §19.6). */
  keyHolder: { kinds: ['operator', 'human'], refusal: 'forbidden' },
  /** The service finds out whether the person is a custodian (protocol §20.1). */
  custodian: { kinds: ['human'], refusal: 'custodian_required' },
  executor: { kinds: ['producer', 'human'], refusal: 'forbidden' },
  operator: { kinds: ['operator', 'human'], humanNeeds: 'operator', refusal: 'operator_required' },
  metrics: {
    kinds: ['operator', 'monitor', 'human'],
    humanNeeds: 'operator',
    refusal: 'operator_required',
  },
  /** No session, for any human (R2). */
  bearerMetrics: { kinds: ['operator', 'monitor'], refusal: 'operator_required' },
} as const satisfies Record<string, CallerRule>;

export type CallerRuleName = keyof typeof CALLER_RULES;

/** A query parameter in decimal digits, `^\d{1,8}$` and at most `maximum`. */
export interface NumberParameter {
  readonly name: 'offset' | 'after';
  readonly maximum: number;
  readonly refusal: ErrorCode;
}
/** A query parameter out of `values`; the empty value means no filter (R13). */
export interface ChoiceParameter {
  readonly name: 'state';
  readonly values: readonly string[];
  readonly refusal: ErrorCode;
}
/** A query parameter that is an Identifier; any other value means no filter, as an unknown name does. */
export interface IdentifierParameter {
  readonly name: 'occurrence';
  readonly refusal: null;
}
export type QueryParameter = NumberParameter | ChoiceParameter | IdentifierParameter;

const offset = {
  name: 'offset',
  maximum: 100_000,
  refusal: 'invalid_offset',
} as const satisfies NumberParameter;
const after = {
  name: 'after',
  maximum: 99_999_999,
  refusal: 'invalid_offset',
} as const satisfies NumberParameter;
const state = {
  name: 'state',
  values: ['', ...DECISION_STATES],
  refusal: 'invalid_state',
} as const satisfies ChoiceParameter;
const occurrence = { name: 'occurrence', refusal: null } as const satisfies IdentifierParameter;

const KiB = 1024;
const MiB = 1024 * KiB;

interface Row {
  readonly number: number;
  /** `<service>.<operation>`: the bus subject is `countersign.<name>`, the file `<operation>.ts`. */
  readonly name: `${ServiceName}.${string}`;
  readonly method: Method;
  readonly path: `/${string}`;
  readonly callers: CallerRuleName;
  readonly security: Security;
  /** The header `Idempotency-Key` is required (protocol §6.3). */
  readonly key: boolean;
  /** The service answers key and quota questions before the body is read (protocol §6.1 step 5). */
  readonly preflight: boolean;
  /**
   * A session's login must be as fresh and strong as its route wants (docs/operations.md). The value is the read that
   * returns the request's route; null where no fresh login is needed.
   */
  readonly stepUp: `${ServiceName}.${string}` | null;
  /** A session's login was proved at most 300 s ago (protocol §19.6). */
  readonly freshLogin: boolean;
  /** The answer may be large: the service says so before it reads the large part (R34). */
  readonly sized: boolean;
  /** The answer counts calls, those of its caller before it included (R24). */
  readonly counts: boolean;
  /** Largest body in bytes (protocol §9.3); 0 where there is none. */
  readonly bodyLimit: number;
  /** The body may be over 64 KiB: the service reads it itself, away from its event loop (R35). */
  readonly largeBody: boolean;
  /** Record name of the body, or null where there is none. */
  readonly input: RecordName | null;
  readonly query: readonly QueryParameter[];
  /** A 200 carries an ETag and is answered by 304 when the caller has it (R31). */
  readonly etag: boolean;
  /** The news that a call may be held for (protocol §6.5); null where it is answered at once. */
  readonly waits: 'revision' | 'event' | 'etag' | null;
  readonly success: readonly (200 | 201 | 202)[];
  /** Record name of the answer, or null for text/plain (`gateway.metrics-text`). */
  readonly output: RecordName | null;
  readonly summary: string;
}

const plain = {
  preflight: false,
  stepUp: null,
  freshLogin: false,
  sized: false,
  counts: false,
  largeBody: false,
  query: [],
  etag: false,
  waits: null,
} as const;
const noBody = { ...plain, key: false, bodyLimit: 0, input: null } as const;
const read = { ...noBody, method: 'GET', security: 'either', success: [200] } as const;
const command = {
  ...plain,
  method: 'POST',
  security: 'either',
  key: true,
  bodyLimit: 64 * KiB,
  success: [200],
} as const;
const created = { ...command, success: [201] } as const;
const configure = { ...command, method: 'PUT', key: false } as const;

// oxfmt-ignore
const rows = [
  { ...read, number: 1, name: 'gateway.discovery', path: '/.well-known/proto', callers: 'anyone', security: 'none', output: 'Discovery', summary: 'Read the supported immutable revisions and profiles' },
  { ...read, number: 2, name: 'gateway.trust', path: '/.well-known/proto-trust', callers: 'anyone', security: 'none', output: 'TrustManifest', summary: 'Read the trust manifest; keys in it are never trusted automatically' },
  { ...created, number: 3, name: 'request.register-bundle', path: '/v2/bundles', callers: 'publisher', preflight: true, largeBody: true, bodyLimit: 22 * MiB, input: 'BundleRegistration', output: 'ReviewBundle', summary: 'Register a publisher-owned immutable app' },
  { ...created, number: 4, name: 'request.create', path: '/v2/requests', callers: 'owner', preflight: true, largeBody: true, bodyLimit: 22 * MiB, input: 'RequestInput', output: 'RequestStatus', summary: 'Create one immutable review request' },
  { ...read, number: 5, name: 'request.list', path: '/v2/requests', callers: 'lister', query: [offset, state, occurrence], output: 'RequestList', summary: 'List owned or assigned route requests' },
  { ...read, number: 6, name: 'request.status', path: '/v2/requests/{id}', callers: 'reader', waits: 'revision', output: 'RequestStatus', summary: 'Read the authoritative state; links in it are not credentials' },
  { ...read, number: 7, name: 'request.material', path: '/v2/requests/{id}/material', callers: 'reader', sized: true, output: 'Material', summary: 'Read the retained payload, schema and canonical review document' },
  { ...read, number: 8, name: 'request.app', path: '/v2/requests/{id}/app', callers: 'reviewer', security: 'human', sized: true, output: 'StoredApp', summary: 'Read the stored app with its verified envelope and snapshots' },
  { ...command, number: 9, name: 'review.assign', path: '/v2/requests/{id}/assignment', callers: 'reviewer', security: 'human', input: 'EmptyInput', output: 'Assignment', summary: 'Renew the reviewer assignment; it grants no authority' },
  { ...created, number: 10, name: 'review.propose', path: '/v2/requests/{id}/candidates', callers: 'reviewer', security: 'human', largeBody: true, bodyLimit: 2 * MiB, input: 'DecisionProposal', output: 'DecisionCandidate', summary: 'Freeze a schema-validated response' },
  { ...command, number: 11, name: 'review.confirm', path: '/v2/requests/{id}/confirm', callers: 'reviewer', security: 'human', stepUp: 'request.status', input: 'Confirmation', output: 'SignedRecord', summary: 'Confirm the exact frozen candidate as an authenticated human' },
  { ...command, number: 12, name: 'request.cancel', path: '/v2/requests/{id}/cancel', callers: 'ownerOrOperator', input: 'EmptyInput', output: 'RequestStatus', summary: 'Cancel unused authority; permits already issued are not retracted' },
  { ...command, number: 13, name: 'request.revoke', path: '/v2/requests/{id}/revoke', callers: 'ownerOrOperator', input: 'EmptyInput', output: 'RequestStatus', summary: 'Revoke unused authority' },
  { ...command, number: 14, name: 'notifier.remind', path: '/v2/requests/{id}/remind', callers: 'ownerOrOperator', input: 'EmptyInput', output: 'ReminderResult', summary: 'Queue a reminder, at most once per day; supersession preserves the limit' },
  { ...command, number: 15, name: 'request.discard', path: '/v2/requests/{id}/discard', callers: 'ownerOrOperator', input: 'EmptyInput', output: 'RequestStatus', summary: 'Delete private material early and block new admission' },
  { ...created, number: 16, name: 'request.supersede', path: '/v2/requests/{id}/supersede', callers: 'owner', preflight: true, largeBody: true, bodyLimit: 22 * MiB, input: 'RequestInput', output: 'RequestStatus', summary: 'Atomically replace unconsumed work' },
  { ...created, number: 17, name: 'execution-authority.claim', path: '/v2/requests/{id}/claims', callers: 'executor', input: 'ClaimInput', output: 'SignedRecord', summary: 'Consume an exclusive execution occurrence' },
  { ...command, number: 18, name: 'execution-authority.admit', path: '/v2/requests/{id}/admission', callers: 'executor', key: false, input: 'AdmissionInput', output: 'SignedRecord', summary: 'Issue fresh bounded admission; nonces cannot be replayed' },
  { ...command, number: 19, name: 'execution-authority.report-outcome', path: '/v2/requests/{id}/outcomes', callers: 'executor', largeBody: true, bodyLimit: MiB, input: 'ExecutionOutcome', output: 'SignedRecord', summary: 'Record completion, partial effects or uncertainty' },
  { ...command, number: 20, name: 'execution-authority.reconcile', path: '/v2/requests/{id}/reconcile', callers: 'operator', largeBody: true, bodyLimit: MiB, input: 'ExecutionOutcome', output: 'SignedRecord', summary: 'Reconcile as an operator, with reasons and evidence' },
  { ...read, number: 21, name: 'ledger.export', path: '/v2/requests/{id}/export', callers: 'reader', sized: true, output: 'AuditExport', summary: 'Export the original signed records and retained material' },
  { ...read, number: 22, name: 'ledger.events', path: '/v2/events', callers: 'owner', query: [after], waits: 'event', output: 'EventPage', summary: 'Poll owned signed status events' },
  { ...read, number: 23, name: 'request.hitl', path: '/v2/hitl/{id}', callers: 'reader', success: [200, 202], etag: true, output: 'HitlStatus', summary: 'Hand a review over to a browser, human-in-the-loop v0.8' },
  { ...read, number: 24, name: 'request.hitl-poll', path: '/v2/hitl/{id}/poll', callers: 'reader', etag: true, waits: 'etag', output: 'HitlPoll', summary: 'Poll a review, human-in-the-loop v0.8' },
  { ...configure, number: 25, name: 'request.configure-principal', path: '/v2/admin/principals/{id}', callers: 'operator', input: 'PrincipalInput', output: 'PrincipalResult', summary: 'Configure directory, producer, publisher and credentials' },
  { ...configure, number: 26, name: 'request.configure-route', path: '/v2/admin/routes/{id}', callers: 'operator', input: 'RouteInput', output: 'RouteResult', summary: 'Configure a route, with targeted invalidation' },
  { ...read, number: 27, name: 'ledger.entries', path: '/v2/admin/ledger', callers: 'operator', query: [after], output: 'LedgerPage', summary: 'Read the complete audit chain in pages' },
  { ...read, number: 28, name: 'ledger.metrics', path: '/v2/admin/metrics', callers: 'metrics', counts: true, output: 'MetricsSnapshot', summary: 'Read tenant-scoped operational metrics and incidents' },
  { ...read, number: 29, name: 'gateway.metrics-text', path: '/v2/admin/metrics.prom', callers: 'bearerMetrics', security: 'bearer', counts: true, output: null, summary: 'Read operator-scoped metrics in the text exposition format' },
] as const satisfies readonly Row[];

/** Numbers from 101: those below are the interface's. */
// oxfmt-ignore
const extensionRows = [
  { ...read, number: 101, name: 'ledger.evidence', path: '/v2/requests/{id}/evidence', callers: 'reader', sized: true, output: 'Evidence', summary: 'Read the evidence of a request: its export with the proofs that a stranger needs' },
] as const satisfies readonly Row[];

/** Of the profile `proto.approval` (protocol §18.11), where a deployment offers it. */
// oxfmt-ignore
const approvalRows = [
  { ...configure, number: 102, name: 'request.configure-policy', path: '/v2/admin/routes/{id}/policy', callers: 'operator', input: 'RoutePolicyInput', output: 'RoutePolicyResult', summary: 'Configure which people approve requests of a route' },
  { ...read, number: 103, name: 'request.policy', path: '/v2/admin/routes/{id}/policy', callers: 'operator', output: 'RoutePolicyResult', summary: 'Read which people approve requests of a route' },
  { ...configure, number: 104, name: 'request.configure-membership', path: '/v2/admin/principals/{id}/membership', callers: 'operator', input: 'MembershipInput', output: 'MembershipResult', summary: 'Configure the groups and the team of a person' },
  { ...created, number: 105, name: 'review.approve', path: '/v2/requests/{id}/approvals', callers: 'reviewer', security: 'human', stepUp: 'request.status', input: 'ApprovalInput', output: 'ApprovalResult', summary: 'Vote for the exact frozen candidate as one of several people' },
  { ...command, number: 106, name: 'review.withdraw-approval', path: '/v2/requests/{id}/approvals/withdraw', callers: 'reviewer', security: 'human', input: 'EmptyInput', output: 'SignedRecord', summary: 'Take back the own vote, and after the decision its unused authority' },
  { ...read, number: 107, name: 'review.approvals', path: '/v2/requests/{id}/approvals', callers: 'reader', output: 'ApprovalBoard', summary: 'Read the votes of a request that several people decide' },
  { ...read, number: 108, name: 'review.todo', path: '/v2/approvals', callers: 'reviewer', security: 'human', output: 'ApprovalTodo', summary: 'Read the pending requests that the caller decides with others' },
  { ...command, number: 114, name: 'review.offer-approval', path: '/v2/requests/{id}/approvals/offer', callers: 'reviewer', security: 'human', stepUp: 'request.status', key: false, input: 'OfferInput', output: 'ApprovalOffer', summary: 'Ask for the statement of a vote before it is given' },
] as const satisfies readonly Row[];

/** Of keys of people (protocol §19.6), where a deployment offers them. */
// oxfmt-ignore
const keyRows = [
  { ...command, number: 109, name: 'request.offer-enrolment', path: '/v2/me/credentials/offer', callers: 'reviewer', security: 'human', freshLogin: true, key: false, input: 'EmptyInput', output: 'EnrolmentOffer', summary: 'Begin to enrol a key of the caller' },
  { ...created, number: 110, name: 'request.enrol', path: '/v2/me/credentials', callers: 'reviewer', security: 'human', freshLogin: true, bodyLimit: 64 * KiB, input: 'EnrolmentInput', output: 'CredentialStatus', summary: 'Enrol a key of the caller; another person or another key of the caller vouches for it' },
  { ...read, number: 111, name: 'request.credentials', path: '/v2/me/credentials', callers: 'reviewer', security: 'human', output: 'CredentialList', summary: 'Read the keys of the caller' },
  { ...command, number: 112, name: 'request.countersign', path: '/v2/admin/credentials/{id}/countersign', callers: 'operator', input: 'CountersignInput', output: 'SignedRecord', summary: 'Vouch for the key of another person' },
  { ...command, number: 113, name: 'request.end-credential', path: '/v2/credentials/{id}/end', callers: 'keyHolder', input: 'EndCredential', output: 'CredentialEnding', summary: 'End a key of the caller, or of anybody as an operator' },
] as const satisfies readonly Row[];

/** Of legal holds (protocol §20.8), where a deployment offers them. */
// oxfmt-ignore
const holdRows = [
  { ...configure, number: 115, name: 'request.set-hold', path: '/v2/admin/holds/{id}', callers: 'custodian', security: 'human', input: 'LegalHoldInput', output: 'SignedRecord', summary: 'Hold requests for a case, or hold more of them, or for longer' },
  { ...command, number: 116, name: 'request.lift-hold', path: '/v2/admin/holds/{id}/lift', callers: 'custodian', security: 'human', input: 'LiftInput', output: 'SignedRecord', summary: 'Lift a hold that another custodian has set' },
  { ...read, number: 117, name: 'ledger.held-export', path: '/v2/admin/holds/{id}/export/{request}', callers: 'custodian', security: 'human', sized: true, output: 'AuditExport', summary: 'Export a held request with its material, also when others cannot read it any more' },
] as const satisfies readonly Row[];

type Rows =
  | (typeof rows)[number]
  | (typeof extensionRows)[number]
  | (typeof approvalRows)[number]
  | (typeof keyRows)[number]
  | (typeof holdRows)[number];
export type OperationName = Rows['name'];
/** The names of a service's operations. */
export type OperationsOf<Service extends ServiceName> = Extract<
  OperationName,
  `${Service}.${string}`
>;
type Typed<Name> = Name extends RecordName ? RecordOf<Name> : null;
type IdIn<Path> = Path extends `${string}{id}${string}` ? string : null;
type OtherIdIn<Path> = Path extends `${string}{request}${string}` ? string : null;
type KeyIf<Keyed> = Keyed extends true ? string : null;
type Read<Parameter extends QueryParameter> = {
  readonly [Each in Parameter as Each extends NumberParameter ? Each['name'] : never]: number;
} & {
  readonly [
    Each in Parameter as Each extends ChoiceParameter ? Each['name'] : never
  ]?: DecisionState;
} & {
  readonly [Each in Parameter as Each extends IdentifierParameter ? Each['name'] : never]?: string;
};

/** The rows of the table as types, by the names of the operations. */
export type OperationTypes = {
  readonly [Row in Rows as Row['name']]: {
    /** The kind of `{id}` in the path; null where the path has none. */
    readonly id: IdIn<Row['path']>;
    /** `{request}` of a path that has one beside `{id}`; null elsewhere. */
    readonly request: OtherIdIn<Row['path']>;
    /** `Idempotency-Key`; null where the operation takes none. */
    readonly key: KeyIf<Row['key']>;
    /** As {@link readQuery} reads it. */
    readonly query: Read<Row['query'][number]>;
    /** The body; null where there is none. */
    readonly input: Typed<Row['input']>;
    /** The same as it reaches the service; null also where that reads it itself (`largeBody`). */
    readonly arriving: Row['largeBody'] extends true ? null : Typed<Row['input']>;
    /** The answer; null for text (`gateway.metrics-text`). */
    readonly output: Typed<Row['output']>;
    readonly status: Row['success'][number];
  };
};

/** The operations whose service is asked about them before their body is read. */
export type PreflightedName = Extract<Rows, { readonly preflight: true }>['name'];

/** The operations below `/v2` that the gateway answers itself. */
export type GatewayOperation = Exclude<
  OperationsOf<'gateway'>,
  Extract<Rows, { readonly security: 'none' }>['name']
>;

export interface Operation extends Row {
  readonly name: OperationName;
  readonly stepUp: OperationName | null;
  readonly service: ServiceName;
  /** Names of the path parameters, in order. */
  readonly parameters: readonly ('id' | 'request')[];
  /** The kind of `{id}`: a request, a key or a hold (36 characters, else 404), a principal or a route. */
  readonly idOf: 'request' | 'credential' | 'hold' | 'principal' | 'route' | null;
}

function idOf(path: string): Operation['idOf'] {
  if (!path.includes('{id}')) return null;
  if (path.includes('/credentials/{id}')) return 'credential';
  if (path.startsWith('/v2/admin/holds/')) return 'hold';
  if (path.startsWith('/v2/admin/principals/')) return 'principal';
  return path.startsWith('/v2/admin/routes/') ? 'route' : 'request';
}

function operationOf(row: Row & { readonly name: OperationName }): Operation {
  return {
    ...row,
    stepUp: row.stepUp as OperationName | null,
    service: row.name.slice(0, row.name.indexOf('.')) as ServiceName,
    parameters: (['id', 'request'] as const).filter((name) => row.path.includes(`{${name}}`)),
    idOf: idOf(row.path),
  };
}

/** The 29 operations in the order of their numbers (protocol §7). */
export const OPERATIONS: readonly Operation[] = rows.map(operationOf);

/** Operations of ours beside the interface: below `/v2`, and in a description of their own (protocol §7.1, decisions/0029). */
export const EXTENSION_OPERATIONS: readonly Operation[] = extensionRows.map(operationOf);

/** Those of approvals by several people (protocol §18.11). */
export const APPROVAL_OPERATIONS: readonly Operation[] = approvalRows.map(operationOf);

/** Those of keys of people (protocol §19.6). */
export const KEY_OPERATIONS: readonly Operation[] = keyRows.map(operationOf);

/** Those of legal holds (protocol §20.8). */
export const HOLD_OPERATIONS: readonly Operation[] = holdRows.map(operationOf);

export const ALL_OPERATIONS: readonly Operation[] = [
  ...OPERATIONS,
  ...EXTENSION_OPERATIONS,
  ...APPROVAL_OPERATIONS,
  ...KEY_OPERATIONS,
  ...HOLD_OPERATIONS,
];

/** Beside the interface, in a deployment that offers these capabilities. */
export function extensionsOf(offered: Readonly<Record<string, string>>): readonly Operation[] {
  const approvals = Object.hasOwn(offered, 'proto.approval') ? APPROVAL_OPERATIONS : [];
  const keys = Object.hasOwn(offered, 'proto.human-key') ? KEY_OPERATIONS : [];
  const holds = Object.hasOwn(offered, 'proto.legal-hold') ? HOLD_OPERATIONS : [];
  return [...EXTENSION_OPERATIONS, ...approvals, ...keys, ...holds];
}

const byName = new Map(ALL_OPERATIONS.map((operation) => [operation.name, operation]));

/** Whether `{id}` is a UUID: any other text names nothing. */
export function isOfId({ idOf }: Pick<Operation, 'idOf'>): boolean {
  return idOf === 'request' || idOf === 'credential' || idOf === 'hold';
}

export function operationNamed(name: OperationName): Operation {
  return byName.get(name) as Operation;
}

export function busSubject(operation: Operation): `countersign.${OperationName}` {
  return `countersign.${operation.name}`;
}

/** The facts about a caller before any state is read; `undefined` = the service will find out. */
export interface CallerPowers {
  readonly kind: CallerKind;
  readonly operator?: boolean | undefined;
  readonly publisher?: boolean | undefined;
}

/** The refusal that the caller's kind alone decides, or null when the service has to judge (R26). */
export function callerKindRefusal(operation: Operation, caller: CallerPowers): ErrorCode | null {
  const rule: CallerRule = CALLER_RULES[operation.callers];
  if (!rule.kinds.includes(caller.kind)) {
    return caller.kind === 'monitor' ? 'operator_required' : rule.refusal;
  }
  const power = caller.kind === 'human' ? rule.humanNeeds : undefined;
  return power !== undefined && caller[power] === false ? rule.refusal : null;
}

export interface Query {
  offset?: number;
  after?: number;
  /** Absent when there is no filter. */
  state?: DecisionState;
  /** An Identifier; absent when there is no filter. */
  occurrence?: string;
}

/**
 * Reads the query parameters of an operation; numbers default to 0, unknown names are ignored.
 * Refuses repeated and malformed ones: `invalid_offset`, `invalid_state`.
 */
export function readQuery(operation: Operation, given: URLSearchParams): Query {
  const query: Query = {};
  for (const parameter of operation.query) {
    const [text, ...repeated] = given.getAll(parameter.name);
    if (parameter.name === 'occurrence') {
      if (text !== undefined && repeated.length === 0 && IDENTIFIER.test(text)) {
        query.occurrence = text;
      }
      continue;
    }
    if (repeated.length > 0) throw new Refusal(parameter.refusal);
    if (parameter.name === 'state') {
      if (text !== undefined && !parameter.values.includes(text)) {
        throw new Refusal(parameter.refusal);
      }
      if (text) query.state = text as DecisionState;
    } else {
      const value = /^\d{1,8}$/.test(text ?? '0') ? Number(text ?? '0') : Infinity;
      if (value > parameter.maximum) throw new Refusal(parameter.refusal);
      query[parameter.name] = value;
    }
  }
  return query;
}
