import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { reviewInput, until } from '../../support/requests.js';
import {
  count,
  incidentsOf,
  newRequest,
  pass,
  startFixture,
  untilDone,
  verifiedLedger,
} from './fixture.js';
import type { Fixture } from './fixture.js';

const ROWS = 4;
const OLD = `clock_timestamp() - interval '91 days'`;
const YOUNG = `clock_timestamp() - interval '89 days'`;

/** Protocol §11.3, rows that end by their age: a pass every second here, of at most four rows of a kind. */
describe('housekeeping', () => {
  let fixture: Fixture;
  let tenant: string;

  beforeAll(async () => {
    fixture = await startFixture({
      env: { HOUSEKEEPING_SECONDS: '1', HOUSEKEEPING_ROWS: String(ROWS) },
    });
    tenant = fixture.demo.tenant;
  });
  afterAll(() => fixture?.stop());

  const sql = (text: string, values: unknown[] = []) => fixture.database.query(text, values);
  const untilNone = (from: string, values: unknown[] = []) =>
    until(
      () => count(fixture, from, values),
      (left) => left === 0,
      20_000,
    );

  it('clears texts of the ledger and stored answers after 90 days', async () => {
    const { publisher, operator } = fixture;
    const key = randomUUID();
    const registration = {
      html: '<p>old</p>',
      compatibility: { agent_ui: '2' },
      author: 'A',
      licence: 'MIT',
    };
    const old = await publisher.post('/v2/bundles', registration, { key });
    const young = await publisher.post('/v2/bundles', registration);
    expect([old.status, young.status]).toEqual([201, 201]);
    const textOf = async (bundle: string) => {
      const entries = await verifiedLedger(fixture);
      return entries.filter(({ record }) => record?.includes(bundle) === true).length;
    };
    await until(
      async () => (await textOf(old.body.id)) + (await textOf(young.body.id)),
      (texts) => texts === 2,
    );
    await sql(`UPDATE record SET issued_at = ${OLD} WHERE record LIKE '%' || $1 || '%'`, [
      old.body.id,
    ]);
    await sql(`UPDATE record SET issued_at = ${YOUNG} WHERE record LIKE '%' || $1 || '%'`, [
      young.body.id,
    ]);
    await sql(`UPDATE idempotency SET created_at = ${OLD} WHERE key = $1`, [key]);
    await until(
      () => textOf(old.body.id),
      (texts) => texts === 0,
    );
    expect(await textOf(young.body.id)).toBe(1);
    await until(
      () => publisher.post('/v2/bundles', registration, { key }),
      (answer) => answer.status === 410 && answer.body.error === 'idempotent_result_expired',
    );
    expect((await operator.get('/v2/admin/ledger')).status).toBe(200);
  });

  it('removes deliveries after 90 days, past counters, old mail windows, ended sessions, lost bodies', async () => {
    const id = await newRequest(fixture, reviewInput(fixture.demo));
    for (const [kind, state, age] of [
      ...['pending', 'accepted', 'failed', 'expired'].map((state) => ['webhook', state, OLD]),
      ['smtp', 'failed', OLD],
      ['smtp', 'failed', YOUNG],
    ] as const) {
      await sql(
        `INSERT INTO delivery (tenant, id, request_id, kind, state, created_at) VALUES ($1, gen_random_uuid(), $2, $3, $4, ${age})`,
        [tenant, id, kind, state],
      );
    }
    await sql(
      `INSERT INTO quota_day (tenant, scope, subject, day, used)
       SELECT $1, 'owner', 'x' || n, (clock_timestamp() AT TIME ZONE 'UTC')::date - n, 1 FROM generate_series(0, 9) n`,
      [tenant],
    );
    await sql(
      `INSERT INTO mail_window (tenant, recipient, hour, sent)
       SELECT $1, 'x', date_trunc('hour', clock_timestamp()) - n * interval '12 hours', 1 FROM generate_series(0, 9) n`,
      [tenant],
    );
    await sql(
      `INSERT INTO session (digest, tenant, principal, csrf, authenticated_at, expires_at)
       SELECT 'x' || n, $1, 'x', 'x', clock_timestamp(), clock_timestamp() + (n - 9) * interval '1 hour' + interval '1 minute'
       FROM generate_series(0, 9) n`,
      [tenant],
    );
    await sql(
      `INSERT INTO login_attempt (digest, state, nonce, code_verifier, return_to, created_at, expires_at)
       SELECT 'x' || n, 'x', 'x', 'x', '/', clock_timestamp(), clock_timestamp() + (n - 9) * interval '1 hour' + interval '1 minute'
       FROM generate_series(0, 9) n`,
    );
    await sql(
      `INSERT INTO parcel (id, body, created_at)
       SELECT gen_random_uuid(), 'x', clock_timestamp() - n * interval '9 minutes' FROM generate_series(0, 9) n`,
    );
    await sql(
      `INSERT INTO trace (tenant, record_id, traceparent, created_at)
       SELECT $1, gen_random_uuid(), '00-' || repeat('a', 32) || '-' || repeat('b', 16) || '-01',
         clock_timestamp() - n * interval '7 hours' FROM generate_series(0, 9) n`,
      [tenant],
    );
    const day = `(clock_timestamp() AT TIME ZONE 'UTC')::date`;
    await untilNone(`delivery WHERE request_id = $1 AND created_at < ${OLD} + interval '1 hour'`, [
      id,
    ]);
    expect(await count(fixture, 'delivery WHERE request_id = $1 AND recipient IS NULL', [id])).toBe(
      1,
    );
    await untilNone(`quota_day WHERE day < ${day}`);
    expect(await count(fixture, `quota_day WHERE subject = 'x0'`)).toBe(1);
    await untilNone(`mail_window WHERE hour < clock_timestamp() - interval '1 day'`);
    expect(await count(fixture, `mail_window WHERE recipient = 'x'`)).toBeGreaterThanOrEqual(2);
    await untilNone('session WHERE expires_at < clock_timestamp()');
    expect(await count(fixture, `session WHERE principal = 'x'`)).toBe(1);
    await untilNone('login_attempt WHERE expires_at < clock_timestamp()');
    expect(await count(fixture, `login_attempt WHERE state = 'x'`)).toBe(1);
    await untilNone(`trace WHERE created_at < clock_timestamp() - interval '25 hours'`);
    expect(await count(fixture, 'trace')).toBe(4);
    await untilNone(`parcel WHERE created_at < clock_timestamp() - interval '11 minutes'`);
    expect(await count(fixture, 'parcel')).toBeGreaterThanOrEqual(2);
    // Sessions that live go on.
    expect((await fixture.reviewer.get('/v2/requests')).status).toBe(200);
  });

  describe('HTML of bundles', () => {
    const profiles = { 'proto.agent-ui': '2' };

    async function newBundle(): Promise<string> {
      const registered = await fixture.publisher.post('/v2/bundles', {
        html: `<p>${randomUUID()}</p>`,
        compatibility: { agent_ui: '2' },
        author: 'A',
        licence: 'MIT',
      });
      expect(registered.status).toBe(201);
      return registered.body.id;
    }
    const grownOld = (id: string) =>
      sql(
        `UPDATE bundle SET created_at = clock_timestamp() - interval '16 minutes' WHERE id = $1`,
        [id],
      );
    const hasHtml = async (id: string) =>
      (await count(fixture, 'bundle WHERE id = $1 AND html IS NOT NULL', [id])) === 1;
    const bytesOf = async (scope: string) => {
      const { rows } = await sql(
        'SELECT sum(bytes)::float8 AS bytes FROM retained WHERE scope = $1',
        [scope],
      );
      return rows[0].bytes as number;
    };

    it('goes after 15 minutes unless retained material needs it, and gives its room back', async () => {
      const [used, unused, young] = [await newBundle(), await newBundle(), await newBundle()];
      const id = await newRequest(
        fixture,
        reviewInput(fixture.demo, { profiles, bundle_id: used }),
      );
      const before = await bytesOf('publisher');
      await grownOld(used);
      await grownOld(unused);
      await until(
        () => hasHtml(unused),
        (there) => !there,
        20_000,
      );
      expect([await hasHtml(used), await hasHtml(young)]).toEqual([true, true]);
      const { rows } = await sql('SELECT bytes::float8 FROM bundle WHERE id = $1', [unused]);
      expect(await bytesOf('publisher')).toBe(before - rows[0].bytes);
      expect((await fixture.reviewer.get(`/v2/requests/${id}/app`)).status).toBe(200);
      const late = await fixture.producer.post(
        '/v2/requests',
        reviewInput(fixture.demo, { profiles, bundle_id: unused }),
      );
      expect([late.status, late.body.error]).toEqual([404, 'not_found']);

      await pass(fixture, 'private_deletion', id);
      await untilDone(fixture, id, 'private_deletion');
      await until(
        () => hasHtml(used),
        (there) => !there,
        20_000,
      );
      expect((await fixture.producer.get(`/v2/requests/${id}/export`)).body.material).toBeNull();
    });

    it('deletes no HTML of a request that is stored at that moment', async () => {
      const bundle = await newBundle();
      const holder = new pg.Client({ connectionString: fixture.urls.DATABASE_URL });
      await holder.connect();
      try {
        await holder.query('BEGIN');
        await holder.query('UPDATE bundle SET html = NULL WHERE id = $1', [bundle]);
        const creating = fixture.producer.post(
          '/v2/requests',
          reviewInput(fixture.demo, { profiles, bundle_id: bundle }),
        );
        await until(
          () => count(fixture, `pg_locks WHERE NOT granted AND locktype = 'transactionid'`),
          (waiting) => waiting > 0,
        );
        await holder.query('COMMIT');
        const created = await creating;
        expect([created.status, created.body.error]).toEqual([404, 'not_found']);
      } finally {
        await holder.end();
      }
    });

    it('is kept for a request that was stored while housekeeping looked', async () => {
      const bundle = await newBundle();
      const holder = new pg.Client({ connectionString: fixture.urls.DATABASE_URL });
      await holder.connect();
      try {
        // Old enough in two seconds; by then a creation needs it that has not committed.
        await sql(
          `UPDATE bundle SET created_at = clock_timestamp() - interval '898 seconds' WHERE id = $1`,
          [bundle],
        );
        const id = randomUUID();
        await holder.query('BEGIN');
        await holder.query(
          `INSERT INTO request (tenant, id, owner, route, purpose, summary, digest, canonical, bundle_id)
           VALUES ($1, $2, 'o', 'r', 'review', 's', 'd', '{}', $3)`,
          [tenant, id, bundle],
        );
        await holder.query(
          `INSERT INTO material (tenant, request_id, payload, response_schema, review_document, bytes)
           VALUES ($1, $2, '', '', '', 1)`,
          [tenant, id],
        );
        await until(
          () =>
            count(
              fixture,
              `bundle WHERE id = $1 AND created_at < clock_timestamp() - interval '900 seconds'`,
              [bundle],
            ),
          (old) => old === 1,
        );
        // Passes go by meanwhile: another old bundle goes.
        const other = await newBundle();
        await grownOld(other);
        await until(
          () => hasHtml(other),
          (there) => !there,
          20_000,
        );
        await holder.query('COMMIT');
        const last = await newBundle();
        await grownOld(last);
        await until(
          () => hasHtml(last),
          (there) => !there,
          20_000,
        );
        expect(await hasHtml(bundle)).toBe(true);
        await holder.query('DELETE FROM material WHERE request_id = $1', [id]);
        await holder.query('DELETE FROM request WHERE id = $1', [id]);
      } finally {
        await holder.end();
      }
      await until(
        () => hasHtml(bundle),
        (there) => !there,
        20_000,
      );
    });
  });

  it('skips rows that cannot be cleared, reports them once, and clears the others', async () => {
    const failed = async () => {
      const operations = (await fixture.operator.get('/v2/admin/metrics')).body.operations as {
        name: string;
        failed_at: string | null;
      }[];
      return operations.find(({ name }) => name === 'retention')?.failed_at ?? null;
    };
    const many = 3 * ROWS;
    const told = await incidentsOf(fixture, null);
    await sql(
      `CREATE FUNCTION poisoned() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'poisoned'; END $$;
       CREATE TRIGGER poisoned BEFORE DELETE ON delivery FOR EACH ROW
         WHEN (OLD.error = 'poisoned') EXECUTE FUNCTION poisoned()`,
    );
    // Two of them, the first of all and one in the middle.
    await sql(
      `INSERT INTO delivery (tenant, id, kind, state, created_at, error)
       SELECT $1, gen_random_uuid(), 'webhook', 'failed', ${OLD} + n * interval '1 minute',
         CASE WHEN n IN (0, 5) THEN 'poisoned' END
       FROM generate_series(0, $2 - 1) n`,
      [tenant, many],
    );
    const left = `delivery WHERE request_id IS NULL AND kind = 'webhook'`;
    await until(
      () => count(fixture, left),
      (rows) => rows === 2,
      20_000,
    );
    expect(await count(fixture, `${left} AND error = 'poisoned'`)).toBe(2);
    const first = await until(failed, (at) => at !== null);
    // More passes fail, and no further incident opens.
    await until(failed, (at) => Date.parse(at!) > Date.parse(first!) + 2000);
    expect(await incidentsOf(fixture, null)).toEqual([...told, 'retention_stalled']);
    const incidents = (await fixture.operator.get('/v2/admin/metrics')).body.incidents as {
      code: string;
    }[];
    expect(incidents.map(({ code }) => code)).toEqual(['retention_stalled']);

    await sql('DROP TRIGGER poisoned ON delivery; DROP FUNCTION poisoned()');
    await untilNone(left);
    await until(
      () => count(fixture, 'housekeeping WHERE stalled'),
      (stalled) => stalled === 0,
    );
  });

  it('skips locked rows and leaves them to the next pass', async () => {
    const holder = new pg.Client({ connectionString: fixture.urls.DATABASE_URL });
    await holder.connect();
    try {
      await sql(
        `INSERT INTO delivery (tenant, id, kind, state, created_at, error)
         SELECT $1, gen_random_uuid(), 'smtp', 'failed',
           clock_timestamp() - interval '90 days' + interval '2 seconds', n::text FROM generate_series(1, 3) n`,
        [tenant],
      );
      await holder.query('BEGIN');
      await holder.query(`SELECT 1 FROM delivery WHERE error = '1' FOR UPDATE`);
      await until(
        () => count(fixture, `delivery WHERE error IN ('1', '2', '3')`),
        (rows) => rows === 1,
      );
      expect(await count(fixture, 'pg_locks WHERE NOT granted')).toBe(0);
    } finally {
      await holder.query('ROLLBACK');
      await holder.end();
    }
    await untilNone(`delivery WHERE error = '1'`);
  });
});
