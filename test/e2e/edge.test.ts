import { randomUUID } from 'node:crypto';
import { ERROR_CODES, INCIDENT_CODES, PROTOCOL_REVISION } from '@countersign/protocol';
import { Client, operatorOf, producerOf } from '../support/client.js';
import { startInstance } from '../support/instance.js';
import type { Demo, Instance } from '../support/instance.js';
import { head, rawCall } from '../support/raw-http.js';

let instance: Instance;
let demo: Demo;

beforeAll(async () => {
  instance = await startInstance({ quotas: true });
  demo = instance.demo;
});

afterAll(async () => {
  await instance?.stop();
});

const anybody = () => new Client(demo.origin, null);

const raw = (parts: readonly string[]) => rawCall(demo.origin, parts);

describe('every answer', () => {
  test.each([
    ['/health', 200],
    ['/v2/requests', 401],
    ['/nothing', 404],
    ['/', 302],
    ['/docs', 200],
    ['/docs/incidents', 200],
    ...INCIDENT_CODES.map((code): [string, number] => [`/docs/incidents/${code}`, 200]),
  ])('of %s carries the security headers', async (path, status) => {
    const answer = await anybody().get(path);
    expect(answer.status).toBe(status);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('usb=()'),
      'content-security-policy': expect.stringContaining("frame-src 'none'; base-uri 'none'"),
    });
    expect(answer.headers.has('x-powered-by')).toBe(false);
    expect(answer.headers.has('strict-transport-security')).toBe(false);
  });

  test('of the sandbox origin carries its own, and is 404', async () => {
    for (const path of ['/', '/sandbox/x', '/v2/requests', '/assets/inbox.js']) {
      const response = await fetch(demo.sandboxOrigin + path);
      expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
        404,
        'not_found',
      ]);
      const headers = Object.fromEntries(response.headers);
      expect(headers).toMatchObject({
        'cross-origin-resource-policy': 'cross-origin',
        'connection-allowlist': expect.stringContaining('webrtc=block'),
        'x-dns-prefetch-control': 'off',
        'content-security-policy': expect.stringContaining(`frame-ancestors ${demo.origin}`),
      });
      expect(headers['permissions-policy']).not.toContain('usb');
    }
  });

  test('that refuses is a problem document whose type explains it', async () => {
    const { status, headers, body } = await anybody().get('/v2/requests');
    expect([status, headers.get('content-type')]).toEqual([401, 'application/problem+json']);
    expect(body).toEqual({
      type: `${demo.origin}/errors/unauthenticated`,
      title: expect.any(String),
      status: 401,
      detail: expect.any(String),
      error: 'unauthenticated',
      instance: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    const page = await fetch(body.type, { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    const problem = await fetch(body.type, { headers: { accept: 'application/json' } });
    expect(await problem.json()).toMatchObject({ error: 'unauthenticated' });
  });

  test('continues the trace of its caller', async () => {
    const trace = '0af7651916cd43dd8448eb211c80319c';
    const headers = { traceparent: `00-${trace}-b7ad6b7169203331-01` };
    expect((await anybody().get('/v2/requests', { headers })).body.instance).toBe(trace);
  });
});

describe('public reads', () => {
  test('the verifier, which runs only its own script and makes no call', async () => {
    const page = await anybody().get('/verify');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-/);
    expect(policy).not.toContain('unsafe');
    expect(policy).toMatch(/; form-action 'none'; frame-ancestors 'none'$/);
    // Saved, it keeps to the same.
    expect(page.text).toContain(policy.replace("; frame-ancestors 'none'", ''));
    expect(page.headers.get('content-disposition')).toBeNull();
    const saved = await anybody().get('/verify?download');
    expect(saved.headers.get('content-disposition')).toBe(
      'attachment; filename="countersign-verify.html"',
    );
    expect(saved.text).toBe(page.text);
  });

  test('the page around evidence, without any in it and under its own policy', async () => {
    const page = await anybody().get('/verify/evidence');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-/);
    expect(page.text).toContain(policy.replace("; frame-ancestors 'none'", ''));
    expect(page.text).toContain('<script type="application/json" id="evidence"></script>');
  });

  test('is discovery, trust, keys and descriptions', async () => {
    const get = async (path: string) => (await anybody().get(path)).body;
    expect(await get('/.well-known/proto')).toMatchObject({
      revisions: [PROTOCOL_REVISION],
      mode: 'development',
      release_ready: false,
    });
    const trust = await get('/.well-known/proto-trust');
    expect(trust.issuer).toBe(demo.origin);
    const { keys } = await get('/.well-known/jwks.json');
    expect(keys.map(({ kid }: { kid: string }) => kid).sort()).toEqual(
      trust.keys.map(({ key_id }: { key_id: string }) => key_id).sort(),
    );
    expect((await get('/.well-known/hitl.json')).hitl_protocol.spec_version).toBe('0.8');
    expect(Object.keys((await get('/openapi.json')).paths)).toContain('/v2/requests/{id}/confirm');
    expect(await get('/health')).toEqual({
      status: 'ok',
      release: 'draft',
      notifications: 'polling-only',
    });
    for (const path of ['/livez', '/readyz']) {
      expect((await anybody().get(path)).status).toBe(200);
    }
  });

  test('is a page for every code', async () => {
    for (const code of ERROR_CODES) {
      expect([code, (await anybody().get(`/errors/${code}`)).status]).toEqual([code, 200]);
    }
    expect((await anybody().get('/errors/none')).status).toBe(404);
  });

  test('has the files of the pages, packed or plain, revalidated each time, and no other file', async () => {
    const { text } = await anybody().get('/docs');
    const path = /href="(\/assets\/theme-[\w-]+\.css)"/.exec(text)?.[1] as string;
    const packed = { 'accept-encoding': 'gzip, br' };
    const asset = await anybody().get(path, { headers: packed });
    expect([asset.status, asset.headers.get('cache-control'), asset.headers.get('vary')]).toEqual([
      200,
      'public, max-age=0, must-revalidate',
      'Accept-Encoding',
    ]);
    const codings = [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip, deflate', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['identity', null],
    ] as const;
    for (const [accepted, coding] of codings) {
      const { headers, text: content } = await anybody().get(path, {
        headers: { 'accept-encoding': accepted },
      });
      expect([accepted, headers.get('content-encoding')]).toEqual([accepted, coding]);
      expect(content).toBe(asset.text);
    }
    const etag = asset.headers.get('etag') as string;
    const revalidated = { ...packed, 'if-none-match': etag };
    expect((await anybody().get(path, { headers: revalidated })).status).toBe(304);
    const plain = { 'accept-encoding': 'identity' };
    const other = { ...plain, 'if-none-match': etag };
    expect((await anybody().get(path, { headers: other })).status).toBe(200);
    for (const name of ['..%2fpackage.json', '.', '__proto__', '']) {
      expect((await anybody().get(`/assets/${name}`)).status).toBe(404);
    }
  });
});

describe('a call', () => {
  const id = randomUUID();

  test('is authenticated before its route is looked for', async () => {
    expect((await anybody().get('/v2/nothing')).status).toBe(401);
    const producer = producerOf(demo);
    expect((await producer.get('/v2/nothing')).body.error).toBe('not_found');
    for (const method of ['DELETE', 'PATCH', 'OPTIONS']) {
      expect((await producer.call(method, '/v2/requests', undefined, {})).status).toBe(404);
    }
  });

  test('is refused for a body that is compressed, not UTF-8, too large or not strict JSON', async () => {
    const post = async (raw: string | Uint8Array, headers: Record<string, string> = {}) =>
      (await producerOf(demo).post(`/v2/requests/${id}/cancel`, {}, { raw, headers })).body.error;
    expect(await post('{}', { 'content-encoding': 'gzip' })).toBe('unsupported_encoding');
    expect(await post('{}', { 'content-type': 'application/json; charset=latin1' })).toBe(
      'utf8_required',
    );
    expect(await post(' '.repeat(64 * 1024) + '{}')).toBe('body_too_large');
    expect(await post('{"a":1,"a":1}')).toBe('invalid_json');
    expect(await post(Buffer.from([0x22, 0xff, 0x22]))).toBe('invalid_json');
    expect(await post('')).toBe('invalid_json');
    expect(await post('{"a":1}')).toBe('invalid_EmptyInput');
    expect(await post('{}')).toBe('not_found');
  });

  test('names principals and routes by identifiers', async () => {
    const operator = operatorOf(demo);
    expect((await operator.put('/v2/admin/routes/a%20b', {})).body.error).toBe(
      'invalid_path_parameter',
    );
    expect((await operator.put('/v2/admin/routes/a%2Fb', {})).body.error).toBe('invalid_route');
    expect((await producerOf(demo).get('/v2/requests/%E0%A4%A')).body.error).toBe('not_found');
  });

  const creation = (path: string, headers: Record<string, string> = {}) =>
    head('POST', path, {
      Authorization: `Bearer ${demo.producer.token}`,
      'Content-Type': 'application/json',
      'Content-Length': '1000',
      'Idempotency-Key': 'k-slow',
      ...headers,
    });

  test('of a creation is refused without waiting for its body', async () => {
    const answer = await raw([creation(`/v2/requests/${id}/supersede`), '{']);
    expect([answer.status, answer.code]).toEqual([404, 'not_found']);
    expect(answer.after).toBeLessThan(2_000);
    const keyless = await raw([creation('/v2/requests', { 'Idempotency-Key': 'a b' }), '{']);
    expect(keyless.code).toBe('idempotency_key_required');
  });

  test('sends its body only when nothing else speaks against it', async () => {
    const expecting = { Expect: '100-continue', 'Content-Length': '2' };
    const refused = await raw([creation(`/v2/requests/${id}/supersede`, expecting)]);
    expect(refused.status).toBe(404);
    const asked = await raw([creation('/v2/requests', expecting), '{}']);
    expect(asked.text).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 400 /);
    expect(asked.code).toBe('invalid_RequestInput');
  });

  test('with more than 16 KiB of headers, or that is no HTTP, is 400 and ends the connection', async () => {
    const long = await raw([head('GET', '/health', { X: 'x'.repeat(17_000) })]);
    expect([long.status, long.ended]).toEqual([400, true]);
    expect(long.text).toContain('X-Frame-Options: DENY');
    const fits = await raw([head('GET', '/health', { X: 'x'.repeat(15_000) })]);
    expect([fits.status, fits.ended]).toEqual([200, false]);
    const both = { 'Content-Length': '2', 'Transfer-Encoding': 'chunked' };
    const ambiguous = await raw([head('POST', '/auth/logout', both), '2\r\n{}\r\n0\r\n\r\n']);
    expect([ambiguous.status, ambiguous.ended]).toEqual([400, true]);
  });

  test('with an unknown method is 404', async () => {
    expect((await raw([head('BREW', '/health', {})])).status).toBe(404);
    expect((await raw([head('GET', '/livez', { Expect: 'tea' })])).status).toBe(200);
  });

  test('to sign in is counted by the client address, 120 a minute', async () => {
    let answer = await anybody().get('/auth/callback');
    for (let calls = 1; calls < 130 && answer.status !== 429; calls += 1) {
      expect(answer.body.error).toBe('invalid_login');
      answer = await anybody().get('/auth/callback');
    }
    expect([answer.status, answer.body.error]).toEqual([429, 'rate_limited']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(answer.headers.get('ratelimit-policy')).toBe('"login";q=120;w=60');
    expect(answer.headers.get('ratelimit')).toMatch(/^"login";r=0;t=\d+$/);
    expect((await anybody().get('/auth/login')).status).toBe(429);
    expect((await anybody().get('/health')).status).toBe(200);
  });
});
