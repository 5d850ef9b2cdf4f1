import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { valueDigest } from '@countersign/protocol';
import { personOf } from '../support/client.js';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import { EXTENDED } from '../support/voting.js';
import { installed } from './support/packed.js';
import type { Installed } from './support/packed.js';

// docs/cli.md, `--approvals`: commands and questions on a route that asks for several people.

const ROUTE = 'large-payments';

let instance: Instance;
let cli: Installed;

beforeAll(async () => {
  instance = await startInstance({ demo: true, env: { CAPABILITIES: 'proto.approval' } });
  cli = await installed(instance);
});
afterAll(async () => {
  cli?.remove();
  await instance?.stop();
});

/** One person of finance and two of platform vote for one answer. */
async function agreed(id: string, decision: string): Promise<void> {
  const by = (voter: string) => personOf(instance.demo, instance.dataDirectory, voter);
  const path = `/v2/requests/${id}`;
  const author = await by('finance-1');
  const frozen = await author.post(`${path}/candidates`, { decision, response: { note: 'yes' } });
  const vote = { candidate_id: frozen.body.id, candidate_digest: valueDigest(frozen.body) };
  for (const voter of ['finance-1', 'platform-1', 'platform-3'])
    expect((await (await by(voter)).post(`${path}/approvals`, vote, EXTENDED)).status).toBe(201);
}

it('runs a command once three people have agreed', async () => {
  const script = cli.script('pay.sh', '#!/bin/sh\necho paid\n');
  const started = cli.start([
    ...['run', '--route', ROUTE, '--approvals', '--occurrence', 'pay:1', '--', script],
  ]);
  await agreed(await started.id(), 'authorise');
  const { code, stdout } = await started.ended;
  expect([code, stdout]).toEqual([0, 'paid\n']);
});

it('says what the route asks for when the option is missing', async () => {
  const script = cli.script('pay.sh', '#!/bin/sh\necho paid\n');
  const { code, stdout, stderr } = await cli.run([
    ...['run', '--route', ROUTE, '--occurrence', 'pay:2', '--', script],
  ]);
  expect([code === 0, stdout]).toEqual([false, '']);
  expect(stderr).toMatch(/route_profile_required.*--approvals/s);
});

it('asks three people a question', async () => {
  writeFileSync(join(cli.folder, 'question.md'), 'Is the invoice due?\n');
  const started = cli.start([
    ...['ask', '--route', ROUTE, '--approvals', '--summary', 'Is it due?'],
    ...['--document', 'question.md', '--json'],
  ]);
  const id = await started.id();
  await agreed(id, 'approve');
  const { code, stdout } = await started.ended;
  const { decision, voters } = JSON.parse(stdout);
  expect([code, decision, voters.map(({ reviewer }: { reviewer: string }) => reviewer)]).toEqual([
    0,
    'approve',
    ['finance-1', 'platform-1', 'platform-3'],
  ]);
  const status = await cli.run(['status', id]);
  expect(status.stdout).toContain(
    'Approved by finance-1 (finance), platform-1 (platform), platform-3 (platform) at ',
  );
});
