import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { validate } from '@countersign/protocol';
import { Client, operatorOf, personOf, producerOf } from '../support/client.js';
import type { Answer } from '../support/client.js';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import {
  authorisedRequest,
  claimInput,
  executionBinding,
  executionInput,
  reviewInput,
} from '../support/requests.js';

let instance: Instance;
let producer: Client;
let publisher: Client;
let operator: Client;
let owner: Client;
let reviewer: Client;
let stranger: Client;

beforeAll(async () => {
  instance = await startInstance();
  const { demo, dataDirectory } = instance;
  producer = producerOf(demo);
  operator = operatorOf(demo);
  publisher = new Client(demo.origin, { token: demo.publisher.token });
  stranger = new Client(demo.origin, { token: demo.other.producer.token });
  owner = await personOf(demo, dataDirectory, demo.people[0]!.id);
  reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
});
afterAll(async () => {
  await instance?.stop();
});

/** A refusal is a problem document of the catalogue, and says the code and nothing private. */
function expectRefusal(answer: Answer, status: number, code: string): void {
  expect([answer.status, answer.body?.error]).toEqual([status, code]);
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(answer.body.type).toBe(`${instance.demo.origin}/errors/${code}`);
  expect(validate('ProblemDocument', answer.body)).toBe(true);
}

async function newReview(): Promise<string> {
  const created = await producer.post('/v2/requests', reviewInput(instance.demo));
  expect(created.status).toBe(201);
  return created.body.request.id;
}

describe('the permitted callers', () => {
  it('refuses missing, malformed and unknown credentials alike', async () => {
    const { origin } = instance.demo;
    const nobody = new Client(origin, null);
    expectRefusal(await nobody.get('/v2/requests'), 401, 'unauthenticated');
    for (const authorization of [
      'Bearer',
      'bearer x',
      'Bearer short',
      `Bearer ${'x'.repeat(43)}`,
      'Basic eA==',
    ]) {
      expectRefusal(
        await nobody.get('/v2/requests', { headers: { authorization } }),
        401,
        'unauthenticated',
      );
    }
  });

  it('authenticates before it says that a path is unknown', async () => {
    expectRefusal(
      await new Client(instance.demo.origin, null).get('/v2/nothing'),
      401,
      'unauthenticated',
    );
    expectRefusal(await producer.get('/v2/nothing'), 404, 'not_found');
    expectRefusal(
      await producer.call('DELETE', '/v2/requests', undefined, { key: null }),
      404,
      'not_found',
    );
  });

  it('asks sessions for CSRF proof before anything else', async () => {
    const id = await newReview();
    const session = reviewer.credentials as { cookie: string; csrf: string };
    const call = (headers: Record<string, string>) =>
      new Client(instance.demo.origin, null).post(
        `/v2/requests/${id}/assignment`,
        {},
        { headers: { cookie: session.cookie, ...headers } },
      );
    expectRefusal(await call({}), 403, 'csrf');
    expectRefusal(await call({ origin: instance.demo.origin }), 403, 'csrf');
    expectRefusal(
      await call({ origin: 'https://evil.example', 'x-csrf-token': session.csrf }),
      403,
      'csrf',
    );
    expectRefusal(
      await call({
        origin: instance.demo.origin,
        'x-csrf-token': 'é' + session.csrf.slice(1),
      }).catch(() => call({ origin: instance.demo.origin, 'x-csrf-token': 'x' })),
      403,
      'csrf',
    );
    const fine = await call({ origin: instance.demo.origin, 'x-csrf-token': session.csrf });
    expect(fine.status).toBe(200);
  });

  it('gives each kind of caller its own refusal', async () => {
    const id = await newReview();
    const input = reviewInput(instance.demo);
    expectRefusal(await operator.post('/v2/requests', input), 403, 'producer_required');
    expectRefusal(await publisher.post('/v2/requests', input), 403, 'producer_required');
    expectRefusal(await reviewer.post('/v2/requests', input), 403, 'route_not_authorised');
    expectRefusal(await producer.post('/v2/bundles', {}), 403, 'publisher_required');
    expectRefusal(await producer.post(`/v2/requests/${id}/assignment`), 403, 'human_required');
    expectRefusal(await operator.post(`/v2/requests/${id}/confirm`, {}), 403, 'human_required');
    for (const path of ['/v2/admin/ledger', '/v2/admin/metrics', '/v2/admin/metrics.prom']) {
      expectRefusal(await producer.get(path), 403, 'operator_required');
      expectRefusal(await reviewer.get(path), 403, 'operator_required');
    }
    expectRefusal(await producer.put('/v2/admin/routes/r', {}), 403, 'operator_required');
    expectRefusal(await operator.get('/v2/events'), 403, 'producer_required');
    expectRefusal(await publisher.get(`/v2/requests/${id}`), 404, 'not_found');
  });

  it('shows a request only to its owner, its reviewers and its operator', async () => {
    const id = await newReview();
    for (const path of [
      `/v2/requests/${id}`,
      `/v2/requests/${id}/material`,
      `/v2/requests/${id}/export`,
    ]) {
      const hidden = await stranger.get(path);
      const missing = await stranger.get(path.replace(id, randomUUID()));
      expectRefusal(hidden, 404, 'not_found');
      const bytes = (answer: Answer) => answer.text.replace(answer.body.instance, '');
      expect(bytes(hidden)).toBe(bytes(missing));
      expect((await operator.get(path)).status).toBe(200);
      expect((await reviewer.get(path)).status).toBe(200);
    }
    expectRefusal(
      await reviewer.post(`/v2/requests/${id}/claims`, {
        execution_identity: 'x',
        execution_binding_digest: `sha256:${'0'.repeat(64)}`,
      }),
      403,
      'forbidden',
    );
    for (const wrong of ['x', id.toUpperCase(), `${id}0`, '------------------------------------']) {
      expectRefusal(await producer.get(`/v2/requests/${wrong}`), 404, 'not_found');
    }
  });

  it('keeps requester and owner from reviewing their own request', async () => {
    const id = await newReview();
    const { demo } = instance;
    const route = (await operator.put(`/v2/admin/routes/own`, {
      reviewers: [demo.people[0]!.id, demo.people[1]!.id],
      separation_of_duties: true,
      limits: (await producer.get(`/v2/requests/${id}`)).body.request.limits,
      required_profiles: {},
      allowed_producers: [demo.producer.id],
      modes: [],
    })) as Answer;
    expect(route.status).toBe(200);
    const configured = await operator.put(`/v2/admin/principals/${demo.producer.id}`, {
      id: demo.producer.id,
      kind: 'producer',
      config: {
        enabled: true,
        publisher: demo.publisher.id,
        owner: demo.people[0]!.id,
        routes: [demo.routes.review, demo.routes.execution, 'own'],
      },
    });
    expect(configured.body).toEqual({ id: demo.producer.id, kind: 'producer' });
    const own = await producer.post('/v2/requests', reviewInput(demo, { route: 'own' }));
    const candidate = { response: { note: 'mine' }, decision: 'approve' };
    expectRefusal(
      await owner.post(`/v2/requests/${own.body.request.id}/candidates`, candidate),
      403,
      'separation_of_duties',
    );
    expect(
      (await reviewer.post(`/v2/requests/${own.body.request.id}/candidates`, candidate)).status,
    ).toBe(201);
  });
});

describe('the rules for a body', () => {
  it('refuses every JSON that two readers could understand differently', async () => {
    const id = await newReview();
    const path = `/v2/requests/${id}/candidates`;
    const bodies = [
      '',
      '{',
      '{"a":1,"a":1}',
      '{"a":1,"\\u0061":2}',
      '[1,]',
      '{"x":9007199254740992}',
      '{"x":1e400}',
      '{"x":0.100000000000000001}',
      '{"x":"\\ud800"}',
      '\u00a0{}',
      '{} x',
      '// c\n{}',
      `${'['.repeat(66)}${']'.repeat(66)}`,
    ];
    for (const raw of bodies) {
      expectRefusal(await reviewer.post(path, {}, { raw }), 400, 'invalid_json');
    }
    const bom = new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d]);
    expectRefusal(await reviewer.post(path, {}, { raw: bom }), 400, 'invalid_json');
    expectRefusal(
      await reviewer.post(path, {}, { raw: new Uint8Array([0x22, 0xff, 0x22]) }),
      400,
      'invalid_json',
    );
  });

  it('wants JSON, plain and in UTF-8', async () => {
    const type = (value: string) => ({ headers: { 'content-type': value } });
    expectRefusal(
      await producer.post('/v2/requests', {}, type('text/plain')),
      400,
      'json_required',
    );
    expectRefusal(
      await producer.post('/v2/requests', {}, type('application/json; charset=latin1')),
      400,
      'utf8_required',
    );
    expectRefusal(
      await producer.post('/v2/requests', {}, { headers: { 'content-encoding': 'gzip' } }),
      400,
      'unsupported_encoding',
    );
  });

  it('wants exactly the record of the operation', async () => {
    const id = await newReview();
    expectRefusal(
      await reviewer.post(`/v2/requests/${id}/assignment`, { a: 1 }),
      400,
      'invalid_EmptyInput',
    );
    expectRefusal(
      await reviewer.post(`/v2/requests/${id}/candidates`, { response: 1 }),
      400,
      'invalid_DecisionProposal',
    );
    expectRefusal(
      await reviewer.post(`/v2/requests/${id}/confirm`, { candidate_id: 'x' }),
      400,
      'invalid_Confirmation',
    );
    expectRefusal(await producer.post(`/v2/requests/${id}/claims`, {}), 400, 'invalid_ClaimInput');
    expectRefusal(
      await producer.post(`/v2/requests/${id}/admission`, {}, { key: null }),
      400,
      'invalid_AdmissionInput',
    );
    expectRefusal(
      await producer.post(`/v2/requests/${id}/outcomes`, {}),
      400,
      'invalid_ExecutionOutcome',
    );
    expectRefusal(await operator.put('/v2/admin/routes/x', {}), 400, 'invalid_route');
    expectRefusal(await operator.put('/v2/admin/principals/x', {}), 400, 'invalid_principal');
    expectRefusal(
      await publisher.post('/v2/bundles', { html: '' }),
      400,
      'invalid_BundleRegistration',
    );
    expectRefusal(
      await producer.post('/v2/requests', reviewInput(instance.demo, { extra: 1 })),
      400,
      'invalid_RequestInput',
    );
  });

  it('wants a key where one is needed, before the body', async () => {
    for (const key of [null, '', 'a b', 'x'.repeat(161)]) {
      expectRefusal(
        await producer.post('/v2/requests', {}, { key, raw: '{' }),
        400,
        'idempotency_key_required',
      );
    }
  });

  it('refuses bodies over the limit and parts over theirs', async () => {
    const id = await newReview();
    const big = 'x'.repeat(65 * 1024);
    expectRefusal(
      await reviewer.post(`/v2/requests/${id}/confirm`, { a: big }),
      413,
      'body_too_large',
    );
    const input = (changes: object) =>
      producer.post('/v2/requests', reviewInput(instance.demo, changes as never));
    expectRefusal(
      await input({ review_document: 'x'.repeat(10_485_761) }),
      413,
      'document_too_large',
    );
    expect((await input({ review_document: 'x'.repeat(10_485_760) })).status).toBe(201);
    expectRefusal(await input({ payload: 'x'.repeat(10_485_760) }), 413, 'payload_too_large');
    expectRefusal(await input({ metadata: { a: 'x'.repeat(262_144) } }), 413, 'metadata_too_large');
    expectRefusal(
      await input({ response_schema: { title: 'x'.repeat(262_144) } }),
      413,
      'schema_too_large',
    );
  });

  it('refuses a forbidden caller while the body is still coming', async () => {
    const status = await new Promise<number | undefined>((answered, failed) => {
      const { hostname, port } = new URL(instance.demo.origin);
      const call = httpRequest({
        hostname,
        port,
        path: '/v2/requests',
        method: 'POST',
        headers: {
          authorization: `Bearer ${instance.demo.operator.token}`,
          'content-type': 'application/json',
          'idempotency-key': randomUUID(),
          'content-length': '1000',
        },
      });
      call.on('response', (response) => {
        answered(response.statusCode);
        call.destroy();
      });
      call.on('error', failed);
      call.write('{"protocol_revision":');
    });
    expect(status).toBe(403);
  });
});

describe('the rules for a request', () => {
  const create = (changes: Record<string, unknown>) =>
    producer.post('/v2/requests', reviewInput(instance.demo, changes));

  it('names a route that takes its producer', async () => {
    expectRefusal(await create({ route: 'nowhere' }), 404, 'not_found');
    // The route is checked before the rest of the body.
    expectRefusal(await create({ route: 'nowhere', summary: '' }), 404, 'not_found');
    expectRefusal(await create({ route: 7 }), 400, 'invalid_RequestInput');
  });

  it('selects only profiles that exist', async () => {
    expectRefusal(
      await create({ profiles: { 'proto.unheard-of': '1' } }),
      422,
      'unsupported_profile',
    );
  });

  it('brings a response schema that is safe to run', async () => {
    const schema = (response_schema: unknown) => create({ response_schema });
    expectRefusal(await schema({ $ref: 'https://example.com/s' }), 400, 'remote_schema_reference');
    expectRefusal(
      await schema({ type: 'string', pattern: '(a+)+$' }),
      400,
      'unsupported_schema_keyword',
    );
    expectRefusal(await schema({ $id: 'x' }), 400, 'unsupported_schema_reference');
    expectRefusal(await schema({ $ref: '#/$defs/missing' }), 400, 'invalid_response_schema');
    expectRefusal(await schema({ nonsense: true }), 400, 'invalid_response_schema');
    expectRefusal(
      await schema({ allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { $ref: '#/$defs/a' } } }),
      400,
      'schema_reference_cycle',
    );
  });

  it('binds a bundle of its own publisher only', async () => {
    expectRefusal(
      await create({ profiles: { 'proto.agent-ui': '2' }, bundle_id: randomUUID() }),
      404,
      'not_found',
    );
    const bundle = await publisher.post('/v2/bundles', {
      html: '<p>hi</p>',
      compatibility: { agent_ui: '2' },
      author: 'A',
      licence: 'MIT',
    });
    expect([bundle.status, validate('ReviewBundle', bundle.body)]).toEqual([201, true]);
    const bound = await create({ profiles: { 'proto.agent-ui': '2' }, bundle_id: bundle.body.id });
    expect(bound.status).toBe(201);
    expect(bound.body.request.review.bundle.digest).toBe(bundle.body.digest);
  });

  it('keeps to the bounds of its execution', async () => {
    const execution = (changes: Record<string, unknown>) =>
      producer.post(
        '/v2/requests',
        executionInput(instance.demo, { execution: executionBinding(changes) }),
      );
    expectRefusal(
      await execution({ valid_until: new Date(Date.now() - 1000).toISOString() }),
      400,
      'invalid_execution_limits',
    );
    expectRefusal(
      await execution({ provenance: { profile: 'x', version: '1', references: {} } }),
      422,
      'unsupported_execution_provenance',
    );
    expectRefusal(await execution({ recovery_of: 'pay/never' }), 409, 'occurrence_unavailable');
    const once = executionBinding();
    expect(
      (await producer.post('/v2/requests', executionInput(instance.demo, { execution: once })))
        .status,
    ).toBe(201);
    expectRefusal(
      await producer.post('/v2/requests', executionInput(instance.demo, { execution: once })),
      409,
      'occurrence_unavailable',
    );
  });
});

describe('the order of steps', () => {
  it('confirms only the reviewer’s own live candidate', async () => {
    const id = await newReview();
    const propose = (note: string) =>
      reviewer.post(`/v2/requests/${id}/candidates`, { response: { note }, decision: 'approve' });
    const digestless = { candidate_id: randomUUID(), candidate_digest: `sha256:${'0'.repeat(64)}` };
    expectRefusal(
      await reviewer.post(`/v2/requests/${id}/confirm`, digestless),
      409,
      'candidate_changed',
    );
    expectRefusal(
      await reviewer.post(`/v2/requests/${id}/candidates`, {
        response: { note: 1 },
        decision: 'approve',
      }),
      400,
      'response_schema_mismatch',
    );
    expectRefusal(
      await reviewer.post(`/v2/requests/${id}/candidates`, { response: {}, decision: 'authorise' }),
      400,
      'purpose_decision_mismatch',
    );
    const first = await propose('one');
    const second = await propose('two');
    expect([first.body.revision, second.body.revision]).toEqual([1, 2]);
    expectRefusal(
      await reviewer.post(`/v2/requests/${id}/confirm`, {
        candidate_id: first.body.id,
        candidate_digest: digestless.candidate_digest,
      }),
      409,
      'candidate_changed',
    );
  });

  it('lets no caller act without authority', async () => {
    const created = await producer.post('/v2/requests', executionInput(instance.demo));
    const id = created.body.request.id;
    expectRefusal(
      await producer.post(`/v2/requests/${id}/claims`, claimInput(created)),
      409,
      'authority_revoked',
    );
    const review = await newReview();
    expectRefusal(
      await producer.post(`/v2/requests/${review}/claims`, claimInput(created)),
      409,
      'execution_purpose_required',
    );
    const outcome = { execution_identity: 'x', status: 'completed', details: {} };
    expectRefusal(
      await producer.post(`/v2/requests/${id}/outcomes`, outcome),
      409,
      'claim_unavailable',
    );
  });

  it('takes back unused authority, and only that', async () => {
    const status = await authorisedRequest(instance.demo, producer, reviewer);
    const id = status.body.request.id;
    expectRefusal(
      await producer.post(`/v2/requests/${id}/claims`, {
        ...claimInput(status),
        execution_binding_digest: `sha256:${'0'.repeat(64)}`,
      }),
      409,
      'execution_binding_changed',
    );
    const cancelled = await producer.post(`/v2/requests/${id}/cancel`);
    expect([cancelled.status, cancelled.body.grant_state, cancelled.body.decision_state]).toEqual([
      200,
      'revoked',
      'confirmed',
    ]);
    expectRefusal(
      await producer.post(`/v2/requests/${id}/claims`, claimInput(status)),
      409,
      'authority_revoked',
    );
  });
});

describe('the same key', () => {
  it('gives the same bytes for the same body, in any later state', async () => {
    const key = randomUUID();
    const input = reviewInput(instance.demo);
    const first = await producer.post('/v2/requests', input, { key });
    // Another order of members and other white space are the same body.
    const raw = JSON.stringify(Object.fromEntries(Object.entries(input).reverse()), null, 2);
    const again = await producer.post('/v2/requests', input, { key, raw });
    expect([again.status, again.text]).toEqual([201, first.text]);
    await producer.post(`/v2/requests/${first.body.request.id}/cancel`);
    const later = await producer.post('/v2/requests', input, { key });
    expect([later.status, later.text]).toEqual([201, first.text]);
    expectRefusal(
      await producer.post('/v2/requests', { ...input, summary: 'Other' }, { key }),
      409,
      'idempotency_conflict',
    );
  });

  it('has one effect when used by many at once', async () => {
    const key = randomUUID();
    const input = reviewInput(instance.demo);
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => producer.post('/v2/requests', input, { key })),
    );
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([201]));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
  });
});

describe('the rights of a disabled credential', () => {
  it('nothing, at once', async () => {
    const token = randomUUID().replaceAll('-', '') + 'x'.repeat(16);
    const { demo } = instance;
    const config = {
      enabled: true,
      publisher: demo.publisher.id,
      owner: demo.people[0]!.id,
      routes: [demo.routes.review],
    };
    const put = (changes: object) =>
      operator.put('/v2/admin/principals/bot-2', {
        id: 'bot-2',
        kind: 'producer',
        config: { ...config, ...changes },
        token,
      });
    expect((await put({})).status).toBe(200);
    const bot = new Client(demo.origin, { token });
    expect((await bot.get('/v2/requests')).status).toBe(200);
    expect((await put({ enabled: false })).status).toBe(200);
    expectRefusal(await bot.get('/v2/requests'), 401, 'unauthenticated');
    expectRefusal(
      await operator.put('/v2/admin/principals/bot-3', {
        id: 'bot-3',
        kind: 'producer',
        config,
        token,
      }),
      409,
      'identity_conflict',
    );
  });
});

describe('pages behind problem types', () => {
  it('give the remedy, in HTML and in JSON', async () => {
    const page = await fetch(`${instance.demo.origin}/errors/grant_expired`, {
      headers: { accept: 'text/html' },
    });
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(await page.text()).toContain('<code>never</code>: no;');
    const json = await fetch(`${instance.demo.origin}/errors/grant_expired`, {
      headers: { accept: 'application/json' },
    });
    expect(((await json.json()) as { error: string }).error).toBe('grant_expired');
  });
});
