import { randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { Client } from '../support/client.js';
import type { Answer } from '../support/client.js';
import type { Instance } from '../support/instance.js';
import type { OwnRoute } from '../support/own-route.js';
import { newRoute } from '../support/own-route.js';
import { newToken } from '../support/people.js';
import { decide, executionInput, reviewInput, until, untilAvailable } from '../support/requests.js';
import { untilChained } from '../support/truths.js';
import { bringAnchorsBack, takeAnchorsAway } from './matrix/anchors.js';
import { newRequest, startFixture } from './retention/fixture.js';
import type { Fixture } from './retention/fixture.js';

/** Two transactions that wait for each other, or want the same thing: neither is the caller's fault, and neither a 503. */
describe('transactions in each other’s way', () => {
  let fixture: Fixture;
  let other: pg.Client;

  beforeAll(async () => {
    fixture = await startFixture();
    // Postgres looks for a deadlock once, so long after a statement began to wait: the test has made it by then.
    await fixture.database.query(`ALTER SYSTEM SET deadlock_timeout = '4s'`);
    await fixture.database.query('SELECT pg_reload_conf()');
    other = new pg.Client({ connectionString: fixture.urls.DATABASE_URL });
    await other.connect();
    // Never the one that is ended.
    await other.query(`SET deadlock_timeout = '60s'`);
  });
  afterAll(async () => {
    await other?.end();
    await fixture?.stop();
  });

  /** Postgres finds the deadlock first for the statement that waited first, and ends it. */
  async function untilWaiting(): Promise<void> {
    const waiting = `SELECT count(*)::integer AS many FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
    await until(
      async () => (await fixture.database.query<{ many: number }>(waiting)).rows[0]?.many ?? 0,
      (many) => many > 0,
    );
  }

  const hold = (id: string) =>
    other.query('SELECT 1 FROM lifecycle WHERE request_id = $1 FOR UPDATE', [id]);
  const deadlocks = async () => {
    // A session's counts are reported a moment later.
    await fixture.database.query('SELECT pg_stat_clear_snapshot()');
    const { rows } = await fixture.database.query<{ deadlocks: string }>(
      'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
    );
    return Number(rows[0]?.deadlocks);
  };

  it('does a change of the directory again that Postgres ended', async () => {
    const { demo, operator, reviewerId } = fixture;
    const own = await newRoute(demo, operator, [reviewerId]);
    const ids: string[] = [];
    for (let made = 0; made < 2; made += 1) ids.push(await requestOn(own));
    const [first, second] = ids.sort() as [string, string];
    const before = await deadlocks();
    await other.query('BEGIN');
    await hold(second);
    const change = own.putProducer({ enabled: false });
    await untilWaiting();
    await hold(first);
    await other.query('ROLLBACK');
    await change;
    for (const id of ids) {
      expect((await operator.get(`/v2/requests/${id}`)).body.decision_state).toBe('cancelled');
    }
    await until(deadlocks, (many) => many > before);
  });

  it('does a step of a request again that Postgres ended', async () => {
    const id = await newRequest(fixture, reviewInput(fixture.demo));
    const before = await deadlocks();
    await other.query('BEGIN');
    await hold(id);
    const cancelled = fixture.producer.post(`/v2/requests/${id}/cancel`);
    await untilWaiting();
    await other.query('SELECT 1 FROM tenant WHERE tenant = $1 FOR UPDATE', [fixture.demo.tenant]);
    await other.query('ROLLBACK');
    expect((await cancelled).status).toBe(200);
    await until(deadlocks, (many) => many > before);
  });

  it('anchors decisions again that Postgres ended', async () => {
    const { demo, instance, producer, reviewer } = fixture;
    takeAnchorsAway(instance);
    const ids: string[] = [];
    for (let made = 0; made < 3; made += 1) {
      const id = await newRequest(fixture, executionInput(demo));
      expect((await decide(reviewer, id, 'authorise')).status).toBe(200);
      ids.push(id);
    }
    // The first one's checkpoint waits for the store, the others' decisions for the first one's: they move together.
    const [first, second] = ids.slice(1).sort() as [string, string];
    await untilChained(fixture.database);
    const before = await deadlocks();
    await other.query('BEGIN');
    await hold(second);
    bringAnchorsBack(instance);
    await untilWaiting();
    await hold(first);
    await other.query('ROLLBACK');
    for (const id of ids) await untilAvailable(producer, id);
    await until(deadlocks, (many) => many > before);
    expect(told(instance).filter((line) => line.includes('anchoring failed'))).toEqual([]);
  });

  it('gives a token that two tenants want at once to one of them', async () => {
    const { demo } = fixture;
    const operators = [demo, demo.other].map(
      ({ operator }) => new Client(demo.origin, { token: operator.token }),
    );
    for (let round = 0; round < 20; round += 1) {
      const token = newToken();
      const id = `publisher-${randomUUID().slice(0, 8)}`;
      const input = { id, kind: 'publisher', token, config: { enabled: true } };
      const answers = await Promise.all(
        operators.map((operator) => operator.put(`/v2/admin/principals/${id}`, input)),
      );
      expect(answers.map(({ status, body }) => body.error ?? status).sort()).toEqual([
        200,
        'identity_conflict',
      ]);
    }
  });

  it('looks at the directory again that moved while a call was looked at', async () => {
    const { demo, database, operator, producer, publisher } = fixture;
    const id = await newRequest(fixture, reviewInput(demo));
    // A body that is wrong comes after all that is refused without it (protocol §6.1 step 5).
    const cut = { raw: '{' };
    const calls: [number, () => Promise<Answer>][] = [
      [400, () => producer.post('/v2/requests', {}, cut)],
      [400, () => producer.post(`/v2/requests/${id}/supersede`, {}, cut)],
      [400, () => publisher.post('/v2/bundles', {}, cut)],
      [201, () => producer.post('/v2/requests', reviewInput(demo))],
      [200, () => producer.get(`/v2/requests/${id}`)],
      [200, () => producer.get('/v2/requests')],
      [200, () => operator.get('/v2/admin/ledger')],
    ];
    const move = (by: pg.Client) =>
      by.query('UPDATE tenant SET directory_revision = directory_revision + 1 WHERE tenant = $1', [
        demo.tenant,
      ]);
    for (const [status, call] of calls) {
      // The gateway knows the caller for a moment; the service has to look, and is held up between its two looks.
      await call();
      await move(database);
      await other.query('BEGIN');
      await other.query('LOCK TABLE credential IN ACCESS EXCLUSIVE MODE');
      await move(other);
      const answer = call();
      await untilWaiting();
      await other.query('COMMIT');
      expect((await answer).status).toBe(status);
    }
  });

  it('disables a person in time to whom thousands of producers are bound', async () => {
    const { demo, database, operator, reviewerId } = fixture;
    const own = await newRoute(demo, operator, [reviewerId]);
    const id = await requestOn(own);
    await database.query(
      `INSERT INTO principal (tenant, id, kind, enabled, config, updated_at)
       SELECT $1, $2 || '-' || n, 'producer', true, jsonb_build_object('enabled', true, 'owner', $2::text), clock_timestamp()
       FROM generate_series(1, 20000) n`,
      [demo.tenant, own.ownerId],
    );
    const disabled = await operator.put(`/v2/admin/principals/${own.ownerId}`, {
      id: own.ownerId,
      kind: 'human',
      config: { enabled: false, oidc_issuer: demo.issuer, oidc_subject: own.ownerId },
    });
    expect(disabled.status).toBe(200);
    expect((await operator.get(`/v2/requests/${id}`)).body.decision_state).toBe('cancelled');
  });

  /** The log of all its processes. */
  const told = ({ dataDirectory }: Instance): string[] => {
    const logs = join(dataDirectory, 'logs');
    return readdirSync(logs).flatMap((name) => readFileSync(join(logs, name), 'utf8').split('\n'));
  };

  async function requestOn(own: OwnRoute): Promise<string> {
    return newRequest({ producer: own.producer }, reviewInput(own.demo));
  }
});
