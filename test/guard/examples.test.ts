import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { connect, material } from '@countersign/client/node';
import { until } from '../support/requests.js';
import { requestsOf } from './support/history.js';
import { decided, startGuarded } from './support/guarded.js';
import type { Setup } from './support/guarded.js';

// examples/charge and examples/resumed-job, run as their README says, against an instance as `npm start` makes it.

const ROOT = resolve(__dirname, '../..');
const at = (path: string) => join(ROOT, 'examples', path);

let setup: Setup;

beforeAll(async () => {
  setup = await startGuarded();
});
afterAll(async () => {
  await setup?.stop();
});

const running = new Set<ChildProcess>();
afterEach(() => {
  // A failed test leaves its example waiting for a decision: it ends with all that it started.
  for (const { pid } of running) process.kill(-pid!, 'SIGTERM');
});

/** Runs the one command of an example. */
function tried(example: string, ...args: readonly string[]) {
  const child = spawn(at(`${example}/try.sh`), [setup.instance.dataDirectory, ...args], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const code = new Promise<number | null>((settle) => child.once('close', settle));
  child.once('exit', () => running.delete(child));
  return { log: () => log, code };
}

it('charge is the lines of the README as they are printed, and a payment service', () => {
  const [, lines] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))!;
  const program = readFileSync(at('charge/refund.ts'), 'utf8');
  expect(program).toBe(`import { payments } from './payments.js';\n${lines}`);
});

it('charge refunds once people authorised it, and never again', async () => {
  const client = await connect(setup.connection);
  const first = tried('charge');
  const [request] = await until(
    () => requestsOf(client, 'refund:ch_1'),
    (found) => found.length > 0,
  );
  const { id } = request!.request;
  expect((await client.call(material, { id })).review_document).toContain('/amount  2000');
  expect(first.log()).not.toContain('Calls');
  await decided(setup, id, 'authorise', {});
  expect([await first.code, first.log()]).toEqual([
    0,
    expect.stringContaining(
      'service: 1. Refunds: [{"id":"re_1","charge":"ch_1","amount":2000}]',
    ) as unknown,
  ]);
  const second = tried('charge');
  expect([await second.code, second.log()]).toEqual([
    1,
    expect.stringMatching(/AlreadyDone[\s\S]*service: 0\. Refunds: \[\]/) as unknown,
  ]);
});

it('resumed-job refunds once, though it is killed before its function and inside of it', async () => {
  // Its journal may be there from an earlier run.
  const charge = `ch_${randomUUID()}`;
  const { log, code } = tried('resumed-job', charge);
  await until(
    async () => log(),
    (said) => said.includes('Killed while people decide'),
  );
  const [, id] = /\/review\/([\w-]+)/.exec(log())!;
  await decided(setup, id!, 'authorise', {});
  expect([await code, log()]).toEqual([0, expect.stringContaining('Killed inside')]);
  expect(log()).toContain(`${charge}: was refunded by an earlier start`);
  expect(log()).toContain(
    `service: 1. Refunds: [{"id":"re_1","charge":"${charge}","amount":2000}]`,
  );
});
