// Made by `npm run generate`, of packages/protocol.

import type { Operation } from '../operation.js';
import type {
  AdmissionInput,
  BundleRegistration,
  ClaimInput,
  EmptyInput,
  ExecutionOutcome,
  PrincipalInput,
  RequestInput,
  RouteInput,
} from './records.js';
import {
  AuditExport,
  Discovery,
  EventPage,
  HitlPoll,
  HitlStatus,
  LedgerPage,
  Material,
  MetricsSnapshot,
  PrincipalResult,
  ReminderResult,
  RequestList,
  RequestStatus,
  ReviewBundle,
  RouteResult,
  SignedRecord,
  TrustManifest,
} from './records.js';

/** Read the supported immutable revisions and profiles (`gateway.discovery`). */
export const discovery: Operation<{ id: null; input: null; output: Discovery; query: null }> = {
  number: 1,
  method: 'GET',
  path: '/.well-known/proto',
  key: false,
  preflight: false,
  query: [],
  success: [200],
  etag: false,
  output: Discovery,
};

/** Read the trust manifest; keys in it are never trusted automatically (`gateway.trust`). */
export const trust: Operation<{ id: null; input: null; output: TrustManifest; query: null }> = {
  number: 2,
  method: 'GET',
  path: '/.well-known/proto-trust',
  key: false,
  preflight: false,
  query: [],
  success: [200],
  etag: false,
  output: TrustManifest,
};

/** Register a publisher-owned immutable app (`request.register-bundle`). */
export const registerBundle: Operation<{
  id: null;
  input: BundleRegistration;
  output: ReviewBundle;
  query: null;
}> = {
  number: 3,
  method: 'POST',
  path: '/v2/bundles',
  key: true,
  preflight: true,
  query: [],
  success: [201],
  etag: false,
  output: ReviewBundle,
};

/** Create one immutable review request (`request.create`). */
export const create: Operation<{
  id: null;
  input: RequestInput;
  output: RequestStatus;
  query: null;
}> = {
  number: 4,
  method: 'POST',
  path: '/v2/requests',
  key: true,
  preflight: true,
  query: [],
  success: [201],
  etag: false,
  output: RequestStatus,
};

/** List owned or assigned route requests (`request.list`). */
export const list: Operation<{
  id: null;
  input: null;
  output: RequestList;
  query: {
    readonly offset?: number;
    readonly state?: 'pending' | 'confirmed' | 'cancelled' | 'expired' | 'superseded';
    readonly occurrence?: string;
  };
}> = {
  number: 5,
  method: 'GET',
  path: '/v2/requests',
  key: false,
  preflight: false,
  query: ['offset', 'state', 'occurrence'],
  success: [200],
  etag: false,
  output: RequestList,
};

/** Read the authoritative state; links in it are not credentials (`request.status`). */
export const status: Operation<{ id: string; input: null; output: RequestStatus; query: null }> = {
  number: 6,
  method: 'GET',
  path: '/v2/requests/{id}',
  key: false,
  preflight: false,
  query: [],
  success: [200],
  etag: false,
  output: RequestStatus,
};

/** Read the retained payload, schema and canonical review document (`request.material`). */
export const material: Operation<{ id: string; input: null; output: Material; query: null }> = {
  number: 7,
  method: 'GET',
  path: '/v2/requests/{id}/material',
  key: false,
  preflight: false,
  query: [],
  success: [200],
  etag: false,
  output: Material,
};

/** Cancel unused authority; permits already issued are not retracted (`request.cancel`). */
export const cancel: Operation<{
  id: string;
  input: EmptyInput;
  output: RequestStatus;
  query: null;
}> = {
  number: 12,
  method: 'POST',
  path: '/v2/requests/{id}/cancel',
  key: true,
  preflight: false,
  query: [],
  success: [200],
  etag: false,
  output: RequestStatus,
};

/** Revoke unused authority (`request.revoke`). */
export const revoke: Operation<{
  id: string;
  input: EmptyInput;
  output: RequestStatus;
  query: null;
}> = {
  number: 13,
  method: 'POST',
  path: '/v2/requests/{id}/revoke',
  key: true,
  preflight: false,
  query: [],
  success: [200],
  etag: false,
  output: RequestStatus,
};

/** Queue a reminder, at most once per day; supersession preserves the limit (`notifier.remind`). */
export const remind: Operation<{
  id: string;
  input: EmptyInput;
  output: ReminderResult;
  query: null;
}> = {
  number: 14,
  method: 'POST',
  path: '/v2/requests/{id}/remind',
  key: true,
  preflight: false,
  query: [],
  success: [200],
  etag: false,
  output: ReminderResult,
};

/** Delete private material early and block new admission (`request.discard`). */
export const discard: Operation<{
  id: string;
  input: EmptyInput;
  output: RequestStatus;
  query: null;
}> = {
  number: 15,
  method: 'POST',
  path: '/v2/requests/{id}/discard',
  key: true,
  preflight: false,
  query: [],
  success: [200],
  etag: false,
  output: RequestStatus,
};

/** Atomically replace unconsumed work (`request.supersede`). */
export const supersede: Operation<{
  id: string;
  input: RequestInput;
  output: RequestStatus;
  query: null;
}> = {
  number: 16,
  method: 'POST',
  path: '/v2/requests/{id}/supersede',
  key: true,
  preflight: true,
  query: [],
  success: [201],
  etag: false,
  output: RequestStatus,
};

/** Consume an exclusive execution occurrence (`execution-authority.claim`). */
export const claim: Operation<{
  id: string;
  input: ClaimInput;
  output: SignedRecord;
  query: null;
}> = {
  number: 17,
  method: 'POST',
  path: '/v2/requests/{id}/claims',
  key: true,
  preflight: false,
  query: [],
  success: [201],
  etag: false,
  output: SignedRecord,
};

/** Issue fresh bounded admission; nonces cannot be replayed (`execution-authority.admit`). */
export const admit: Operation<{
  id: string;
  input: AdmissionInput;
  output: SignedRecord;
  query: null;
}> = {
  number: 18,
  method: 'POST',
  path: '/v2/requests/{id}/admission',
  key: false,
  preflight: false,
  query: [],
  success: [200],
  etag: false,
  output: SignedRecord,
};

/** Record completion, partial effects or uncertainty (`execution-authority.report-outcome`). */
export const reportOutcome: Operation<{
  id: string;
  input: ExecutionOutcome;
  output: SignedRecord;
  query: null;
}> = {
  number: 19,
  method: 'POST',
  path: '/v2/requests/{id}/outcomes',
  key: true,
  preflight: false,
  query: [],
  success: [200],
  etag: false,
  output: SignedRecord,
};

/** Reconcile as an operator, with reasons and evidence (`execution-authority.reconcile`). */
export const reconcile: Operation<{
  id: string;
  input: ExecutionOutcome;
  output: SignedRecord;
  query: null;
}> = {
  number: 20,
  method: 'POST',
  path: '/v2/requests/{id}/reconcile',
  key: true,
  preflight: false,
  query: [],
  success: [200],
  etag: false,
  output: SignedRecord,
};

/** Export the original signed records and retained material (`ledger.export`). */
export const auditExport: Operation<{ id: string; input: null; output: AuditExport; query: null }> =
  {
    number: 21,
    method: 'GET',
    path: '/v2/requests/{id}/export',
    key: false,
    preflight: false,
    query: [],
    success: [200],
    etag: false,
    output: AuditExport,
  };

/** Poll owned signed status events (`ledger.events`). */
export const events: Operation<{
  id: null;
  input: null;
  output: EventPage;
  query: { readonly after?: number };
}> = {
  number: 22,
  method: 'GET',
  path: '/v2/events',
  key: false,
  preflight: false,
  query: ['after'],
  success: [200],
  etag: false,
  output: EventPage,
};

/** Hand a review over to a browser, human-in-the-loop v0.8 (`request.hitl`). */
export const hitl: Operation<{ id: string; input: null; output: HitlStatus; query: null }> = {
  number: 23,
  method: 'GET',
  path: '/v2/hitl/{id}',
  key: false,
  preflight: false,
  query: [],
  success: [200, 202],
  etag: true,
  output: HitlStatus,
};

/** Poll a review, human-in-the-loop v0.8 (`request.hitl-poll`). */
export const hitlPoll: Operation<{ id: string; input: null; output: HitlPoll; query: null }> = {
  number: 24,
  method: 'GET',
  path: '/v2/hitl/{id}/poll',
  key: false,
  preflight: false,
  query: [],
  success: [200],
  etag: true,
  output: HitlPoll,
};

/** Configure directory, producer, publisher and credentials (`request.configure-principal`). */
export const configurePrincipal: Operation<{
  id: string;
  input: PrincipalInput;
  output: PrincipalResult;
  query: null;
}> = {
  number: 25,
  method: 'PUT',
  path: '/v2/admin/principals/{id}',
  key: false,
  preflight: false,
  query: [],
  success: [200],
  etag: false,
  output: PrincipalResult,
};

/** Configure a route, with targeted invalidation (`request.configure-route`). */
export const configureRoute: Operation<{
  id: string;
  input: RouteInput;
  output: RouteResult;
  query: null;
}> = {
  number: 26,
  method: 'PUT',
  path: '/v2/admin/routes/{id}',
  key: false,
  preflight: false,
  query: [],
  success: [200],
  etag: false,
  output: RouteResult,
};

/** Read the complete audit chain in pages (`ledger.entries`). */
export const entries: Operation<{
  id: null;
  input: null;
  output: LedgerPage;
  query: { readonly after?: number };
}> = {
  number: 27,
  method: 'GET',
  path: '/v2/admin/ledger',
  key: false,
  preflight: false,
  query: ['after'],
  success: [200],
  etag: false,
  output: LedgerPage,
};

/** Read tenant-scoped operational metrics and incidents (`ledger.metrics`). */
export const metrics: Operation<{ id: null; input: null; output: MetricsSnapshot; query: null }> = {
  number: 28,
  method: 'GET',
  path: '/v2/admin/metrics',
  key: false,
  preflight: false,
  query: [],
  success: [200],
  etag: false,
  output: MetricsSnapshot,
};

/** Read operator-scoped metrics in the text exposition format (`gateway.metrics-text`). */
export const metricsText: Operation<{ id: null; input: null; output: string; query: null }> = {
  number: 29,
  method: 'GET',
  path: '/v2/admin/metrics.prom',
  key: false,
  preflight: false,
  query: [],
  success: [200],
  etag: false,
  output: null,
};
