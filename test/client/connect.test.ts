import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  admit,
  auditExport,
  claim,
  connect,
  create,
  fileAnchorStore,
  material,
  reportOutcome,
} from '@countersign/client/node';
import type { Client, FeedEvent } from '@countersign/client/node';
import { verifyExport } from '@countersign/client/export';
import { valueDigest } from '@countersign/protocol';
import { personOf } from '../support/client.js';
import { newFolder } from '../support/folder.js';
import type { Instance } from '../support/instance.js';
import { runCommand, startInstance } from '../support/instance.js';
import { decide, executionInput } from '../support/requests.js';

// docs/client.md: a program that is given the file of `countersign connection`, against the service.

let instance: Instance;
let folder: string;
let file: string;
let client: Client;

beforeAll(async () => {
  instance = await startInstance();
  folder = newFolder('connect');
  file = join(folder, 'countersign.json');
  const { demo, dataDirectory } = instance;
  writeFileSync(join(folder, 'token'), `${demo.producer.token}\n`);
  const { code, stderr } = await runCommand([
    ...['connection', '--producer', demo.producer.id, '--tenant', demo.tenant, '--out', file],
    ...['--data', dataDirectory, '--token-file', 'token'],
    ...['--anchor-store', join(dataDirectory, 'anchor')],
  ]);
  expect([code, stderr]).toEqual([0, '']);
  client = await connect(file);
});
afterAll(async () => {
  await instance?.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('verifies a whole life, with the anchor store that it looks into itself', async () => {
  const { demo, dataDirectory } = instance;
  const stop = new AbortController();
  const seen: FeedEvent[] = [];
  const reading = (async () => {
    for await (const event of client.events({ after: 0, signal: stop.signal })) seen.push(event);
  })().catch((fault: unknown) => fault);

  const created = await client.call(create, { body: executionInput(demo) as never });
  const { id, execution } = created.request;
  const reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
  await decide(reviewer, id, 'authorise', { note: 'go' });
  const { receipt } = await client.until(id, 'available');
  expect(receipt).not.toBeNull();
  const { candidate } = await client.call(material, { id });
  expect(candidate?.response).toEqual({ note: 'go' });

  const execution_identity = 'executor-of-this-test';
  const body = { execution_identity, execution_binding_digest: valueDigest(execution) };
  const claimed = await client.call(claim, { id, body });
  const { id: claim_id } = claimed.payload as { id: string };
  const nonce = 'nonce-of-this-executor';
  await client.call(admit, { id, body: { claim_id, nonce, execution_identity } });
  const outcome = { execution_identity, status: 'completed', details: {} } as const;
  await client.call(reportOutcome, { id, body: outcome });
  // A client that knows nothing of the request reads it first.
  const stranger = await connect(file);
  await expect(stranger.call(reportOutcome, { id, body: outcome })).resolves.toMatchObject({
    payload: { outcome },
  });
  await client.until(id, 'settled');

  const { events: reasons } = await untilSeen(seen, id, 'outcome');
  expect(reasons.slice(0, 2)).toEqual(['created', 'decision']);
  stop.abort();
  await expect(reading).resolves.toMatchObject({ name: 'AbortError' });

  const exported = await client.call(auditExport, { id });
  const copies = fileAnchorStore(join(dataDirectory, 'anchor'));
  const expected = {
    ...{ tenant: created.request.tenant, audience: demo.producer.id, now: Date.now() },
    ...{ executionIdentity: execution_identity, nonce, bindingDigest: valueDigest(execution) },
  };
  const { trust } = JSON.parse(readFileSync(file, 'utf8'));
  const { verdict } = verifyExport(JSON.stringify(exported), { trust, expected, copies });
  expect(verdict).toBe('holds');
  await expect(client.trustDrift()).resolves.toBeNull();
});

async function untilSeen(seen: readonly FeedEvent[], id: string, last: string) {
  for (;;) {
    const events = seen
      .filter(({ event }) => event.request_id === id)
      .map(({ event }) => event.reason);
    if (events.includes(last)) return { events };
    await new Promise((resume) => setTimeout(resume, 20));
  }
}

describe('a connection that cannot be used', () => {
  const changed = (changes: object) => {
    const path = join(folder, 'changed.json');
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...changes }));
    return path;
  };
  it.each<[string, object]>([
    ['origin', { origin: 'http://review.example' }],
    ['origin', { origin: undefined }],
    ['tenant', { tenant: '' }],
    ['producer', { producer: 7 }],
    ['trust', { trust: null }],
    ['trust', { trust: { issuer: 'https://review.example' } }],
    ['token_file', { token_file: 'nowhere' }],
    ['token_env', { token_file: undefined, token_env: 'NOT_SET_ANYWHERE' }],
    ['token_env', { token_file: undefined }],
    ['anchor_store', { anchor_store: 'nowhere' }],
    ['connection', { token: 'pasted-into-the-file' }],
  ])('names %s', async (field, changes) => {
    const fault = await connect(changed(changes)).catch((error: unknown) => error);
    expect(fault).toMatchObject({ name: 'ConfigurationInvalid', field });
    expect(String(fault)).not.toContain('pasted');
  });

  it('names the file that is not there, and who makes it', async () => {
    await expect(connect(join(folder, 'nowhere.json'))).rejects.toThrow('countersign connection');
  });
});
