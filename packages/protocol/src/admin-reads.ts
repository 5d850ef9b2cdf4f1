import type { CallerKind } from './operations.js';
import type { PrincipalConfig, RouteConfig } from './records/administration.js';
import type { CredentialBound } from './records/credential.js';
import type { EnrolmentStatement } from './records/statements.js';
import type { RecordName } from './records/registry.js';
import type {
  AuditState,
  DecisionState,
  ExecutionState,
  GrantState,
  Invalidation,
} from './lifecycle/state.js';
import type { ServiceName } from './services.js';

// Reads of the operator pages beside the 29 operations, which can change the directory but not list it
// (decisions/0016), and one change. They are only for people with the power `operator`.

interface AdminReadRow {
  /** `<service>.<name>`: the bus subject is `countersign.<name>`. */
  readonly name: `${ServiceName}.${string}`;
  readonly method: 'GET' | 'POST';
  readonly path: `/operator/data/${string}`;
  /** Names of its query parameters; each may be missing. */
  readonly query: readonly AdminParameter[];
  /** Record name of the body, null where there is none. */
  readonly input: RecordName | null;
}

/**
 * `id` of the item, or of its request; `after` the last item of the page before; `state` of the list filter; `route`,
 * `producer` identifiers; `since`, `before` timestamps; `audit`, `grant`, `execution` the other three states; `range` one of
 * {@link FIGURE_RANGES}; `words` the search text, which comes as the header `X-Search`.
 */
export type AdminParameter =
  | 'id'
  | 'after'
  | 'state'
  | 'audit'
  | 'grant'
  | 'execution'
  | 'route'
  | 'producer'
  | 'since'
  | 'before'
  | 'range'
  | 'words';

// oxfmt-ignore
const rows = [
  { name: 'request.desk-routes', method: 'GET', path: '/operator/data/routes', query: ['id', 'after'], input: null },
  { name: 'request.desk-principals', method: 'GET', path: '/operator/data/principals', query: ['id', 'after'], input: null },
  { name: 'request.desk-requests', method: 'GET', path: '/operator/data/requests', query: ['state', 'audit', 'grant', 'execution', 'route', 'producer', 'since', 'before', 'after', 'words'], input: null },
  { name: 'request.desk-figures', method: 'GET', path: '/operator/data/figures', query: ['range'], input: null },
  { name: 'request.desk-deliveries', method: 'GET', path: '/operator/data/deliveries', query: ['state', 'after'], input: null },
  { name: 'request.desk-incidents', method: 'GET', path: '/operator/data/incidents', query: ['id', 'after'], input: null },
  { name: 'request.desk-memberships', method: 'GET', path: '/operator/data/memberships', query: ['id'], input: null },
  { name: 'request.desk-keys', method: 'GET', path: '/operator/data/keys', query: ['after'], input: null },
  { name: 'request.preview-route', method: 'POST', path: '/operator/data/preview/route', query: ['id'], input: 'RouteInput' },
  { name: 'request.preview-principal', method: 'POST', path: '/operator/data/preview/principal', query: ['id'], input: 'PrincipalInput' },
] as const satisfies readonly AdminReadRow[];

export type AdminRead = (typeof rows)[number];
export const ADMIN_READS: readonly AdminRead[] = rows;

/** The one that changes something: no session of the person `id` that has begun before counts any more. */
export const END_SESSIONS = {
  name: 'request.end-sessions',
  method: 'POST',
  path: '/operator/data/end-sessions',
  query: ['id'],
  input: null,
} as const satisfies AdminReadRow;
export type AdminOperation = AdminRead | typeof END_SESSIONS;
export const ADMIN_OPERATIONS: readonly AdminOperation[] = [...ADMIN_READS, END_SESSIONS];
/** A row as it is written in the table. */
export type AdminReadRowOf<Name extends AdminOperation['name']> = Extract<
  AdminOperation,
  { readonly name: Name }
>;

/** Items in an order that lasts, at most a hundred; `next` is the `after` of the next page, null at the end. */
export interface AdminPage<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

export interface AdminRoute {
  readonly id: string;
  readonly revision: number;
  readonly config: RouteConfig;
  readonly updated_at: string;
}

/** A principal without its secrets: whether it has them is all that anybody can read. */
export interface AdminPrincipal {
  readonly id: string;
  readonly kind: CallerKind;
  readonly config: Omit<PrincipalConfig, 'webhook_secret'>;
  readonly has_token: boolean;
  readonly has_webhook_secret: boolean;
  readonly updated_at: string;
}

export interface AdminRequest {
  readonly id: string;
  readonly summary: string;
  readonly producer: string;
  readonly route: string;
  readonly accepted_at: string;
  readonly deadline: string;
  readonly decision: DecisionState;
  readonly audit: AuditState;
  readonly grant: GrantState;
  readonly execution: ExecutionState;
  /** Why no authority comes from it any more, null while it may. */
  readonly invalidated: Invalidation | null;
}

/** The time that figures cover, and the length of their buckets, in seconds. */
export const FIGURE_RANGES = {
  '24h': { seconds: 86_400, step: 3_600 },
  '7d': { seconds: 7 * 86_400, step: 6 * 3_600 },
  '30d': { seconds: 30 * 86_400, step: 86_400 },
} as const;
export type FigureRange = keyof typeof FIGURE_RANGES;

/**
 * `requests`: of each state of the decision, the newest that are looked at. `decisions`: the newest whose records are.
 * `quick`: an answer that was confirmed within so many seconds after it was frozen.
 */
export const FIGURE_SIZES = { requests: 10_000, decisions: 5_000, quick: 10 } as const;

/** How reviews of some time ended. Seconds are from acceptance to decision; null where nothing was decided. */
export interface ReviewFigures {
  readonly arrivals: number;
  readonly decided: number;
  /** Of the decisions that were looked at: authorised, approved or answered; and refused or rejected. */
  readonly approved: number;
  readonly refused: number;
  readonly expired: number;
  /** Cancelled, or replaced by another request. */
  readonly withdrawn: number;
  readonly p50: number | null;
  readonly p90: number | null;
}

export interface FigureBucket extends ReviewFigures {
  /** Its beginning. */
  readonly at: string;
  /** Requests that waited at its end. */
  readonly waiting: number;
}

export interface RouteFigures extends ReviewFigures {
  readonly id: string;
  readonly waiting: number;
  /** Enabled reviewers; null of a route that is gone. */
  readonly reviewers: number | null;
}

/** Of one person; in the order of ids, and never ranked. */
export interface PersonFigures {
  readonly id: string;
  readonly name: string | null;
  readonly decided: number;
  readonly approved: number;
  readonly refused: number;
  /** Decisions of which the time of freezing is still known. */
  readonly timed: number;
  /** Median seconds from freezing an answer to confirming it. */
  readonly read_p50: number | null;
  /** Approvals within `FIGURE_SIZES.quick` seconds of freezing. */
  readonly quick: number;
}

/** What needs an operator now, whatever the range is. */
export interface ReviewConcerns {
  /** Waiting, due within 15 minutes or an hour, and not assigned. */
  readonly due_15m: number;
  readonly due_60m: number;
  /** Of the last 24 hours: not decided in time; arrived; ended in any way. */
  readonly expired_24h: number;
  readonly arrived_24h: number;
  readonly ended_24h: number;
  /** Routes with producers that have one enabled reviewer, or none. */
  readonly thin_routes: readonly string[];
}

export interface AdminFigures {
  readonly range: FigureRange;
  readonly from: string;
  readonly to: string;
  /** There are older requests in the range that were not looked at: figures are complete from here on; else null. */
  readonly complete_from: string | null;
  readonly buckets: readonly FigureBucket[];
  readonly routes: readonly RouteFigures[];
  readonly people: readonly PersonFigures[];
  readonly concerns: ReviewConcerns;
}

/** Its recipient is a principal; the address stays private (protocol §3.3). */
export interface AdminDelivery {
  readonly id: string;
  readonly request_id: string | null;
  readonly kind: 'smtp' | 'webhook';
  readonly state: 'pending' | 'accepted' | 'failed' | 'expired';
  readonly recipient: string | null;
  readonly attempts: number;
  readonly error: string | null;
  readonly created_at: string;
  readonly next_at: string | null;
}

export interface AdminIncident {
  readonly id: string;
  readonly code: string;
  readonly request_id: string | null;
  readonly created_at: string;
}

/** A key of a person that waits for an operator, or was suspended and waits to be vouched for again (protocol §19.4). */
export interface AdminKey {
  readonly credential: string;
  readonly state: 'waiting' | 'suspended';
  readonly label: string;
  readonly algorithm: CredentialBound['algorithm'];
  readonly device_bound: boolean;
  readonly created_at: string;
  readonly principal: string;
  readonly name: string | null;
  /** The login of that person as the directory has it now. */
  readonly login: { readonly issuer: string | null; readonly subject: string | null };
  /** What the key signed, and the number of the countersignature to come: a CountersignStatement is about both. */
  readonly enrolment: EnrolmentStatement;
  readonly attempt: number;
}

/** One request that a change would take authority from, before and after it. */
export interface AdminAffected {
  readonly id: string;
  readonly summary: string;
  readonly producer: string;
  readonly route: string;
  readonly reason: Invalidation;
  readonly decision: { readonly before: DecisionState; readonly after: DecisionState };
  readonly grant: { readonly before: GrantState; readonly after: GrantState };
  readonly execution: ExecutionState;
}

/**
 * The effects that `request.configure-principal` or `request.configure-route` would have at this moment; the change
 * computes them again.
 */
export interface AdminPreview {
  /** Nothing of that id is there yet. */
  readonly creates: boolean;
  /** Of a route, before and after; null for principals. */
  readonly revision: { readonly before: number; readonly after: number } | null;
  readonly affected: {
    readonly count: number;
    /** Reviews that would end. */
    readonly cancelled: number;
    /** Unused grants that would be revoked. */
    readonly revoked: number;
    /** The first hundred. */
    readonly items: readonly AdminAffected[];
  };
  /** Routes that the operator who asks reviews, and cannot decide on while this change holds (R38); absent of the release before. */
  readonly barred?: readonly string[];
  /** Of removed reviewers: their candidates and assignments on requests that continue. */
  readonly dropped: { readonly candidates: number; readonly assignments: number };
}
