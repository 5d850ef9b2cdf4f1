import { randomUUID } from 'node:crypto';
import { DEFAULT_LIMITS, OPERATIONS, invalidRecordCode } from '@countersign/protocol';
import type { Limits, Operation, RecordName } from '@countersign/protocol';
import { codeOf } from '../../support/answers.js';
import { Client, operatorOf, personOf } from '../../support/client.js';
import type { Demo, Instance } from '../../support/instance.js';
import { startInstance } from '../../support/instance.js';
import type { OwnRoute } from '../../support/own-route.js';
import { newRoute } from '../../support/own-route.js';
import { head, rawCall } from '../../support/raw-http.js';
import { decide, executionBinding, executionInput, reviewInput } from '../../support/requests.js';

// The limits on sizes of calls and lengths of texts (protocol §3.2, §9.1, §9.3): the limit is accepted, one more is not.

let instance: Instance;
let demo: Demo;
let operator: Client;
let publisher: Client;
let reviewer: Client;

beforeAll(async () => {
  instance = await startInstance();
  demo = instance.demo;
  operator = operatorOf(demo);
  publisher = new Client(demo.origin, { token: demo.publisher.token });
  reviewer = await personOf(demo, instance.dataDirectory, demo.people[1]!.id);
});
afterAll(async () => {
  await instance?.stop();
});

const takers = OPERATIONS.filter(({ input }) => input !== null);
const KiB = 1024;

function callerOf({ callers }: Operation): Client {
  if (callers === 'publisher') return publisher;
  if (callers === 'reviewer') return reviewer;
  return callers === 'operator'
    ? operator
    : new Client(demo.origin, { token: demo.producer.token });
}

const pathOf = ({ path }: Operation) => path.replace('{id}', randomUUID());

describe('a whole body', () => {
  it('has the ceiling of its operation (protocol §9.3)', () => {
    const ceilings = takers.map(({ number, bodyLimit }) => [number, bodyLimit]);
    const of = (bytes: number, ...numbers: number[]) => numbers.map((number) => [number, bytes]);
    expect(ceilings.sort(([a = 0], [b = 0]) => a - b)).toEqual(
      [
        ...of(22 * KiB * KiB, 3, 4, 16),
        ...of(2 * KiB * KiB, 10),
        ...of(KiB * KiB, 19, 20),
        ...of(64 * KiB, 9, 11, 12, 13, 14, 15, 17, 18, 25, 26),
      ].sort(([a = 0], [b = 0]) => a - b),
    );
  });

  it.each(takers)('of #$number is read up to its ceiling', async (operation) => {
    const { method, bodyLimit, input } = operation;
    const call = (bytes: number) =>
      callerOf(operation).call(
        method,
        pathOf(operation),
        {},
        {
          raw: `{${' '.repeat(bytes - 2)}}`,
          key: operation.key ? randomUUID() : null,
        },
      );
    const empty = input === 'EmptyInput' || operation.number === 16;
    const wrong = `400 ${invalidRecordCode(input as RecordName)}`;
    expect(codeOf(await call(bodyLimit))).toBe(empty ? '404 not_found' : wrong);
    const missing = operation.number === 16 ? '404 not_found' : '413 body_too_large';
    expect(codeOf(await call(bodyLimit + 1))).toBe(missing);
  });

  it('counts as it comes when it does not say its length', async () => {
    const send = async (bytes: number) => {
      const chunk = (size: number) => `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`;
      const { status, code } = await rawCall(demo.origin, [
        head('POST', `/v2/requests/${randomUUID()}/cancel`, {
          Authorization: `Bearer ${demo.producer.token}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': randomUUID(),
          'Transfer-Encoding': 'chunked',
        }),
        ...Array.from({ length: bytes / 1024 }, () => chunk(1024)),
        ...(bytes % 1024 === 0 ? [] : [chunk(bytes % 1024)]),
        '2\r\n{}\r\n0\r\n\r\n',
      ]);
      return `${status} ${code}`;
    };
    expect(await send(64 * KiB - 2)).toBe('404 not_found');
    expect(await send(64 * KiB - 1)).toBe('413 body_too_large');
  });
});

describe('a part', () => {
  /** A route whose limits are small enough to see. */
  const small = (limits: Partial<Limits>) => newRoute(demo, operator, [demo.people[1]!.id], limits);
  const create = (own: OwnRoute, changes: Record<string, unknown>) =>
    own.producer.post('/v2/requests', reviewInput(own.demo, changes)).then(codeOf);
  /** A JSON string of so many bytes, its quotes included; the multi-byte form ends in letters of two. */
  const text = (bytes: number) => 'x'.repeat(bytes - 2);
  const accented = (bytes: number) => `${'é'.repeat((bytes - 2) >> 1)}${'x'.repeat(bytes % 2)}`;

  it('is measured in bytes of its canonical form, by the limits of the route', async () => {
    const own = await small({ payload_bytes: 100, response_bytes: 100 });
    const schemaOf = (title: string) => ({ title });
    const room = 100 - '{"title":}'.length;
    for (const made of [text, accented]) {
      expect(await create(own, { payload: made(100), response_schema: {} })).toBe(201);
      expect(await create(own, { payload: made(101), response_schema: {} })).toBe(
        '413 payload_too_large',
      );
      const inner = (bytes: number) => made(bytes + 2);
      expect(await create(own, { review_document: inner(100), response_schema: {} })).toBe(201);
      expect(await create(own, { review_document: inner(101), response_schema: {} })).toBe(
        '413 document_too_large',
      );
      expect(await create(own, { response_schema: schemaOf(made(room)) })).toBe(201);
      expect(await create(own, { response_schema: schemaOf(made(room + 1)) })).toBe(
        '413 schema_too_large',
      );
      const metadata = (bytes: number) => ({
        metadata: schemaOf(made(bytes)),
        response_schema: {},
      });
      expect(await create(own, metadata(room))).toBe(201);
      expect(await create(own, metadata(room + 1))).toBe('413 metadata_too_large');
      const provenance = (bytes: number) =>
        own.producer
          .post(
            '/v2/requests',
            executionInput(own.demo, {
              response_schema: {},
              execution: executionBinding({
                provenance: {
                  profile: 'proto.execution',
                  version: '1-draft.1',
                  references: schemaOf(made(bytes)),
                },
              }),
            }),
          )
          .then(codeOf);
      expect(await provenance(room)).toBe(201);
      expect(await provenance(room + 1)).toBe('413 provenance_too_large');
    }
    // Not as it was sent: spaces and escapes do not count.
    const padded = JSON.stringify(
      reviewInput(own.demo, { payload: 7, response_schema: {} }),
    ).replace('"payload":7', `"payload":"\\u0078${text(99)}"${' '.repeat(1000)}`);
    const sent = await own.producer.post('/v2/requests', {}, { raw: padded });
    expect(codeOf(sent)).toBe(201);
  });

  it('of a proposal is measured by the limits of its request', async () => {
    const own = await small({ response_bytes: 100 });
    const created = await own.producer.post(
      '/v2/requests',
      reviewInput(own.demo, { response_schema: {} }),
    );
    const path = `/v2/requests/${created.body.request.id}/candidates`;
    const propose = (response: unknown) =>
      reviewer.post(path, { response, decision: 'answer' }).then(codeOf);
    for (const made of [text, accented]) {
      expect(await propose(made(100))).toBe(201);
      expect(await propose(made(101))).toBe('413 response_too_large');
    }
  });

  it('of a bundle is 5 MiB of HTML at most', async () => {
    const register = (html: string) =>
      publisher
        .post('/v2/bundles', {
          html,
          compatibility: { agent_ui: '2' },
          author: 'A',
          licence: 'MIT',
        })
        .then(codeOf);
    const { bundle_bytes } = DEFAULT_LIMITS;
    expect(await register('x'.repeat(bundle_bytes))).toBe(201);
    expect(await register('é'.repeat(bundle_bytes / 2))).toBe(201);
    expect(await register('x'.repeat(bundle_bytes + 1))).toBe('413 bundle_too_large');
    expect(await register(`é${'x'.repeat(bundle_bytes - 1)}`)).toBe('413 bundle_too_large');
    expect(await register('')).toBe('400 invalid_BundleRegistration');
  });

  it('that is a document has fewer characters when they have more bytes', async () => {
    const own = await small({});
    const document = (review_document: string) => create(own, { review_document });
    const most = DEFAULT_LIMITS.payload_bytes / 4;
    expect(await document('😀'.repeat(most))).toBe(201);
    expect(await document(`x${'😀'.repeat(most)}`)).toBe('413 document_too_large');
  });
});

describe('a text', () => {
  it.each<[string, (characters: number) => Record<string, unknown>, number]>([
    ['summary', (n) => ({ summary: '😀'.repeat(n) }), 300],
    ['identifier', (n) => ({ artefact: artefact('r'.repeat(n)) }), 160],
  ])('of a request: %s', async (_name, changes, most) => {
    const producer = new Client(demo.origin, { token: demo.producer.token });
    const create = (characters: number) =>
      producer.post('/v2/requests', reviewInput(demo, changes(characters))).then(codeOf);
    expect(await create(0)).toBe('400 invalid_RequestInput');
    expect(await create(1)).toBe(201);
    expect(await create(most)).toBe(201);
    expect(await create(most + 1)).toBe('400 invalid_RequestInput');
  });

  function artefact(representation: string) {
    return { ...reviewInput(demo).artefact, representation };
  }

  it.each([
    ['author', 1000],
    ['licence', 160],
  ])('of a bundle: %s', async (name, most) => {
    const register = (characters: number) =>
      publisher
        .post('/v2/bundles', {
          html: 'x',
          compatibility: { agent_ui: '2' },
          author: 'A',
          licence: 'MIT',
          [name]: '😀'.repeat(characters),
        })
        .then(codeOf);
    expect(await register(0)).toBe('400 invalid_BundleRegistration');
    expect(await register(1)).toBe(201);
    expect(await register(most)).toBe(201);
    expect(await register(most + 1)).toBe('400 invalid_BundleRegistration');
  });

  it('that selects profiles has 10 entries of 100 characters at most', async () => {
    const producer = new Client(demo.origin, { token: demo.producer.token });
    const select = (entries: number, characters: number) =>
      producer
        .post(
          '/v2/requests',
          reviewInput(demo, {
            profiles: Object.fromEntries(
              Array.from({ length: entries }, (_, n) => [`p${n}`, '1'.repeat(characters)]),
            ),
          }),
        )
        .then(codeOf);
    // A value that fits the record is looked up, and is not known.
    expect(await select(10, 100)).toBe('422 unsupported_profile');
    expect(await select(11, 1)).toBe('400 invalid_RequestInput');
    expect(await select(1, 101)).toBe('400 invalid_RequestInput');
    expect(await select(1, 0)).toBe('400 invalid_RequestInput');
  });

  it('that is a key has 1 to 160 visible ASCII characters', async () => {
    const producer = new Client(demo.origin, { token: demo.producer.token });
    const cancel = (key: string) =>
      producer.post(`/v2/requests/${randomUUID()}/cancel`, {}, { key }).then(codeOf);
    for (const key of ['!', '~', 'k'.repeat(160)]) expect(await cancel(key)).toBe('404 not_found');
    for (const key of ['', 'k'.repeat(161), 'a b', 'a\tb', 'é']) {
      expect(await cancel(key)).toBe('400 idempotency_key_required');
    }
  });
});

describe('a limit of a route', () => {
  const names = Object.keys(DEFAULT_LIMITS) as (keyof Limits)[];

  it.each(names)('%s is a whole number from 1 to its default', async (name) => {
    const put = (value: unknown) =>
      operator
        .put(`/v2/admin/routes/route-${name}`, {
          reviewers: [],
          separation_of_duties: true,
          limits: { ...DEFAULT_LIMITS, [name]: value },
          required_profiles: {},
          allowed_producers: [],
          modes: [],
        })
        .then(codeOf);
    const most = DEFAULT_LIMITS[name];
    for (const value of [1, most]) expect(await put(value)).toBe(200);
    for (const value of [0, most + 1, 1.5, -1, '1', null]) {
      expect(await put(value)).toBe('400 invalid_route_limits');
    }
  });

  it('bounds the times of a request', async () => {
    const limits = {
      review_seconds: 100,
      grant_seconds: 200,
      execution_seconds: 60,
      reconciliation_seconds: 300,
      audit_seconds: 400,
    };
    const own = await newRoute(demo, operator, [demo.people[1]!.id], limits);
    const seconds = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 1000;
    const review = async (changes: object) => {
      const { body } = await own.producer.post(
        '/v2/requests',
        reviewInput(own.demo, { ...changes }),
      );
      const { accepted_at, review_deadline, private_delete_at, audit_delete_at } = body.request;
      return [review_deadline, private_delete_at, audit_delete_at].map((at) =>
        seconds(accepted_at, at),
      );
    };
    expect(await review({})).toEqual([100, 100, 400]);
    // The limit counts for the material, not the shorter wish.
    expect(await review({ review_seconds: 1 })).toEqual([1, 100, 400]);
    expect(await review({ review_seconds: 86_400 })).toEqual([100, 100, 400]);
    for (const review_seconds of [0, 86_401]) {
      expect(await create(own, { review_seconds })).toBe('400 invalid_RequestInput');
    }

    const execute = (changes: object) =>
      own.producer.post(
        '/v2/requests',
        executionInput(own.demo, { execution: executionBinding({ ...changes }) }),
      );
    expect(codeOf(await execute({ execution_seconds: 61 }))).toBe('400 invalid_execution_limits');
    expect(codeOf(await execute({ execution_seconds: 3601 }))).toBe('400 invalid_RequestInput');
    const { body, status } = await execute({ execution_seconds: 60 });
    expect(status).toBe(201);
    const { id, accepted_at, private_delete_at } = body.request;
    expect(seconds(accepted_at, private_delete_at)).toBe(100 + 200 + 60 + 300);
    const { body: receipt } = await decide(reviewer, id, 'authorise');
    const { confirmed_at, grant_deadline } = receipt.payload;
    expect(seconds(confirmed_at, grant_deadline)).toBe(200);
  });

  it('never lets authority outlive the limits of the execution', async () => {
    const own = await newRoute(demo, operator, [demo.people[1]!.id]);
    const valid_until = new Date(Date.now() + 50_000).toISOString();
    const { body } = await own.producer.post(
      '/v2/requests',
      executionInput(own.demo, { execution: executionBinding({ valid_until }) }),
    );
    expect(body.request.review_deadline).toBe(valid_until);
    const receipt = await decide(reviewer, body.request.id, 'authorise');
    expect(receipt.body.payload.grant_deadline).toBe(valid_until);
  });

  const create = (own: OwnRoute, changes: Record<string, unknown>) =>
    own.producer.post('/v2/requests', reviewInput(own.demo, changes)).then(codeOf);
});
