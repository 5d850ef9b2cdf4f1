import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { valueDigest } from '@countersign/protocol';
import { personOf, producerOf } from '../../support/client.js';
import type { Demo, Instance } from '../../support/instance.js';
import { runCommand, startInstance } from '../../support/instance.js';
import { until } from '../../support/requests.js';
import { EXTENDED } from '../../support/voting.js';

// The request that `npm start` leaves for three people, where the deployment offers approvals (protocol §18).

interface Voter {
  id: string;
  name: string;
  group: string;
  team: string;
}

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance({ demo: true, env: { CAPABILITIES: 'proto.approval' } });
});
afterAll(() => instance?.stop());

test('six voters of two groups stand in demo.json, and the payment of the demonstration is decided by three of them', async () => {
  const demo = instance.demo as Demo & { approvals: { route: string; voters: Voter[] } };
  const { route, voters } = demo.approvals;
  expect(voters.map(({ id, group }) => `${id} of ${group}`)).toEqual([
    'finance-1 of finance',
    'finance-2 of finance',
    'finance-3 of finance',
    'platform-1 of platform',
    'platform-2 of platform',
    'platform-3 of platform',
  ]);
  const said = /request (\S+)\n\s+one person of finance approves it: (.+)\n/.exec(
    instance.output(),
  );
  expect(said?.[2]).toContain('Fiona Finance (team treasury)');
  const path = `/v2/requests/${said?.[1] as string}`;
  const producer = producerOf(demo);
  expect((await producer.get(path, EXTENDED)).body.request.route).toBe(route);

  const fiona = await personOf(demo, instance.dataDirectory, 'finance-1');
  const frozen = await fiona.post(`${path}/candidates`, {
    decision: 'authorise',
    response: { reason: 'The account is the one of the last six payments.' },
  });
  const vote = { candidate_id: frozen.body.id, candidate_digest: valueDigest(frozen.body) };
  const receipts: unknown[] = [];
  // The second of the team "storage" counts for nothing more than the first.
  for (const id of ['finance-1', 'platform-1', 'platform-2', 'platform-3']) {
    const voter = await personOf(demo, instance.dataDirectory, id);
    const answer = await voter.post(`${path}/approvals`, vote, EXTENDED);
    expect(answer.status).toBe(201);
    receipts.push(answer.body.receipt?.payload.decision ?? null);
  }
  expect(receipts).toEqual([null, null, null, 'authorise']);

  const { text } = await until(
    () => producer.get(`${path}/export`, EXTENDED),
    ({ body }) => body.anchor !== null,
  );
  const file = join(instance.dataDirectory, 'export.json');
  writeFileSync(file, text);
  const store = join(instance.dataDirectory, 'anchor');
  const verified = await runCommand(['verify', file, '--trust', demo.trust, '--store', store]);
  expect(verified.code).toBe(0);
  const people = ['finance-1 (finance', 'platform-1 (platform', 'platform-3 (platform'];
  for (const person of people) expect(verified.stdout).toContain(`${person}, stage 1)`);
  expect(verified.stdout).not.toContain('platform-2');
});
