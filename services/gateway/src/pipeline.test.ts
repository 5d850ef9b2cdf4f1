import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough, Readable } from 'node:stream';

import type { Bus, BusHeaders, MessageSealer } from '@countersign/platform';
import { PREFLIGHT_SUBJECT, SMALL_BODY_BYTES, openCall } from '@countersign/platform';
import { EXAMPLES, LARGE_BYTES, Refusal } from '@countersign/protocol';
import type { RecordName } from '@countersign/protocol';

import type { Authenticated } from './authentication.js';
import type { Call } from './call.js';
import { readInput } from './input.js';
import { metricsTextOperation } from './operations/metrics-text.js';
import { isKnown } from './etag.js';
import type { LongPolls } from './long-polls.js';
import { createLongPolls } from './long-polls.js';
import { createPipeline } from './pipeline.js';
import type { PlaceKind } from './places.js';
import { createTurns } from './turns.js';
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
  /** The bucket that is known to be empty. */
  empty?: RateName;
  /** The kind of place that is full. */
  full?: PlaceKind;
  /** Instead of the one that decides by time. */
  longPolls?: LongPolls;
  preflight?: Refusal;
  reply?: { status: number; body: string; headers?: Record<string, string> };
}

function setup(given: Setup = {}) {
  const { excess, empty, full, preflight, reply, longPolls = createLongPolls() } = given;
  let { caller = producer } = given;
  const sent: Sent[] = [];
  const taken: string[] = [];
  const held: PlaceKind[] = [];
  const counted: [tenant: string, status: number][] = [];
  const bus = {
    call: (subject: string, headers: BusHeaders, body: string) => {
      sent.push({ subject, headers, body });
      if (subject === PREFLIGHT_SUBJECT && preflight) return Promise.reject(preflight);
      return Promise.resolve(reply ?? { status: 200, body: '{"ok":true}' });
    },
  } as unknown as Bus;
  const pipeline = createPipeline({
    offered: {},
    authenticate: async (_request, mayLookUp) => {
      await mayLookUp();
      if (caller === null) throw new Refusal('unauthenticated');
      return caller;
    },
    rates: {
      take: (takes) => {
        for (const { bucket, key = '', calls = 1 } of takes) {
          taken.push(`${calls} ${bucket} ${key}`.trim());
        }
        const full = takes.find(({ bucket }) => bucket === excess);
        return Promise.resolve(full ? { policy: full.bucket, limit: 1, seconds: 9 } : null);
      },
      isEmpty: (bucket) => bucket === empty,
      close: () => Promise.resolve(),
    },
    turns: { calls: createTurns(8), pages: createTurns(2), looks: createTurns(4) },
    longPolls,
    places: {
      take: (kind) => {
        if (kind === full) return { policy: `principal_${kind}`, limit: 4 };
        held.push(kind);
        return () => held.splice(held.indexOf(kind), 1);
      },
    },
    addresses: { of: () => '192.0.2.1', isTrusted: () => false },
    counts: {
      count: (tenant, status) => counted.push([tenant, status]),
      flush: async () => void counted.push(['flushed', 0]),
    },
    bus,
    own: { 'gateway.metrics-text': metricsTextOperation },
    bodies: {
      place: async () => ({
        run: async <Result>(record: unknown, bytes: Uint8Array) =>
          Buffer.from(readInput(record as RecordName | null, bytes)) as unknown as Result,
        leave: () => {},
      }),
    },
    sealer: {
      seal: async (who, { params, key: given }) => ({ token: who?.id, params, key: given }),
    } satisfies MessageSealer,
    origin,
    timeoutMs: 10_000,
    stepUp: [],
    stepUpRequired: async () => {},
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
    const socket = { bytesRead: 0 };
    const emit = stream.emit.bind(stream);
    stream.emit = (event: string, ...about: unknown[]) => {
      if (event === 'data') socket.bytesRead += (about[0] as Buffer).length;
      return emit(event, ...about);
    };
    const request = Object.assign(stream, {
      ...{ method, socket },
      headers: { ...length, ...headers },
      complete: false,
    });
    // As Node does, which emits `request` before it parses the rest of the data.
    const whole = typeof body === 'string' || ('complete' in body && body.complete);
    setImmediate(() => Object.assign(request, { complete: whole }));
    const written: Record<string, unknown> = {};
    const finished: (() => void)[] = [];
    const closed: (() => void)[] = [];
    const response = {
      statusCode: 200,
      destroyed: false,
      once: (event: 'finish' | 'close', listener: () => void) =>
        (event === 'finish' ? finished : closed).push(listener),
      off: (_event: 'close', listener: () => void) => closed.splice(closed.indexOf(listener), 1),
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
      ...openCall(undefined, false),
      route: 'none',
      heldMs: 0,
    };
    let refusal: unknown = null;
    await Promise.resolve(pipeline.serve(call)).catch((fault: unknown) => {
      refusal = fault;
    });
    const duringCall = [...held];
    for (const listener of [...closed]) listener();
    return { refusal, written, status: response.statusCode, held: duringCall };
  }
  const become = (other: Authenticated | null) => (caller = other);
  return { serve, sent, taken, counted, held, become };
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
    expect(taken).toEqual(['1 principal ["acme","bot"]', '1 tenant acme']);
    expect(sent).toEqual([
      {
        subject: 'countersign.request.cancel',
        body: '{}',
        headers: expect.objectContaining({
          token: 'bot',
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
      "the address's bucket",
      { excess: 'address', caller: null },
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
    ["the tenant's bucket", { excess: 'tenant' }, 'PUT', '/v2/x', {}, 'rate_limited'],
    ['concurrency', { full: 'calls' }, 'PUT', '/v2/x', {}, 'rate_limited'],
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

  test('asks the service first about a body that is large, or does not say, however soon it comes', async () => {
    const publisher = { ...producer, kind: 'publisher' as const };
    const bundle = { html: '<p>', compatibility: { agent_ui: '2' }, author: 'a', licence: 'l' };
    const asked = [PREFLIGHT_SUBJECT, 'countersign.request.register-bundle'];
    const large = setup({ caller: publisher });
    const html = 'x'.repeat(SMALL_BODY_BYTES);
    await large.serve(
      'POST',
      '/v2/bundles',
      { ...json, ...key },
      JSON.stringify({ ...bundle, html }),
    );
    expect(large.sent.map(({ subject }) => subject)).toEqual(asked);
    const chunked = setup({ caller: publisher });
    const stream = Readable.from([Buffer.from(JSON.stringify(bundle))]);
    const headers = { ...json, ...key, 'transfer-encoding': 'chunked' };
    await chunked.serve('POST', '/v2/bundles', headers, Object.assign(stream, { complete: true }));
    expect(chunked.sent.map(({ subject }) => subject)).toEqual(asked);
  });

  test('asks the service first about a small body that is not here yet', async () => {
    const { serve, sent } = setup({ preflight: new Refusal('daily_quota') });
    const unfinished = new PassThrough();
    unfinished.write('{');
    const headers = { ...json, ...key, 'content-length': '1000' };
    const { refusal } = await serve('POST', '/v2/requests', headers, unfinished);
    expect(refusal).toEqual(refused('daily_quota'));
    expect(sent.map(({ subject }) => subject)).toEqual([PREFLIGHT_SUBJECT]);
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

  test('answers that a client has the current answer already', async () => {
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

  describe('for a call that is held', () => {
    /** Holds every call, and lets it look once more after `meanwhile`. */
    const holding = (meanwhile: () => void): LongPolls => ({
      async answer(poll) {
        await poll.first();
        poll.begin();
        meanwhile();
        poll.waited(1_000);
        return { reply: await poll.look(), applied: true };
      },
      wake: () => {},
      stop: () => {},
    });
    const url = `/v2/requests/${id}`;
    const prefer = { prefer: 'wait=5; revision=2' };
    const status = { status: 200, body: '{"revision":2}' };

    test('keeps neither its place nor other parts of its rate', async () => {
      let free: PlaceKind[] | null = null;
      const longPolls = holding(() => (free = [...held]));
      const { serve, held, taken, sent } = setup({ longPolls, reply: status });
      const { refusal, written } = await serve('GET', url, prefer);
      expect([refusal, free, held]).toEqual([null, [], []]);
      expect(taken).toEqual(['1 principal ["acme","bot"]', '1 tenant acme']);
      expect(sent).toHaveLength(2);
      expect(written).toMatchObject({ body: status.body, 'preference-applied': 'wait=5' });
    });

    test.each<[string, Authenticated | null]>([
      ['known no more', null],
      ['of another principal', { ...producer, principal: 'other' }],
      ['of another tenant', { ...producer, tenant: 'other' }],
    ])('answers nothing to a credential that is %s', async (_, now) => {
      const longPolls = holding(() => become(now));
      const { serve, become, sent } = setup({ longPolls, reply: status });
      const { refusal, written } = await serve('GET', url, prefer);
      expect(refusal).toEqual(refused('unauthenticated'));
      expect(written['preference-applied']).toBeUndefined();
      expect(sent).toHaveLength(1);
    });

    test('does not say that it was, when there was no place to hold it', async () => {
      const longPolls = createLongPolls({ ofPrincipal: 0, ofGateway: 0 });
      const { serve } = setup({ longPolls, reply: status });
      const { written } = await serve('GET', url, prefer);
      expect(written).toMatchObject({ body: status.body });
      expect(written['preference-applied']).toBeUndefined();
    });
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

  test('counts its answers to known callers', async () => {
    const { serve, counted } = setup({ reply: { status: 202, body: '{}' } });
    await serve('GET', `/v2/hitl/${id}`);
    expect(counted).toEqual([['acme', 202]]);
    const unknown = setup({ caller: null });
    await unknown.serve('GET', `/v2/hitl/${id}`);
    expect(unknown.counted).toEqual([]);
  });

  test('counts calls of unknown callers by their address and in the fuse, and no others', async () => {
    const stranger = setup({ caller: null });
    await stranger.serve('GET', '/v2/requests');
    expect(stranger.taken).toEqual(['1 address 192.0.2.1', '1 unauthenticated']);
    // A known caller is neither counted nor refused by the rate of unknown callers.
    const known = setup({ excess: 'address' });
    expect((await known.serve('GET', '/v2/requests')).refusal).toBeNull();
    expect(known.taken).toEqual(['1 principal ["acme","bot"]', '1 tenant acme']);
  });

  test('asks the fuse before it looks up a new credential of an address over its limit', async () => {
    const greedy = setup({ empty: 'address' });
    expect((await greedy.serve('GET', '/v2/requests')).refusal).toBeNull();
    expect(greedy.taken[0]).toBe('1 unauthenticated');
    const blown = setup({ empty: 'address', excess: 'unauthenticated' });
    expect((await blown.serve('GET', '/v2/requests')).refusal).toEqual(refused('rate_limited'));
    expect(blown.taken).toEqual(['1 unauthenticated']);
  });

  test('holds a place for each call, and one more for a large one, until its answer is sent', async () => {
    const small = setup();
    expect((await small.serve('GET', '/v2/requests')).held).toEqual(['calls']);
    const answered = setup({ reply: { status: 200, body: 'x'.repeat(LARGE_BYTES + 1) } });
    expect((await answered.serve('GET', '/v2/requests')).held).toEqual(['calls', 'large']);
    expect([small.held, answered.held]).toEqual([[], []]);
    const none = setup({
      full: 'large',
      reply: { status: 200, body: 'x'.repeat(LARGE_BYTES + 1) },
    });
    const { refusal, written, held } = await none.serve('GET', '/v2/requests');
    expect(refusal).toMatchObject({ code: 'rate_limited', retryAfter: 1 });
    expect(written['ratelimit-policy']).toBe('"principal_large";q=4;qu="concurrent-requests"');
    expect([held, none.held]).toEqual([['calls'], []]);
  });

  test('holds the place of a large read before the service reads it', async () => {
    const reply = { status: 200, body: '', headers: { large: 'yes' } };
    const url = `/v2/requests/${id}/material`;
    const free = setup({ reply });
    expect((await free.serve('GET', url)).held).toEqual(['calls', 'large']);
    expect(free.sent.map(({ headers }) => headers['large'])).toEqual(['ask', 'taken']);
    const none = setup({ reply, full: 'large' });
    expect((await none.serve('GET', url)).refusal).toEqual(refused('rate_limited'));
    expect(none.sent.map(({ headers }) => headers['large'])).toEqual(['ask']);
    const small = setup();
    expect((await small.serve('GET', url)).held).toEqual(['calls']);
    expect(small.sent).toHaveLength(1);
  });

  test('takes the place of a large body before it reads it, or once it has grown large', async () => {
    const { serve, sent } = setup({ full: 'large', preflight: new Refusal('daily_quota') });
    const headers = { ...json, ...key };
    const announced = { ...headers, 'content-length': `${LARGE_BYTES + 1}` };
    const url = '/v2/requests';
    // The preflight comes first all the same.
    expect((await serve('POST', url, announced, new PassThrough())).refusal).toEqual(
      refused('daily_quota'),
    );
    expect(sent).toHaveLength(1);
    const free = setup({ full: 'large' });
    const grown = Readable.from([Buffer.alloc(LARGE_BYTES, ' '), Buffer.alloc(2, ' ')]);
    const chunked = { ...headers, 'transfer-encoding': 'chunked' };
    for (const [given, body] of [
      [announced, new PassThrough()],
      [chunked, grown],
    ] as const) {
      expect((await free.serve('POST', url, given, body)).refusal).toEqual(refused('rate_limited'));
    }
  });

  test('counts a large body, refused or not, and a large answer as more calls', async () => {
    const { serve, taken } = setup();
    const body = Readable.from([Buffer.alloc(3 * LARGE_BYTES, ' '), Buffer.from('{]')]);
    const headers = { ...json, ...key, 'transfer-encoding': 'chunked' };
    expect((await serve('POST', '/v2/requests', headers, body)).refusal).toEqual(
      refused('invalid_json'),
    );
    expect(taken.slice(2)).toEqual(['3 principal ["acme","bot"]', '3 tenant acme']);
    const read = setup({ reply: { status: 200, body: 'x'.repeat(2.5 * LARGE_BYTES) } });
    await read.serve('GET', '/v2/requests');
    expect(read.taken.slice(2)).toEqual(['2 principal ["acme","bot"]', '2 tenant acme']);
  });

  test('writes its counts before it asks for the metrics', async () => {
    const operator: Authenticated = { ...producer, kind: 'operator' };
    const body = JSON.stringify(EXAMPLES.MetricsSnapshot);
    for (const path of ['/v2/admin/metrics', '/v2/admin/metrics.prom']) {
      const { serve, counted } = setup({ caller: operator, reply: { status: 200, body } });
      await serve('GET', path);
      expect(counted).toEqual([
        ['flushed', 0],
        ['acme', 200],
      ]);
    }
  });

  test('gives an excessive caller the time to come back', async () => {
    const { serve } = setup({ excess: 'principal' });
    const { refusal, written } = await serve('GET', '/v2/requests');
    expect(refusal).toMatchObject({ code: 'rate_limited', retryAfter: 9 });
    expect(written['ratelimit']).toBe('"principal";r=0;t=9');
  });
});
