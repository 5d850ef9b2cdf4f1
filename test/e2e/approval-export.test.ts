import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { EXAMPLES, canonicalText, faultOf, valueDigest } from '@countersign/protocol';
import { personOf, producerOf } from '../support/client.js';
import type { CallOptions, Client } from '../support/client.js';
import { startInstance } from '../support/instance.js';
import type { Instance } from '../support/instance.js';
import { reviewInput, until } from '../support/requests.js';
import { Tampering } from '../support/tampering.js';
import { connectTo } from '../support/truths.js';

// No operation makes votes yet (protocol §18): what they leave is written into the database.

let instance: Instance;
let database: pg.Client;
let producer: Client;
let reviewer: Client;

beforeAll(async () => {
  instance = await startInstance();
  const { demo, dataDirectory } = instance;
  database = await connectTo(instance);
  producer = producerOf(demo);
  reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
});
afterAll(async () => {
  await database?.end();
  await instance?.stop();
});

async function newRequest(): Promise<string> {
  const { status, body } = await producer.post('/v2/requests', reviewInput(instance.demo));
  expect(status).toBe(201);
  return body.request.id;
}

const exportOf = (id: string, options: CallOptions = {}) =>
  producer.get(`/v2/requests/${id}/export`, options);
/** The description of the interface does not have the extended forms. */
const EXTENDED = { undescribed: true } as const;

it('exports an ordinary request without evidence', async () => {
  const { status, body } = await exportOf(await newRequest());
  expect([status, faultOf('AuditExport', body)]).toEqual([200, null]);
});

describe('a request that several people decide', () => {
  let id: string;
  const cited = { ...EXAMPLES.SignedRecord, payload: EXAMPLES.MembershipConfigured };

  beforeAll(async () => {
    id = await newRequest();
    const { tenant } = instance.demo;
    const tampering = new Tampering(database, tenant);
    const { profiles, approval } = EXAMPLES.ExtendedDecisionRequest;
    const selected = { 'proto.approval': profiles['proto.approval'] };
    await tampering.rewriteRequest(id, { path: ['profiles'], value: selected });
    await tampering.rewriteRequest(id, { path: ['approval'], value: approval });
    await database.query(
      `INSERT INTO request_evidence (tenant, request_id, digest, type, record) VALUES ($1, $2, $3, 'MembershipConfigured', $4)`,
      [tenant, id, valueDigest(cited), canonicalText(cited)],
    );
  });

  it('is exported with the records that its votes cite', async () => {
    const { status, body } = await exportOf(id, EXTENDED);
    expect([status, faultOf('ExtendedAuditExport', body)]).toEqual([200, null]);
    expect(body.evidence).toEqual({ records: [cited] });
  });

  it('has evidence with this export', async () => {
    const { status, body } = await until(
      () => producer.get(`/v2/requests/${id}/evidence`, EXTENDED),
      (answer) => answer.status !== 409,
    );
    expect([status, faultOf('ExtendedEvidence', body)]).toEqual([200, null]);
  });

  it('has its votes and their endings among the records, in the order of the ledger', async () => {
    const { tenant } = instance.demo;
    for (const type of ['ApprovalRecord', 'ApprovalEnded'] as const) {
      const record = { ...EXAMPLES.SignedRecord, payload: EXAMPLES[type] };
      const text = canonicalText(record);
      await database.query(
        `INSERT INTO record (tenant, id, request_id, type, digest, issued_at, record) VALUES ($1, $2, $3, $4, $5, now(), $6)`,
        [tenant, randomUUID(), id, type, valueDigest(record), text],
      );
    }
    const { body } = await exportOf(id, EXTENDED);
    const payloads = body.records.map(({ payload }: { payload: unknown }) => payload);
    expect(payloads).toHaveLength(2);
    expect(payloads).toEqual(
      expect.arrayContaining([EXAMPLES.ApprovalRecord, EXAMPLES.ApprovalEnded]),
    );
  });

  it('is not decided by one person, and not at all while the capability is off', async () => {
    const answers = await Promise.all([
      reviewer.post(`/v2/requests/${id}/assignment`),
      reviewer.post(`/v2/requests/${id}/candidates`, { response: {}, decision: 'approve' }),
    ]);
    for (const { status, body } of answers)
      expect([status, body.error]).toEqual([409, 'unsupported_profile']);
  });
});
