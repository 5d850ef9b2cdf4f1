import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { valueDigest } from '@countersign/protocol';
import type { RequestStatus } from '@countersign/protocol';
import { newFolder } from '../../support/folder.js';
import { runCommand } from '../../support/instance.js';
import { allOrNone } from '../../support/started.js';
import type { Started } from '../../support/started.js';
import { startCounter } from '../../guard/support/counter.js';
import { PLACES, saidBy } from '../../guard/support/crashes.js';
import { journalOf, startExecutor } from '../../guard/support/executor.js';
import type { Ended, Job } from '../../guard/support/executor.js';
import { journalDatabase } from '../../guard/support/guarded.js';
import { drawn } from '../../guard/torture/kills.js';
import type { History } from '../../guard/torture/kills.js';
import type { Cast } from '../../fault/support/fixture.js';
import { insist } from '../../fault/support/insist.js';
import type { Attempts } from '../../fault/support/insist.js';
import { expectAnswer } from '../../fault/support/lifecycles.js';
import type { Random } from '../../fault/support/random.js';
import type { Stores } from './stores.js';

/** Executors behind the guard of packages/guard, as processes of their own. */
export interface GuardedExecutors {
  /** One action of an occurrence of its own, by processes that are killed, until one of them knows its end. */
  act(random: Random): Promise<History>;
  stop(): Promise<void>;
}

/** The journals: files, a database in the Postgres of the torture, or none. */
const WITHOUT_REDIS = PLACES.filter(({ kind }) => kind !== 'redis');
const EXECUTION_SECONDS = 8;
/** For the decision, milliseconds. */
const DECIDED_WITHIN_MS = 60_000;
/** Only to end a process that hangs. */
const LONGEST_MS = 180_000;
const MOST_PROCESSES = 40;
const LOOK_AGAIN_MS = 200;
/** A caller that is told something else calls again. */
const ENDS = ['returned', 'AlreadyDone', 'Lapsed', 'OutcomeUnknown', 'VerificationFailed'];
const ENDED = ['completed', 'cancelled_before_dispatch', 'uncertain'];

type Recorded = RequestStatus['execution_state'] | 'unasked';

export function startGuardedExecutors(
  cast: Cast,
  attempts: Attempts,
  stores: Stores,
): Promise<GuardedExecutors> {
  return allOrNone((started) => startWithCounter(started, cast, attempts, stores));
}

async function startWithCounter(
  started: Started,
  { demo, producer, reviewer }: Cast,
  attempts: Attempts,
  stores: Stores,
): Promise<GuardedExecutors> {
  const folder = await started.keep(newFolder('torture-guard'), (place) =>
    rmSync(place, { recursive: true, force: true }),
  );
  const connection = join(folder, 'countersign.json');
  writeFileSync(join(folder, 'token'), `${demo.producer.token}\n`);
  const { code, stderr } = await runCommand(
    [
      ...['connection', '--producer', demo.producer.id, '--tenant', demo.tenant],
      ...['--out', connection, '--trust', demo.trust, '--token-file', 'token'],
    ],
    { DATABASE_URL: stores.databaseUrl },
  );
  if (code !== 0) throw new Error(stderr);
  const { DATABASE_URL = '' } = stores.environment('a');
  const journals = { postgres: await journalDatabase(DATABASE_URL), redis: '' };
  const counter = await started.keep(startCounter(), ({ stop }) => stop());
  const setup = { connection, counter, demo, folder, reviewer, stores: journals };
  const running = new Set<ChildProcess>();
  await started.keep(running, (processes) => {
    for (const process of processes) process.kill('SIGKILL');
  });

  async function run(job: Job): Promise<Ended> {
    const { process, ended } = startExecutor(setup, job, decide);
    running.add(process);
    const hangs = setTimeout(() => process.kill('SIGKILL'), LONGEST_MS);
    try {
      return await ended;
    } finally {
      running.delete(process);
      clearTimeout(hangs);
    }
  }

  const call = (path: string, body: unknown) =>
    insist(reviewer, attempts, path, { body, key: randomUUID() });
  /** Another process of the same occurrence may have had it decided. */
  async function decide(id: string): Promise<void> {
    const path = `/v2/requests/${id}`;
    const proposal = { response: { note: 'seen' }, decision: 'authorise' };
    const candidate = await call(`${path}/candidates`, proposal);
    if (candidate.status !== 201) return;
    await call(`${path}/confirm`, {
      candidate_id: candidate.body.id,
      candidate_digest: valueDigest(candidate.body),
    });
  }
  async function recorded(occurrence: string): Promise<Recorded> {
    const read = async (path: string) =>
      expectAnswer(await insist(producer, attempts, path, { method: 'GET' }), 200).body;
    const query = `occurrence=${encodeURIComponent(occurrence)}`;
    for (;;) {
      const [newest] = (await read(`/v2/requests?${query}`)).items as { id: string }[];
      if (newest === undefined) return 'unasked';
      const status = (await read(`/v2/requests/${newest.id}`)) as RequestStatus;
      if (status.request.execution?.action_occurrence_id === occurrence)
        return status.execution_state;
      // A replica of the release before lists all requests: another one is asked.
      await delay(LOOK_AGAIN_MS);
    }
  }

  return {
    async act(random) {
      const { place, deaths } = drawn(random, WITHOUT_REDIS);
      const occurrence = `pay:${randomUUID()}`;
      const job = {
        occurrence,
        executionSeconds: EXECUTION_SECONDS,
        timeout: DECIDED_WITHIN_MS,
      };
      const on = (host: 'same' | 'other') => ({ ...job, ...journalOf(setup, place.kind, host) });
      const kills: (string | null)[] = [];
      for (const [at, { after }] of deaths.entries()) {
        const from = on(at === 0 ? 'same' : place.host);
        const { signal, dying } = await run({ ...from, killAfter: after });
        if (signal !== null) kills.push(dying ?? null);
      }
      let said = '';
      let state: Recorded = 'unasked';
      for (let many = 0; many < MOST_PROCESSES; many += 1) {
        attempts.ended.throwIfAborted();
        said = saidBy(await run(on(place.host)));
        if (!ENDS.includes(said)) continue;
        state = await recorded(occurrence);
        if (ENDED.includes(state) || said === 'VerificationFailed') break;
      }
      return { place, kills, said, starts: counter.starts(occurrence), recorded: state };
    },
    stop: started.stop,
  };
}
