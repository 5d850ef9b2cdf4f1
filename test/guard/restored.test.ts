import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '@countersign/client/node';
import type { Client } from '@countersign/client/node';
import { fileJournal } from '@countersign/guard/node';
import type { Entry } from '@countersign/guard/node';
import { whileDatabaseIsDown } from '../fault/support/outage.js';
import { operatorOf } from '../support/client.js';
import { runCommand } from '../support/instance.js';
import { until } from '../support/requests.js';
import { untilAnchored } from '../support/truths.js';
import { saidBy } from './support/crashes.js';
import { execute, startExecutor } from './support/executor.js';
import type { Executor, Job } from './support/executor.js';
import { startGuarded } from './support/guarded.js';
import { recordedOf } from './support/history.js';
import type { Setup } from './support/guarded.js';

// docs/guard.md, C17: the service comes back from a backup, and is recovered as docs/recovery.md says, while executors live.

/** Long enough for everything here. */
const WINDOW_SECONDS = 300;

let setup: Setup;
let client: Client;

const jobOf = (name: string) =>
  ({
    occurrence: `pay:${name}`,
    journal: { kind: 'file', place: join(setup.folder, name) },
    executionSeconds: WINDOW_SECONDS,
    trace: join(setup.folder, `${name}.trace`),
  }) satisfies Job;

async function stoppedAt(name: string, stopAt: string): Promise<Executor> {
  const executor = startExecutor(setup, { ...jobOf(name), stopAt });
  await executor.said('stopping');
  return executor;
}

/** What the caller of an executor got, how often its function started, and what the service has. */
async function comes(name: string, { ended }: Executor) {
  const { occurrence } = jobOf(name);
  const said = saidBy(await ended);
  const { execution_state: recorded } = await recordedOf(client, occurrence);
  return { said, starts: setup.counter.starts(occurrence), recorded };
}

async function entryOf(name: string): Promise<Entry> {
  for await (const entry of fileJournal(jobOf(name).journal.place).entries()) return entry;
  throw new Error(`nothing in the journal of ${name}`);
}

const waiting = () =>
  existsSync(jobOf('waiting').trace) && readFileSync(jobOf('waiting').trace, 'utf8');

let beforeLaunch: Executor;
let launched: Executor;
let forgotten: Executor;

beforeAll(async () => {
  setup = await startGuarded();
  client = await connect(setup.connection);
  const { instance, demo } = setup;
  const data = join(instance.dataDirectory, 'postgres');
  const backup = join(instance.dataDirectory, 'backup');

  beforeLaunch = await stoppedAt('waiting', 'send claim');
  launched = await stoppedAt('launched', 'fn inside');
  await execute(setup, { ...jobOf('forgotten'), killAt: 'send claim' });
  await execute(setup, { ...jobOf('died'), killAt: 'send claim' });
  await untilAnchored(instance);
  await whileDatabaseIsDown(instance, () => void execFileSync('cp', ['-a', data, backup]));

  // Of these claims the backup knows nothing.
  forgotten = await stoppedAt('forgotten', 'fn inside');
  await execute(setup, { ...jobOf('died'), killAt: 'fn inside' });
  // The grant of a later request anchors them.
  expect(saidBy(await execute(setup, jobOf('later')))).toBe('returned');
  await whileDatabaseIsDown(instance, () => {
    rmSync(data, { recursive: true });
    renameSync(backup, data);
  });
  const operator = operatorOf(demo);
  await until(
    async () => (await operator.get('/v2/admin/metrics')).body,
    ({ incidents }) => incidents?.length > 0,
  );
});
afterAll(async () => {
  for (const { process } of [beforeLaunch, launched, forgotten]) process.kill('SIGKILL');
  await setup?.stop();
});

it('is waited for while it is fenced, and nothing starts', async () => {
  beforeLaunch.process.kill('SIGCONT');
  await until(
    async () => waiting(),
    (trace) => String(trace).includes('answer claim'),
  );
  expect(beforeLaunch.process.exitCode).toBeNull();
  expect(setup.counter.starts(jobOf('waiting').occurrence)).toBe(0);
});

it('has retired its authority after the recovery: what was not launched lapses', async () => {
  const { tenant } = setup.demo;
  const { dataDirectory } = setup.instance;
  const args = ['recover', '--tenant', tenant, '--data', dataDirectory, '--apply'];
  expect(await runCommand(args)).toMatchObject({ code: 0 });
  expect(await comes('waiting', beforeLaunch)).toEqual({
    ...{ said: 'Lapsed', starts: 0, recorded: 'uncertain' },
  });
});

it('the end of a function that ran on is recorded where the backup has its claim', async () => {
  launched.process.kill('SIGCONT');
  expect(await comes('launched', launched)).toEqual({
    ...{ said: 'returned', starts: 1, recorded: 'completed' },
  });
});

it('otherwise its caller has the result, and its end stays in the journal for the operator', async () => {
  forgotten.process.kill('SIGCONT');
  const came = { said: 'returned', starts: 1, recorded: 'uncertain' };
  expect(await comes('forgotten', forgotten)).toEqual(came);
  for (const later of [{}, { again: true }])
    expect(
      await comes('forgotten', startExecutor(setup, { ...jobOf('forgotten'), ...later })),
    ).toEqual(came);
  const { end, closed } = await entryOf('forgotten');
  expect([end?.outcome.status, closed]).toEqual(['completed', null]);
  expect(end?.result).toContain(jobOf('forgotten').occurrence);
});

it('a function that died behind its forgotten claim is unknown, and not taken for one that never began', async () => {
  const again = startExecutor(setup, jobOf('died'));
  expect(await comes('died', again)).toEqual({
    ...{ said: 'OutcomeUnknown', starts: 1, recorded: 'uncertain' },
  });
  expect((await entryOf('died')).closed).toBeNull();
});
