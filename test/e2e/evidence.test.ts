import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadTrust, verifyDocument } from '@countersign/protocol';
import type { Check, Verdict } from '@countersign/protocol';
import { Client, operatorOf, personOf, producerOf } from '../support/client.js';
import { runCommand, startInstance } from '../support/instance.js';
import type { Instance } from '../support/instance.js';
import {
  authorisedRequest,
  claimInput,
  decide,
  executionInput,
  reviewInput,
  until,
} from '../support/requests.js';

let instance: Instance;
let producer: Client;
let reviewer: Client;
let operator: Client;
let folder: string;
let store: string;

beforeAll(async () => {
  instance = await startInstance();
  const { demo, dataDirectory } = instance;
  producer = producerOf(demo);
  operator = operatorOf(demo);
  reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
  folder = mkdtempSync(join(tmpdir(), 'countersign-evidence-'));
  store = join(dirname(demo.trust), 'anchor');
});
afterAll(async () => {
  await instance?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The command's output about a text, with the anchor store by default. */
async function verify(
  text: string,
  flags: readonly string[] = ['--store', store],
): Promise<{ code: number | null; verdict: Verdict; failed: Check[] }> {
  const file = join(folder, 'document.json');
  writeFileSync(file, text);
  const { code, stdout, stderr } = await runCommand([
    ...['verify', file, '--json', '--trust', instance.demo.trust],
    ...flags,
  ]);
  expect(stderr).toBe('');
  const verdict = JSON.parse(stdout) as Verdict;
  return { code, verdict, failed: verdict.checks.filter(({ status }) => status === 'fails') };
}

/** The export once the ledger has caught up with everything that was done. */
async function exported(id: string, entries: number): Promise<string> {
  const answer = await until(
    () => producer.get(`/v2/requests/${id}/export`),
    ({ body }) =>
      body.audit.length === entries && (body.records.length === 0 || body.anchor !== null),
  );
  return answer.text;
}

async function executed(): Promise<string> {
  const status = await authorisedRequest(instance.demo, producer, reviewer);
  const { id } = status.body.request;
  const input = claimInput(status);
  const { execution_identity } = input;
  const claim = await producer.post(`/v2/requests/${id}/claims`, input);
  for (let number = 0; number < 2; number += 1) {
    const nonce = randomBytes(24).toString('base64url');
    const claim_id = claim.body.payload.id;
    const admission = { claim_id, execution_identity, nonce };
    const admitted = await producer.post(`/v2/requests/${id}/admission`, admission, { key: null });
    expect(admitted.status).toBe(200);
  }
  const outcome = { execution_identity, status: 'uncertain', details: {} };
  expect((await producer.post(`/v2/requests/${id}/outcomes`, outcome)).status).toBe(200);
  const settled = {
    execution_identity,
    status: 'completed',
    details: { reason: 'seen', evidence: { deep: [1.5, 'é'] } },
  };
  expect((await operator.post(`/v2/requests/${id}/reconcile`, settled)).status).toBe(200);
  return id;
}

describe('the documents of the service', () => {
  it('holds as an execution, before and after its private material is deleted', async () => {
    const id = await executed();
    const before = await verify(await exported(id, 12));
    expect([before.failed, before.code, before.verdict.verdict]).toEqual([[], 0, 'holds']);
    expect(before.verdict.story.every(({ proven }) => proven)).toBe(true);
    expect(before.verdict.uncovered.map(({ path }) => path)).toEqual(['/verification']);

    await producer.post(`/v2/requests/${id}/discard`);
    const after = await verify(await exported(id, 14));
    expect([after.failed, after.code]).toEqual([[], 0]);
    expect(after.verdict.gone.map(({ path }) => path)).toEqual(['/material']);
  });

  it('is incomplete without a look into the anchor store, and fails with another one', async () => {
    const status = await authorisedRequest(instance.demo, producer, reviewer);
    const text = await exported(status.body.request.id, 4);
    expect(await verify(text, [])).toMatchObject({ code: 3, failed: [] });
    const empty = mkdtempSync(join(folder, 'store-'));
    mkdirSync(join(empty, 'checkpoints'));
    const { code, failed } = await verify(text, ['--store', empty]);
    expect([code, failed.map((check) => check.code)]).toEqual([1, ['anchor_store']]);
  });

  it('holds as a review with an app', async () => {
    const { demo } = instance;
    const publisher = new Client(demo.origin, { token: demo.publisher.token });
    const bundle = await publisher.post('/v2/bundles', {
      html: '<!doctype html><p>ä</p>',
      compatibility: { agent_ui: '2' },
      author: 'A',
      licence: 'MIT',
    });
    const input = reviewInput(demo, {
      profiles: { 'proto.agent-ui': '2' },
      bundle_id: bundle.body.id,
    });
    const { id } = (await producer.post('/v2/requests', input)).body.request;
    await decide(reviewer, id, 'answer');
    const { code, failed } = await verify(await exported(id, 4));
    expect([failed, code]).toEqual([[], 0]);
  });

  it('is incomplete while nothing was decided, and when it was withdrawn', async () => {
    const ids: string[] = [];
    for (const act of ['', 'cancel', 'revoke', 'discard', 'supersede']) {
      const input = reviewInput(instance.demo);
      const { id } = (await producer.post('/v2/requests', input)).body.request;
      if (act !== '') {
        const body = act === 'supersede' ? input : {};
        expect((await producer.post(`/v2/requests/${id}/${act}`, body)).status).toBeLessThan(300);
      }
      ids.push(id);
    }
    const verdicts = [];
    for (const [at, entries] of [1, 2, 2, 3, 2].entries()) {
      const { code, failed } = await verify(await exported(ids[at]!, entries));
      verdicts.push([code, failed]);
    }
    expect(verdicts).toEqual(ids.map(() => [3, []]));
  });

  it('holds as a refusal', async () => {
    const { id } = (await producer.post('/v2/requests', executionInput(instance.demo))).body
      .request;
    await decide(reviewer, id, 'refuse');
    const { verdict, code, failed } = await verify(await exported(id, 4));
    expect([failed, code]).toEqual([[], 0]);
    expect(verdict.checklist.find(({ item }) => item === 3)?.status).toBe('fails');
  });

  it('holds as one ledger from the first entry on', async () => {
    const entries: any[] = [];
    for (;;) {
      const { body } = await operator.get(`/v2/admin/ledger?after=${entries.length}`);
      if (body.length === 0) break;
      entries.push(...body);
    }
    const ledger = readdirSync(join(store, 'checkpoints'));
    const trust = loadTrust(JSON.parse(readFileSync(instance.demo.trust, 'utf8')));
    const alone = verifyDocument(JSON.stringify(entries), trust);
    expect(alone.checks.filter(({ status }) => status === 'fails')).toEqual([]);
    const found = await Promise.all(
      ledger.map((id) => verify(JSON.stringify(entries), ['--store', store, '--ledger', id])),
    );
    // One of the ledgers in the store is this tenant's; the others contradict it or say nothing.
    expect(found.filter(({ code }) => code === 0)).toHaveLength(1);
  });
});
