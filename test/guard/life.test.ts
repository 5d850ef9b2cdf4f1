import { randomUUID } from 'node:crypto';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  auditExport,
  connect,
  countersign,
  fileAnchorStore,
  revoke,
  status,
} from '@countersign/client/node';
import type { Client, SignedRecord } from '@countersign/client/node';
import { verifyExport } from '@countersign/client/export';
import { NotDone, PartlyDone, fileJournal, guard, resumeAll } from '@countersign/guard/node';
import type { GuardOptions, Run } from '@countersign/guard/node';
import { startGuarded, decided } from './support/guarded.js';
import type { Setup } from './support/guarded.js';

// docs/guard.md: one process, from the call to its end.

let setup: Setup;
let client: Client;

beforeAll(async () => {
  setup = await startGuarded();
  client = await connect(setup.connection);
});
afterAll(async () => {
  await setup?.stop();
});

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

describe('a journal that is lost meanwhile', () => {
  const lost = (name: string) => join(setup.folder, name);

  it('keeps no result: the caller has it, and it is recorded', async () => {
    const folder = lost('while-it-runs');
    const journal = fileJournal(folder);
    let id = '';
    const refund = guard(client, options('authorise', { journal }), (_: Args, run) => {
      id = run.requestId;
      rmSync(folder, { recursive: true });
      return 'refunded';
    });
    await expect(refund(newArgs())).resolves.toBe('refunded');
    expect(await recordedOf(id)).toMatchObject({ status: 'completed' });
  });

  it('before the launch: nothing starts', async () => {
    const folder = lost('before');
    const refund = guard(
      client,
      options('authorise', {
        journal: fileJournal(folder),
        onAsked({ id }) {
          rmSync(folder, { recursive: true });
          void decided(setup, id, 'authorise');
        },
      }),
      () => {
        throw new Error('started');
      },
    );
    await expect(refund(newArgs())).rejects.not.toThrow('started');
  });
});

type Recorded = { status: string; details: Record<string, unknown>; execution_identity: string };
const outcomeOf = (record: SignedRecord | null) =>
  (record?.payload as { outcome: Recorded } | undefined)?.outcome;
const recordedOf = async (id: string) => outcomeOf((await client.call(status, { id })).outcome);

it('leaves an export that holds, with its own identity and nonce', async () => {
  let nonce = '';
  const traced = await connect(setup.connection, {
    fetch: (url, sent) => {
      if (String(url).endsWith('/admission'))
        ({ nonce } = JSON.parse(String(sent?.body)) as { nonce: string });
      return fetch(url, sent);
    },
  });
  const refund = guard(traced, options('authorise'), (_: Args, run) => run.requestId);
  const id = (await refund(newArgs())) as string;
  const outcome = (await recordedOf(id))!;
  expect(outcome).toMatchObject({
    ...{ status: 'completed', details: { permits: 1, anchor_store: 'checked' } },
  });
  const { trust, tenant, producer } = JSON.parse(readFileSync(setup.connection, 'utf8'));
  const executionIdentity = outcome.execution_identity;
  const expected = { tenant, audience: producer, now: Date.now(), executionIdentity, nonce };
  const copies = fileAnchorStore(join(setup.instance.dataDirectory, 'anchor'));
  const exported = JSON.stringify(await client.call(auditExport, { id }));
  expect(verifyExport(exported, { trust, expected, copies }).verdict).toBe('holds');
});

describe('the end of a function', () => {
  const throwing = (error: unknown) => (_: Args, run: Run) => {
    ids.push(run.requestId);
    throw error;
  };
  const ids: string[] = [];
  const known = new Error('card declined');

  it.each<[string, unknown, Partial<GuardOptions<Args>>, string, string]>([
    ['an error that says nothing', known, {}, 'OutcomeUnknown', 'uncertain'],
    ['NotDone', new NotDone('no such charge'), {}, 'NotDone', 'failed'],
    ['PartlyDone', new PartlyDone('one of two'), {}, 'PartlyDone', 'failed_partial'],
    [
      'a known error',
      known,
      { classify: (error) => (error === known ? new NotDone('declined') : undefined) },
      ...(['NotDone', 'failed'] as const),
    ],
    [
      'an error, and the world says done',
      known,
      { probe: () => 'done' },
      'AlreadyDone',
      'completed',
    ],
    [
      'an error, and the world says not done',
      known,
      { probe: () => 'not done' },
      'NotDone',
      'failed',
    ],
    [
      'an error, and the world says that a part is done',
      known,
      { probe: () => 'partly done' },
      'PartlyDone',
      'failed_partial',
    ],
    [
      'an error, and the world does not answer',
      known,
      { probe: () => Promise.reject(new Error('away')) },
      ...(['OutcomeUnknown', 'uncertain'] as const),
    ],
  ])('%s', async (_, error, more, name, recorded) => {
    const refund = guard(client, options('authorise', more), throwing(error));
    await expect(refund(newArgs())).rejects.toMatchObject({ name });
    expect(await recordedOf(ids.at(-1)!)).toMatchObject({ status: recorded });
  });

  it('a function that ignores the end of its window', async () => {
    const args = newArgs();
    let finish: (value: string) => void = () => {};
    const late: unknown[] = [];
    const isLate = new Promise<void>((resolve) => {
      const more = {
        executionSeconds: 1,
        onLate: (occurrence: string, end: object) => {
          late.push(occurrence, end);
          resolve();
        },
      };
      const refund = guard(client, options('authorise', more), (_: Args, run) => {
        ids.push(run.requestId);
        run.signal.addEventListener('abort', () => late.push(run.signal.reason));
        return new Promise<string>((resolve) => (finish = resolve));
      });
      void refund(args).catch((fault: Error) => {
        late.push(fault.name);
        finish('too late');
      });
    });
    await isLate;
    const occurrence = `refund:${args.charge}`;
    expect(late).toEqual(['window', 'OutcomeUnknown', occurrence, { result: 'too late' }]);
    expect(await recordedOf(ids.at(-1)!)).toMatchObject({ status: 'uncertain' });
  });
});

describe('a running function', () => {
  it('learns of a revocation, and gets no further permit', async () => {
    const seen: unknown[] = [];
    const refund = guard(client, options('authorise'), async (_: Args, run) => {
      const aborted = new Promise((resolve) => run.signal.addEventListener('abort', resolve));
      // As long as the guard takes to open the feed.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await client.call(revoke, { id: run.requestId, body: {} });
      const revoked = performance.now();
      await aborted;
      seen.push(run.signal.reason, performance.now() - revoked < 2_000);
      await run.permit().catch((fault: Error) => seen.push(fault.name));
      throw new NotDone('stopped');
    });
    await expect(refund(newArgs())).rejects.toMatchObject({ name: 'NotDone' });
    expect(seen).toEqual(['revoked', true, 'PermitRefused']);
  });

  it('asks for further permits, which are counted', async () => {
    const refund = guard(client, options('authorise'), async (_: Args, run) => {
      await run.permit();
      return run.requestId;
    });
    const id = (await refund(newArgs())) as string;
    expect(await recordedOf(id)).toMatchObject({ details: { permits: 2 } });
  });

  it('learns that its permit is refused', async () => {
    const refund = guard(client, options('authorise'), async (_: Args, run) => {
      await client.call(revoke, { id: run.requestId, body: {} });
      await expect(run.permit()).rejects.toMatchObject({ name: 'PermitRefused' });
      throw new PartlyDone(String(run.signal.reason));
    });
    await expect(refund(newArgs())).rejects.toMatchObject({ name: 'PartlyDone' });
  });

  it('learns that its caller gave up', async () => {
    const stop = new AbortController();
    const refund = guard(client, options('authorise'), async (_: Args, run) => {
      stop.abort();
      throw new NotDone(String(run.signal.reason));
    });
    const end = refund(newArgs(), { signal: stop.signal });
    await expect(end).rejects.toMatchObject({ name: 'NotDone', reason: 'caller' });
  });
});

describe('an occurrence', () => {
  it.each(Object.entries(journals))('stands for one action: %s', async (_, journal) => {
    const args = newArgs();
    const refund = guard(client, options('authorise', journal()), ({ amount }: Args) => amount);
    await refund(args);
    await expect(refund({ ...args, amount: 1 })).rejects.toMatchObject({
      name: 'ArgumentsChanged',
    });
  });

  it.each(Object.entries(journals))('is asked for again: %s', async (_, journal) => {
    const args = newArgs();
    const refusing = guard(client, options('refuse', journal()), ({ amount }: Args) => amount);
    await expect(refusing(args)).rejects.toMatchObject({ name: 'Refused' });
    await expect(refusing(args)).rejects.toMatchObject({ name: 'Refused' });
    const refund = guard(client, options('authorise', journal()), ({ amount }: Args) => amount);
    await expect(refund.again(args)).resolves.toBe(2_000);
    // The newer request counts, also for a caller who asks for the first one.
    const end = refusing(args);
    if (_ === 'none') await expect(end).rejects.toMatchObject({ name: 'AlreadyDone' });
    else await expect(end).resolves.toBe(2_000);
  });

  it('is planned by one process and run by another', async () => {
    const more = { onAsked: () => {} };
    const refund = guard(client, options('authorise', more), ({ amount }: Args) => amount);
    const kept = JSON.stringify(refund.plan(newArgs()));
    const asked = await refund.ask(JSON.parse(kept));
    expect(asked).toMatchObject({ isDecided: false, reviewLink: expect.stringContaining('http') });
    await decided(setup, asked.id);
    await expect(refund.run(JSON.parse(kept))).resolves.toBe(2_000);
    const changed = JSON.parse(kept.replace('"amount":2000', '"amount":1'));
    await expect(refund.run(changed)).rejects.toThrow('was changed');
  });
});

it('leaves nothing private in the journal once the occurrence is closed', async () => {
  const folder = join(setup.folder, `private-${randomUUID()}`);
  const journal = fileJournal(folder);
  const more = { journal, keepResult: false };
  const secret = `secret-${randomUUID()}`;
  const texts = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
      .join('\n');
  let during = '';
  const refund = guard(
    client,
    {
      ...options('authorise', more as never),
      occurrence: ({ charge }: Args) => `refund:${charge.length}-${folder.slice(-8)}`,
    },
    (args: Args, run) => {
      during = texts();
      return { ...args, response: run.response };
    },
  );
  await refund({ charge: secret, amount: 1 });
  expect(during).toContain(secret);
  expect(texts()).not.toMatch(new RegExp(`${secret}|seen`));
  expect(await journal.prune(new Date(Date.now() + 1_000))).toBe(1);
  expect(texts()).toBe('');
});

it('goes on with what a journal holds, without waiting for people', async () => {
  const journal = fileJournal(join(setup.folder, `resumed-${randomUUID()}`));
  const refund = guard(client, { ...options('refuse', { journal }), onAsked: () => {} }, () => 1);
  const first = refund.plan(newArgs() as never);
  const { id } = await refund.ask(first);
  const [waiting] = await resumeAll(journal, [refund]);
  expect(waiting).toMatchObject({ occurrence: first.occurrence, state: 'waiting' });
  expect(await resumeAll(journal, [])).toMatchObject([{ state: 'no_guard' }]);
  await decided(setup, id, 'authorise');
  await client.until(id, 'available');
  expect(await resumeAll(journal, [refund])).toMatchObject([{ state: 'done' }]);
  expect(await resumeAll(journal, [refund])).toEqual([]);
});

describe('bad input', () => {
  const never = () => {
    throw new Error('started');
  };
  const with_ = (changes: object) => ({ ...options('authorise'), ...changes }) as never;

  it.each<[string, object, string]>([
    ['no occurrence', { occurrence: undefined }, 'occurrence is missing'],
    ['a name that is no Identifier', { name: 'a b' }, 'name has to be an Identifier'],
    ['no route', { route: '' }, 'route has to be an Identifier'],
    ['a version that is no Identifier', { version: 'v 1' }, 'version has to be'],
    ['a window of no time', { executionSeconds: 0 }, 'executionSeconds has to be'],
  ])('%s', (_, changes, message) => {
    expect(() => guard(client, with_(changes), never)).toThrow(message);
  });

  it('a client that does not verify', () => {
    const { origin, producer } = setup.demo;
    const blind = countersign({ origin, token: producer.token, trust: 'unverified' });
    expect(() => guard(blind, options('authorise'), never)).toThrow('has to verify answers');
  });

  it.each<[string, object, unknown, string]>([
    ['an occurrence that is no Identifier', { occurrence: () => 'a b' }, {}, 'hashOccurrence'],
    ['an empty occurrence', { occurrence: () => '' }, {}, 'occurrence has to give a text'],
    ['arguments that are no JSON', {}, { charge: 'a', amount: undefined }, 'at /amount'],
    ['a document that is none', { document: () => 7 }, newArgs(), 'document has to give a text'],
    [
      'a document that throws',
      {
        document: () => {
          throw new Error('no document');
        },
      },
      newArgs(),
      'no document',
    ],
  ])('%s: nothing is asked', async (_, changes, args, message) => {
    const asked: unknown[] = [];
    const refund = guard(client, with_({ ...changes, onAsked: () => asked.push(1) }), never);
    await expect(refund(args as never)).rejects.toThrow(message);
    expect(asked).toEqual([]);
  });

  it('an occurrence that is hashed', async () => {
    const charge = `a charge ${randomUUID()}`;
    const more = { hashOccurrence: true, occurrence: ({ charge: name }: Args) => name };
    const refund = guard(client, options('authorise', more), (_: Args, run) => run.occurrence);
    await expect(refund({ charge, amount: 1 })).resolves.toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it('a window beyond the limit of the route', async () => {
    const more = { executionSeconds: 3_601 };
    const refund = guard(client, options('authorise', more), never);
    await expect(refund(newArgs() as never)).rejects.toMatchObject({ name: 'ServiceRefusal' });
  });

  it('a folder that cannot be made', async () => {
    const journal = fileJournal('/proc/nowhere/journal');
    const refund = guard(client, options('authorise', { journal }), never);
    await expect(refund(newArgs() as never)).rejects.toMatchObject({ name: 'JournalInvalid' });
  });
});
