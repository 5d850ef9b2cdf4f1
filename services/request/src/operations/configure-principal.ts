import { Refusal, canonicalText, textDigest } from '@countersign/protocol';
import type { DirectoryInvalidation, PrincipalInput } from '@countersign/protocol';
import { requireOperator } from '@countersign/database';
import type { Principal } from '@countersign/database';
import { answer } from '@countersign/platform';
import type { Handler } from '@countersign/platform';
import { invalidateAffected } from '../invalidation.js';
import type { RequestDeps } from '../module.js';
import type { Affected, DirectoryChange } from '../store/directory.js';

/** #25: directory, producer, publisher and credentials, with what a change takes away (contract §7 #25, R8, R10). */
export function configurePrincipal(deps: RequestDeps): Handler {
  return async (call) => {
    const { caller } = call;
    const input = JSON.parse(call.text) as PrincipalInput;
    const body = await deps.configuration.change(caller.tenant, async (change) => {
      requireOperator(await requireEnabled(change, caller));
      if (call.params.id !== input.id) throw new Refusal('identity_mismatch');
      requireWellFormed(input, deps.webhookHosts);
      const before = await change.principal(input.id);
      requireUnchanged(before, input);
      if (input.kind === 'producer') await requireBinding(change, input);
      await change.savePrincipal(input.id, input.kind, input.config);
      if (input.token !== undefined) {
        const digest = textDigest(input.token);
        if (!(await change.saveCredential(input.id, digest)))
          throw new Refusal('identity_conflict');
      }
      const effects = before === null ? null : await effectsOf(change, before, input);
      const { records, requests } = await invalidateAffected(
        change,
        deps.notary,
        effects?.affected ?? [],
        effects?.reasonOf ?? (() => null),
      );
      const configured = deps.notary.issue(
        'PrincipalConfigured',
        { tenant: caller.tenant, audience: caller.id, purpose: 'service', profiles: {} },
        change.now,
        { id: input.id, kind: input.kind, enabled: input.config.enabled },
      );
      await change.saveRecords([...records, configured], [...requests, null]);
      return canonicalText({ id: input.id, kind: input.kind });
    });
    deps.chained(caller.tenant);
    return answer(200, body);
  };
}

/** The caller as it is inside the change: an operator disabled a moment ago configures nothing. */
export async function requireEnabled(
  change: DirectoryChange,
  caller: { id: string; kind: string; credential: string | null },
): Promise<Principal> {
  const principal = await change.principal(caller.id);
  if (
    principal === null ||
    !principal.enabled ||
    principal.kind !== caller.kind ||
    (caller.credential !== null && caller.credential !== principal.credential)
  ) {
    throw new Refusal('unauthenticated');
  }
  return principal;
}

function requireWellFormed(input: PrincipalInput, webhookHosts: readonly string[]): void {
  const { config } = input;
  if (input.kind === 'human') {
    if (input.token !== undefined || !config.oidc_issuer || !config.oidc_subject) {
      throw new Refusal('invalid_human');
    }
  }
  if (input.token !== undefined && !/^[A-Za-z0-9_-]{32,200}$/.test(input.token)) {
    throw new Refusal('invalid_credential');
  }
  if (config.webhook !== undefined && !isAllowedWebhook(config.webhook, webhookHosts)) {
    throw new Refusal('webhook_destination_rejected');
  }
  if (config.email !== undefined) {
    const wellFormed = /^[^\s@]+@[^\s@]+$/.test(config.email);
    if (config.email_verified !== true || !wellFormed) throw new Refusal('verified_email_required');
  }
}

/** Contract §11.5: https on 443, no userinfo, no fragment, a host that the operator of the service allows. */
function isAllowedWebhook(text: string, hosts: readonly string[]): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return (
    url.protocol === 'https:' &&
    url.port === '' &&
    url.username === '' &&
    url.password === '' &&
    !text.includes('#') &&
    hosts.includes(url.hostname)
  );
}

function requireUnchanged(before: Principal | null, input: PrincipalInput): void {
  if (before === null) return;
  if (before.kind !== input.kind) throw new Refusal('principal_kind_immutable');
  const same =
    before.issuer === (input.config.oidc_issuer ?? null) &&
    before.subject === (input.config.oidc_subject ?? null);
  if (input.kind === 'human' && !same) throw new Refusal('human_identity_immutable');
}

const identifier = /^[a-zA-Z0-9_.:@/-]{1,160}$/;

async function requireBinding(change: DirectoryChange, input: PrincipalInput): Promise<void> {
  const { publisher, owner } = input.config;
  const found = publisher === undefined ? null : await change.principal(publisher);
  if (found?.kind !== 'publisher' || owner === undefined || !identifier.test(owner)) {
    throw new Refusal('publisher_and_owner_required');
  }
}

interface Effects {
  affected: Affected[];
  reasonOf: (request: Affected) => DirectoryInvalidation | null;
}

async function effectsOf(
  change: DirectoryChange,
  before: Principal,
  input: PrincipalInput,
): Promise<Effects | null> {
  const disabled = before.enabled && !input.config.enabled;
  if (input.kind === 'human') {
    if (!disabled) return null;
    await change.dropReviewer(input.id, null);
    const affected = await change.affectedByPerson(input.id);
    return {
      affected,
      reasonOf: (request) =>
        request.requester === input.id ? 'requester_removed' : 'reviewer_removed',
    };
  }
  if (input.kind !== 'producer') return null;
  const rebound =
    before.config.owner !== input.config.owner ||
    before.config.publisher !== input.config.publisher;
  const kept = new Set(input.config.routes ?? []);
  const removed = (before.config.routes ?? []).filter((route) => !kept.has(route));
  if (!disabled && !rebound && removed.length === 0) return null;
  const affected = await change.affectedByOwner(input.id);
  return {
    affected:
      disabled || rebound
        ? affected
        : affected.filter((request) => removed.includes(request.route)),
    reasonOf: () => 'producer_authorisation_changed',
  };
}
