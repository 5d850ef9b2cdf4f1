import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { ERRORS, EXAMPLES, SENT_CODES, statusesOf } from '@countersign/protocol';
import type { ErrorCode } from '@countersign/protocol';

import type { ClientOptions } from './client.js';
import { countersign } from './client.js';
import { AnswerInvalid, ConfigurationInvalid, ServiceRefusal, Unreachable } from './errors.js';
import type { Runtime } from './exchange.js';
import * as operations from './generated/operations.js';

const { admit, auditExport, cancel, configureRoute, create, list, metricsText, status } =
  operations;
const id = '0198c1de-0000-7000-8000-000000000001';
const STATUS = JSON.stringify(EXAMPLES.RequestStatus);
const DECIDED_TOGETHER = JSON.stringify({
  ...EXAMPLES.RequestStatus,
  request: EXAMPLES.ExtendedDecisionRequest,
});

type Act = (response: ServerResponse, request: IncomingMessage) => void;

let server: Server;
let handler: RequestListener;
let origin: string;

beforeAll(async () => {
  server = createServer((request, response) => handler(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const json =
  (code: number, text: string, headers = {}): Act =>
  (response) => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers });
    response.end(text);
  };
const ok = json(200, STATUS);
const refusal =
  (code: string, statusCode: number, headers = {}): Act =>
  (response) => {
    response.writeHead(statusCode, { 'content-type': 'application/problem+json', ...headers });
    response.end(
      JSON.stringify({ error: code, status: statusCode, detail: 'why', instance: 'i-1' }),
    );
  };
const html = (code: number): Act => json(code, '<html></html>', { 'content-type': 'text/html' });
const cut: Act = (response) => response.destroy();
const cutLater: Act = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': STATUS.length });
  response.write(STATUS.slice(0, 50), () => response.destroy());
};
const truncated = json(200, STATUS.slice(0, 50));

interface Seen {
  readonly url: string;
  readonly key: string | undefined;
  readonly token: string | undefined;
  readonly body: string;
}

/** A service that acts so on one attempt after the other, and on all further ones as on the last. */
function setup(acts: readonly Act[], options: Partial<ClientOptions> = {}) {
  const seen: Seen[] = [];
  handler = (request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      const { url = '', headers } = request;
      const key = headers['idempotency-key'] as string | undefined;
      seen.push({ url, key, token: headers.authorization, body });
      (acts[Math.min(seen.length, acts.length) - 1] as Act)(response, request);
    });
  };
  let time = 0;
  const pauses: number[] = [];
  const runtime: Runtime = {
    now: () => time,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      pauses.push(ms);
      time += ms;
    },
    chance: () => 1,
  };
  const notes: string[] = [];
  const client = countersign(
    {
      origin,
      token: 'token-1',
      trust: 'unverified',
      onAttempt: ({ key, attempt }) => notes.push(`${attempt} ${key}`),
      ...options,
    },
    runtime,
  );
  return { client, seen, pauses, notes };
}

type Call = (client: ReturnType<typeof setup>['client']) => Promise<unknown>;
const read: Call = (client) => client.call(status, { id });
const keyed: Call = (client) => client.call(cancel, { id, body: {} });
const nonce: Call = (client) =>
  client.call(admit, {
    id,
    body: { claim_id: id, nonce: 'n'.repeat(16), execution_identity: 'e' },
  });
const put: Call = (client) => client.call(configureRoute, { id: 'payments', body: {} as never });
const CALLS: Readonly<Record<string, Call>> = { read, keyed, nonce, put };

/** How many attempts each call makes, when all of them end so. */
type Attempts = readonly [read: number, keyed: number, nonce: number, put: number];

const MANY = 6;
const rows: readonly [string, Act, Attempts][] = [
  ['a connection that is cut', cut, [MANY, MANY, MANY, 2]],
  ['an answer that is cut', cutLater, [MANY, MANY, MANY, 2]],
  ['500', html(500), [MANY, MANY, MANY, 2]],
  ['502', html(502), [MANY, MANY, MANY, 2]],
  ['504', html(504), [MANY, MANY, MANY, 2]],
  ['HTML with status 200', html(200), [MANY, MANY, MANY, 2]],
  ['HTML with status 503', html(503), [MANY, MANY, MANY, 2]],
  ['a truncated body', truncated, [MANY, MANY, MANY, 2]],
  ['service_unavailable', refusal('service_unavailable', 503), [MANY, MANY, MANY, 2]],
  ['schema_validation_busy', refusal('schema_validation_busy', 503), [MANY, MANY, MANY, MANY]],
  ...['admission_fenced', 'identity_uncertain', 'requester_identity_uncertain'].map(
    (code): [string, Act, Attempts] => [code, refusal(code, 503), [1, 1, 1, 1]],
  ),
  ...['rate_limited', 'creation_rate', 'bundle_rate'].map((code): [string, Act, Attempts] => [
    code,
    refusal(code, 429),
    [MANY, MANY, MANY, MANY],
  ]),
  ...SENT_CODES.filter((code) => ERRORS[code].retry === 'never').flatMap((code) =>
    statusesOf(code)
      .filter((each) => each !== 401)
      .map((each): [string, Act, Attempts] => [
        `${each} ${code}`,
        refusal(code, each),
        [1, 1, 1, 1],
      ]),
  ),
];

describe('a call that ends with', () => {
  it.each(rows)('%s', async (_, act, attempts) => {
    for (const [at, [name, call]] of Object.entries(CALLS).entries()) {
      const { client, seen } = setup([act]);
      const fault: unknown = await call(client).catch((error: unknown) => error);
      expect(fault).toBeInstanceOf(Error);
      expect([name, seen.length]).toEqual([name, attempts[at]]);
      expect(new Set(seen.map(({ key, body, url }) => `${key} ${body} ${url}`)).size).toBe(1);
    }
  });

  it('HTML with a status of no answer to it', async () => {
    const { client, seen } = setup([html(200), json(201, STATUS)]);
    await client.call(create, { body: EXAMPLES.RequestInput });
    expect(seen).toHaveLength(2);
  });

  it('no connection at all', async () => {
    const free = createServer();
    await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    for (const call of Object.values(CALLS)) {
      const { client, notes } = setup([ok], { origin: `http://127.0.0.1:${port}` });
      const fault = await call(client).catch((error: unknown) => error);
      expect(fault).toBeInstanceOf(Unreachable);
      expect(fault).toMatchObject({ attempts: MANY, effect: 'none' });
      expect(notes).toHaveLength(MANY);
    }
  });
});

describe('a call', () => {
  it('gives what the service answers after other attempts failed', async () => {
    const { client, seen, notes } = setup([cut, html(502), truncated, ok]);
    await expect(keyed(client)).resolves.toEqual(EXAMPLES.RequestStatus);
    const [first] = seen;
    expect(first?.key).toMatch(/^cs1-[A-Za-z0-9_-]{32}$/);
    expect(seen).toEqual(Array(4).fill({ ...first, token: 'Bearer token-1' }));
    expect(notes).toEqual([1, 2, 3, 4].map((attempt) => `${attempt} ${first?.key}`));
  });

  it('has another key than any other call, or the one that it is given', async () => {
    const { client, seen } = setup([ok]);
    await keyed(client);
    await keyed(client);
    await client.call(cancel, { id, body: {}, key: 'mine' });
    expect(new Set(seen.map(({ key }) => key)).size).toBe(3);
    expect(seen[2]?.key).toBe('mine');
    for (const key of ['', 'two words', 'é', 'x'.repeat(161)]) {
      await expect(client.call(cancel, { id, body: {}, key })).rejects.toThrow(TypeError);
    }
    await expect(client.call(status, { id, key: 'mine' })).rejects.toThrow(TypeError);
    expect(seen).toHaveLength(3);
  });

  it('waits as long as Retry-After says, a second at least for a rate', async () => {
    const { client, pauses } = setup([
      refusal('rate_limited', 429),
      refusal('rate_limited', 429, { 'retry-after': '9' }),
      refusal('schema_validation_busy', 503, { 'retry-after': '3' }),
      ok,
    ]);
    await keyed(client);
    expect(pauses).toEqual([1_000, 9_000, 3_000]);
  });

  it('reads Retry-After as a date too', async () => {
    const soon = new Date(Date.now() + 20_000).toUTCString();
    const { client, pauses } = setup([refusal('rate_limited', 429, { 'retry-after': soon }), ok]);
    await read(client);
    expect(pauses[0]).toBeGreaterThan(15_000);
    expect(pauses[0]).toBeLessThanOrEqual(20_000);
  });

  it('ends at once when Retry-After is beyond its budget, and says how long', async () => {
    const { client, seen } = setup([refusal('rate_limited', 429, { 'retry-after': '61' })]);
    await expect(read(client)).rejects.toMatchObject({
      ...{ name: 'ServiceRefusal', code: 'rate_limited', retry: 'after', retryAfter: 61 },
    });
    expect(seen).toHaveLength(1);
  });

  it('keeps to a budget of its own', async () => {
    const attempts = setup([cut], { budget: { attempts: 2 } });
    await expect(read(attempts.client)).rejects.toMatchObject({ attempts: 2 });
    const seconds = setup([html(502)], { budget: { seconds: 1 } });
    await expect(read(seconds.client)).rejects.toBeInstanceOf(Unreachable);
    expect(seconds.pauses).toEqual([250, 500]);
  });

  it('is repeated no more when many others were', async () => {
    const { client, seen } = setup([cut]);
    for (let calls = 0; calls < 10; calls += 1) await read(client).catch(() => {});
    // Twenty repetitions, and one more of ten calls.
    expect(seen.length).toBeGreaterThanOrEqual(30);
    expect(seen.length).toBeLessThanOrEqual(31);
  });

  it('says that its effect is unknown exactly when it changes something and an answer was lost', async () => {
    const effectOf = async (call: Call, acts: readonly Act[]) => {
      const { client } = setup(acts, { budget: { attempts: 2 } });
      return ((await call(client).catch((error: unknown) => error)) as Unreachable).effect;
    };
    expect(await effectOf(keyed, [cut])).toBe('unknown');
    expect(await effectOf(nonce, [refusal('service_unavailable', 503)])).toBe('unknown');
    expect(await effectOf(read, [cut])).toBe('none');
  });

  it('says of a refusal that an attempt before it had no answer', async () => {
    const { client } = setup([cut, refusal('nonce_reused', 409)]);
    await expect(nonce(client)).rejects.toMatchObject({
      ...{
        code: 'nonce_reused',
        status: 409,
        afterUnanswered: true,
        detail: 'why',
        instance: 'i-1',
      },
    });
    const alone = setup([refusal('nonce_reused', 409)]);
    await expect(nonce(alone.client)).rejects.toMatchObject({ afterUnanswered: false });
  });

  it('asks for its token each time, and is repeated once when another one is there', async () => {
    const refused = refusal('unauthenticated', 401);
    let asked = 0;
    const changing = setup([refused, ok], { token: async () => `token-${(asked += 1)}` });
    await read(changing.client);
    expect(changing.seen.map(({ token }) => token)).toEqual(['Bearer token-1', 'Bearer token-2']);
    expect(changing.pauses).toEqual([]);
    const again = setup([refused], { token: () => `token-${(asked += 1)}` });
    await expect(read(again.client)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(again.seen).toHaveLength(2);
    const same = setup([refused]);
    await expect(read(same.client)).rejects.toMatchObject({ status: 401 });
    expect(same.seen).toHaveLength(1);
  });

  it('ends when its signal says so, with its reason', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    const { client, seen } = setup([() => stop.abort(reason)]);
    await expect(client.call(status, { id, signal: stop.signal })).rejects.toBe(reason);
    await expect(client.call(status, { id, signal: stop.signal })).rejects.toBe(reason);
    expect(seen).toHaveLength(1);
  });
});

describe('an answer', () => {
  it.each<[string, Act, string]>([
    ['with a redirect', json(302, '', { location: 'https://elsewhere.example/' }), 'redirect'],
    ['with a status of no operation', json(201, STATUS), 'undeclared_status'],
    ['with an unknown status', json(418, '{}'), 'undeclared_status'],
    ['that is another record', json(200, JSON.stringify(EXAMPLES.Material)), 'wrong_record'],
    // Of a profile that this client does not know: a program does not act on it (protocol §15.1).
    ['about a request that several people decide', json(200, DECIDED_TOGETHER), 'wrong_record'],
    ['with a member too many', json(200, `{"x":1,${STATUS.slice(1)}`), 'wrong_record'],
    [
      'that is refused without a code',
      json(409, '{}', { 'content-type': 'application/problem+json' }),
      'wrong_record',
    ],
  ])('%s is invalid at once', async (_, act, why) => {
    const { client, seen } = setup([act]);
    const fault = await read(client).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(AnswerInvalid);
    expect(fault).toMatchObject({ why });
    expect(seen).toHaveLength(1);
  });

  it('with a member twice is no JSON, as half an answer is not', async () => {
    const { client } = setup([json(200, `{"revision":1,${STATUS.slice(1)}`)]);
    const fault = await read(client).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(Unreachable);
    expect((fault as Error).cause).toMatchObject({ why: 'not_json' });
  });

  it('over 24 MiB is not read to its end, but for an export', async () => {
    const MiB = Buffer.alloc(1024 * 1024, ' ');
    const large: Act = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      for (let count = 0; count < 25; count += 1) response.write(MiB);
      response.end(JSON.stringify(EXAMPLES.AuditExport));
    };
    const { client } = setup([large]);
    await expect(read(client)).rejects.toMatchObject({ why: 'too_large' });
    await expect(client.call(auditExport, { id })).resolves.toEqual(EXAMPLES.AuditExport);
  });

  it('in text is given as text', async () => {
    const { client } = setup([json(200, 'proto_pending 1\n', { 'content-type': 'text/plain' })]);
    await expect(client.call(metricsText)).resolves.toBe('proto_pending 1\n');
  });

  it('with a code that this version does not know is a refusal all the same', async () => {
    const { client } = setup([refusal('a_newer_code' as ErrorCode, 409)]);
    await expect(read(client)).rejects.toMatchObject({ code: 'a_newer_code', retry: 'never' });
  });
});

describe('the request', () => {
  it('has the path, the query and the body of its operation', async () => {
    const { client, seen } = setup([json(200, '{"items":[],"next_offset":null}')]);
    await client.call(list, { query: { offset: 50, state: 'pending', occurrence: 'a/b c' } });
    expect(seen[0]?.url).toBe('/v2/requests?offset=50&state=pending&occurrence=a%2Fb+c');
    const odd = setup([ok]);
    await odd.client.call(status, { id: 'a/../b?c' });
    expect(odd.seen[0]?.url).toBe('/v2/requests/a%2F..%2Fb%3Fc');
  });

  it('is not sent when its arguments cannot be', async () => {
    const { client, seen } = setup([ok]);
    const call = client.call as (...given: unknown[]) => Promise<unknown>;
    for (const wrong of [
      [status],
      [status, { id: '' }],
      [status, { id: '..' }],
      [list, { id }],
      [list, { query: { after: 1 } }],
      [create, { body: { payload: NaN } }],
    ]) {
      await expect(call(...wrong)).rejects.toThrow(TypeError);
    }
    expect(seen).toEqual([]);
  });
});

describe('the options', () => {
  it.each<[string, Partial<ClientOptions>]>([
    ['origin', { origin: 'review.example' }],
    ['origin', { origin: 'http://review.example' }],
    ['origin', { origin: 'https://review.example/' }],
    ['origin', { origin: 'https://review.example/path' }],
    ['origin', { origin: 'https://user@review.example' }],
    ['origin', { origin: 'http://127.0.0.1.example' }],
    // Verification that is asked for must not be left out in silence.
    ['trust', { trust: {} as never }],
    ['trust', { trust: undefined as never }],
    ['budget.attempts', { budget: { attempts: 0 } }],
    ['budget.seconds', { budget: { seconds: 1.5 } }],
  ])('are refused for their %s: %p', (field, options) => {
    const make = () =>
      countersign({
        origin: 'https://review.example',
        token: 't',
        trust: 'unverified',
        ...options,
      });
    expect(make).toThrow(ConfigurationInvalid);
    expect(make).toThrow(expect.objectContaining({ field }));
  });

  it.each([
    'https://review.example',
    'https://review.example:8443',
    'http://localhost:3000',
    'http://[::1]:1',
  ])(
    'may have the origin %s',
    (value) => void countersign({ origin: value, token: 't', trust: 'unverified' }),
  );
});

it('throws no refusal with the token, the key or the body in it', async () => {
  const { client } = setup([refusal('forbidden', 403)], { token: 'very-secret' });
  const fault = await client
    .call(cancel, { id, body: {}, key: 'secret-key' })
    .catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(ServiceRefusal);
  const { message, stack } = fault as Error;
  expect(`${message} ${stack} ${JSON.stringify(fault)}`).not.toMatch(/secret/);
});
