import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { connect, status } from '@countersign/client/node';
import type { Client } from '@countersign/client/node';
import { fileJournal, guard } from '@countersign/guard/node';
import type { GuardOptions } from '@countersign/guard/node';
import { startGuarded, decided } from './support/guarded.js';
import type { Setup } from './support/guarded.js';

// docs/guard.md: one process, from the call to its end.

let setup: Setup;
let client: Client;

beforeAll(async () => {
  setup = await startGuarded();
  client = await connect(setup.connection);
}, 120_000);
afterAll(async () => {
  await setup?.stop();
}, 60_000);

type Args = { charge: string; amount: number };
const newArgs = (): Args => ({ charge: randomUUID(), amount: 2_000 });

/** Options whose request is decided as soon as it is there. */
function options(
  decision: 'authorise' | 'refuse',
  changes: Partial<GuardOptions<Args>> = {},
): GuardOptions<Args> {
  return {
    name: 'refund',
    route: setup.demo.routes.execution,
    occurrence: ({ charge }) => `refund:${charge}`,
    onAsked: ({ id }) => void decided(setup, id, decision),
    ...changes,
  };
}

const journals = {
  none: () => ({}),
  file: () => ({ journal: fileJournal(join(setup.folder, 'journal')) }),
};

describe.each(Object.entries(journals))('with the journal %s', (name, journal) => {
  it('asks, runs once and gives the result', async () => {
    const args = newArgs();
    const seen: unknown[] = [];
    const refund = guard(client, options('authorise', journal()), (given: Args, run) => {
      seen.push(given, run.response);
      return { refunded: given.amount };
    });
    await expect(refund(args)).resolves.toEqual({ refunded: 2_000 });
    expect(seen).toEqual([args, { note: 'seen' }]);
    const again = refund(args);
    if (name === 'none') await expect(again).rejects.toMatchObject({ name: 'AlreadyDone' });
    else await expect(again).resolves.toEqual({ refunded: 2_000 });
    expect(seen.length).toBe(2);
  });

  it('does not run what was refused', async () => {
    const refund = guard(client, options('refuse', journal()), () => {
      throw new Error('started');
    });
    await expect(refund(newArgs())).rejects.toMatchObject({
      ...{ name: 'Refused', response: { note: 'seen' } },
    });
  });
});

it('records what it did', async () => {
  const refund = guard(client, options('authorise'), (_: Args, run) => run.requestId);
  const id = (await refund(newArgs())) as string;
  const { outcome } = await client.call(status, { id });
  expect(outcome?.payload).toMatchObject({
    outcome: { status: 'completed', details: { permits: 1, anchor_store: 'checked' } },
  });
});
