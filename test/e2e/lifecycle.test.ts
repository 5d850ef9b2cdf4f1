import { readFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import {
  chainHead,
  loadTrust,
  textDigest,
  validate,
  valueDigest,
  verifyAnchorProof,
  verifyRecord,
} from '@countersign/protocol';
import type { RecordType, Trust } from '@countersign/protocol';
import type { Client } from '../support/client.js';
import { operatorOf, personOf, producerOf } from '../support/client.js';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import {
  authorisedRequest,
  claimInput,
  decide,
  executionInput,
  reviewInput,
  until,
} from '../support/requests.js';

describe.each([
  ['all in one process', {}],
  ['one process per target, over NATS and Redis', { split: true }],
])('a request travels all the way: %s', (_name, mode) => {
  let instance: Instance;
  let producer: Client;
  let reviewer: Client;
  let operator: Client;
  let trust: Trust;

  beforeAll(async () => {
    instance = await startInstance(mode);
    const { demo, dataDirectory } = instance;
    producer = producerOf(demo);
    operator = operatorOf(demo);
    reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
    trust = loadTrust(JSON.parse(readFileSync(demo.trust, 'utf8')), demo.origin);
  });
  afterAll(async () => {
    await instance?.stop();
  });

  function expectVerified(record: unknown, type: RecordType): void {
    const expected = { type, audience: instance.demo.producer.id, tenant: instance.demo.tenant };
    expect(verifyRecord(record, trust, expected)).toMatchObject({ ok: true });
  }

  it('decides a review and anchors its receipt', async () => {
    const created = await producer.post('/v2/requests', reviewInput(instance.demo));
    expect(created.status).toBe(201);
    expect(validate('RequestStatus', created.body)).toBe(true);
    expect(valueDigest(created.body.request)).toBe(created.body.request_digest);
    const { id } = created.body.request;

    const material = await reviewer.get(`/v2/requests/${id}/material`);
    expect(material.status).toBe(200);
    expect(validate('Material', material.body)).toBe(true);
    expect(textDigest(material.body.review_document)).toBe(
      created.body.request.review.document_digest,
    );

    const lease = await reviewer.post(`/v2/requests/${id}/assignment`);
    expect([lease.status, validate('Assignment', lease.body)]).toEqual([200, true]);
    const renewed = await reviewer.post(`/v2/requests/${id}/assignment`);
    expect(renewed.body.id).toBe(lease.body.id);

    const receipt = await decide(reviewer, id, 'approve');
    expect([receipt.status, receipt.body.payload.decision]).toEqual([200, 'approve']);
    expectVerified(receipt.body, 'DecisionReceipt');

    const anchored = await until(
      () => producer.get(`/v2/requests/${id}`),
      (answer) => answer.body.audit_state === 'anchored',
    );
    expect(validate('RequestStatus', anchored.body)).toBe(true);
    expect([anchored.body.decision_state, anchored.body.grant_state]).toEqual([
      'confirmed',
      'not_applicable',
    ]);
    expect(
      verifyAnchorProof(anchored.body.anchor, trust, { recordDigest: valueDigest(receipt.body) }),
    ).toMatchObject({ ok: true });
  });

  it('authorises, claims once, admits, closes and exports an execution', async () => {
    const status = await authorisedRequest(instance.demo, producer, reviewer);
    const { id } = status.body.request;
    const input = claimInput(status);
    const claim = await producer.post(`/v2/requests/${id}/claims`, input);
    expect([claim.status, claim.body.protected.type]).toEqual([201, 'ExecutionClaim']);
    expect(claim.body.payload.receipt_digest).toBe(valueDigest(status.body.receipt));

    const second = await producer.post(`/v2/requests/${id}/claims`, claimInput(status));
    expect([second.status, second.body.error]).toEqual([409, 'grant_unavailable']);

    const admission = {
      claim_id: claim.body.payload.id,
      execution_identity: input.execution_identity,
      nonce: randomBytes(24).toString('base64url'),
    };
    const admitted = await producer.post(`/v2/requests/${id}/admission`, admission, { key: null });
    expect([admitted.status, admitted.body.protected.type]).toEqual([200, 'AdmissionStatus']);
    expect(validate('AdmissionStatus', admitted.body.payload)).toBe(true);
    expectVerified(admitted.body, 'AdmissionStatus');
    expect(admitted.body.payload.anchor).toEqual(status.body.anchor);
    const replayed = await producer.post(`/v2/requests/${id}/admission`, admission, { key: null });
    expect([replayed.status, replayed.body.error]).toEqual([409, 'nonce_reused']);

    const outcome = {
      execution_identity: input.execution_identity,
      status: 'completed',
      details: { transaction: 'T-1' },
    };
    const closed = await producer.post(`/v2/requests/${id}/outcomes`, outcome);
    expect([closed.status, closed.body.protected.type]).toEqual([200, 'ExecutionOutcome']);
    const again = await producer.post(`/v2/requests/${id}/outcomes`, outcome);
    expect([again.status, again.text]).toEqual([200, closed.text]);
    const other = await producer.post(`/v2/requests/${id}/outcomes`, {
      ...outcome,
      status: 'failed',
    });
    expect([other.status, other.body.error]).toEqual([409, 'outcome_conflict']);

    const exported = await until(
      () => producer.get(`/v2/requests/${id}/export`),
      (answer) => answer.body.audit.length === 9,
    );
    expect(validate('AuditExport', exported.body)).toBe(true);
    expect(exported.body.records.map((record: any) => record.protected.type)).toEqual([
      'DecisionReceipt',
      'ExecutionClaim',
      'AdmissionStatus',
      'ExecutionOutcome',
    ]);
    for (const record of exported.body.records) expectVerified(record, record.protected.type);
  });

  it('keeps one gap-free chain, read by the operator', async () => {
    let previous = '';
    let sequence = 0;
    for (;;) {
      const page = await operator.get(`/v2/admin/ledger?after=${sequence}`);
      expect([page.status, validate('LedgerPage', page.body)]).toEqual([200, true]);
      if (page.body.length === 0) break;
      for (const entry of page.body) {
        sequence += 1;
        expect(entry.sequence).toBe(String(sequence));
        expect(entry.previous_head).toBe(previous);
        expect(textDigest(entry.record)).toBe(entry.record_digest);
        previous = chainHead(previous, entry.record_digest, sequence);
        expect(entry.head).toBe(previous);
      }
    }
    expect(sequence).toBeGreaterThanOrEqual(20);
  });

  it('feeds the owner its own signed events without a gap', async () => {
    const { body, headers } = await producer.get('/v2/events');
    expect(validate('EventPage', body)).toBe(true);
    expect(body.items.length).toBe(body.next);
    const rest = await producer.get(`/v2/events?after=${body.next}`);
    expect(rest.body).toEqual({ items: [], next: body.next });
    // Where a new reader starts that wants no old events.
    for (const each of [headers, rest.headers]) expect(each.get('event-head')).toBe(`${body.next}`);
    const tail = await producer.get(`/v2/events?after=${body.next - 1}`);
    expect([tail.body.items, tail.headers.get('event-head')]).toEqual([
      body.items.slice(-1),
      `${body.next}`,
    ]);
    const newcomer = await reviewer.get('/v2/events');
    expect([newcomer.body.items, newcomer.headers.get('event-head')]).toEqual([[], '0']);
  });

  it('answers nothing that it has not chained as anchored', async () => {
    const created = await producer.post('/v2/requests', executionInput(instance.demo));
    const id = created.body.request.id;
    await decide(reviewer, id, 'authorise');
    const early = await producer.post(`/v2/requests/${id}/claims`, claimInput(created));
    const known = early.status === 201 ? 'claimed' : early.body.error;
    expect(['pending_anchor', 'claimed']).toContain(known);
  });

  it('stops all that it started at Ctrl-C', async () => {
    expect(await instance.stop()).toBe(0);
    await expect(fetch(`${instance.demo.origin}/livez`)).rejects.toThrow();
  });
});
