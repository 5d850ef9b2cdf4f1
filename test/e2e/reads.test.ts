import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { DEFAULT_LIMITS, textDigest, validate, valueDigest } from '@countersign/protocol';
import type { MetricsSnapshot } from '@countersign/protocol';
import { publicFaults } from '../conformance/hitl-v0.8/public-schemas.js';
import { Client, operatorOf, personOf, producerOf } from '../support/client.js';
import type { Answer } from '../support/client.js';
import type { Demo, Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import {
  authorisedRequest,
  claimInput,
  decide,
  executionInput,
  reviewInput,
  until,
} from '../support/requests.js';

let instance: Instance;
let demo: Demo;
let database: pg.Client;
let producer: Client;
let publisher: Client;
let operator: Client;
let reviewer: Client;
let owner: Client;
let stranger: Client;
let strangeReviewer: Client;

beforeAll(async () => {
  instance = await startInstance();
  const { dataDirectory } = instance;
  demo = instance.demo;
  const stores = JSON.parse(readFileSync(join(dataDirectory, 'stores.json'), 'utf8'));
  database = new pg.Client({ connectionString: stores.urls.DATABASE_URL });
  await database.connect();
  producer = producerOf(demo);
  operator = operatorOf(demo);
  publisher = new Client(demo.origin, { token: demo.publisher.token });
  stranger = new Client(demo.origin, { token: demo.other.producer.token });
  owner = await personOf(demo, dataDirectory, demo.people[0]!.id);
  reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
  strangeReviewer = await personOf(demo, dataDirectory, demo.other.people[1]!.id);
});
afterAll(async () => {
  await database?.end();
  await instance?.stop();
});

function expectRefusal(answer: Answer, status: number, code: string): void {
  expect([answer.status, answer.body?.error]).toEqual([status, code]);
}

async function newRequest(changes: Record<string, unknown> = {}): Promise<string> {
  const created = await producer.post('/v2/requests', reviewInput(demo, changes));
  expect(created.status).toBe(201);
  return created.body.request.id;
}

describe('the stored app', () => {
  const html = '<!doctype html>\r\n<p>déjà vu\u2028</p>';

  async function newBundle(): Promise<string> {
    const compatibility = { agent_ui: '2', build: [1, 2.5] };
    const registered = await publisher.post('/v2/bundles', {
      html,
      compatibility,
      author: 'A',
      licence: 'MIT',
    });
    expect(registered.status).toBe(201);
    return registered.body.id;
  }

  async function newApp(changes: Record<string, unknown> = {}) {
    const bundle = await newBundle();
    const profiles = { 'proto.agent-ui': '2' };
    return { bundle, id: await newRequest({ profiles, bundle_id: bundle, ...changes }) };
  }

  const appOf = (id: string, client = reviewer) => client.get(`/v2/requests/${id}/app`);

  it('carries bundle, snapshots and an envelope that recomputes', async () => {
    const { id, bundle } = await newApp();
    const [answer, material] = [
      await appOf(id),
      (await reviewer.get(`/v2/requests/${id}/material`)).body,
    ];
    expect([answer.status, validate('StoredApp', answer.body)]).toEqual([200, true]);
    const { html: served, origin, scope, input, result, binding_digest, ...envelope } = answer.body;
    expect(served).toBe(html);
    expect(binding_digest).toBe(valueDigest(envelope));
    expect(envelope.snapshots).toEqual({
      input_digest: valueDigest(input),
      result_digest: valueDigest(result),
    });
    expect(envelope.request).toEqual({
      id,
      digest: material.request_digest,
      purpose: 'review',
      authorisation_revision: material.request.authorisation_revision,
      supersedes: null,
    });
    const { compatibility: _compatibility, ...bound } = material.request.review.bundle;
    expect(envelope.bundle).toEqual(bound);
    expect([bound.id, bound.digest]).toEqual([bundle, textDigest(html)]);
    const { tenant } = demo;
    const identity = { tenant, publisher: demo.publisher.id, digest: textDigest(html) };
    expect(scope).toBe(valueDigest(identity).slice('sha256:'.length));
    expect(origin).toBe(demo.sandboxOrigin);
    expect(envelope.source).toEqual({
      tenant,
      producer: demo.producer.id,
      requester: material.request.requester,
      origin,
    });
    expect(input).toEqual({ request_id: id, purpose: 'review' });
    expect(result).toEqual({
      content: [{ type: 'text', text: material.request.summary }],
      structuredContent: { payload: material.payload },
    });
  });

  it('is for people who see the request', async () => {
    const { id } = await newApp();
    for (const bearer of [producer, publisher, operator, stranger]) {
      expectRefusal(await appOf(id, bearer), 403, 'human_required');
      expectRefusal(await appOf(randomUUID(), bearer), 403, 'human_required');
    }
    expectRefusal(await appOf(id, owner), 404, 'not_found');
    expectRefusal(await appOf(id, strangeReviewer), 404, 'not_found');
    expectRefusal(await appOf('x'), 404, 'not_found');
    expectRefusal(await appOf(randomUUID()), 404, 'not_found');
  });

  it('answers the first fault, in the order of the protocol', async () => {
    const set = (sql: string, ...values: unknown[]) => database.query(sql, values);
    const { id, bundle } = await newApp({ route: await tightRoute() });
    // From the last check to the first: each fault hides the ones before.
    expectRefusal(await appOf(id), 413, 'app_snapshot_too_large');
    await set(`UPDATE bundle SET html = html || ' ' WHERE id = $1`, bundle);
    expectRefusal(await appOf(id), 409, 'bundle_integrity_mismatch');
    await set(`UPDATE bundle SET html = NULL WHERE id = $1`, bundle);
    expectRefusal(await appOf(id), 410, 'bundle_deleted');
    await set(`UPDATE material SET payload = '2' WHERE request_id = $1`, id);
    expectRefusal(await appOf(id), 409, 'material_integrity_mismatch');
    expect((await producer.post(`/v2/requests/${id}/discard`)).status).toBe(200);
    expectRefusal(await appOf(id), 410, 'material_deleted');

    const without = await newRequest();
    expectRefusal(await appOf(without), 404, 'not_found');
    expect((await producer.post(`/v2/requests/${without}/discard`)).status).toBe(200);
    expectRefusal(await appOf(without), 410, 'material_deleted');
  });

  it.each(['tenant', 'publisher', 'created_at', 'compatibility'])(
    'is refused when the manifest names another %s',
    async (member) => {
      const { id, bundle } = await newApp();
      expect((await appOf(id)).status).toBe(200);
      await database.query(
        `UPDATE bundle SET manifest = jsonb_set(manifest::jsonb, ARRAY[$2], '"other"')::text WHERE id = $1`,
        [bundle, member],
      );
      expectRefusal(await appOf(id), 409, 'bundle_integrity_mismatch');
      expectRefusal(
        await producer.get(`/v2/requests/${id}/export`),
        409,
        'bundle_integrity_mismatch',
      );
    },
  );

  it('takes a payload of exactly the size that fits', async () => {
    const route = await tightRoute();
    const fits = await newApp({ route, payload: '12345678' });
    expect((await appOf(fits.id)).status).toBe(200);
    const larger = await newApp({ route, payload: '1234567é' });
    expectRefusal(await appOf(larger.id), 413, 'app_snapshot_too_large');
  });

  /** A route whose apps get at most 10 bytes. */
  async function tightRoute(): Promise<string> {
    const { rows } = await database.query(
      `SELECT config FROM principal WHERE tenant = $1 AND id = $2`,
      [demo.tenant, demo.producer.id],
    );
    const route = 'tight';
    const answers = [
      await operator.put(`/v2/admin/routes/${route}`, {
        reviewers: [demo.people[1]!.id],
        separation_of_duties: true,
        limits: { ...DEFAULT_LIMITS, inline_result_bytes: 10 },
        required_profiles: {},
        allowed_producers: [demo.producer.id],
        modes: [],
      }),
      await operator.put(`/v2/admin/principals/${demo.producer.id}`, {
        id: demo.producer.id,
        kind: 'producer',
        config: { ...rows[0].config, routes: [demo.routes.review, demo.routes.execution, route] },
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    return route;
  }
});

describe('the human-in-the-loop protocol', () => {
  const statusOf = (id: string, client = producer, headers = {}) =>
    client.get(`/v2/hitl/${id}`, { headers });
  const pollOf = (id: string, client = producer, headers = {}) =>
    client.get(`/v2/hitl/${id}/poll`, { headers });

  function expectValidPoll(answer: Answer, status: string): void {
    expect([answer.status, answer.body.status]).toEqual([200, status]);
    expect(publicFaults('poll-response', answer.body)).toEqual([]);
    expect(validate('HitlPoll', answer.body)).toBe(true);
    expect(validate('HitlStatus', answer.body)).toBe(true);
  }

  it('hands a pending review over', async () => {
    const id = await newRequest();
    const { request } = (await producer.get(`/v2/requests/${id}`)).body;
    const answer = await statusOf(id);
    expect([answer.status, validate('HitlStatus', answer.body)]).toEqual([202, true]);
    expect(publicFaults('hitl-object', answer.body.hitl)).toEqual([]);
    expect(answer.headers.get('retry-after')).toBe('30');
    expect(answer.headers.get('etag')).toBeNull();
    expect(answer.body).toEqual({
      status: 'human_input_required',
      message: expect.any(String),
      hitl: {
        spec_version: '0.8',
        case_id: id,
        review_url: `${demo.origin}/review/${id}`,
        poll_url: `${demo.origin}/v2/hitl/${id}/poll`,
        type: 'input',
        prompt: 'Is this text right?',
        timeout: 'PT86400S',
        default_action: 'abort',
        created_at: request.accepted_at,
        expires_at: request.review_deadline,
        context: {
          form: {
            fields: [
              {
                key: 'note',
                label: 'note',
                type: 'text',
                required: true,
                validation: { maxLength: 100 },
              },
            ],
          },
        },
      },
    });
    const poll = await pollOf(id);
    expectValidPoll(poll, 'pending');
    expect(poll.headers.get('retry-after')).toBe('30');
  });

  it('asks for an approval when there is nothing to fill in', async () => {
    const id = await newRequest({
      response_schema: { type: 'object', additionalProperties: false },
    });
    const { status, body } = await statusOf(id);
    expect([status, body.hitl.type, body.hitl.context]).toEqual([202, 'approval', undefined]);
    expect(publicFaults('hitl-object', body.hitl)).toEqual([]);
  });

  it('answers a poller that nothing has changed', async () => {
    const id = await newRequest();
    const tag = (await pollOf(id)).headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[^"]+"$/);
    const same = await pollOf(id, producer, { 'if-none-match': tag });
    expect([same.status, same.text, same.headers.get('etag')]).toEqual([304, '', tag]);
    expect(same.headers.get('retry-after')).toBe('30');
    expect((await statusOf(id, producer, { 'if-none-match': tag })).status).toBe(202);
    expect((await producer.post(`/v2/requests/${id}/cancel`)).status).toBe(200);
    const changed = await pollOf(id, producer, { 'if-none-match': tag });
    expectValidPoll(changed, 'cancelled');
    expect(changed.headers.get('retry-after')).toBeNull();
    const later = changed.headers.get('etag') ?? '';
    expect(later).not.toBe(tag);
    expect((await statusOf(id, producer, { 'if-none-match': `"x", ${later}` })).status).toBe(304);
  });

  it('gives the decision with its receipt, and keeps it after the material is deleted', async () => {
    const response = { note: 'déjà vu' };
    const id = await newRequest();
    const receipt = await decide(reviewer, id, 'approve', response);
    const anchored = await until(
      () => pollOf(id),
      ({ body }) => body.result.data.audit_state === 'anchored',
    );
    expectValidPoll(anchored, 'completed');
    expect(anchored.body).toEqual({
      case_id: id,
      status: 'completed',
      completed_at: receipt.body.payload.confirmed_at,
      result: {
        action: 'approve',
        data: {
          response,
          proto_receipt: receipt.body,
          audit_state: 'anchored',
          material_available: true,
        },
      },
    });
    expect(anchored.text).toContain(receipt.text);
    const status = await statusOf(id);
    expect([status.status, status.text]).toEqual([200, anchored.text]);
    expect(status.headers.get('etag')).toBe(anchored.headers.get('etag'));

    expect((await producer.post(`/v2/requests/${id}/discard`)).status).toBe(200);
    const after = await pollOf(id);
    expectValidPoll(after, 'completed');
    expect(after.body.result.data).toEqual({
      response: null,
      proto_receipt: receipt.body,
      audit_state: 'anchored',
      material_available: false,
    });
  });

  it('is not disturbed by a damaged bundle, and refuses another response than was signed', async () => {
    const bundle = await publisher.post('/v2/bundles', {
      html: '<p>hi</p>',
      compatibility: { agent_ui: '2' },
      author: 'A',
      licence: 'MIT',
    });
    const profiles = { 'proto.agent-ui': '2' };
    const id = await newRequest({ profiles, bundle_id: bundle.body.id });
    await decide(reviewer, id, 'reject');
    for (const html of [`'<p>'`, 'NULL']) {
      await database.query(`UPDATE bundle SET html = ${html} WHERE id = $1`, [bundle.body.id]);
      expectValidPoll(await pollOf(id), 'completed');
      expectValidPoll(await statusOf(id), 'completed');
    }
    await database.query(
      `UPDATE candidate SET candidate = replace(candidate, 'seen', 'sawn') WHERE request_id = $1`,
      [id],
    );
    expectRefusal(await pollOf(id), 409, 'material_integrity_mismatch');
  });

  it('says when and why a case was cancelled, by the event that did it', async () => {
    const id = await newRequest();
    await producer.post(`/v2/requests/${id}/revoke`);
    const first = await pollOf(id);
    expectValidPoll(first, 'cancelled');
    await producer.post(`/v2/requests/${id}/cancel`);
    const { rows } = await database.query(
      `SELECT record::jsonb -> 'protected' ->> 'issued_at' AS at FROM record
       WHERE request_id = $1 AND record::jsonb -> 'payload' ->> 'reason' = 'revoked'`,
      [id],
    );
    expect(first.body).toMatchObject({ cancelled_at: rows[0].at, reason: 'revoked' });
    expect((await pollOf(id)).text).toBe(first.text);

    const old = await newRequest();
    const next = await producer.post(`/v2/requests/${old}/supersede`, reviewInput(demo));
    expect(next.status).toBe(201);
    const superseded = await pollOf(old);
    expectValidPoll(superseded, 'cancelled');
    expect(superseded.body).toMatchObject({
      cancelled_at: next.body.request.accepted_at,
      reason: 'superseded',
    });
  });

  it('says when a case expired: by its deadline, or with its material', async () => {
    const short = await newRequest({ review_seconds: 1 });
    const discarded = await newRequest();
    await producer.post(`/v2/requests/${discarded}/discard`);
    const early = await pollOf(discarded);
    expectValidPoll(early, 'expired');
    expect(Date.parse(early.body.expired_at)).toBeLessThan(Date.parse(early.body.expires_at));
    const late = await until(
      () => statusOf(short),
      ({ status }) => status === 200,
    );
    expectValidPoll(late, 'expired');
    expect(late.body).toMatchObject({ default_action: 'abort', expired_at: late.body.expires_at });
  });

  it('is read like a status, and for reviews only', async () => {
    const id = await newRequest();
    for (const reader of [operator, reviewer]) {
      expect((await statusOf(id, reader)).status).toBe(202);
      expect((await pollOf(id, reader)).status).toBe(200);
    }
    const execution = await producer.post('/v2/requests', executionInput(demo));
    const { id: executionId } = execution.body.request;
    for (const read of [statusOf, pollOf]) {
      for (const nobody of [stranger, strangeReviewer, publisher, owner]) {
        expectRefusal(await read(id, nobody), 404, 'not_found');
        expectRefusal(await read(executionId, nobody), 404, 'not_found');
      }
      expectRefusal(await read(executionId), 409, 'hitl_review_only');
      expectRefusal(await read(randomUUID()), 404, 'not_found');
      expectRefusal(await read('x'), 404, 'not_found');
      expectRefusal(await read(id, new Client(demo.origin, null)), 401, 'unauthenticated');
    }
  });

  it('is announced to anybody', async () => {
    const answer = await new Client(demo.origin, null).get('/.well-known/hitl.json');
    expect([answer.status, publicFaults('discovery-response', answer.body)]).toEqual([200, []]);
    expect(validate('HitlDiscovery', answer.body)).toBe(true);
  });
});

describe('the figures', () => {
  const read = async (client: Client): Promise<MetricsSnapshot> => {
    const answer = await client.get('/v2/admin/metrics');
    expect([answer.status, validate('MetricsSnapshot', answer.body)]).toEqual([200, true]);
    return answer.body;
  };
  const otherOperator = () => new Client(demo.origin, { token: demo.other.operator.token });

  it('are for operators, and as text for their tokens only', async () => {
    for (const path of ['/v2/admin/metrics', '/v2/admin/metrics.prom']) {
      for (const client of [producer, publisher, reviewer]) {
        expectRefusal(await client.get(path), 403, 'operator_required');
      }
      expectRefusal(await new Client(demo.origin, null).get(path), 401, 'unauthenticated');
    }
    const { id } = demo.people[2]!;
    const { rows } = await database.query(
      `SELECT config FROM principal WHERE tenant = $1 AND id = $2`,
      [demo.tenant, id],
    );
    const config = { ...rows[0].config, operator: true };
    const made = await operator.put(`/v2/admin/principals/${id}`, { id, kind: 'human', config });
    expect(made.status).toBe(200);
    const human = await personOf(demo, instance.dataDirectory, id);
    await read(human);
    expectRefusal(await human.get('/v2/admin/metrics.prom'), 403, 'operator_required');
  });

  it('follow only requests and executions of their own tenant', async () => {
    const elsewhere = await read(otherOperator());
    const before = await read(operator);
    const pending = await newRequest();
    const status = await authorisedRequest(demo, producer, reviewer);
    const { id } = status.body.request;
    const claim = claimInput(status);
    expect((await producer.post(`/v2/requests/${id}/claims`, claim)).status).toBe(201);
    const claimed = await read(operator);
    expect(claimed.requests).toMatchObject({
      retained: (before.requests['retained'] ?? 0) + 2,
      pending: (before.requests['pending'] ?? 0) + 1,
      unresolved_execution: (before.requests['unresolved_execution'] ?? 0) + 1,
    });
    expect(claimed.requests['retained_bytes']).toBeGreaterThan(
      before.requests['retained_bytes'] ?? Infinity,
    );
    expect(claimed.requests['oldest_pending_seconds']).toBeGreaterThan(0);

    const { execution_identity } = claim;
    const outcome = { execution_identity, status: 'completed', details: {} };
    expect((await producer.post(`/v2/requests/${id}/outcomes`, outcome)).status).toBe(200);
    expect((await producer.post(`/v2/requests/${pending}/discard`)).status).toBe(200);
    const after = await read(operator);
    expect(after.requests).toMatchObject({
      retained: (before.requests['retained'] ?? 0) + 1,
      pending: before.requests['pending'],
      unresolved_execution: before.requests['unresolved_execution'],
    });
    // No admission preceded the report (R11).
    expect(after.incidents[0]).toMatchObject({ code: 'outcome_without_admission' });
    expect(after.enabled_reviewers).toBe(2);
    expect(after.pending_per_reviewer).toBe((after.requests['pending'] ?? 0) / 2);

    const { http_since_process_start: _counted, operations: _runs, ...still } = elsewhere;
    const now = await read(otherOperator());
    expect(now).toMatchObject({ ...still, delivery: expect.anything() });
    expect(now.incidents).toEqual([]);
  });

  it('count the answers to callers of the tenant', async () => {
    const settled = (client: Client, enough: (http: Http) => boolean) =>
      until(
        async () => (await read(client)).http_since_process_start,
        (http) => enough(http),
      );
    type Http = MetricsSnapshot['http_since_process_start'];
    const other = otherOperator();
    const before = await settled(other, ({ total }) => total > 0);
    expectRefusal(await stranger.get('/v2/requests/x'), 404, 'not_found');
    const key = randomUUID();
    const id = (
      await stranger.post('/v2/requests', reviewInput({ ...demo, ...demo.other }), { key })
    ).body.request.id;
    expectRefusal(
      await stranger.post(
        '/v2/requests',
        reviewInput({ ...demo, ...demo.other }, { summary: 'x' }),
        {
          key,
        },
      ),
      409,
      'idempotency_conflict',
    );
    expect((await stranger.post(`/v2/requests/${id}/cancel`)).status).toBe(200);
    // Of no tenant.
    expectRefusal(await new Client(demo.origin, null).get('/v2/requests'), 401, 'unauthenticated');
    // Each replica writes its own counts, about once a second.
    const after = await settled(
      other,
      ({ conflicts, failures, total }) =>
        conflicts > before.conflicts &&
        failures >= before.failures + 2 &&
        total >= before.total + 4,
    );
    expect(after.conflicts).toBe(before.conflicts + 1);
  });

  it('say when outbox and retention last went well', async () => {
    const { operations } = await until(
      () => read(operator),
      (snapshot) => snapshot.operations.every((run) => run.succeeded_at !== null),
    );
    expect(operations).toEqual([
      { name: 'outbox', succeeded_at: expect.any(String), failed_at: null },
      { name: 'retention', succeeded_at: expect.any(String), failed_at: null },
    ]);
  });

  it('are the same as text, with an explanation each', async () => {
    const answer = await operator.get('/v2/admin/metrics.prom');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    const snapshot = await read(operator);
    const value = (name: string) =>
      Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(answer.text)?.[1] ?? 'none');
    expect(value('proto_retained')).toBe(snapshot.requests['retained']);
    expect(value('proto_enabled_reviewers')).toBe(snapshot.enabled_reviewers);
    expect(value('proto_incidents_retained')).toBe(snapshot.incidents.length);
    expect(value('proto_http_requests_total')).toBeGreaterThan(0);
    expect(answer.text).not.toContain(demo.tenant);
    const names = answer.text.match(/^[a-z_]+(?=[ {])/gm) ?? [];
    for (const name of names) {
      expect(answer.text).toMatch(new RegExp(`^# HELP ${name} .+\\n# TYPE ${name} `, 'm'));
    }
    const tool = spawnSync('promtool', ['check', 'metrics'], {
      input: answer.text,
      encoding: 'utf8',
    });
    // Only where there is one.
    if (tool.error === undefined)
      expect([tool.status, tool.stdout, tool.stderr]).toEqual([0, '', '']);
  });
});
