import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { IDENTIFIER, textDigest } from '@countersign/protocol';
import { GOOD_TOKEN, weaknessOf } from './bearer-token.js';

export interface BootstrapInput {
  tenant: string;
  /** Principal id of the tenant's first operator. */
  operator: string;
  /** The operator's bearer token; only its digest is stored. */
  token: string;
  /** Epoch milliseconds; the database's clock when not given. */
  now?: number;
  /** Ready at once, for development (R21). Otherwise fenced with reason `new_tenant`. */
  active: boolean;
}

export interface BootstrappedTenant {
  tenant: string;
  ledgerId: string;
  generation: string;
}

/**
 * Makes a tenant and its first operator, by a connection of the database's owner (protocol §8.1: never over HTTP). Throws
 * errors with a `code`: `invalid_bootstrap` for a name or token that breaks the rules, `tenant_exists`, `identity_conflict`
 * for a token that another principal has.
 */
export async function bootstrapTenant(
  pool: pg.Pool,
  input: BootstrapInput,
): Promise<BootstrappedTenant> {
  requireIdentifier('tenant', input.tenant);
  requireIdentifier('operator', input.operator);
  requireBootstrapToken(input.token);
  const created = { tenant: input.tenant, ledgerId: randomUUID(), generation: randomUUID() };
  const { rows } = await pool
    .query<{ created: number }>(BOOTSTRAP, [
      created.tenant,
      created.ledgerId,
      created.generation,
      !input.active,
      input.active ? null : 'new_tenant',
      input.operator,
      textDigest(input.token),
      input.now === undefined ? null : new Date(input.now),
    ])
    .catch((error: unknown) => {
      const { code, constraint } = error as { code?: string; constraint?: string };
      if (code !== '23505' || constraint !== 'credential_pkey') throw error;
      throw commandRefusal('identity_conflict', 'This token is already used by another principal.');
    });
  if (rows[0]?.created !== 1) {
    throw commandRefusal('tenant_exists', `The tenant ${input.tenant} exists already.`);
  }
  return created;
}

/** One statement, so all of it or nothing. */
const BOOTSTRAP = `WITH t AS (
  INSERT INTO tenant (tenant, ledger_id, generation, fenced, fence_reason, created_at)
  VALUES ($1, $2, $3, $4, $5, coalesce($8::timestamptz, clock_timestamp()))
  ON CONFLICT (tenant) DO NOTHING RETURNING tenant, created_at
), h AS (
  INSERT INTO ledger_head (tenant, sequence, head) SELECT tenant, 0, '' FROM t
), p AS (
  INSERT INTO principal (tenant, id, kind, enabled, config, updated_at)
  SELECT tenant, $6, 'operator', true, '{"enabled":true}', created_at FROM t
), c AS (
  INSERT INTO credential (digest, tenant, principal, created_at) SELECT $7, tenant, $6, created_at FROM t
), e AS (
  INSERT INTO security_event (tenant, kind, actor, actor_kind, subject, detail)
  SELECT tenant, 'tenant.bootstrapped', session_user, 'command', $6, jsonb_build_object('active', NOT $4::boolean) FROM t
)
SELECT count(*)::integer AS created FROM t`;

/** Throws `invalid_bootstrap` for a name that is no Identifier (protocol §3). */
export function requireIdentifier(what: string, value: string): void {
  if (IDENTIFIER.test(value)) return;
  throw commandRefusal(
    'invalid_bootstrap',
    `The ${what} must be 1 to 160 characters of letters, digits and _ . : @ / -`,
  );
}

/** Protocol §8.1: a token that can only come from a random generator, not from a keyboard. */
export function requireBootstrapToken(token: string): void {
  const weakness = weaknessOf(token);
  if (weakness === null) return;
  throw commandRefusal('invalid_bootstrap', `The token ${weakness}. ${GOOD_TOKEN}`);
}

/** An error that names the remedy, of a command with the database's own credentials. */
export function commandRefusal(code: string, message: string): Error & { code: string } {
  return Object.assign(new Error(message), { code });
}
