import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  admit,
  claim,
  connect,
  create,
  digestOf,
  material,
  reportOutcome,
  status,
} from '@countersign/client/node';
import type { Client } from '@countersign/client/node';
import { fileJournal, guard } from '@countersign/guard/node';
import { executionInput } from '../support/requests.js';
import { decided, startGuarded } from './support/guarded.js';
import type { Setup } from './support/guarded.js';

// docs/guard.md, "Overhead": what a guard costs once people have decided. GUARD_OVERHEAD prints the times.

const ACTIONS = Number(process.env['GUARD_OVERHEAD'] ?? 3);

let setup: Setup;
let client: Client;
let calls = 0;

beforeAll(async () => {
  setup = await startGuarded();
  client = await connect(setup.connection, {
    fetch: (url, sent) => {
      calls += 1;
      return fetch(url, sent);
    },
  });
});
afterAll(async () => {
  await setup?.stop();
});

const p50 = (times: readonly number[]) => times.toSorted((a, b) => a - b)[times.length >> 1]!;

async function timed(run: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await run();
  return performance.now() - begun;
}

async function available(id: string): Promise<void> {
  await decided(setup, id);
  await client.until(id, 'available');
}

/** The same five calls, with nothing around them. */
async function plain(id: string): Promise<void> {
  const { request } = await client.call(status, { id });
  await client.call(material, { id });
  const execution_identity = `plain-${randomUUID()}`;
  const execution_binding_digest = digestOf(request.execution);
  const body = { execution_identity, execution_binding_digest };
  const { payload } = await client.call(claim, { id, body });
  const { id: claim_id } = payload as { id: string };
  const nonce = `launch-${randomUUID()}`;
  await client.call(admit, { id, body: { claim_id, execution_identity, nonce } });
  const outcome = { execution_identity, status: 'completed', details: {} } as const;
  await client.call(reportOutcome, { id, body: outcome });
}

it('makes five calls for an action, once people have decided', async () => {
  const guarded = (journal: object) =>
    guard(
      client,
      {
        ...{ name: 'pay', route: setup.demo.routes.execution, ...journal },
        occurrence: ({ id }: { id: string }) => `pay:${id}`,
      },
      () => 1,
    );
  const file = guarded({ journal: fileJournal(join(setup.folder, 'journal')) });
  const none = guarded({});
  const times = { plain: [] as number[], none: [] as number[], file: [] as number[] };
  for (let at = 0; at < ACTIONS; at += 1) {
    const body = executionInput(setup.demo) as never;
    const { request } = await client.call(create, { body });
    await available(request.id);
    times.plain.push(await timed(() => plain(request.id)));
    for (const [name, pay] of Object.entries({ none, file }) as ['none' | 'file', typeof file][]) {
      const plan = pay.plan({ id: randomUUID() } as never);
      await available((await pay.ask(plan)).id);
      const before = calls;
      times[name].push(await timed(() => pay.run(plan)));
      // Without a journal the process asks again, and gets the stored answer.
      expect([name, calls - before]).toEqual([name, name === 'file' ? 5 : 6]);
    }
  }
  if (process.env['GUARD_OVERHEAD'] === undefined) return;
  const [base, bare, kept] = [p50(times.plain), p50(times.none), p50(times.file)];
  console.log({ base, none: [bare, bare / base], file: [kept, kept / base] });
});
