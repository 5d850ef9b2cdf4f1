import type pg from 'pg';
import { textDigest } from '@countersign/protocol';
import type { SecurityKind } from '@countersign/protocol';
import { commandRefusal, requireBootstrapToken, requireIdentifier } from './bootstrap.js';

// Bearer operators, monitors and auditors (protocol R41, R42), by a connection of the database's owner and never over HTTP.
// Every change is one statement, which changes the directory's revision, so that services decide nothing on an older
// directory, and records itself in the security log. Time is the database's. Errors have a `code` and name the remedy.

/**
 * `metrics`: a monitor, which reads the metrics (`ledger.metrics`, `gateway.metrics-text`) and may do nothing else.
 * `security-log`: an auditor, which reads the security log and may do nothing else.
 */
export type OperatorScope = 'all' | 'metrics' | 'security-log';

export interface KnownOperator {
  readonly id: string;
  readonly scope: OperatorScope;
  readonly enabled: boolean;
  /** When its newest token was made, epoch milliseconds; null without any. */
  readonly tokenSince: number | null;
  readonly expiresAt: number | null;
  /** Whether the token before that one is still valid, and until when if that is fixed. */
  readonly former: { readonly until: number | null } | null;
  /** Its person at the identity provider; null for one with a token. */
  readonly person: PersonAtProvider | null;
}

/** By this a login finds the person: both equal the identity provider's `iss` and `sub` byte for byte. */
export interface PersonAtProvider {
  readonly issuer: string;
  readonly subject: string;
}

export interface NewToken {
  readonly tenant: string;
  readonly id: string;
  /** Only its digest is stored. */
  readonly token: string;
  /** From now on; null for a token that does not expire. */
  readonly expiresInSeconds: number | null;
}

const KINDS: Readonly<Record<OperatorScope, string>> = {
  all: 'operator',
  metrics: 'monitor',
  'security-log': 'auditor',
};
const SCOPES = Object.keys(KINDS) as readonly OperatorScope[];
const ALL_KINDS = `('${Object.values(KINDS).join("', '")}')`;

const MOVED = `t AS (UPDATE tenant SET directory_revision = directory_revision + 1 WHERE tenant = $1 RETURNING tenant)`;
const OF_TENANT = `principal.tenant = $1 AND principal.id = $2 AND principal.kind IN ${ALL_KINDS}`;
/** $2 is whom it is about; `of` has a row for each change that was made. */
const noted = (kind: SecurityKind, of: string, detail: string) =>
  `INSERT INTO security_event (tenant, kind, actor, actor_kind, subject, detail)
   SELECT tenant, '${kind}', session_user, 'command', $2, ${detail} FROM ${of}`;
const IN_SECONDS = (parameter: string) =>
  `clock_timestamp() + make_interval(secs => ${parameter}::float8)`;

/** Throws `unknown_tenant`, `principal_exists`, `identity_conflict`, `invalid_bootstrap`. */
export async function addOperator(
  pool: pg.Pool,
  { tenant, id, token, expiresInSeconds }: NewToken,
  scope: OperatorScope,
): Promise<KnownOperator> {
  requireIdentifier('id', id);
  requireBootstrapToken(token);
  await requireTenant(pool, tenant);
  await requireUnused(pool, token);
  const { rowCount } = await pool.query(
    `WITH ${MOVED}, p AS (
       INSERT INTO principal (tenant, id, kind, enabled, config, updated_at)
       SELECT tenant, $2, $3, true, '{"enabled":true}', clock_timestamp() FROM t
       ON CONFLICT (tenant, id) DO NOTHING RETURNING tenant, id, kind
     ), c AS (
       INSERT INTO credential (digest, tenant, principal, created_at, expires_at)
       SELECT $4, tenant, id, clock_timestamp(), ${IN_SECONDS('$5')} FROM p
     ) ${noted('operator.added', 'p', `jsonb_build_object('kind', kind)`)}`,
    [tenant, id, KINDS[scope], textDigest(token), expiresInSeconds],
  );
  if (rowCount === 0) throw exists(tenant, id);
  return operatorNamed(pool, tenant, id);
}

/** An auditor who logs in, without a token. */
export interface NewAuditor {
  readonly tenant: string;
  readonly id: string;
  /** The name of this person on the pages; the id when null. */
  readonly name: string | null;
  readonly person: PersonAtProvider;
}

/** Throws `unknown_tenant`, `principal_exists`, `identity_conflict`, `invalid_bootstrap`. */
export async function addAuditor(
  pool: pg.Pool,
  { tenant, id, name, person: { issuer, subject } }: NewAuditor,
): Promise<KnownOperator> {
  requireIdentifier('id', id);
  if (subject === '') throw commandRefusal('invalid_bootstrap', 'A subject is not empty.');
  await requireTenant(pool, tenant);
  const { rowCount: same } = await pool.query(
    `SELECT FROM principal WHERE tenant = $1 AND kind = 'auditor' AND enabled AND oidc_issuer = $2 AND oidc_subject = $3`,
    [tenant, issuer, subject],
  );
  if (same !== 0) {
    throw commandRefusal(
      'identity_conflict',
      `The tenant ${tenant} has this person as an auditor already.`,
    );
  }
  const config = {
    enabled: true,
    ...(name === null ? {} : { name }),
    oidc_issuer: issuer,
    oidc_subject: subject,
  };
  const { rowCount } = await pool.query(
    `WITH ${MOVED}, p AS (
       INSERT INTO principal (tenant, id, kind, enabled, config, oidc_issuer, oidc_subject, updated_at)
       SELECT tenant, $2, 'auditor', true, $3, $4, $5, clock_timestamp() FROM t
       ON CONFLICT (tenant, id) DO NOTHING RETURNING tenant, kind
     ) ${noted('operator.added', 'p', `jsonb_build_object('kind', kind)`)}`,
    [tenant, id, config, issuer, subject],
  );
  if (rowCount === 0) throw exists(tenant, id);
  return operatorNamed(pool, tenant, id);
}

/**
 * Gives an operator another token. The one until now stays valid, for `keepSeconds` or until it is retired. Throws
 * `unknown_operator`, `former_token_valid` when two are valid already, `identity_conflict`, `invalid_bootstrap`.
 */
export async function rotateOperator(
  pool: pg.Pool,
  { tenant, id, token, expiresInSeconds }: NewToken,
  keepSeconds: number | null,
): Promise<KnownOperator> {
  requireBootstrapToken(token);
  const known = await operatorNamed(pool, tenant, id);
  if (!known.enabled) throw commandRefusal('unknown_operator', `The operator ${id} is disabled.`);
  if (known.person !== null) {
    throw commandRefusal('unknown_operator', `The auditor ${id} logs in and has no token.`);
  }
  await requireUnused(pool, token);
  const { rowCount } = await pool.query(
    `WITH ${MOVED}, c AS (
       UPDATE credential SET digest = $3, id = gen_random_uuid(), created_at = clock_timestamp(),
         expires_at = ${IN_SECONDS('$4')}, former_digest = digest, former_id = id,
         former_until = least(expires_at, ${IN_SECONDS('$5')})
       FROM t WHERE credential.tenant = t.tenant AND principal = $2
         AND (former_digest IS NULL OR former_until <= clock_timestamp())
       RETURNING t.tenant
     ) ${noted('operator.rotated', 'c', `'{"retired":false}'::jsonb`)}`,
    [tenant, id, textDigest(token), expiresInSeconds, keepSeconds],
  );
  if (rowCount === 0) {
    throw commandRefusal(
      'former_token_valid',
      `The operator ${id} has two valid tokens. Retire the older one first (--retire).`,
    );
  }
  return operatorNamed(pool, tenant, id);
}

/** Ends the token that the newest one took the place of. Throws `unknown_operator`. */
export function retireToken(pool: pg.Pool, tenant: string, id: string): Promise<KnownOperator> {
  return change(
    pool,
    tenant,
    id,
    `c AS (
       UPDATE credential SET former_digest = NULL, former_id = NULL, former_until = NULL
       FROM t WHERE credential.tenant = t.tenant AND principal = $2 AND former_digest IS NOT NULL RETURNING t.tenant
     ) ${noted('operator.rotated', 'c', `'{"retired":true}'::jsonb`)}`,
  );
}

/** Ends an operator with its tokens and sessions for good. Throws `unknown_operator`. */
export function disableOperator(pool: pg.Pool, tenant: string, id: string): Promise<KnownOperator> {
  return change(
    pool,
    tenant,
    id,
    `c AS (
       DELETE FROM credential USING t WHERE credential.tenant = t.tenant AND principal = $2
     ), p AS (
       UPDATE principal SET enabled = false, config = jsonb_set(config, '{enabled}', 'false'), updated_at = clock_timestamp()
       FROM t WHERE ${OF_TENANT} AND principal.enabled RETURNING t.tenant
     ) ${noted('operator.disabled', 'p', `'{}'::jsonb`)}`,
  );
}

/** Changes a known operator by the rest of a statement that moves the directory's revision. */
async function change(
  pool: pg.Pool,
  tenant: string,
  id: string,
  statement: string,
): Promise<KnownOperator> {
  await operatorNamed(pool, tenant, id);
  await pool.query(`WITH ${MOVED}, ${statement}`, [tenant, id]);
  return operatorNamed(pool, tenant, id);
}

/** By id. Throws `unknown_tenant`. */
export async function listOperators(pool: pg.Pool, tenant: string): Promise<KnownOperator[]> {
  await requireTenant(pool, tenant);
  return operatorsWhere(pool, 'true', [tenant]);
}

async function operatorNamed(pool: pg.Pool, tenant: string, id: string): Promise<KnownOperator> {
  await requireTenant(pool, tenant);
  const [known] = await operatorsWhere(pool, 'p.id = $2', [tenant, id]);
  if (known !== undefined) return known;
  throw commandRefusal('unknown_operator', `The tenant ${tenant} has no operator ${id}.`);
}

async function operatorsWhere(
  pool: pg.Pool,
  condition: string,
  values: readonly string[],
): Promise<KnownOperator[]> {
  const { rows } = await pool.query<{
    id: string;
    kind: string;
    enabled: boolean;
    created_at: number | null;
    expires_at: number | null;
    former: boolean;
    former_until: number | null;
    oidc_issuer: string | null;
    oidc_subject: string | null;
  }>(
    `SELECT p.id, p.kind, p.enabled, p.oidc_issuer, p.oidc_subject, c.created_at, c.expires_at, c.former_until,
       c.former_digest IS NOT NULL AND (c.former_until IS NULL OR c.former_until > clock_timestamp()) AS former
     FROM principal p LEFT JOIN credential c ON c.tenant = p.tenant AND c.principal = p.id
     WHERE p.tenant = $1 AND p.kind IN ${ALL_KINDS} AND ${condition} ORDER BY p.id`,
    [...values],
  );
  return rows.map((row) => ({
    id: row.id,
    scope: SCOPES.find((scope) => KINDS[scope] === row.kind) ?? 'all',
    enabled: row.enabled,
    tokenSince: row.created_at,
    expiresAt: row.expires_at,
    former: row.former ? { until: row.former_until } : null,
    person:
      row.oidc_issuer === null || row.oidc_subject === null
        ? null
        : { issuer: row.oidc_issuer, subject: row.oidc_subject },
  }));
}

async function requireTenant(pool: pg.Pool, tenant: string): Promise<void> {
  const { rowCount } = await pool.query('SELECT FROM tenant WHERE tenant = $1', [tenant]);
  if (rowCount === 0) throw commandRefusal('unknown_tenant', `There is no tenant ${tenant}.`);
}

async function requireUnused(pool: pg.Pool, token: string): Promise<void> {
  const { rowCount } = await pool.query(
    'SELECT FROM credential WHERE digest = $1 OR former_digest = $1',
    [textDigest(token)],
  );
  if (rowCount !== 0)
    throw commandRefusal('identity_conflict', 'This token is or was used already.');
}

function exists(tenant: string, id: string): Error {
  return commandRefusal('principal_exists', `The tenant ${tenant} has a principal ${id} already.`);
}
