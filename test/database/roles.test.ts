import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { ROLES } from '@countersign/database';
import type { RoleName } from '@countersign/database';
import { SECURITY_KINDS } from '@countersign/protocol';
import { REFUSED, ROLE_NAMES, asLogin, servicePool, sqlState, startTestServer } from './server.js';
import type { TestPool, TestServer } from './server.js';

/**
 * Everything that each role may do to each table, and nothing else ("May write" in docs/architecture.md).
 * `UPDATE(a, b)` and `SELECT(a, b)` mean these columns only.
 */
const GRANTS: Record<RoleName, Record<string, string>> = {
  gateway: {
    tenant: 'SELECT',
    principal: 'SELECT',
    credential: 'SELECT',
    route: 'SELECT',
    session: 'SELECT INSERT UPDATE DELETE',
    login_attempt: 'SELECT INSERT UPDATE DELETE',
    last_login: 'SELECT INSERT UPDATE',
    mail_preference:
      'SELECT INSERT(tenant, principal, preferences, next_at) UPDATE(preferences, next_at, planned, claim_id)',
    logout_token: 'SELECT INSERT DELETE',
    http_count: 'SELECT INSERT UPDATE',
    security_event: 'INSERT(tenant, kind, actor, actor_kind, subject, request_id, detail)',
    parcel: 'SELECT INSERT DELETE',
  },
  request: {
    tenant: 'SELECT UPDATE(directory_revision, hold)',
    principal: 'SELECT INSERT UPDATE',
    credential: 'SELECT INSERT UPDATE DELETE',
    webhook_secret: 'SELECT(tenant, principal) INSERT DELETE',
    route: 'SELECT INSERT UPDATE',
    route_reviewer: 'SELECT INSERT DELETE',
    bundle: 'SELECT INSERT',
    request: 'SELECT INSERT',
    material: 'SELECT INSERT DELETE',
    lifecycle:
      'SELECT INSERT UPDATE(decision, grant_state, revision, version, invalidated, private_delete_at, material_deleted)',
    occurrence: 'SELECT INSERT UPDATE(request_id)',
    assignment: 'SELECT DELETE',
    candidate: 'SELECT UPDATE(live) DELETE',
    record: 'SELECT INSERT',
    outbox: 'SELECT INSERT',
    ledger_head: 'SELECT',
    ledger_entry: 'SELECT',
    checkpoint: 'SELECT',
    idempotency: 'SELECT INSERT UPDATE(result)',
    deadline: 'SELECT INSERT UPDATE(due, done_at, attempts, rests_until)',
    delivery: 'SELECT UPDATE(state)',
    incident: 'SELECT INSERT',
    quota_day: 'SELECT INSERT UPDATE',
    quota_bucket: 'SELECT INSERT UPDATE',
    retained: 'SELECT INSERT UPDATE',
    route_policy: 'SELECT INSERT UPDATE',
    membership: 'SELECT INSERT UPDATE',
    proposed_change: 'SELECT INSERT UPDATE DELETE',
    approval: 'SELECT UPDATE(state, seat_group, ended_at, ended_number, ended_reason)',
    approval_person: 'SELECT DELETE',
    quorum_state: 'SELECT INSERT UPDATE(number, unreachable_at)',
    request_evidence: 'SELECT INSERT',
    hold: 'SELECT INSERT UPDATE(revision, reference, until, set_by, set_by_person, set_at, lifted_by, lifted_at, record, lifted)',
    hold_item: 'SELECT INSERT UPDATE(until, lifted_at)',
    credential_bound:
      'SELECT INSERT UPDATE(state, counter, attempts, bound, ended, vouched_by) DELETE',
    enrolment_offer: 'SELECT INSERT UPDATE(credential, person, challenge, nonce, issued_at) DELETE',
    user_handle: 'SELECT INSERT',
    reading: 'SELECT INSERT DELETE',
    security_event: 'INSERT(tenant, kind, actor, actor_kind, subject, request_id, detail)',
    trace: 'INSERT',
    parcel: 'SELECT INSERT DELETE',
  },
  review: {
    tenant: 'SELECT UPDATE(hold)',
    principal: 'SELECT',
    credential: 'SELECT(tenant, principal, id, former_id)',
    route: 'SELECT',
    route_reviewer: 'SELECT',
    request: 'SELECT',
    material: 'SELECT',
    lifecycle:
      'SELECT UPDATE(decision, audit, grant_state, revision, version, invalidated, grant_deadline, receipt_id)',
    assignment: 'SELECT INSERT UPDATE DELETE',
    candidate: 'SELECT INSERT UPDATE(live)',
    record: 'SELECT INSERT',
    outbox: 'SELECT INSERT',
    idempotency: 'SELECT INSERT',
    deadline: 'SELECT INSERT UPDATE(due, done_at)',
    route_policy: 'SELECT',
    membership: 'SELECT',
    approval: 'SELECT INSERT UPDATE(state, seat_group, ended_at, ended_number, ended_reason)',
    approval_person: 'SELECT INSERT DELETE',
    quorum_state: 'SELECT UPDATE(number, receipt_id)',
    request_evidence: 'SELECT INSERT',
    credential_bound: 'SELECT UPDATE(state, counter)',
    approval_offer: 'SELECT INSERT DELETE',
    reading: 'SELECT INSERT',
    incident: 'INSERT',
    quota_bucket: 'SELECT INSERT UPDATE',
    trace: 'INSERT',
    parcel: 'SELECT INSERT DELETE',
  },
  'execution-authority': {
    tenant: 'SELECT UPDATE(hold)',
    principal: 'SELECT',
    credential: 'SELECT(tenant, principal, id, former_id)',
    route: 'SELECT',
    route_reviewer: 'SELECT',
    request: 'SELECT',
    material: 'SELECT',
    lifecycle:
      'SELECT UPDATE(grant_state, execution, revision, version, private_delete_at, claim_id, outcome_id, admissions)',
    occurrence: 'SELECT UPDATE(consumed_by)',
    execution_identity: 'SELECT INSERT',
    nonce: 'SELECT INSERT',
    assignment: 'SELECT',
    candidate: 'SELECT',
    record: 'SELECT INSERT',
    outbox: 'SELECT INSERT',
    ledger_entry: 'SELECT',
    checkpoint: 'SELECT',
    idempotency: 'SELECT INSERT',
    deadline: 'SELECT INSERT UPDATE(due, done_at, attempts, rests_until) DELETE',
    incident: 'SELECT INSERT UPDATE(code)',
    membership: 'SELECT',
    approval: 'SELECT',
    quorum_state: 'SELECT',
    request_evidence: 'SELECT',
    trace: 'INSERT',
    parcel: 'SELECT INSERT DELETE',
  },
  ledger: {
    tenant: 'SELECT UPDATE(fenced, fence_reason, directory_revision, hold, compared_at)',
    principal: 'SELECT',
    credential: 'SELECT(tenant, principal, id, former_id)',
    route: 'SELECT',
    route_reviewer: 'SELECT',
    bundle: 'SELECT',
    request: 'SELECT',
    material: 'SELECT',
    lifecycle:
      'SELECT UPDATE(audit, grant_state, revision, version, receipt_sequence, anchor_sequence, anchor_generation)',
    assignment: 'SELECT',
    candidate: 'SELECT',
    record: 'SELECT INSERT',
    outbox: 'SELECT INSERT DELETE',
    ledger_head: 'SELECT INSERT UPDATE',
    ledger_entry: 'SELECT INSERT',
    event_head: 'SELECT INSERT UPDATE',
    event: 'SELECT INSERT',
    checkpoint: 'SELECT INSERT UPDATE(acceptance, accepted_at, applied, attempts, error)',
    tree: 'SELECT INSERT UPDATE(size)',
    tree_tile: 'SELECT INSERT UPDATE(hashes)',
    tree_head: 'SELECT INSERT',
    tree_cosignature: 'SELECT INSERT',
    security_event:
      'SELECT INSERT(tenant, kind, actor, actor_kind, subject, request_id, detail) DELETE',
    security_head: 'SELECT INSERT UPDATE(sequence, head, checkpoint_sequence)',
    security_entry: 'SELECT INSERT',
    security_checkpoint: 'SELECT INSERT UPDATE(acceptance, accepted_at, attempts, error)',
    idempotency: 'SELECT INSERT',
    deadline: 'SELECT INSERT UPDATE(due, done_at)',
    delivery: 'SELECT',
    incident: 'SELECT INSERT',
    retained: 'SELECT',
    http_count: 'SELECT',
    membership: 'SELECT',
    approval: 'SELECT',
    quorum_state: 'SELECT',
    request_evidence: 'SELECT',
    hold: 'SELECT',
    hold_item: 'SELECT',
    operation_run: 'SELECT INSERT UPDATE',
    trace: 'SELECT INSERT',
    parcel: 'SELECT INSERT DELETE',
  },
  notifier: {
    tenant: 'SELECT UPDATE(hold)',
    principal: 'SELECT',
    credential: 'SELECT(tenant, principal, id, former_id)',
    route: 'SELECT',
    route_reviewer: 'SELECT',
    request: 'SELECT',
    lifecycle: 'SELECT UPDATE(revision, version, reminded_at)',
    assignment: 'SELECT',
    record: 'SELECT INSERT',
    outbox: 'SELECT INSERT',
    idempotency: 'SELECT INSERT',
    deadline: 'SELECT INSERT UPDATE(due, done_at)',
    webhook_secret: 'SELECT',
    ledger_head: 'SELECT(tenant, sequence)',
    ledger_entry: 'SELECT(tenant, sequence, request_id, type, record_id)',
    delivery: 'SELECT INSERT UPDATE(state, attempts, error, next_at, claim_id, fingerprint)',
    delivery_cursor: 'SELECT INSERT UPDATE(sequence)',
    mail_window: 'SELECT INSERT UPDATE(sent)',
    mail_preference: 'SELECT UPDATE(next_at, planned, claim_id, attempts)',
    chat_notice: 'SELECT INSERT UPDATE',
    membership: 'SELECT',
    approval: 'SELECT',
    incident: 'SELECT INSERT',
    trace: 'SELECT INSERT',
    parcel: 'SELECT INSERT DELETE',
  },
  deletion: {
    tenant: 'SELECT UPDATE(hold)',
    principal: 'SELECT',
    credential: 'SELECT(tenant, principal, id, former_id)',
    route: 'SELECT',
    route_reviewer: 'SELECT',
    bundle: 'SELECT UPDATE(html)',
    request: 'SELECT DELETE',
    material: 'SELECT DELETE',
    lifecycle:
      'SELECT UPDATE(decision, grant_state, revision, version, invalidated, material_deleted, hidden) DELETE',
    hold_item: 'SELECT',
    nonce: 'SELECT DELETE',
    assignment: 'SELECT DELETE',
    candidate: 'SELECT DELETE',
    record: 'SELECT INSERT UPDATE(record)',
    outbox: 'SELECT INSERT',
    ledger_entry: 'SELECT',
    event_head: 'SELECT',
    event: 'SELECT DELETE',
    idempotency: 'SELECT INSERT UPDATE(result) DELETE',
    deadline: 'SELECT INSERT UPDATE(due, done_at, attempts, rests_until) DELETE',
    delivery: 'SELECT UPDATE(state) DELETE',
    mail_window: 'SELECT DELETE',
    incident: 'SELECT INSERT',
    quota_day: 'SELECT DELETE',
    retained: 'SELECT INSERT UPDATE(bytes)',
    housekeeping: 'SELECT INSERT UPDATE(due, stalled)',
    operation_run: 'SELECT INSERT UPDATE',
    session: 'SELECT(digest, expires_at) DELETE',
    login_attempt: 'SELECT(digest, expires_at) DELETE',
    approval: 'SELECT DELETE',
    approval_person: 'SELECT DELETE',
    quorum_state: 'SELECT DELETE',
    request_evidence: 'SELECT DELETE',
    reading: 'SELECT DELETE',
    trace: 'SELECT DELETE',
    parcel: 'SELECT(id, created_at) DELETE',
  },
  'security-log': {
    security_head: 'SELECT(tenant, ledger_id, sequence)',
    security_entry: 'SELECT',
    security_sink: 'SELECT INSERT(sink, holder, held_until) UPDATE(holder, held_until, unsent)',
    security_position: 'SELECT INSERT(sink, tenant, sequence) UPDATE(sequence)',
  },
};

/** Functions that each role may call. */
const FUNCTIONS: Record<RoleName, string[]> = {
  gateway: ['in_scope'],
  request: [
    'are_states',
    'bundle_refusal',
    'creation_refusal',
    'in_scope',
    'must',
    'refuse_outstanding',
    'take_bundle_quota',
    'take_creation_quota',
    'take_token',
    'token_left',
  ],
  review: ['are_states', 'in_scope', 'must', 'take_token'],
  'execution-authority': ['are_states', 'in_scope', 'must'],
  ledger: ['are_states', 'in_scope', 'ledger_drain', 'must'],
  notifier: ['are_states', 'in_scope', 'must'],
  deletion: ['are_states', 'in_scope', 'must'],
  'security-log': ['in_scope'],
};

/** Which services move which part of a request: every column of `lifecycle`. */
const MOVED_BY: Record<string, RoleName[]> = {
  tenant: [],
  request_id: [],
  owner: [],
  route: [],
  decision: ['request', 'review', 'deletion'],
  audit: ['review', 'ledger'],
  grant_state: ['request', 'review', 'execution-authority', 'ledger', 'deletion'],
  execution: ['execution-authority'],
  revision: ['request', 'review', 'execution-authority', 'ledger', 'notifier', 'deletion'],
  version: ['request', 'review', 'execution-authority', 'ledger', 'notifier', 'deletion'],
  invalidated: ['request', 'review', 'deletion'],
  accepted_at: [],
  review_deadline: [],
  grant_deadline: ['review'],
  private_delete_at: ['request', 'execution-authority'],
  audit_delete_at: [],
  material_deleted: ['request', 'deletion'],
  reminded_at: ['notifier'],
  receipt_id: ['review'],
  claim_id: ['execution-authority'],
  outcome_id: ['execution-authority'],
  admissions: ['execution-authority'],
  receipt_sequence: ['ledger'],
  anchor_sequence: ['ledger'],
  anchor_generation: ['ledger'],
  hidden: ['deletion'],
  approvals_needed: [],
};

/** The kinds of record that each role may store, and so has chained. */
const STORES: Record<RoleName, string[]> = {
  gateway: [],
  request: [
    'RequestChangedEvent',
    'MaterialDiscarded',
    'BundleRegistered',
    'PrincipalConfigured',
    'RouteConfigured',
    'RoutePolicyConfigured',
    'MembershipConfigured',
    'ApprovalEnded',
    'CredentialBound',
    'CredentialEnded',
  ],
  review: ['RequestChangedEvent', 'DecisionReceipt', 'ApprovalRecord', 'ApprovalEnded'],
  'execution-authority': [
    'RequestChangedEvent',
    'ExecutionClaim',
    'AdmissionStatus',
    'ExecutionOutcome',
    'ExecutionReconciliation',
  ],
  ledger: ['RequestChangedEvent'],
  notifier: ['RequestChangedEvent'],
  deletion: ['RequestChangedEvent', 'MaterialDiscarded'],
  'security-log': [],
};
const KINDS = [...new Set(Object.values(STORES).flat()), 'AuditCheckpoint', 'WebhookDelivery', 'X'];

const REQUEST_ID = randomUUID();
const RECORD_ID = randomUUID();

let server: TestServer;
let url: string;
let owner: pg.Pool;
const pools = {} as Record<RoleName, TestPool>;

beforeAll(async () => {
  server = await startTestServer();
  url = await server.migratedDatabase();
  owner = server.pool(url);
  for (const name of ROLE_NAMES) pools[name] = server.pool(url, name, 2);
  await owner.query(
    `INSERT INTO lifecycle (tenant, request_id, owner, route, decision, audit, grant_state, execution, revision, version,
       accepted_at, review_deadline, private_delete_at, audit_delete_at)
     SELECT 't', $1, 'owner', 'route', 'pending', 'unanchored', 'not_applicable', 'not_applicable', 1, 1, t, t, t, t FROM now() AS t`,
    [REQUEST_ID],
  );
  await owner.query(
    `INSERT INTO record (tenant, id, type, digest, issued_at, record) VALUES ('t', $1, 'DecisionReceipt', 'd', now(), '{}')`,
    [RECORD_ID],
  );
  await owner.query(
    `INSERT INTO ledger_entry (tenant, sequence, type, previous_head, head, record_digest, record_id, created_at)
     VALUES ('t', 1, 'DecisionReceipt', '', 'h', 'd', $1, now())`,
    [RECORD_ID],
  );
  await owner.query(
    `INSERT INTO session (digest, tenant, principal, csrf, authenticated_at, expires_at)
     VALUES ('d', 't', 'p', 'secret', now(), now())`,
  );
});
afterAll(() => server.stop());

/** The end of a statement of that role, undone afterwards: a SQLSTATE, or null for success. */
async function attempt(
  name: RoleName,
  sql: string,
  values: unknown[] = [],
): Promise<string | null> {
  const client = await pools[name].connect();
  try {
    await client.query('BEGIN');
    return await sqlState(client.query(sql, values));
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

async function columnsOf(table: string): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 ORDER BY attnum`,
    [table],
  );
  return rows.map((row) => row.name);
}

describe.each(ROLE_NAMES)('%s', (name) => {
  it('has exactly the grants of the table above', async () => {
    const { rows } = await owner.query<{ table: string; grants: string }>(GRANTS_OF, [ROLES[name]]);
    const actual = Object.fromEntries(rows.map((row) => [row.table, row.grants]));
    expect(actual).toEqual({ ...GRANTS[name], _prisma_migrations: 'SELECT' });
  });

  it('may call exactly the functions of the table above', async () => {
    const { rows } = await owner.query<{ name: string }>(
      `SELECT proname AS name FROM pg_proc
       WHERE pronamespace = 'public'::regnamespace AND has_function_privilege($1, oid, 'EXECUTE') ORDER BY 1`,
      [ROLES[name]],
    );
    expect(rows.map((row) => row.name)).toEqual(FUNCTIONS[name]);
  });

  it('moves its own part of a request and no other', async () => {
    const columns = await columnsOf('lifecycle');
    expect(Object.keys(MOVED_BY).sort()).toEqual([...columns].sort());
    for (const column of columns) {
      const state = await attempt(name, `UPDATE lifecycle SET ${column} = DEFAULT WHERE false`);
      expect([column, state]).toEqual([column, MOVED_BY[column]?.includes(name) ? null : REFUSED]);
    }
  });

  it('cannot change or remove evidence', async () => {
    for (const column of await columnsOf('ledger_entry')) {
      expect(await attempt(name, `UPDATE ledger_entry SET ${column} = ${column}`)).toBe(REFUSED);
    }
    expect(await attempt(name, 'DELETE FROM ledger_entry')).toBe(REFUSED);
    expect(await attempt(name, 'TRUNCATE ledger_entry')).toBe(REFUSED);
    for (const column of await columnsOf('record')) {
      expect(await attempt(name, `UPDATE record SET ${column} = ${column}`)).toBe(REFUSED);
    }
    expect(await attempt(name, `UPDATE record SET record = '{"forged":true}'`)).toBe(REFUSED);
    expect(await attempt(name, 'DELETE FROM record')).toBe(REFUSED);
    expect(await attempt(name, 'TRUNCATE record')).toBe(REFUSED);
    expect(await attempt(name, 'UPDATE record SET record = NULL')).toBe(
      name === 'deletion' ? null : REFUSED,
    );
  });

  it('stores records of its own kinds only', async () => {
    for (const kind of KINDS) {
      const state = await attempt(
        name,
        `INSERT INTO record (tenant, id, type, digest, issued_at, record) VALUES ('t', gen_random_uuid(), $1, 'd', now(), '{}')`,
        [kind],
      );
      expect([kind, state]).toEqual([kind, STORES[name].includes(kind) ? null : REFUSED]);
    }
  });

  it('inserts events of the security log of its own kinds only', async () => {
    for (const [kind, { source }] of Object.entries({ ...SECURITY_KINDS, x: { source: '' } })) {
      const state = await attempt(
        name,
        `INSERT INTO security_event (tenant, kind) VALUES ('t', $1)`,
        [kind],
      );
      expect([kind, state]).toEqual([kind, source === name ? null : REFUSED]);
    }
  });

  it('cannot say when or by which service an event of the security log was inserted', async () => {
    for (const column of ['source', 'created_at']) {
      expect(
        await attempt(
          name,
          `INSERT INTO security_event (tenant, kind, ${column}) VALUES ('t', 'material.read', DEFAULT)`,
        ),
      ).toBe(REFUSED);
    }
  });

  it('cannot change or remove entries of the security log', async () => {
    for (const table of ['security_entry', 'security_event']) {
      for (const column of await columnsOf(table)) {
        expect(await attempt(name, `UPDATE ${table} SET ${column} = DEFAULT`)).toBe(REFUSED);
      }
      expect(await attempt(name, `TRUNCATE ${table}`)).toBe(REFUSED);
    }
    expect(await attempt(name, 'DELETE FROM security_entry')).toBe(REFUSED);
  });

  it('makes no table, type, function, schema or role, and changes none', async () => {
    for (const sql of [
      'CREATE TABLE planted (id integer)',
      'CREATE TEMPORARY TABLE retained (bytes bigint)',
      'CREATE TABLE pg_temp.retained (bytes bigint)',
      'CREATE VIEW planted AS SELECT 1',
      'CREATE TYPE planted AS ENUM ()',
      'CREATE FUNCTION planted() RETURNS integer LANGUAGE sql AS $$ SELECT 1 $$',
      'CREATE SCHEMA planted',
      'CREATE ROLE planted',
      'CREATE EXTENSION pgcrypto',
      'ALTER TABLE record DISABLE ROW LEVEL SECURITY',
      'DROP POLICY record_read ON record',
      'CREATE POLICY planted ON record FOR INSERT WITH CHECK (true)',
      'ALTER TABLE lifecycle ADD COLUMN planted text',
      'DROP TABLE nonce',
      'CREATE INDEX planted ON nonce (tenant)',
      'CREATE TRIGGER planted BEFORE INSERT ON record EXECUTE FUNCTION ledger_drain()',
      'DROP FUNCTION ledger_drain',
      `SELECT pg_read_file('/etc/hostname')`,
      `COPY nonce TO PROGRAM 'true'`,
      'TABLE pg_authid',
    ]) {
      expect([sql, await attempt(name, sql)]).toEqual([sql, REFUSED]);
    }
  });

  it('cannot give itself or others a right', async () => {
    for (const sql of [
      `GRANT ${ROLES.ledger} TO ${ROLES.notifier}`,
      `ALTER ROLE ${ROLES[name]} SUPERUSER`,
      `ALTER DEFAULT PRIVILEGES FOR ROLE countersign GRANT ALL ON TABLES TO PUBLIC`,
    ]) {
      expect([sql, await attempt(name, sql)]).toEqual([sql, REFUSED]);
    }
    // A grant without the right to it is refused, or is a warning and has no effect.
    await attempt(name, 'GRANT ALL ON record, ledger_entry, lifecycle TO PUBLIC; COMMIT');
    const { rows } = await owner.query(
      `SELECT has_table_privilege($1, 'ledger_entry', 'UPDATE') OR has_table_privilege($1, 'record', 'DELETE') AS gained`,
      [ROLES[name]],
    );
    expect(rows).toEqual([{ gained: false }]);
  });

  it('cannot act as another role', async () => {
    for (const other of ROLE_NAMES.filter((candidate) => candidate !== name)) {
      expect(await attempt(name, `SET ROLE ${ROLES[other]}`)).toBe(REFUSED);
    }
    // Its login alone may do nothing.
    const client = await pools[name].connect();
    await client.query('RESET ROLE; SET ROLE NONE');
    expect(await sqlState(client.query('TABLE tenant'))).toBe('42P01');
    expect(await sqlState(client.query('SELECT FROM public.tenant'))).toBe(REFUSED);
    client.release(true);
  });

  it('reads the secrets of webhooks only where they are sent', async () => {
    const secret = await attempt(name, 'SELECT secret FROM webhook_secret');
    expect(secret).toBe(name === 'notifier' ? null : REFUSED);
  });

  it('reads sessions only where people log in', async () => {
    const secret = await attempt(name, 'SELECT csrf FROM session');
    expect(secret).toBe(name === 'gateway' ? null : REFUSED);
    const dates = await attempt(name, 'SELECT digest FROM session WHERE expires_at < now()');
    expect(dates).toBe(name === 'gateway' || name === 'deletion' ? null : REFUSED);
  });
});

it('the deletion worker removes due rows', async () => {
  for (const sql of [
    `DELETE FROM request WHERE tenant = 't' AND id = $1`,
    `DELETE FROM material WHERE tenant = 't' AND request_id = $1`,
    `DELETE FROM lifecycle WHERE tenant = 't' AND request_id = $1`,
    `DELETE FROM candidate WHERE tenant = 't' AND request_id = $1`,
    `DELETE FROM assignment WHERE tenant = 't' AND request_id = $1`,
    `DELETE FROM event WHERE tenant = 't' AND request_id = $1`,
    `DELETE FROM idempotency WHERE tenant = 't' AND request_id = $1`,
    `DELETE FROM deadline WHERE tenant = 't' AND request_id = $1`,
    `DELETE FROM delivery WHERE tenant = 't' AND request_id = $1`,
    `DELETE FROM nonce WHERE tenant = 't' AND request_id = $1`,
  ]) {
    expect([sql, await attempt('deletion', sql, [REQUEST_ID])]).toEqual([sql, null]);
  }
  for (const sql of [
    `DELETE FROM quota_day WHERE day < current_date`,
    `DELETE FROM session WHERE digest IN (SELECT digest FROM session WHERE expires_at < now() LIMIT 500)`,
    `DELETE FROM login_attempt WHERE digest IN (SELECT digest FROM login_attempt WHERE expires_at < now() LIMIT 500)`,
    `DELETE FROM parcel WHERE id IN (SELECT id FROM parcel WHERE created_at < now() LIMIT 500)`,
    `DELETE FROM mail_window WHERE hour < now() - interval '1 day'`,
    `UPDATE idempotency SET result = NULL WHERE created_at < now()`,
    `UPDATE bundle SET html = NULL WHERE created_at < now()`,
    `UPDATE retained SET bytes = bytes - 1 WHERE tenant = 't' AND scope = 'owner'`,
  ]) {
    expect([sql, await attempt('deletion', sql)]).toEqual([sql, null]);
  }
});

it('every service holds the tenant while a transition commits, and the gateway does not', async () => {
  for (const name of ROLE_NAMES) {
    const state = await attempt(name, `SELECT 1 FROM tenant WHERE tenant = 't' FOR KEY SHARE`);
    const moves = name !== 'gateway' && name !== 'security-log';
    expect([name, state]).toEqual([name, moves ? null : REFUSED]);
  }
});

it('a login that is no member of a role cannot connect as it', async () => {
  const { password } = new URL(url);
  await owner.query(`CREATE ROLE "login-stranger" LOGIN PASSWORD '${password}'`);
  const stranger = asLogin(url, 'stranger' as RoleName);
  for (const name of ROLE_NAMES) {
    const pool = servicePool({ url: stranger, role: ROLES[name], application: 'test' });
    expect(await sqlState(pool.query('SELECT 1'))).toBe(REFUSED);
    await pool.end();
  }
});

/** The rights of role $1 on each table, in the form of GRANTS. */
const GRANTS_OF = `
SELECT "table", string_agg(privilege || columns, ' ' ORDER BY place) AS grants
FROM (
  SELECT t.relname AS table, p.place, p.privilege, CASE
    WHEN has_table_privilege($1, t.oid, p.privilege) THEN ''
    WHEN p.place > 3 THEN NULL
    ELSE (
      SELECT '(' || string_agg(a.attname, ', ' ORDER BY a.attnum) || ')' FROM pg_attribute a
      WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
        AND has_column_privilege($1, t.oid, a.attnum, p.privilege)
    ) END AS columns
  FROM pg_class t,
    unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER']) WITH ORDINALITY AS p (privilege, place)
  WHERE t.relnamespace = 'public'::regnamespace AND t.relkind IN ('r', 'p', 'v', 'm')
) g
WHERE columns IS NOT NULL GROUP BY 1 ORDER BY 1`;
