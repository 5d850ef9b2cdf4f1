import { randomUUID } from 'node:crypto';
import { OPERATIONS } from '@countersign/protocol';
import type { Operation } from '@countersign/protocol';
import { codeOf } from '../../support/answers.js';
import { Client, operatorOf, personOf, producerOf } from '../../support/client.js';
import type { Demo, Instance } from '../../support/instance.js';
import { startInstance } from '../../support/instance.js';
import type { RawAnswer } from '../../support/raw-http.js';
import {
  BROKEN_HTTP,
  CONTENT_ENCODINGS,
  CONTENT_TYPES,
  STRAY_PATHS,
  WRONG_IDS,
} from './call-list.js';
import { abandonedCall, head, rawCall } from '../../support/raw-http.js';

// Calls that are no valid HTTP, have impossible names, or never end.

const REQUEST_TIMEOUT_MS = 2000;
/** Nothing that is refused at once waited for the rest of a call. */
const AT_ONCE_MS = 1000;

let instance: Instance;
let demo: Demo;
let reviewer: Client;

beforeAll(async () => {
  instance = await startInstance({ env: { REQUEST_TIMEOUT_MS: String(REQUEST_TIMEOUT_MS) } });
  demo = instance.demo;
  reviewer = await personOf(demo, instance.dataDirectory, demo.people[1]!.id);
});
afterAll(async () => {
  await instance?.stop();
});

const bearer = (token = demo.producer.token) => ({ Authorization: `Bearer ${token}` });
const json = { 'Content-Type': 'application/json' };
const key = { 'Idempotency-Key': 'k' };
const told = ({ status, code }: RawAnswer) => `${status} ${code}`;

describe('invalid HTTP is 400 and ends the connection', () => {
  it.each(BROKEN_HTTP)('%s', async (_what, bytes) => {
    const answer = await rawCall(demo.origin, [bytes]);
    expect([told(answer), answer.ended]).toEqual(['400 invalid_json', true]);
    expect(answer.text).toContain('X-Frame-Options: DENY');
  });

  it('chunks whose size is no number, once the call is under way', async () => {
    const start = head('POST', `/v2/requests/${randomUUID()}/cancel`, {
      ...bearer(),
      ...json,
      ...key,
      'Transfer-Encoding': 'chunked',
    });
    for (const chunk of ['x\r\n{}\r\n', '-1\r\n{}\r\n', '2;\0\r\n{}\r\n', '2\r\n{}0\r\n\r\n']) {
      const answer = await rawCall(demo.origin, [start, chunk]);
      expect([told(answer), answer.ended]).toEqual(['400 invalid_json', true]);
    }
  });

  it('more than 16 KiB of headers, and not a byte less', async () => {
    const lines = (bytes: number, each: number) => {
      const rest = bytes - 'Host: localhost\r\n'.length;
      const count = Math.floor(rest / each);
      const header = (place: number, length: number) => {
        const name = `H${place}`;
        return `${name}: ${'x'.repeat(length - name.length - 4)}\r\n`;
      };
      return Array.from({ length: count }, (_, place) =>
        header(place, place === 0 ? each + (rest % each) : each),
      ).join('');
    };
    const call = (bytes: number, each: number) =>
      rawCall(demo.origin, [`GET /livez HTTP/1.1\r\nHost: localhost\r\n${lines(bytes, each)}\r\n`]);
    for (const each of [16_000, 1000, 20]) {
      const [fits, long] = [await call(16_384, each), await call(16_385, each)];
      expect([each, fits.status, fits.ended]).toEqual([each, 200, false]);
      expect([each, told(long), long.ended]).toEqual([each, '400 invalid_json', true]);
    }
    const endless = await rawCall(demo.origin, [`GET /livez HTTP/1.1\r\nX: ${'x'.repeat(1e6)}`]);
    expect([told(endless), endless.ended]).toEqual(['400 invalid_json', true]);
    expect(endless.after).toBeLessThan(AT_ONCE_MS);
  });
});

describe('an unknown path is 404', () => {
  it.each(['CONNECT', 'BREW', 'TRACE', 'PROPFIND', 'M-SEARCH'])('the method %s', async (method) => {
    expect(told(await rawCall(demo.origin, [head(method, '/health')]))).toBe('404 not_found');
  });

  it.each(STRAY_PATHS)('the path %s', async (path) => {
    const answer = await rawCall(demo.origin, [head('GET', path, bearer())]);
    expect(told(answer)).toBe('404 not_found');
  });

  const named = (of: Operation['idOf']) => OPERATIONS.filter(({ idOf }) => idOf === of);

  it.each(named('request'))('any id of a request that is none: #$number', async (operation) => {
    const { method, path, input, callers, key: keyed } = operation;
    const client =
      callers === 'reviewer'
        ? reviewer
        : callers === 'operator'
          ? operatorOf(demo)
          : producerOf(demo);
    const body = input === null ? undefined : await exampleOf(operation);
    const answers = new Set<string>();
    for (const id of [...WRONG_IDS, randomUUID()]) {
      const answer = await client.call(method, path.replace('{id}', id), body, {
        key: keyed ? randomUUID() : null,
      });
      expect([id, codeOf(answer)]).toEqual([id, '404 not_found']);
      answers.add(answer.text.replace(answer.body.instance, ''));
    }
    expect(answers.size).toBe(1);
  });

  it.each([...named('principal'), ...named('route')])(
    'and any id of a principal or a route is 400: #$number',
    async ({ method, path }) => {
      const identifier = /^[a-zA-Z0-9_.:@/-]{1,160}$/;
      const decoded = (id: string) => {
        try {
          return decodeURIComponent(id);
        } catch {
          return id;
        }
      };
      const wrong = [...WRONG_IDS, 'a%20b', 'x'.repeat(161)].filter(
        (id) => !identifier.test(decoded(id)),
      );
      for (const id of wrong) {
        const answer = await operatorOf(demo).call(
          method,
          path.replace('{id}', id),
          {},
          { key: null },
        );
        expect([id, codeOf(answer)]).toEqual([id, '400 invalid_path_parameter']);
      }
    },
  );
});

/** A body that the operation would take, were it about something. */
async function exampleOf({ input }: Operation): Promise<unknown> {
  const { EXAMPLES } = await import('@countersign/protocol');
  return EXAMPLES[input as keyof typeof EXAMPLES];
}

describe('a body that is declared as something else', () => {
  const cancel = (headers: Record<string, string>) =>
    producerOf(demo).post(`/v2/requests/${randomUUID()}/cancel`, {}, { headers }).then(codeOf);

  it.each(CONTENT_TYPES)('%s', async (type, expected) => {
    expect(await cancel({ 'content-type': type })).toBe(expected);
  });

  it.each(CONTENT_ENCODINGS)('as %s', async (encoding, expected) => {
    expect(await cancel({ 'content-encoding': encoding })).toBe(expected);
  });
});

describe('a body that never ends', () => {
  const open = (path: string, headers: Record<string, string>, method = 'POST') =>
    rawCall(demo.origin, [head(method, path, headers), '{"a":']);
  const path = `/v2/requests/${randomUUID()}`;
  const endless = { ...json, ...key, 'Content-Length': '1000' };
  const session = () => ({ Cookie: (reviewer.credentials as { cookie: string }).cookie });

  it.each<[string, () => [string, Record<string, string>, string?], string]>([
    ['nobody’s', () => ['/v2/requests', endless], '401 unauthenticated'],
    ['one without proof', () => [`${path}/confirm`, { ...endless, ...session() }], '403 csrf'],
    ['one to nowhere', () => ['/v2/nothing', { ...endless, ...bearer() }], '404 not_found'],
    [
      'the wrong kind of caller’s',
      () => [`${path}/confirm`, { ...endless, ...bearer() }],
      '403 human_required',
    ],
    [
      'a strange operator’s',
      () => ['/v2/admin/routes/r', { ...endless, ...bearer() }, 'PUT'],
      '403 operator_required',
    ],
    [
      'one for an id that is none',
      () => ['/v2/admin/routes/%20', { ...endless, ...bearer(demo.operator.token) }, 'PUT'],
      '400 invalid_path_parameter',
    ],
    [
      'a creation without a key',
      () => ['/v2/requests', { ...endless, ...bearer(), 'Idempotency-Key': 'a b' }],
      '400 idempotency_key_required',
    ],
    [
      'a replacement of nothing',
      () => [`${path}/supersede`, { ...endless, ...bearer() }],
      '404 not_found',
    ],
    [
      'one that is no JSON',
      () => [`${path}/cancel`, { ...endless, ...bearer(), 'Content-Type': 'text/plain' }],
      '400 json_required',
    ],
    [
      'one that is compressed',
      () => [`${path}/cancel`, { ...endless, ...bearer(), 'Content-Encoding': 'gzip' }],
      '400 unsupported_encoding',
    ],
    [
      'one in another charset',
      () => [
        `${path}/cancel`,
        { ...endless, ...bearer(), 'Content-Type': 'application/json; charset=latin1' },
      ],
      '400 utf8_required',
    ],
    [
      'one that says that it is too large',
      () => [`${path}/cancel`, { ...endless, ...bearer(), 'Content-Length': '65537' }],
      '413 body_too_large',
    ],
    ['an unexpected one', () => ['/health', endless, 'GET'], '200 undefined'],
    ['one to sign out', () => ['/auth/logout', endless], '401 unauthenticated'],
  ])('does not delay the answer: %s', async (_what, given, expected) => {
    const answer = await open(...given());
    expect(told(answer)).toBe(expected);
    expect(answer.after).toBeLessThan(AT_ONCE_MS);
  });

  it('ends its connection a moment after the answer', async () => {
    const never = /$^/;
    const begin = performance.now();
    const answer = await rawCall(demo.origin, [head('POST', '/v2/requests', endless), '{'], never);
    expect([told(answer), answer.ended]).toEqual(['401 unauthenticated', true]);
    expect(performance.now() - begin).toBeLessThan(5000);
  });

  it('is refused as soon as it is too large', async () => {
    const start = head('POST', `${path}/cancel`, {
      ...bearer(),
      ...json,
      ...key,
      'Transfer-Encoding': 'chunked',
    });
    const chunk = `1000\r\n${' '.repeat(0x1000)}\r\n`;
    const answer = await rawCall(demo.origin, [start, ...Array<string>(17).fill(chunk)]);
    expect(told(answer)).toBe('413 body_too_large');
    expect(answer.after).toBeLessThan(AT_ONCE_MS);
  });

  it('or comes drop by drop has its time like any other, and so have headers', async () => {
    const drops = Array.from({ length: 60 }, () => [' ', 100]).flat();
    const begin = performance.now();
    const answers = await Promise.all([
      rawCall(demo.origin, [head('POST', `${path}/cancel`, { ...endless, ...bearer() }), ...drops]),
      rawCall(demo.origin, [
        'GET /health HTTP/1.1\r\nX: ',
        ...drops.map((d) => (d === ' ' ? 'x' : d)),
      ]),
      rawCall(demo.origin, ['GET /health HTTP/1.1\r\n', 60_000]),
    ]);
    for (const answer of answers) {
      expect([told(answer), answer.ended]).toEqual(['400 invalid_json', true]);
      expect(answer.after).toBeGreaterThan(REQUEST_TIMEOUT_MS - 100);
      expect(answer.after).toBeLessThan(REQUEST_TIMEOUT_MS + 3000);
    }
    // Other callers were not delayed.
    expect(performance.now() - begin).toBeLessThan(REQUEST_TIMEOUT_MS + 3000);
    expect((await new Client(demo.origin, null).get('/health')).status).toBe(200);
  });

  it('that its caller gives up does no harm', async () => {
    const begun = [head('POST', `${path}/cancel`, { ...endless, ...bearer() }), '{"a":'];
    await Promise.all(Array.from({ length: 50 }, () => abandonedCall(demo.origin, begun)));
    const whole = [head('GET', '/v2/requests', bearer())];
    await Promise.all(Array.from({ length: 50 }, () => abandonedCall(demo.origin, whole)));
    expect((await new Client(demo.origin, null).get('/health')).status).toBe(200);
  });
});
