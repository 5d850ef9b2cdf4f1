import { randomBytes, randomUUID } from 'node:crypto';
import { valueDigest } from '@countersign/protocol';
import type { Answer, Client } from '../../support/client.js';
import { startCollector } from '../../support/collector.js';
import type { CollectedSpan, Collector } from '../../support/collector.js';
import { claimInput, executionInput, until } from '../../support/requests.js';
import { startDeliveryFixture } from '../deliveries/support/fixture.js';
import type { DeliveryFixture } from '../deliveries/support/fixture.js';
import { Canaries } from '../retention/canaries.js';

/** Whose spans come from which process, over NATS and Redis: every seam that a lifecycle with a webhook passes. */
const SEAMS: readonly (readonly [service: string, name: string])[] = [
  ['gateway', 'POST /v2/requests'],
  ['gateway', 'POST /v2/requests/{id}/confirm'],
  ['gateway', 'countersign.request.create call'],
  ['request', 'countersign.request.create serve'],
  ['review', 'countersign.review.confirm serve'],
  ['review', 'review.confirm'],
  ['execution-authority', 'countersign.execution-authority.claim serve'],
  ['execution-authority', 'countersign.execution-authority.admit serve'],
  ['ledger', 'ledger append'],
  ['ledger', 'ledger checkpoint'],
  ['worker-anchor', 'anchor write'],
  ['worker-anchor', 'anchor accept'],
  ['worker-delivery', 'worker-delivery publish'],
  ['worker-delivery', 'worker-delivery process'],
  ['worker-delivery', 'webhook'],
];
/** Of an execution: created, confirmed, anchored, claimed, completed. */
const EVENTS = 5;

/** One process per target over NATS and Redis. Only calls with a sampled trace are traced. */
describe('a trace', () => {
  const canaries = new Canaries();
  let collector: Collector;
  let fixture: DeliveryFixture;
  let closed = false;
  let reviewer: Client;

  beforeAll(async () => {
    collector = await startCollector();
    fixture = await startDeliveryFixture({
      split: true,
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_TRACES_SAMPLER_ARG: '0',
        // Whose word on sampling counts.
        TRUSTED_PROXIES: '127.0.0.1',
        OTEL_RESOURCE_ATTRIBUTES: `planted=${canaries.of('planted leak')}`,
      },
    });
    reviewer = await fixture.person(fixture.demo.people[1]!.id);
    await fixture.configureProducer({ webhook: fixture.receiver.url('/hook') });
  });
  afterAll(async () => {
    if (!closed) await fixture?.close();
    await collector?.close();
  });

  it('of an unsampled call, or of one that names none, is recorded nowhere', async () => {
    await lifecycle({});
    await lifecycle({ traceparent: traceparentOf(newTraceId(), '00') });
    await untilSettled();
    // Spans of these lifecycles would have come with or before those of this one.
    const traceId = newTraceId();
    await lifecycle({ traceparent: traceparentOf(traceId, '01') });
    const spans = await untilComplete(traceId);
    expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
    for (const { headers } of fixture.receiver.at('/hook')) {
      if (headers['traceparent'] !== undefined) expect(headers['traceparent']).toContain(traceId);
    }
  });

  it('is one tree from the producer to the webhook, over every process', async () => {
    const traceId = newTraceId();
    const before = fixture.receiver.received.length;
    await lifecycle({ traceparent: traceparentOf(traceId, '01') });
    const spans = (await untilComplete(traceId)).filter((span) => span.traceId === traceId);
    const known = new Map(spans.map((span) => [span.spanId, span]));
    const orphans = spans.filter(({ parentSpanId }) => {
      return parentSpanId !== PRODUCERS_SPAN && !known.has(parentSpanId);
    });
    expect(orphans.map(({ service, name }) => [service, name])).toEqual([]);
    expect(known.size).toBe(spans.length);

    const webhooks = spans.filter(({ name }) => name === 'webhook');
    for (const webhook of webhooks) {
      expect(webhook.attributes).toEqual({ 'server.address': 'localhost' });
      expect(ancestors(webhook, known)).toEqual(
        expect.arrayContaining(['worker-delivery process', 'worker-delivery publish']),
      );
    }
    const sent = fixture.receiver.received
      .slice(before)
      .map(({ headers }) => headers['traceparent']);
    expect(new Set(sent)).toEqual(
      new Set(webhooks.map(({ spanId }) => `00-${traceId}-${spanId}-01`)),
    );
    const [append] = spans.filter(({ name }) => name === 'ledger append');
    expect(ancestors(append!, known).at(-1)).toMatch(/^POST \/v2\/requests/);
  });

  it('has routes, names and codes, and nothing that anybody sent', async () => {
    const traceId = newTraceId();
    const given = traceparentOf(traceId, '01');
    const { id } = await lifecycle({ traceparent: given });
    const headers = { traceparent: given, 'x-canary': canaries.of('a header') };
    await fixture.producer.get(`/v2/requests/${canaries.of('a path')}`, { headers });
    await fixture.producer.get(`/v2/requests?state=${canaries.of('a query')}`, { headers });
    await fixture.producer.post('/v2/requests', canaries.of('a body'), { headers });
    await fixture.producer.call('PROPFIND', `/v2/${canaries.of('another path')}`, undefined, {
      headers,
      undescribed: true,
    });
    await untilComplete(traceId);
    const refused = await until(
      async () => collector.spans().filter(({ attributes }) => 'error.type' in attributes),
      (spans) => spans.some(({ attributes }) => attributes['http.request.method'] === '_OTHER'),
    );
    expect(refused.map(({ attributes }) => attributes['http.route'])).toContain(
      '/v2/requests/{id}',
    );

    const found = collector.bodies.map((body) => [...canaries.fieldsIn(body)]);
    // Put there by OTEL_RESOURCE_ATTRIBUTES, so that a search that finds nothing is noticed.
    expect(new Set(found.flat())).toEqual(new Set(['planted leak']));
    const { demo } = fixture;
    const texts = collector.bodies.map((body) => body.toString('utf8'));
    const known = [id, demo.tenant, demo.producer.id, demo.producer.token, demo.people[1]!.id];
    const names = [...known, demo.routes.execution, '/hook'];
    expect(names.filter((name) => texts.some((text) => text.includes(`"${name}"`)))).toEqual([]);
  });

  it('that no collector takes delays neither calls nor the end', async () => {
    collector.hang();
    const begin = performance.now();
    await lifecycle({ traceparent: traceparentOf(newTraceId(), '01') });
    expect(performance.now() - begin).toBeLessThan(20_000);
    const stopping = performance.now();
    closed = true;
    await fixture.close();
    expect(fixture.instance.launcher.exitCode).toBe(0);
    // Two groups of processes, each with its bound of two seconds, on a machine that may be busy.
    expect(performance.now() - stopping).toBeLessThan(20_000);
  });

  // ---------------------------------------------------------------------------------------------------

  /** An execution from its creation to its outcome, with private things wherever there is place, told to the webhook. */
  async function lifecycle(headers: Record<string, string>): Promise<{ id: string }> {
    const { demo, producer } = fixture;
    const input = executionInput(demo, {
      summary: canaries.of('summary'),
      metadata: { note: canaries.of('metadata') },
      payload: { [canaries.of('payload key')]: canaries.of('payload') },
      review_document: canaries.of('document'),
    });
    const call = async (client: Client, path: string, body: object, status: number) => {
      const key = path.endsWith('/admission') ? null : `${randomUUID()}.${canaries.of('key')}`;
      return expectStatus(await client.post(path, body, { headers, key }), status);
    };
    const created = await call(producer, '/v2/requests', input, 201);
    const { id } = created.body.request;
    const path = `/v2/requests/${id}`;
    const response = { note: canaries.of('response') };
    const candidate = await call(
      reviewer,
      `${path}/candidates`,
      { response, decision: 'authorise' },
      201,
    );
    const confirmation = {
      candidate_id: candidate.body.id,
      candidate_digest: valueDigest(candidate.body),
    };
    await call(reviewer, `${path}/confirm`, confirmation, 200);
    const status = await until(
      () => producer.get(path),
      ({ body }) => body.grant_state === 'available',
    );
    const claim = await call(producer, `${path}/claims`, claimInput(status), 201);
    const execution_identity = claim.body.payload.execution_identity;
    const permit = { claim_id: claim.body.payload.id, execution_identity, nonce: randomUUID() };
    await call(producer, `${path}/admission`, permit, 200);
    const details = { note: canaries.of('outcome') };
    await call(
      producer,
      `${path}/outcomes`,
      { execution_identity, status: 'completed', details },
      200,
    );
    await fixture.untilDelivered(id, 'webhook', EVENTS);
    return { id };
  }

  /** Until every process has sent its spans: its batches leave once a second. */
  async function untilComplete(traceId: string): Promise<CollectedSpan[]> {
    const missing = (spans: readonly CollectedSpan[]) =>
      SEAMS.filter(([service, name]) => {
        return !spans.some((span) => span.service.endsWith(service) && span.name === name);
      });
    const own = () => collector.spans().filter((span) => span.traceId === traceId);
    await until(
      async () => missing(own()),
      (lacking) => lacking.length === 0,
      15_000,
    );
    await until(
      async () => own().filter(({ name }) => name === 'webhook').length,
      (many) => many === EVENTS,
    );
    await untilSettled();
    return collector.spans();
  }

  /** Until two looks, further apart than batches are, see the same. */
  async function untilSettled(): Promise<void> {
    let seen = -1;
    let since = Date.now();
    await until(
      async () => {
        const now = collector.bodies.length;
        if (now !== seen) since = Date.now();
        seen = now;
        return Date.now() - since;
      },
      (quietMs) => quietMs > 2500,
    );
  }
});

const PRODUCERS_SPAN = 'b7ad6b7169203331';

function newTraceId(): string {
  return randomBytes(16).toString('hex');
}

function traceparentOf(traceId: string, flags: string): string {
  return `00-${traceId}-${PRODUCERS_SPAN}-${flags}`;
}

/** Names of the spans above, the nearest first. */
function ancestors(span: CollectedSpan, known: ReadonlyMap<string, CollectedSpan>): string[] {
  const parent = known.get(span.parentSpanId);
  return parent === undefined ? [] : [parent.name, ...ancestors(parent, known)];
}

function expectStatus(answer: Answer, status: number): Answer {
  if (answer.status !== status) throw new Error(`${answer.status} ${answer.text}`);
  return answer;
}
