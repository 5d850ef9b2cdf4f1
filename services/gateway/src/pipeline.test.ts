import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough, Readable } from 'node:stream';

import type { Bus, BusHeaders, CallerMinter } from '@countersign/platform';
import { PREFLIGHT_SUBJECT, openCall } from '@countersign/platform';
import { EXAMPLES, Refusal } from '@countersign/protocol';

import type { Authenticated } from './authentication.js';
import type { Call } from './call.js';
import { createPipeline, isKnown } from './pipeline.js';
import type { RateName } from './rates.js';

const origin = 'https://review.example';
const id = '0198c1de-0000-7000-8000-000000000001';
const key = { 'idempotency-key': 'k-1' };
const json = { 'content-type': 'application/json' };

const producer: Authenticated = {
  tenant: 'acme',
  principal: 'bot',
  kind: 'producer',
  operator: false,
  publisher: false,
  credential: 'sha256:x',
  session: null,
};
const human: Authenticated = {
  ...producer,
  principal: 'rev',
  kind: 'human',
  credential: null,
  session: { digest: 'sha256:y', csrf: 'token', name: null, provedAgo: null, acr: null },
};
const proof = { origin, 'x-csrf-token': 'token' };

interface Sent {
  subject: string;
  headers: BusHeaders;
  body: string;
}

interface Setup {
  caller?: Authenticated | null;
  excess?: RateName;
  preflight?: Refusal;
  reply?: { status: number; body: string; headers?: Record<string, string> };
}

function setup({ caller = producer, excess, preflight, reply }: Setup = {}) {
  const sent: Sent[] = [];
  const taken: string[] = [];
  const counted: [tenant: string, status: number][] = [];
  const bus = {
    call: (subject: string, headers: BusHeaders, body: string) => {
      sent.push({ subject, headers, body });
      if (subject === PREFLIGHT_SUBJECT && preflight) return Promise.reject(preflight);
      return Promise.resolve(reply ?? { status: 200, body: '{"ok":true}' });
    },
  } as unknown as Bus;
  const pipeline = createPipeline({
    authenticate: () =>
      caller ? Promise.resolve(caller) : Promise.reject(new Refusal('unauthenticated')),
    rates: {
      take: (bucket, name = '') => {
        taken.push(`${bucket} ${name}`.trim());
        const full = bucket === excess ? { policy: bucket, limit: 1, seconds: 9 } : null;
        return Promise.resolve(full);
      },
      close: () => Promise.resolve(),
    },
    counts: { count: (tenant, status) => counted.push([tenant, status]) },
    bus,
    minter: { mint: () => Promise.resolve('jwt') } as unknown as CallerMinter,
    origin,
    timeoutMs: 10_000,
    stepUp: [],
  });

  async function serve(
    method: string,
    url: string,
    headers: Record<string, string> = {},
    body: string | Readable = '',
  ) {
    const stream = typeof body === 'string' ? Readable.from([Buffer.from(body)]) : body;
    const length =
      typeof body === 'string' ? { 'content-length': `${Buffer.byteLength(body)}` } : {};
    const request = Object.assign(stream, { method, headers: { ...length, ...headers } });
    const written: Record<string, unknown> = {};
    const finished: (() => void)[] = [];
    const response = {
      statusCode: 200,
      once: (_event: 'finish', listener: () => void) => finished.push(listener),
      setHeader: (name: string, value: unknown) => (written[name.toLowerCase()] = value),
      getHeader: (name: string) => written[name.toLowerCase()],
      writeContinue: () => (written['continued'] = true),
      end: (text?: string) => {
        written['body'] = text;
        for (const listener of finished) listener();
      },
    };
    const [path = '', query = ''] = url.split('?');
    const call: Call = {
      request: request as unknown as IncomingMessage,
      response: response as unknown as ServerResponse,
      path,
      query,
      ...openCall(undefined),
      route: 'none',
    };
    let refusal: unknown = null;
    await Promise.resolve(pipeline.serve(call)).catch((fault: unknown) => {
      refusal = fault;
    });
    return { refusal, written, status: response.statusCode };
  }
  return { serve, sent, taken, counted };
}

const refused = (code: string) => expect.objectContaining({ code });

describe('the pipeline', () => {
  test('brings a call to its service and the answer back as it is', async () => {
    const { serve, sent, taken } = setup({ reply: { status: 200, body: '{"a":1}' } });
    const { refusal, written, status } = await serve(
      'POST',
      `/v2/requests/${id}/cancel`,
      { ...key, ...json },
      ' { } ',
    );
    expect(refusal).toBeNull();
    expect(status).toBe(200);
    expect(written).toMatchObject({ 'content-type': 'application/json', body: '{"a":1}' });
    expect(taken).toEqual(['authenticated', 'principal ["acme","bot"]']);
    expect(sent).toEqual([
      {
        subject: 'countersign.request.cancel',
        body: '{}',
        headers: expect.objectContaining({
          caller: 'jwt',
          key: 'k-1',
          params: JSON.stringify({ id }),
          timeoutMs: 10_000,
        }),
      },
    ]);
  });

  test('hands over query parameters, checked and complete', async () => {
    const { serve, sent } = setup();
    await serve('GET', '/v2/requests?state=pending&other=1');
    expect(JSON.parse(String(sent[0]?.headers.params))).toEqual({ offset: '0', state: 'pending' });
    expect((await serve('GET', '/v2/requests?offset=1&offset=2')).refusal).toEqual(
      refused('invalid_offset'),
    );
  });

  // Each call is wrong in this and in every later respect; the first one answers.
  const everythingWrong = { ...json, 'content-type': 'text/plain', 'content-encoding': 'gzip' };
  test.each([
    [
      'the service-wide bucket',
      { excess: 'authenticated', caller: null },
      'PUT',
      '/v2/x',
      {},
      'rate_limited',
    ],
    [
      'authentication',
      { caller: null, excess: 'principal' },
      'PUT',
      '/v2/x',
      {},
      'unauthenticated',
    ],
    ['CSRF', { caller: human, excess: 'principal' }, 'PUT', '/v2/x', {}, 'csrf'],
    [
      'the own bucket',
      { caller: human, excess: 'principal' },
      'PUT',
      '/v2/x',
      proof,
      'rate_limited',
    ],
    ['the route', { caller: human }, 'PUT', '/v2/x', proof, 'not_found'],
    ['the kind', {}, 'POST', `/v2/requests/${id}/confirm`, everythingWrong, 'human_required'],
    [
      'the key of a creation',
      {},
      'POST',
      `/v2/requests/${id}/supersede`,
      everythingWrong,
      'idempotency_key_required',
    ],
    ['the type', {}, 'POST', `/v2/requests/${id}/cancel`, everythingWrong, 'json_required'],
    ['JSON', {}, 'POST', `/v2/requests/${id}/cancel`, json, 'invalid_json'],
  ] as const)(
    'refuses by %s before what comes later',
    async (_step, parts, method, url, headers, code) => {
      const { serve, sent } = setup(parts);
      expect((await serve(method, url, headers, 'not json')).refusal).toEqual(refused(code));
      expect(sent).toEqual([]);
    },
  );

  test.each([
    [
      { 'content-encoding': 'gzip', 'content-type': 'application/json; charset=latin1' },
      'unsupported_encoding',
    ],
    [{ 'content-type': 'application/json; charset=latin1' }, 'utf8_required'],
    [{ 'content-type': 'application/json; charset="UTF-8"' }, 'invalid_json'],
    [{ 'content-type': 'Application/JSON', 'content-encoding': 'identity' }, 'invalid_json'],
    [{ 'content-type': 'application/json', 'content-length': '65537' }, 'body_too_large'],
    [{ 'content-type': 'application/problem+json' }, 'json_required'],
    [{}, 'json_required'],
  ])('refuses a body by %j', async (headers, code) => {
    const { serve } = setup();
    const { refusal } = await serve(
      'POST',
      `/v2/requests/${id}/cancel`,
      { ...key, ...headers },
      '{]',
    );
    expect(refusal).toEqual(refused(code));
  });

  test('refuses a body that grows over its limit, and one of the wrong shape', async () => {
    const { serve } = setup();
    const grown = Readable.from([Buffer.alloc(40_000, ' '), Buffer.alloc(40_000, ' ')]);
    const headers = { ...key, ...json, 'transfer-encoding': 'chunked' };
    const url = `/v2/requests/${id}/cancel`;
    expect((await serve('POST', url, headers, grown)).refusal).toEqual(refused('body_too_large'));
    expect(
      (await serve('POST', url, headers, Readable.from([Buffer.from('{"a":1}')]))).refusal,
    ).toEqual(refused('invalid_EmptyInput'));
  });

  test.each(['', 'a b', 'ä', 'x'.repeat(161)])('refuses the key "%s"', async (text) => {
    const { serve } = setup();
    const headers = { ...json, 'idempotency-key': text };
    const { refusal } = await serve('POST', `/v2/requests/${id}/cancel`, headers, '{}');
    expect(refusal).toEqual(refused('idempotency_key_required'));
  });

  test('asks the service first while the body of a creation is under way', async () => {
    const { serve, sent } = setup({ preflight: new Refusal('daily_quota') });
    const unfinished = new PassThrough();
    unfinished.write('{');
    const headers = { ...json, ...key, 'transfer-encoding': 'chunked' };
    const { refusal } = await serve('POST', `/v2/requests/${id}/supersede`, headers, unfinished);
    expect(refusal).toEqual(refused('daily_quota'));
    expect(sent.map(({ subject }) => subject)).toEqual([PREFLIGHT_SUBJECT]);
    expect(JSON.parse(String(sent[0]?.headers.params))).toEqual({ id, operation: '16' });
    expect(sent[0]?.headers.key).toBe('k-1');
  });

  test('asks the service first when the body of a creation is wrong', async () => {
    const quota = setup({ preflight: new Refusal('outstanding_quota') });
    const headers = { ...json, ...key };
    expect((await quota.serve('POST', '/v2/requests', headers, '{]')).refusal).toEqual(
      refused('outstanding_quota'),
    );
    const body = setup();
    expect((await body.serve('POST', '/v2/requests', headers, '{]')).refusal).toEqual(
      refused('invalid_json'),
    );
    expect(body.sent.map(({ subject }) => subject)).toEqual([PREFLIGHT_SUBJECT]);
  });

  test('asks for no body that is refused without it', async () => {
    const { serve } = setup({ preflight: new Refusal('daily_quota') });
    const headers = { ...json, ...key, expect: '100-continue', 'content-length': '2' };
    const { refusal, written } = await serve('POST', '/v2/requests', headers, new PassThrough());
    expect(refusal).toEqual(refused('daily_quota'));
    expect(written['continued']).toBeUndefined();
    const large = { ...headers, 'content-length': '65537' };
    const cancel = await serve('POST', `/v2/requests/${id}/cancel`, large, new PassThrough());
    expect(cancel.refusal).toEqual(refused('body_too_large'));
    expect(cancel.written['continued']).toBeUndefined();
  });

  test('spares the preflight when the body is here and right', async () => {
    const { serve, sent } = setup({ caller: { ...producer, kind: 'publisher' } });
    const bundle = { html: '<p>', compatibility: { agent_ui: '2' }, author: 'a', licence: 'l' };
    await serve('POST', '/v2/bundles', { ...json, ...key }, JSON.stringify(bundle));
    expect(sent.map(({ subject }) => subject)).toEqual(['countersign.request.register-bundle']);
  });

  test('leaves unknown requests to the service and refuses unusable names of other things', async () => {
    const { serve, sent } = setup({ caller: { ...producer, kind: 'operator' } });
    await serve('GET', '/v2/requests/%E0%A4%A');
    expect(sent[0]?.headers.params).toBe(JSON.stringify({ id: '%E0%A4%A' }));
    for (const name of ['%E0%A4%A', 'a%20b', 'x'.repeat(161)]) {
      const { refusal } = await serve('PUT', `/v2/admin/routes/${name}`, json, '{}');
      expect(refusal).toEqual(refused('invalid_path_parameter'));
    }
  });

  test('tells a client that it has the answer already', async () => {
    const { serve } = setup({ reply: { status: 200, body: '{"a":1}' } });
    const url = `/v2/hitl/${id}/poll`;
    const tag = String((await serve('GET', url)).written['etag']);
    expect(tag).toMatch(/^"[0-9a-f]{64}"$/);
    expect((await serve('GET', url, { 'if-none-match': `W/"x", W/${tag}` })).status).toBe(304);
    expect((await serve('GET', url, { 'if-none-match': '"x"' })).status).toBe(200);
    expect((await serve('GET', `/v2/requests/${id}`)).written['etag']).toBeUndefined();
    const pending = setup({ reply: { status: 202, body: '{}', headers: { 'retry-after': '30' } } });
    const { written, status } = await pending.serve('GET', `/v2/hitl/${id}`);
    expect([status, written['etag'], written['retry-after']]).toEqual([202, undefined, '30']);
    expect(isKnown('*', tag)).toBe(true);
  });

  test('gives the metrics of the ledger as text', async () => {
    const operator: Authenticated = { ...producer, kind: 'operator' };
    const body = JSON.stringify(EXAMPLES.MetricsSnapshot);
    const { serve, sent } = setup({ caller: operator, reply: { status: 200, body } });
    const { written } = await serve('GET', '/v2/admin/metrics.prom');
    expect(sent.map(({ subject }) => subject)).toEqual(['countersign.ledger.metrics']);
    expect(written['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(written['body']).toMatch(/^proto_pending \d/m);
  });

  test('counts what it answers to callers that it knows', async () => {
    const { serve, counted } = setup({ reply: { status: 202, body: '{}' } });
    await serve('GET', `/v2/hitl/${id}`);
    expect(counted).toEqual([['acme', 202]]);
    const unknown = setup({ caller: null });
    await unknown.serve('GET', `/v2/hitl/${id}`);
    expect(unknown.counted).toEqual([]);
  });

  test('tells an excessive caller when to come back', async () => {
    const { serve } = setup({ excess: 'principal' });
    const { refusal, written } = await serve('GET', '/v2/requests');
    expect(refusal).toMatchObject({ code: 'rate_limited', retryAfter: 9 });
    expect(written['ratelimit']).toBe('"principal";r=0;t=9');
  });
});
