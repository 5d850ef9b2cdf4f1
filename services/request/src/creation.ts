import {
  PROTOCOL_REVISION,
  Refusal,
  SUPPORTED_PROFILES,
  canonicalText,
  create as createRequest,
  frozenApproval,
  requirePolicyProfiles,
  requireTypable,
  reservedBytes,
  seatCount,
  textDigest,
} from '@countersign/protocol';
import type {
  DecisionRequest,
  ExtendedDecisionRequest,
  JsonValue,
  ReviewBundle,
  RoutePolicy,
  Transition,
} from '@countersign/protocol';
import { personOf, requireCaller } from '@countersign/database';
import type { Principal, Route } from '@countersign/database';
import { isId } from '@countersign/platform';
import type { Caller } from '@countersign/platform';
import type { CreationHead, CreationInput } from './creation-input.js';
import type { RequestDeps } from './deps.js';
import { requireQuota } from './quotas.js';
import type { Creation, CreationRow } from './store/creation.js';

/** The keys that the one read of a creation looks up; none of them is trusted yet. */
export function namesIn({ names }: CreationInput) {
  // A text that Postgres cannot store names nothing; the schema refuses it.
  const kept = (name: string | null) => (name?.includes('\0') === true ? null : name);
  return {
    bundle: isId(names.bundle) ? names.bundle : null,
    occurrence: kept(names.occurrence),
    recoveryOf: kept(names.recoveryOf),
    route: kept(names.route),
  };
}

/** The caller's principal and its bindings: a producer's publisher and owner, or a human who owns by itself (R1). */
export interface Owner {
  readonly principal: Principal;
  readonly publisher: string;
  readonly requester: { subject: string; source: string };
}

export async function requireCreator(
  deps: RequestDeps,
  caller: Caller,
  revision: number | undefined,
): Promise<Owner> {
  const principal = await requireCaller(deps.directory, caller, revision);
  if (principal.kind !== 'producer' && principal.kind !== 'human') {
    throw new Refusal('producer_required');
  }
  return {
    principal,
    publisher: principal.config.publisher ?? '',
    requester:
      principal.kind === 'human'
        ? { source: 'human_session', subject: principal.id }
        : { source: 'operator_directory', subject: principal.config.owner ?? '' },
  };
}

/**
 * The checks of protocol §7 request.create that come before anything is reserved, in its order: quotas → route → sizes
 * (R27) → record schema → response schema (§10, in a worker).
 */
export async function requireAcceptable(
  deps: RequestDeps,
  caller: Caller,
  owner: Owner,
  row: CreationRow,
  input: CreationInput,
): Promise<Route> {
  requireQuota(row.quota_refusal);
  const { names, fault } = input;
  if (names.route === null)
    throw new Refusal('invalid_RequestInput', { detail: '/route must be an identifier' });
  const route = await deps.directory.route(caller.tenant, names.route, row.directory_revision);
  if (route === null) throw new Refusal('not_found');
  const named =
    owner.principal.kind === 'human' || (owner.principal.config.routes ?? []).includes(route.id);
  if (!named || !route.config.allowed_producers.includes(owner.principal.id)) {
    throw new Refusal('route_not_authorised');
  }
  if (row.route_day_over) throw new Refusal('daily_quota');
  requireSizes(input, route);
  if (fault !== null) throw new Refusal('invalid_RequestInput', fault);
  await deps.checkSchema(caller.tenant, input.schema.text);
  return route;
}

function requireSizes(input: CreationInput, route: Route): void {
  const { payload_bytes, response_bytes } = route.config.limits;
  const { payload, document, schema, metadataBytes, referencesBytes } = input;
  if (payload.bytes > payload_bytes) throw new Refusal('payload_too_large');
  if (document.bytes > payload_bytes || document.tooLong) throw new Refusal('document_too_large');
  if (schema.bytes > response_bytes) throw new Refusal('schema_too_large');
  if (metadataBytes > response_bytes) throw new Refusal('metadata_too_large');
  if (referencesBytes > response_bytes) throw new Refusal('provenance_too_large');
}

export interface Prepared {
  readonly request: DecisionRequest;
  readonly creation: Creation;
  readonly transition: Transition;
}

/**
 * The locked part of protocol §7 request.create and the record it makes. `supersedes` names the replaced request and its
 * reminder. Pure but for the directory.
 */
export async function prepare(
  deps: RequestDeps,
  caller: Caller,
  owner: Owner,
  row: CreationRow,
  input: CreationInput,
  route: Route,
  id: string,
  supersedes: { id: string; remindedAt: number | null } | null,
): Promise<Prepared> {
  const body = input.head;
  const { limits } = route.config;
  const policy = await deps.approvers.policy(caller.tenant, route.id, row.directory_revision);
  requireProfiles(body, route, policy, deps.offered);
  const requester = personOf(
    await deps.directory.principal(caller.tenant, owner.requester.subject, row.directory_revision),
  );
  if (!requester?.enabled || !requester.certain)
    throw new Refusal('requester_identity_unavailable');
  const approval =
    policy && (await approvalOf(deps, caller.tenant, { policy, route, owner, body, row }));
  if (body.execution !== undefined) requireExecution(body, row, route, supersedes?.id ?? null);
  if (approval !== null) requireTypableValues(approval.policy, input);
  const bundle = boundBundle(body, row, owner);

  const { now } = row;
  const execution = body.execution;
  const asked = Math.min(body.review_seconds ?? limits.review_seconds, limits.review_seconds);
  const reviewDeadline = Math.min(
    now + asked * 1000,
    execution === undefined ? Infinity : Date.parse(execution.valid_until),
  );
  const kept =
    limits.review_seconds +
    (execution === undefined
      ? 0
      : limits.grant_seconds + limits.execution_seconds + limits.reconciliation_seconds);
  const privateDeleteAt = now + kept * 1000;
  const auditDeleteAt = now + limits.audit_seconds * 1000;
  // In canonical order, which is written fastest.
  const request: DecisionRequest & Partial<Pick<ExtendedDecisionRequest, 'approval'>> = {
    accepted_at: new Date(now).toISOString(),
    ...(approval && { approval }),
    audit_delete_at: new Date(auditDeleteAt).toISOString(),
    authorisation_revision: route.revision,
    authority_namespace: row.generation,
    ...(execution === undefined ? {} : { execution }),
    id,
    limits,
    metadata: body.metadata ?? {},
    private_delete_at: new Date(privateDeleteAt).toISOString(),
    producer: owner.principal.id,
    profiles: body.profiles,
    protocol_revision: PROTOCOL_REVISION,
    purpose: body.purpose,
    requester: owner.requester,
    review: {
      artefact_digest: body.artefact.digest,
      ...(bundle === null ? {} : { bundle }),
      digest_rules: body.artefact.digest_rules,
      document_digest: input.document.digest,
      payload_digest: input.payload.digest,
      representation: body.artefact.representation,
      response_schema_digest: input.schema.digest,
    },
    review_deadline: new Date(reviewDeadline).toISOString(),
    route: route.id,
    summary: body.summary,
    ...(supersedes === null ? {} : { supersedes: supersedes.id }),
    tenant: caller.tenant,
  };
  const canonical = canonicalText(request);
  const transition = createRequest(request, supersedes?.remindedAt ?? null);
  return {
    request,
    transition,
    creation: {
      owner: owner.principal.id,
      route: route.id,
      purpose: body.purpose,
      summary: body.summary,
      digest: textDigest(canonical),
      canonical,
      payload: input.payload.text,
      schema: input.schema.text,
      document: input.document.text,
      bytes:
        input.payload.bytes +
        input.schema.bytes +
        input.document.bytes +
        Buffer.byteLength(canonical) +
        reservedBytes(limits) +
        (approval === null ? 0 : BYTES_OF_VOTES),
      occurrence: execution?.action_occurrence_id ?? null,
      bundle: bundle?.id ?? null,
      acceptedAt: now,
      auditDeleteAt,
      publisher: owner.publisher,
      retainedLimit: limits.retained_bytes,
      approvalsNeeded: approval && seatCount(approval.policy.quorum),
    },
  };
}

/** Retained for the votes of a request that several people decide (protocol §18.3). */
const BYTES_OF_VOTES = 65_536;

function requireProfiles(
  body: CreationHead,
  route: Route,
  policy: RoutePolicy | null,
  offered: Readonly<Record<string, string>>,
): void {
  const supported: Readonly<Record<string, string>> = { ...SUPPORTED_PROFILES, ...offered };
  for (const [name, version] of Object.entries(body.profiles)) {
    if (supported[name] !== version) throw new Refusal('unsupported_profile');
  }
  requirePolicyProfiles(body.profiles, policy, offered);
  for (const [name, version] of Object.entries(route.config.required_profiles)) {
    if (body.profiles[name] !== version) throw new Refusal('route_profile_required');
  }
}

/** Throws `acknowledgement_unresolved`. A large payload is parsed for policies alone that have values typed. */
function requireTypableValues({ attention }: RoutePolicy, { payload }: CreationInput): void {
  if (attention === undefined || attention.typed.length === 0) return;
  const { text } = payload;
  const whole = typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
  requireTypable(attention, JSON.parse(whole) as JsonValue);
}

/** The policy as the request freezes it. Throws `identity_uncertain`, `quorum_unsatisfiable`. */
async function approvalOf(
  deps: RequestDeps,
  tenant: string,
  asked: {
    policy: RoutePolicy;
    route: Route;
    owner: Owner;
    body: CreationHead;
    row: CreationRow;
  },
): Promise<ExtendedDecisionRequest['approval']> {
  const { policy, route, owner, body, row } = asked;
  const { exclude } = policy.quorum;
  const { principal, requester } = owner;
  const of = {
    reviewers: route.config.reviewers,
    parties: [requester.subject, principal.id, principal.config.owner].filter(
      (id) => id !== undefined,
    ),
    // A bundle that is not of the owner's publisher is refused below.
    publisher: exclude.publisher_people && body.bundle_id !== undefined ? owner.publisher : null,
    operators: exclude.operators,
  };
  const { people, excluded } = await deps.approvers.approving(tenant, of, row.directory_revision);
  return frozenApproval(policy, excluded, await deps.approvers.signing(tenant, policy, people));
}

function requireExecution(
  body: CreationHead,
  row: CreationRow,
  route: Route,
  replaced: string | null,
): void {
  const execution = body.execution as NonNullable<CreationHead['execution']>;
  if (!route.config.modes.includes(execution.mode)) throw new Refusal('unsupported_approval_mode');
  if (
    Date.parse(execution.valid_until) <= row.now ||
    execution.execution_seconds > route.config.limits.execution_seconds
  ) {
    throw new Refusal('invalid_execution_limits');
  }
  const { profile, version } = execution.provenance;
  if (profile !== 'proto.execution' || version !== SUPPORTED_PROFILES['proto.execution']) {
    throw new Refusal('unsupported_execution_provenance');
  }
  if (replaced === null && row.occurrence_request !== null) {
    throw new Refusal('occurrence_unavailable');
  }
  // R12: the occurrence to recover from must have been consumed, by the same owner.
  if (execution.recovery_of !== undefined && row.recovered_by === null) {
    throw new Refusal('occurrence_unavailable');
  }
}

/** The bundle must be of the owner's own publisher and still be there; it is bound by its digest. */
function boundBundle(
  body: CreationHead,
  row: CreationRow,
  owner: Owner,
): NonNullable<DecisionRequest['review']['bundle']> | null {
  if (body.bundle_id === undefined) return null;
  if (
    row.bundle_manifest === null ||
    row.bundle_publisher !== owner.publisher ||
    row.bundle_retained !== true
  ) {
    throw new Refusal('not_found');
  }
  const manifest = JSON.parse(row.bundle_manifest) as ReviewBundle;
  const { id, publisher, digest, compatibility, created_at } = manifest;
  return { id, publisher, digest, compatibility, created_at };
}
