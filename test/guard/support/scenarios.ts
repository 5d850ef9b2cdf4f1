import { randomUUID } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { admit, revoke } from '@countersign/client';
import type { Client } from '@countersign/client';
import { saidBy } from './crashes.js';
import { execute, startExecutor } from './executor.js';
import type { Ended, Job } from './executor.js';
import { requestsOf } from './history.js';
import type { Setup } from './guarded.js';

/** What came of a scenario, as its test wants it. */
export type Came = Readonly<Record<string, unknown>>;

/** A history that a guard with a certain mistake would get wrong. `guard` is the build that is tried. */
export interface Scenario {
  readonly name: string;
  readonly run: (setup: Setup, client: Client, guard?: string) => Promise<Came>;
  readonly comes: Came;
}

/** The window is long, so that a busy machine does not end it. Scenarios that wait for its end have a short one. */
const newJob = (guard: string | undefined): Job => ({
  occurrence: `pay:${randomUUID()}`,
  journal: { kind: 'none' },
  executionSeconds: 60,
  ...(guard !== undefined && { guard }),
});
const fileAt = (setup: Setup) => ({
  journal: { kind: 'file', place: join(setup.folder, `journal-${randomUUID()}`) } as const,
});
const newestOf = async (client: Client, { occurrence }: Job) =>
  (await requestsOf(client, occurrence))[0]!;

async function whatCame(setup: Setup, client: Client, job: Job, last: Ended): Promise<Came> {
  const { execution_state: recorded } = await newestOf(client, job);
  return { said: saidBy(last), starts: setup.counter.starts(job.occurrence), recorded };
}

/** A journal is put back as it was at that await, after a later process started the function. */
const restored = (copyAt: string): Scenario['run'] => {
  return async (setup, client, guard) => {
    const job = { ...newJob(guard), ...fileAt(setup), executionSeconds: 5 };
    const place = job.journal.place;
    await execute(setup, { ...job, killAt: copyAt });
    const copy = `${place}-copy`;
    cpSync(place, copy, { recursive: true, filter: (path) => !path.includes('socket-') });
    await execute(setup, { ...job, killAt: 'fn inside' });
    rmSync(place, { recursive: true });
    cpSync(copy, place, { recursive: true });
    return whatCame(setup, client, job, await execute(setup, job));
  };
};
const UNSEEN = { said: 'OutcomeUnknown', starts: 1, recorded: 'uncertain' } as const;

export const SCENARIOS = {
  restored: {
    name: 'C16 a journal is restored from a copy of before the launch call',
    run: restored('before advance launch'),
    comes: UNSEEN,
  },
  restoredLater: {
    name: 'C16 a journal is restored from a copy of behind the launch call',
    run: restored('before fence'),
    comes: UNSEEN,
  },
  foreign: {
    name: 'a claim whose process died before its launch is closed, and nothing starts',
    async run(setup, client, guard) {
      const job = newJob(guard);
      await execute(setup, { ...job, killAt: 'send admit' });
      return whatCame(setup, client, job, await execute(setup, job));
    },
    comes: { said: 'Lapsed', starts: 0, recorded: 'cancelled_before_dispatch' },
  },
  sleeper: {
    name: 'a process that sleeps between claim and launch is shut out before its claim is closed',
    async run(setup, client, guard) {
      const job = newJob(guard);
      const sleeper = startExecutor(setup, { ...job, stopAt: 'send admit' });
      await sleeper.said('stopping');
      const second = startExecutor(setup, { ...job, stopAt: 'send outcome' });
      await second.said('stopping');
      // Behind the second one's look, and before its report.
      sleeper.process.kill('SIGCONT');
      const woken = saidBy(await sleeper.ended);
      second.process.kill('SIGCONT');
      return { ...(await whatCame(setup, client, job, await second.ended)), woken };
    },
    comes: { said: 'Lapsed', starts: 0, recorded: 'cancelled_before_dispatch', woken: 'Lapsed' },
  },
  inside: {
    name: 'a function that was begun is not begun again',
    async run(setup, client, guard) {
      const job = { ...newJob(guard), ...fileAt(setup), executionSeconds: 10 };
      await execute(setup, { ...job, killAt: 'fn inside' });
      return whatCame(setup, client, job, await execute(setup, job));
    },
    comes: UNSEEN,
  },
  alive: {
    name: 'a launch of another process is given its window',
    async run(setup, client, guard) {
      const job = { ...newJob(guard), executionSeconds: 20 };
      const first = startExecutor(setup, { ...job, runMs: 2_500 });
      await first.said('amount');
      const second = await execute(setup, job);
      return { ...(await whatCame(setup, client, job, second)), first: saidBy(await first.ended) };
    },
    comes: { said: 'AlreadyDone', starts: 1, recorded: 'completed', first: 'returned' },
  },
  snapshot: {
    name: 'the function gets the approved arguments, and not what became of them',
    async run(setup, _, guard) {
      return { amount: (await execute(setup, newJob(guard))).amount };
    },
    comes: { amount: 5 },
  },
  result: {
    name: 'a result is never taken for a refusal',
    async run(setup, client, guard) {
      const job = { ...newJob(guard), result: { ok: false, error: 'refused' } };
      return whatCame(setup, client, job, await execute(setup, job));
    },
    comes: { said: 'returned', starts: 1, recorded: 'completed' },
  },
  clockSet: {
    name: 'a wall clock that is set back behind the permit opens no deadline',
    async run(setup, client, guard) {
      const step = { stepAt: 'before fence', stepMs: -3_600_000 };
      const job = { ...newJob(guard), ...fileAt(setup), ...step, executionSeconds: 20 };
      return whatCame(setup, client, job, await execute(setup, job));
    },
    comes: { said: 'Lapsed', starts: 0, recorded: 'cancelled_before_dispatch' },
  },
  otherPermit: {
    name: 'a permit that is not of the launch proves no launch',
    async run(setup, client, guard) {
      const job = { ...newJob(guard), executionSeconds: 2 };
      await execute(setup, { ...job, killAt: 'send admit' });
      const { request, claim } = await newestOf(client, job);
      const { id: claim_id, execution_identity } = claim?.payload as unknown as {
        id: string;
        execution_identity: string;
      };
      const nonce = `permit-${randomUUID()}`;
      await client.call(admit, { id: request.id, body: { claim_id, execution_identity, nonce } });
      return whatCame(setup, client, job, await execute(setup, job));
    },
    comes: { said: 'Lapsed', starts: 0, recorded: 'cancelled_before_dispatch' },
  },
  refused: {
    name: 'a refusal is reported as a refusal',
    async run(setup, client, guard) {
      const job = newJob(guard);
      return whatCame(setup, client, job, await execute(setup, job, 'refuse'));
    },
    comes: { said: 'Refused', starts: 0, recorded: 'unclaimed' },
  },
  lostLaunch: {
    name: 'C8 the answer to the launch call is lost, and the process goes on',
    async run(setup, client, guard) {
      const job = { ...newJob(guard), lose: 'admit' };
      return whatCame(setup, client, job, await execute(setup, job));
    },
    comes: { said: 'returned', starts: 1, recorded: 'completed' },
  },
  twoProcesses: {
    name: 'C15 two processes call for one occurrence',
    async run(setup, client, guard) {
      const job = { ...newJob(guard), ...fileAt(setup) };
      const both = await Promise.all([execute(setup, job), execute(setup, job)]);
      return { ...(await whatCame(setup, client, job, both[0])), other: saidBy(both[1]) };
    },
    comes: { said: 'returned', starts: 1, recorded: 'completed', other: 'returned' },
  },
  twoHosts: {
    name: 'C15 two hosts call for one occurrence',
    async run(setup, client, guard) {
      const job = newJob(guard);
      const both = await Promise.all([execute(setup, job), execute(setup, job)]);
      const said = both.map(saidBy).sort().join(', ');
      return { ...(await whatCame(setup, client, job, both[0])), said };
    },
    comes: { said: 'AlreadyDone, returned', starts: 1, recorded: 'completed' },
  },
  fullDisk: {
    name: 'C18 the disk is full before the fence',
    async run(setup, client, guard) {
      const job = { ...newJob(guard), ...fileAt(setup), full: true };
      return whatCame(setup, client, job, await execute(setup, job));
    },
    comes: { said: 'Lapsed', starts: 0, recorded: 'cancelled_before_dispatch' },
  },
  serviceAway: {
    name: 'C19 the service is away at the report, and the next process makes it',
    async run(setup, client, guard) {
      const job = { ...newJob(guard), ...fileAt(setup) };
      const first = await execute(setup, { ...job, away: 'outcome' });
      const before = (await newestOf(client, job)).execution_state;
      const second = await execute(setup, { ...job, resume: true });
      const came = await whatCame(setup, client, job, second);
      return { ...came, first: saidBy(first), before, resumed: second.returned };
    },
    comes: {
      ...{ said: 'returned', starts: 1, recorded: 'completed', first: 'returned' },
      ...{ before: 'admitted', resumed: [['done', null]] },
    },
  },
  stopped: {
    name: 'a process that sleeps past its window does not complete what is uncertain',
    async run(setup, client, guard) {
      const job = { ...newJob(guard), executionSeconds: 5 };
      const sleeper = startExecutor(setup, { ...job, stopAt: 'fn inside' });
      await sleeper.said('stopping');
      const second = await execute(setup, job);
      sleeper.process.kill('SIGCONT');
      const woken = saidBy(await sleeper.ended);
      const came = await whatCame(setup, client, job, second);
      return { ...came, woken: ['Conflict', 'OutcomeUnknown'].includes(woken) };
    },
    comes: { ...UNSEEN, woken: true },
  },
  revokedAsked: {
    name: 'a revocation while people decide',
    async run(setup, client, guard) {
      const job = newJob(guard);
      const waiting = startExecutor(setup, job, null);
      await waiting.said('asked');
      const { request } = await newestOf(client, job);
      await client.call(revoke, { id: request.id, body: {} });
      return whatCame(setup, client, job, await waiting.ended);
    },
    comes: { said: 'Lapsed', starts: 0, recorded: 'unclaimed' },
  },
  revokedClaimed: {
    name: 'a revocation between claim and launch',
    async run(setup, client, guard) {
      const job = newJob(guard);
      const sleeper = startExecutor(setup, { ...job, stopAt: 'send admit' });
      await sleeper.said('stopping');
      const { request } = await newestOf(client, job);
      await client.call(revoke, { id: request.id, body: {} });
      sleeper.process.kill('SIGCONT');
      return whatCame(setup, client, job, await sleeper.ended);
    },
    comes: { said: 'Lapsed', starts: 0, recorded: 'cancelled_before_dispatch' },
  },
  slowClock: {
    name: 'a wall clock that is 300 s slow',
    async run(setup, _, guard) {
      const job = { ...newJob(guard), skewMs: -300_000, timeout: 5_000 };
      const end = saidBy(await execute(setup, job));
      return { said: end, starts: setup.counter.starts(job.occurrence) };
    },
    comes: { said: 'VerificationFailed', starts: 0 },
  },
  fastClock: {
    name: 'a wall clock that is 300 s fast',
    async run(setup, client, guard) {
      const job = { ...newJob(guard), skewMs: 300_000 };
      return whatCame(setup, client, job, await execute(setup, job));
    },
    comes: { said: 'VerificationFailed', starts: 0, recorded: 'cancelled_before_dispatch' },
  },
} satisfies Record<string, Scenario>;
