import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { personOf } from '../support/client.js';
import type { Client } from '../support/client.js';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import { decide, until } from '../support/requests.js';

// examples/agent, run as its README says, against an instance as `npm start` makes it.

const EXAMPLE = resolve(__dirname, '../../examples/agent');

let instance: Instance;
let reviewer: Client;

beforeAll(async () => {
  instance = await startInstance();
  const { demo, dataDirectory } = instance;
  reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
  rmSync(join(EXAMPLE, 'out'), { recursive: true, force: true });
});
afterAll(async () => {
  await instance?.stop();
});

function tried(name: string) {
  const child = spawn(join(EXAMPLE, 'try.sh'), [instance.dataDirectory, name]);
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const ended = new Promise<[number | null, string]>((settle) =>
    child.once('close', (code) => settle([code, log])),
  );
  const id = async () => {
    const said = await until(
      async () => log,
      (text) => text.includes('/review/'),
    );
    return /\/review\/([\w-]+)/.exec(said)![1]!;
  };
  return { ended, id };
}

it('writes what people authorised, and moves nothing', async () => {
  const { ended, id } = tried('today');
  const request = await id();
  const { body } = await reviewer.get(`/v2/requests/${request}/material`);
  expect(body.review_document).toContain('      | 2 invoices, written today.\n');
  const file = join(EXAMPLE, 'out/files/summary.txt');
  expect(existsSync(file)).toBe(false);
  await decide(reviewer, request, 'authorise', {});
  expect(await ended).toEqual([0, expect.stringMatching(/Wrote: 2 invoices[^]*Denied: The tool/)]);
  expect(readFileSync(file, 'utf8')).toBe('2 invoices, written today.\n');
  expect(existsSync(join(EXAMPLE, 'out/files/notes.txt'))).toBe(true);
});

it('writes nothing that people refuse', async () => {
  const { ended, id } = tried('never');
  await decide(reviewer, await id(), 'refuse', {});
  const [code, log] = await ended;
  expect([code, log]).toEqual([0, expect.stringContaining('A reviewer refused this call.')]);
});
