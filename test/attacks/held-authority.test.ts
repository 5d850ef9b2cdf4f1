import { randomUUID } from 'node:crypto';
import { valueDigest } from '@countersign/protocol';
import { Client, operatorOf, personOf, producerOf } from '../support/client.js';
import type { Answer } from '../support/client.js';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import { head, rawCall } from '../support/raw-http.js';
import {
  authorisedRequest,
  claimInput,
  decide,
  executionInput,
  reviewInput,
} from '../support/requests.js';

/** Attacks on authority that were tried on running instances and held. */
describe('attacks on authority', () => {
  let instance: Instance;
  let producer: Client;
  let operator: Client;
  let reviewer: Client;
  let second: Client;

  beforeAll(async () => {
    instance = await startInstance();
    const { demo, dataDirectory } = instance;
    producer = producerOf(demo);
    operator = operatorOf(demo);
    reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
    second = await personOf(demo, dataDirectory, demo.people[2]!.id);
  });
  afterAll(() => instance?.stop());

  const outcome = ({ status, body }: Answer) => [status, body?.error];
  const origin = () => instance.demo.origin;
  const cookieOf = (client: Client) => (client.credentials as { cookie: string }).cookie;
  const tokenOf = (client: Client) => (client.credentials as { token: string }).token;
  const newReview = async (): Promise<string> => {
    const created = await producer.post('/v2/requests', reviewInput(instance.demo));
    return created.body.request.id as string;
  };

  describe('with credentials', () => {
    const calls: readonly [string, () => Record<string, string>][] = [
      ['none', () => ({})],
      ['another scheme', () => ({ authorization: `Basic ${tokenOf(producer)}` })],
      ['a scheme in lower case', () => ({ authorization: `bearer ${tokenOf(producer)}` })],
      ['an unknown token', () => ({ authorization: `Bearer ${'a'.repeat(43)}` })],
      [
        'a cookie as a token',
        () => ({ authorization: `Bearer ${cookieOf(reviewer).split('=')[1]}` }),
      ],
      [
        'a bad token beside a good cookie',
        () => ({ authorization: 'Bearer x', cookie: cookieOf(reviewer) }),
      ],
      [
        'a token as a cookie',
        () => ({ cookie: `${cookieOf(reviewer).split('=')[0]}=${tokenOf(producer)}` }),
      ],
      ['the cookie twice', () => ({ cookie: `${cookieOf(reviewer)}; ${cookieOf(reviewer)}` })],
    ];
    it.each(calls)('%s is refused', async (_, headers) => {
      const stranger = new Client(origin(), null);
      const answer = await stranger.get('/v2/requests', { headers: headers() });
      expect(outcome(answer)).toEqual([401, 'unauthenticated']);
    });
  });

  describe('across sites', () => {
    it.each([
      ['no origin', { origin: '' }],
      ['the null origin', { origin: 'null' }],
      ['a trailing slash', { origin: 'SELF/' }],
      ['the sandbox', { origin: 'SANDBOX' }],
      ['an address instead of the name', { origin: 'http://127.0.0.1:1' }],
      ['another person’s token', { 'x-csrf-token': 'OTHER' }],
      ['no token', { 'x-csrf-token': '' }],
    ])('a call with %s changes nothing', async (_, forged) => {
      const id = await newReview();
      const real: Record<string, string> = {
        SELF: origin(),
        SANDBOX: instance.demo.sandboxOrigin,
        OTHER: (second.credentials as { csrf: string }).csrf,
      };
      const headers = Object.fromEntries(
        Object.entries(forged).map(([name, value]) => [
          name,
          value.replace(/^(SELF|SANDBOX|OTHER)/, (word) => real[word] as string),
        ]),
      );
      const answer = await reviewer.post(`/v2/requests/${id}/assignment`, {}, { headers });
      expect(outcome(answer)).toEqual([403, 'csrf']);
    });

    it('an invented callback makes no session', async () => {
      for (const path of ['/auth/callback?code=a&state=b', '/auth/callback']) {
        const answer = await fetch(origin() + path, {
          redirect: 'manual',
          headers: { cookie: '__Host-countersign-login=aaaa', accept: 'application/json' },
        });
        expect(answer.status).toBe(401);
        expect(answer.headers.get('set-cookie') ?? '').not.toMatch(/session=[^;]/);
      }
    });
  });

  it('another tenant and a missing request answer alike', async () => {
    const id = await newReview();
    const other = new Client(origin(), { token: instance.demo.other.producer.token });
    const otherOperator = new Client(origin(), { token: instance.demo.other.operator.token });
    for (const [caller, path] of [
      [other, ''],
      [other, '/material'],
      [other, '/export'],
      [otherOperator, ''],
      [otherOperator, '/export'],
    ] as const) {
      const [theirs, missing] = await Promise.all(
        [id, randomUUID()].map((each) => caller.get(`/v2/requests/${each}${path}`)),
      );
      expect(outcome(theirs!)).toEqual([404, 'not_found']);
      const shown = ({ body: { instance: _, ...rest } }: Answer) => rest;
      expect(shown(theirs!)).toEqual(shown(missing!));
    }
  });

  it('producers, publishers and reviewers do not administrate', async () => {
    const publisher = new Client(origin(), { token: instance.demo.publisher.token });
    for (const caller of [producer, publisher, reviewer]) {
      const reads = ['/v2/admin/ledger', '/v2/admin/metrics'];
      for (const path of reads) expect((await caller.get(path)).status).toBe(403);
      const body = { id: 'x', kind: 'human', config: { enabled: true } };
      expect((await caller.put('/v2/admin/principals/x', body)).status).toBe(403);
      expect((await caller.put('/v2/admin/routes/x', {})).status).toBe(403);
    }
    for (const path of ['/operator/data/principals', '/operator/data/routes']) {
      for (const caller of [reviewer, operator]) {
        expect((await caller.get(path, { undescribed: true })).status).toBeGreaterThanOrEqual(400);
      }
    }
  });

  describe('on a decision', () => {
    it('is not made by its producer, nor on another person’s candidate', async () => {
      const id = await newReview();
      const proposal = { response: { note: 'x' }, decision: 'approve' };
      const own = await producer.post(`/v2/requests/${id}/candidates`, proposal);
      expect(outcome(own)).toEqual([403, 'human_required']);
      const { body } = await reviewer.post(`/v2/requests/${id}/candidates`, proposal);
      const confirmation = { candidate_id: body.id, candidate_digest: valueDigest(body) };
      const theirs = await second.post(`/v2/requests/${id}/confirm`, confirmation);
      expect(outcome(theirs)).toEqual([409, 'candidate_changed']);
      const wrong = { ...confirmation, candidate_digest: valueDigest('another') };
      const changed = await reviewer.post(`/v2/requests/${id}/confirm`, wrong);
      expect(outcome(changed)).toEqual([409, 'candidate_changed']);
    });

    it('is one of twelve confirmations at once', async () => {
      const id = await newReview();
      const { body } = await reviewer.post(`/v2/requests/${id}/candidates`, {
        response: { note: 'x' },
        decision: 'approve',
      });
      const confirmation = { candidate_id: body.id, candidate_digest: valueDigest(body) };
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => reviewer.post(`/v2/requests/${id}/confirm`, confirmation)),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    });

    it('does not authorise a request that was only answered', async () => {
      const created = await producer.post('/v2/requests', executionInput(instance.demo));
      const answer = await decide(reviewer, created.body.request.id, 'approve');
      expect(outcome(answer)).toEqual([400, 'purpose_decision_mismatch']);
    });
  });

  describe('on an execution', () => {
    it('is claimed once of ten times at once, by its owner only', async () => {
      const status = await authorisedRequest(instance.demo, producer, reviewer);
      const path = `/v2/requests/${status.body.request.id}/claims`;
      expect(outcome(await reviewer.post(path, claimInput(status)))).toEqual([403, 'forbidden']);
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => producer.post(path, claimInput(status))),
      );
      expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    });

    it('is admitted once with a nonce, and not after it was revoked', async () => {
      const status = await authorisedRequest(instance.demo, producer, reviewer);
      const path = `/v2/requests/${status.body.request.id}`;
      const claim = await producer.post(`${path}/claims`, claimInput(status, 'executor/held'));
      const input = {
        claim_id: claim.body.payload.id,
        nonce: 'n'.repeat(24),
        execution_identity: 'executor/held',
      };
      const admit = (changes = {}) =>
        producer.post(`${path}/admission`, { ...input, ...changes }, { key: null });
      const answers = await Promise.all(Array.from({ length: 6 }, () => admit()));
      expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
      expect((await producer.post(`${path}/revoke`)).status).toBe(200);
      expect((await admit({ nonce: 'm'.repeat(24) })).status).toBe(409);
    });
  });

  describe('on HTTP', () => {
    const bearer = () => ({ Authorization: `Bearer ${tokenOf(producer)}` });
    it.each<[string, () => string]>([
      [
        'two lengths',
        () =>
          `${head('POST', '/v2/requests', bearer()).slice(0, -2)}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
      ],
      [
        'a length and chunks',
        () =>
          `${head('POST', '/v2/requests', bearer()).slice(0, -2)}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      ],
      ['a space before a colon', () => 'GET /v2/requests HTTP/1.1\r\nHost : localhost\r\n\r\n'],
      ['a NUL in a header', () => 'GET /v2/requests HTTP/1.1\r\nHost: local\0host\r\n\r\n'],
      ['a method of its own', () => head('STEAL', '/v2/requests')],
      ['a tunnel', () => head('CONNECT', 'localhost:80')],
      ['headers of 17 KiB', () => head('GET', '/v2/requests', { A: 'a'.repeat(17 * 1024) })],
    ])('%s gets one refusal and the end of the connection', async (_, bytes) => {
      const answer = await rawCall(origin(), [bytes()]);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(answer.text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    });

    it.each([
      '/assets/../../package.json',
      '/assets/%2e%2e/%2e%2e/package.json',
      '/assets/..%2fpackage.json',
      '/assets//etc/passwd',
      '/errors/<script>alert(1)</script>',
      '/errors/%3Cscript%3E',
    ])('%s reaches no file and is echoed into no page', async (path) => {
      const answer = await rawCall(
        origin(),
        [head('GET', path, { Accept: 'text/html' })],
        /<\/html>|\}$/,
      );
      expect(answer.status).toBe(404);
      expect(answer.text).not.toContain('<script>alert');
      expect(answer.text).not.toContain('"workspaces"');
    });
  });
});
