import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  EVIDENCE_FORMAT,
  loadTrust,
  logKeys,
  readNote,
  readTreeHead,
  sharedRoots,
  treeEntry,
  verifyCheckpoint,
} from '@countersign/protocol';
import type { AuditExport, Evidence } from '@countersign/protocol';
import { operatorOf, personOf, producerOf } from '../support/client.js';
import type { Client } from '../support/client.js';
import { startInstance } from '../support/instance.js';
import type { Instance } from '../support/instance.js';
import { authorisedRequest, claimInput, reviewInput, until } from '../support/requests.js';

let instance: Instance;
let producer: Client;
let reviewer: Client;
let operator: Client;

beforeAll(async () => {
  instance = await startInstance();
  const { demo, dataDirectory } = instance;
  producer = producerOf(demo);
  operator = operatorOf(demo);
  reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
});
afterAll(async () => {
  await instance?.stop();
});

const pathOf = (id: string) => `/v2/requests/${id}/evidence`;

async function evidenceOf(id: string, by = producer) {
  const answer = await until(
    () => by.get(pathOf(id)),
    ({ status }) => status !== 409,
  );
  expect(answer.status).toBe(200);
  return { text: answer.text, evidence: answer.body as Evidence };
}

async function executed(): Promise<string> {
  const status = await authorisedRequest(instance.demo, producer, reviewer);
  const { id } = status.body.request;
  const input = claimInput(status);
  const { execution_identity } = input;
  const claim = await producer.post(`/v2/requests/${id}/claims`, input);
  const nonce = randomBytes(24).toString('base64url');
  const admission = { claim_id: claim.body.payload.id, execution_identity, nonce };
  await producer.post(`/v2/requests/${id}/admission`, admission, { key: null });
  const outcome = { execution_identity, status: 'completed', details: {} };
  expect((await producer.post(`/v2/requests/${id}/outcomes`, outcome)).status).toBe(200);
  return id;
}

/** The signed roots, and those that the nodes lead to. */
function rootsOf({ log, export: exported, remains, trust }: Evidence) {
  const head = readTreeHead(readNote(log.checkpoint)?.body ?? '')!;
  const opening = log.opening === null ? null : readTreeHead(readNote(log.opening)?.body ?? '')!;
  const signed = logKeys(head.origin, loadTrust(trust)).some((key) =>
    [log.checkpoint, log.opening ?? log.checkpoint].every((note) => verifyCheckpoint(note, key)),
  );
  const leaves = [...(exported?.audit ?? remains ?? []), ...(exported?.anchor?.proof ?? [])].map(
    (entry): [number, Buffer] => [Number(entry.sequence) - 1, treeEntry(entry.record_digest)],
  );
  const bytes = Buffer.from(log.nodes, 'base64');
  const nodes = Array.from({ length: bytes.length / 32 }, (_, at) =>
    bytes.subarray(32 * at, 32 * (at + 1)),
  );
  const of = { size: head.size, earlier: opening?.size ?? null };
  return {
    signed,
    size: head.size,
    stated: { root: head.root, earlierRoot: opening?.root ?? null },
    computed: sharedRoots(new Map(leaves), of, nodes),
  };
}

describe('the evidence of a request', () => {
  it('waits for the tree, and then proves every entry of an execution', async () => {
    const id = await executed();
    // The outcome was committed a moment ago: its checkpoint of the tree takes a second or more.
    const early = await producer.get(pathOf(id));
    expect([early.status, early.body.error]).toEqual([409, 'evidence_incomplete']);
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(0);

    const { text, evidence } = await evidenceOf(id);
    expect(evidence.evidence).toBe(EVIDENCE_FORMAT);
    expect(evidence.trust).toEqual(JSON.parse(readFileSync(instance.demo.trust, 'utf8')));
    const exported = await producer.get(`/v2/requests/${id}/export`);
    expect(text).toContain(`"export":${exported.text},"log":`);
    const { audit } = exported.body as AuditExport;
    expect(audit).toHaveLength(9);

    const roots = rootsOf(evidence);
    expect(roots.signed).toBe(true);
    expect(roots.size).toBeGreaterThanOrEqual(Number(audit.at(-1)?.sequence));
    expect(evidence.log.opening).not.toBeNull();
    expect(roots.computed).toEqual(roots.stated);
  });

  it('is for those who may export: for others the request does not exist', async () => {
    const created = await producer.post('/v2/requests', reviewInput(instance.demo));
    const { id } = created.body.request;
    await evidenceOf(id);
    await evidenceOf(id, reviewer);
    await evidenceOf(id, operator);
    const missing = await producer.get(pathOf('00000000-0000-4000-8000-000000000000'));
    expect([missing.status, missing.body.error]).toEqual([404, 'not_found']);
    const outsider = await personOf(
      instance.demo,
      instance.dataDirectory,
      instance.demo.people.at(-1)!.id,
    );
    const [shown, exported] = [
      await outsider.get(pathOf(id)),
      await outsider.get(`/v2/requests/${id}/export`),
    ];
    expect(shown.status).toBe(exported.status);
  });

  it('still proves the rest once private material is deleted', async () => {
    const id = await executed();
    await producer.post(`/v2/requests/${id}/discard`);
    const { evidence } = await evidenceOf(id);
    expect(evidence.export?.material).toBeNull();
    const roots = rootsOf(evidence);
    expect(roots.computed).toEqual(roots.stated);
  });
});
