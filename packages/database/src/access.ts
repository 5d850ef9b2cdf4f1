import { Refusal } from '@countersign/protocol';
import type { CallerKind } from '@countersign/protocol';
import type { Directory, Principal } from './directory.js';
import type { GivenBody } from './given-body.js';
import { storedAnswer, storedRequest } from './request-row.js';
import type { RequestRow, StoredRequest } from './request-row.js';

/** The caller, as the verified caller token says. */
export interface CallerIdentity {
  readonly tenant: string;
  readonly id: string;
  readonly kind: CallerKind;
  /** Id of the bearer token used, null for a session. */
  readonly credential: string | null;
}

/**
 * The caller's principal as it is now (protocol §7): gone, disabled or with another token since → `unauthenticated`. No
 * operation but the metrics is for monitors → `operator_required`.
 */
export async function requireCaller(
  directory: Directory,
  caller: CallerIdentity,
  revision: number | undefined,
): Promise<Principal> {
  const principal =
    revision === undefined ? null : await directory.principal(caller.tenant, caller.id, revision);
  return requireCurrent(principal, caller);
}

/** Only operators read the metrics, and monitors, who are refused everywhere else (R42). */
export async function requireMetricsReader(
  directory: Directory,
  caller: CallerIdentity,
  revision: number | undefined,
): Promise<void> {
  const principal =
    revision === undefined ? null : await directory.principal(caller.tenant, caller.id, revision);
  if (requireKnown(principal, caller).kind === 'monitor') return;
  requireOperator(requireCurrent(principal, caller));
}

/** The same of a principal that was read elsewhere. */
export function requireCurrent(
  principal: Principal | null,
  caller: Pick<CallerIdentity, 'kind' | 'credential'>,
): Principal {
  const known = requireKnown(principal, caller);
  if (known.kind === 'monitor') throw new Refusal('operator_required');
  return known;
}

function requireKnown(
  principal: Principal | null,
  caller: Pick<CallerIdentity, 'kind' | 'credential'>,
): Principal {
  if (
    principal === null ||
    !principal.enabled ||
    principal.kind !== caller.kind ||
    !isCredentialOf(principal, caller.credential)
  ) {
    throw new Refusal('unauthenticated');
  }
  return principal;
}

/**
 * Before an upgrade is finished gateways send the digest, which services of this release cannot compare: then it counts
 * that the gateway found the token a moment ago (docs/upgrades.md).
 */
function isCredentialOf({ credentials }: Principal, credential: string | null): boolean {
  return (
    credential === null || credential.startsWith('sha256:') || credentials.includes(credential)
  );
}

/** A bearer operator, or a human whose configuration says so (R2). */
export function isOperator(principal: Principal): boolean {
  return (
    principal.kind === 'operator' ||
    (principal.kind === 'human' && principal.config.operator === true)
  );
}

export function requireOperator(principal: Principal): void {
  if (!isOperator(principal)) throw new Refusal('operator_required');
}

/**
 * VIS of protocol §6.4: a request that the caller may not see answers exactly like one that does not exist, and so does one that
 * only a legal hold keeps.
 */
export async function requireVisible(
  directory: Directory,
  principal: Principal,
  tenant: string,
  stored: StoredRequest | null,
  revision: number,
): Promise<StoredRequest> {
  if (stored === null || stored.row.hidden === true || principal.kind === 'publisher') {
    throw new Refusal('not_found');
  }
  if (stored.owner === principal.id || isOperator(principal)) return stored;
  if (principal.kind !== 'human') throw new Refusal('not_found');
  const route = await directory.route(tenant, stored.route, revision);
  if (!route?.config.reviewers.includes(principal.id)) throw new Refusal('not_found');
  return stored;
}

/** Owner's operations (R1, R26): seen but not owned is `forbidden`. */
export function requireOwner(principal: Principal, stored: StoredRequest): void {
  if (stored.owner !== principal.id) throw new Refusal('forbidden');
}

export function requireOwnerOrOperator(principal: Principal, stored: StoredRequest): void {
  if (stored.owner !== principal.id && !isOperator(principal)) throw new Refusal('forbidden');
}

export interface Opened<Row extends RequestRow = RequestRow> {
  readonly principal: Principal;
  /** Of the tenant, whether or not there is such a request. */
  readonly row: Row;
  /** The answer stored under the caller's key: it comes before everything else (R5). */
  readonly replay: { status: number; body: string } | null;
  /** Throws `not_found` unless the caller may see the request. */
  readonly visible: () => Promise<StoredRequest>;
}

/** The first steps of every operation on a request: caller → stored answer → visibility. */
export async function openRequest<Row extends RequestRow>(
  directory: Directory,
  caller: CallerIdentity,
  found: Row | undefined,
  body: GivenBody,
): Promise<Opened<Row>> {
  const principal = await requireCaller(directory, caller, found?.directory_revision);
  // Only a tenant that is not there has no row, and no callers.
  const row = found as Row;
  return {
    principal,
    row,
    replay: storedAnswer(row, body),
    visible: () =>
      requireVisible(
        directory,
        principal,
        caller.tenant,
        storedRequest(row),
        row.directory_revision,
      ),
  };
}

/** The read part of a request that the caller may see, for `readSized`. Throws `unauthenticated`, `not_found`. */
export async function openSized<Row extends RequestRow>(
  directory: Directory,
  caller: CallerIdentity,
  found: Row | undefined,
) {
  const { principal, row: loaded, visible } = await openRequest(directory, caller, found, '');
  const stored = await visible();
  return { principal, stored, loaded, isLarge: loaded.is_large === true };
}
