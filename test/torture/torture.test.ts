import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { migrate } from '@countersign/database';
import { ensureKeys } from '@countersign/deploy';
import type { RequestStatus, SignedRecord } from '@countersign/protocol';
import { stopAsked } from '../support/campaign-stop.js';
import { operatorOf, personOf, producerOf } from '../support/client.js';
import { runCommand } from '../support/instance.js';
import { until } from '../support/requests.js';
import { S3_ACCESS } from '../support/servers/s3.js';
import { newStarted } from '../support/started.js';
import { findingsIn } from '../fault/support/checks.js';
import { gather } from '../fault/support/evidence.js';
import type { CopyAt, Evidence } from '../fault/support/evidence.js';
import { followFeed } from '../fault/support/feed.js';
import type { Feed } from '../fault/support/feed.js';
import type { Cast } from '../fault/support/fixture.js';
import { startFleet } from '../fault/support/fleet.js';
import type { Fleet } from '../fault/support/fleet.js';
import { insist, newAttempts } from '../fault/support/insist.js';
import { expectAnswer, inParallel } from '../fault/support/lifecycles.js';
import { ROOT, previousRoot } from '../fault/support/previous.js';
import { randomFrom } from '../fault/support/random.js';
import { amount, counted, report, seconds } from '../fault/support/report.js';
import { faultOf } from '../guard/torture/kills.js';
import type { History } from '../guard/torture/kills.js';
import { deliveryFindings, eventsFor, startWebhookReceiver } from './support/deliveries.js';
import type { WebhookReceiver } from './support/deliveries.js';
import { FAULTS } from './support/faults.js';
import { startGuardedExecutors } from './support/guarded.js';
import type { GuardedExecutors } from './support/guarded.js';
import { nothingDone, startLoad } from './support/load.js';
import type { Done } from './support/load.js';
import type { Link } from './support/link.js';
import { startMembers } from './support/members.js';
import type { Members } from './support/members.js';
import { startNemesis } from './support/nemesis.js';
import { BUCKET, ZONES, startTortureStores } from './support/stores.js';
import type { Stores } from './support/stores.js';

const MINUTES = Number(process.env['TORTURE_MINUTES'] ?? 3);
const SEED = amount('TORTURE_SEED', 20261126);
const ONLY = (process.env['TORTURE_ONLY'] ?? '').split(',').filter(Boolean);
/** After so long all faults end, and everything is checked. */
const ROUND_MS = 10 * 60_000;
const CLIENTS = amount('TORTURE_CLIENTS', 12);
/** Executors behind the guard that are at work at a time. */
const EXECUTORS = amount('TORTURE_GUARDED', 2);
const WITH = {
  disks: process.env['TORTURE_DISKS'] === 'true',
  upgrade: process.env['TORTURE_UPGRADE'] === 'true',
};
const FAULT_EVERY_MS = amount('TORTURE_EVERY_MS', 1500);
const LOOKS_EVERY_MS = 200;
const TOLD_EVERY_MS = 60_000;
/** Once nothing fails any more, and the pauses between attempts are cut short. */
const DELIVERED_WITHIN_MS = 300_000;
/** Only to end a run that hangs. */
const LONGEST_MS = MINUTES * 60_000 * 3 + 900_000;

/** Two of everything, on stores with what takes over from each, while all of it fails in an order by seed. */
describe('everything fails at once', () => {
  const faults = FAULTS.filter(
    ({ name, needs }) =>
      (needs === undefined || WITH[needs]) &&
      (ONLY.length === 0 || ONLY.some((part) => name.includes(part))),
  );
  const attempts = newAttempts();
  const started = newStarted();
  const random = randomFrom(SEED);
  let stores: Stores;
  let fleet: Fleet;
  let members: Members;
  let cast: Cast;
  let feed: Feed;
  let receiver: WebhookReceiver;
  let guarded: GuardedExecutors;
  let judged: Evidence;

  beforeAll(async () => {
    if (faults.length === 0)
      throw new Error(`TORTURE_ONLY names no fault: ${FAULTS.map(({ name }) => name).join(', ')}`);
    const begin = performance.now();
    const taking = startWebhookReceiver(randomFrom(SEED + 1));
    receiver = await started.keep(taking, ({ close }) => close());
    const previous = WITH.upgrade ? previousRoot() : null;
    const oldest = previous ?? ROOT;
    const starting = startFleet(oldest, {
      startStores: async (data, logs) =>
        (stores = await startTortureStores(data, logs, WITH.disks)),
    });
    fleet = await started.keep(starting, ({ stop }) => stop());
    if (previous !== null) {
      // As docs/upgrades.md says: keys and schema of the new version come first.
      ensureKeys(join(fleet.dataDirectory, 'keys'));
      await migrate(fleet.databaseUrl);
    }
    const provider = await fleet.launch(oldest, 'development-provider');
    await provider.serving;
    const joining = startMembers(fleet, stores, receiver.env, previous);
    members = await started.keep(joining, ({ stop }) => stop());
    const demo = await fleet.configure(oldest);
    const reviewer = await personOf(demo, fleet.dataDirectory, demo.people[1]!.id);
    cast = { demo, producer: producerOf(demo), reviewer, operator: operatorOf(demo) };
    await receiver.subscribe(cast);
    const guarding = startGuardedExecutors(cast, attempts, stores);
    guarded = await started.keep(guarding, ({ stop }) => stop());
    feed = followFeed(cast.producer, attempts);
    report(`torture: seed ${SEED}, ${members.slots.length} processes in ${seconds(begin)}`);
  }, 600_000);
  afterAll(async () => {
    attempts.end();
    await feed?.stop();
    await started.stop();
  });

  it('each zone takes its own ways to the stores', () => {
    for (const zone of ZONES) {
      const { postgres, nats } = stores.ways[zone];
      const opened = (...links: Link[]): number =>
        links.reduce((total, link) => total + link.connections(), 0);
      // A client of NATS takes any one of the servers.
      expect([zone, opened(postgres) > 0, opened(...nats) > 0]).toEqual([zone, true, true]);
    }
  });

  it(
    'and no promise is broken',
    async () => {
      const happened = new Map<string, number>();
      const begin = performance.now();
      const all: Done = nothingDone();
      for (let left = MINUTES * 60_000; left > 0 && !stopAsked(); left -= ROUND_MS) {
        const done = nothingDone();
        const nemesis = startNemesis({ stores, members }, faults, random, FAULT_EVERY_MS);
        receiver.fails(true);
        const load = startLoad(cast, guarded, attempts, done, {
          ...{ clients: CLIENTS, executors: EXECUTORS, withReleaseBefore: WITH.upgrade, random },
        });
        const told = setInterval(() => tell(begin, all, done, nemesis.happened), TOLD_EVERY_MS);
        try {
          const end = performance.now() + Math.min(left, ROUND_MS);
          while (performance.now() < end && !stopAsked()) await delay(LOOKS_EVERY_MS);
        } finally {
          clearInterval(told);
          await nemesis.stop();
        }
        for (const [name, times] of nemesis.happened)
          happened.set(name, (happened.get(name) ?? 0) + times);
        await load.stop();
        receiver.fails(false);
        await check(done);
        for (const kind of ['completed', 'refused', 'withdrawn', 'raced', 'guarded'] as const)
          all[kind].push(...(done[kind] as never[]));
        tell(begin, all, nothingDone(), happened);
      }
      publish(begin, all, happened);
      const whole = faults.some(({ part }) => part === 'slot') && !stopAsked();
      const least = whole ? MINUTES * 5 : 1;
      expect(sum(happened)).toBeGreaterThanOrEqual(least);
      expect(attempts.undeclared).toEqual([]);
    },
    LONGEST_MS,
  );

  it('the checks notice what is planted into deliveries and guarded actions', () => {
    const { ledger, producer } = judged;
    const { events, refused } = receiver.told;
    const faultsOf = (told: Partial<typeof receiver.told>): string[] =>
      deliveryFindings({ events, refused, ...told }, ledger, producer).map(({ fault }) => fault);
    const [, ...others] = events;
    expect(faultsOf({ events: new Set(others) })).toEqual(['event_untold']);
    expect(faultsOf({ events: new Set([...events, 'another']) })).toEqual(['event_unchained']);
    expect(faultsOf({ refused: ['an altered one'] })).toEqual(['delivery_refused']);

    const sent = receiver.sample()!;
    const { event } = (JSON.parse(String(sent.body)) as SignedRecord).payload as { event: object };
    const altered = String(sent.body).replace('"revision":', '"revision":1');
    expect(receiver.judge(sent)).toEqual(event);
    for (const body of [altered, JSON.stringify(event), String(sent.body).slice(0, -1)])
      expect(typeof receiver.judge({ ...sent, body: Buffer.from(body) })).toBe('string');

    const act: Pick<History, 'place' | 'kills'> = {
      place: { kind: 'none', host: 'other' },
      kills: [],
    };
    const completed = { ...act, said: 'returned', starts: 1, recorded: 'completed' } as const;
    expect(faultOf(completed)).toBeNull();
    expect(faultOf({ ...completed, starts: 2 })).toBe('started twice');
    expect(faultOf({ ...completed, starts: 0 })).toBe('a result without a start');
    expect(faultOf({ ...completed, recorded: 'cancelled_before_dispatch', said: 'Lapsed' })).toBe(
      'cancelled behind a start',
    );
  });

  const copyAt: CopyAt = async (key) => {
    try {
      const { Body } = await stores.s3.client.send(
        new GetObjectCommand({ Bucket: BUCKET, Key: key }),
      );
      return (await Body?.transformToByteArray()) ?? null;
    } catch (error) {
      if ((error as Error).name === 'NoSuchKey') return null;
      throw error;
    }
  };

  /** Everything that can be known from outside about what was done, and the ledger as a whole. */
  async function check({
    completed,
    refused,
    withdrawn,
    raced,
    guarded: acts,
  }: Done): Promise<void> {
    const begin = performance.now();
    const statusOf = async (id: string): Promise<RequestStatus> =>
      expectAnswer(
        await insist(cast.producer, attempts, `/v2/requests/${id}`, { method: 'GET' }),
        200,
      ).body;
    const evidence = await gather(cast, attempts, completed, feed, copyAt);
    expect(findingsIn(evidence)).toEqual([]);
    const statesOf = (ids: readonly string[]): Promise<string[]> =>
      inParallel(ids.length, 8, async (index) => {
        const { decision_state, grant_state, receipt } = await statusOf(ids[index]!);
        return [decision_state, grant_state, receipt === null ? 'no receipt' : 'receipt'].join(' ');
      });
    expect([...new Set(await statesOf(refused))]).toEqual(
      refused.length === 0 ? [] : ['confirmed none receipt'],
    );
    expect([...new Set(await statesOf(withdrawn))]).toEqual(
      withdrawn.length === 0 ? [] : ['cancelled not_applicable no receipt'],
    );
    const states = await statesOf(raced.map(({ requestId }) => requestId));
    const wrong = raced.filter(({ decided, withdrawn: gone }, index) => {
      const expected = decided ? 'confirmed' : 'cancelled';
      return decided === gone || !states[index]!.startsWith(expected);
    });
    expect(wrong).toEqual([]);
    expect(acts.filter((act) => faultOf(act) !== null)).toEqual([]);
    await untilTold(evidence);
    expect(deliveryFindings(receiver.told, evidence.ledger, evidence.producer)).toEqual([]);
    judged = evidence;
    expect(await fsck()).toBe('');
    report(
      `torture: ${evidence.ledger.length} entries, ${completed.length} executions and ` +
        `${refused.length + withdrawn.length + raced.length} others, ${acts.length} guarded actions and ` +
        `${receiver.told.events.size} delivered events checked in ${seconds(begin)}: 0 violations`,
    );
  }

  /** As if the pauses after failed attempts, and the claims of killed workers, had passed. */
  async function untilTold({ ledger, producer }: Evidence): Promise<void> {
    const due = [...eventsFor(producer, ledger)];
    await until(
      async () => {
        await stores.postgres.ask(
          `UPDATE delivery SET next_at = clock_timestamp()
           WHERE kind = 'webhook' AND state = 'pending' AND next_at > clock_timestamp() + interval '1 second'`,
        );
        await new Promise((resolve) => setTimeout(resolve, 1000));
        return due.filter((digest) => !receiver.told.events.has(digest)).length;
      },
      (left) => left === 0,
      DELIVERED_WITHIN_MS,
    );
  }

  async function fsck(): Promise<string> {
    const args = ['--database', stores.databaseUrl, '--trust', cast.demo.trust];
    const { code, stdout, stderr } = await until(
      () =>
        runCommand(['fsck', ...args, '--store', `s3://${BUCKET}`], {
          ANCHOR_S3_REGION: 'us-east-1',
          ANCHOR_S3_ENDPOINT: stores.s3.url,
          ANCHOR_S3_PATH_STYLE: 'true',
          ANCHOR_S3_ACCESS_KEY_ID: S3_ACCESS.accessKeyId,
          ANCHOR_S3_SECRET_ACCESS_KEY: S3_ACCESS.secretAccessKey,
        }),
      (run) => run.code !== 2,
      60_000,
    );
    return code === 0 ? '' : `${stdout}${stderr}`;
  }

  function tell(begin: number, all: Done, done: Done, happened: ReadonlyMap<string, number>): void {
    report(
      `torture: ${seconds(begin)}: ${sum(happened)} faults, ${sum(attempts.counts)} calls, ` +
        `${all.completed.length + done.completed.length} executions`,
    );
  }

  function publish(begin: number, all: Done, happened: ReadonlyMap<string, number>): void {
    const others = all.refused.length + all.withdrawn.length + all.raced.length;
    const lines = [
      `Seed ${SEED}, ${seconds(begin)}, ${CLIENTS} clients: ${sum(happened)} faults, ${sum(attempts.counts)} calls, ` +
        `${all.completed.length} executions, ${others} other requests, 0 violations.`,
      `${receiver.told.events.size} events delivered in ${receiver.calls()} calls. ${guardedIn(all.guarded)}`,
      '',
      '| Fault | Times |',
      '| --- | ---: |',
      ...[...happened].sort((a, b) => b[1] - a[1]).map(([name, times]) => `| ${name} | ${times} |`),
      '',
      `Answers: ${counted(attempts.counts)}`,
    ];
    for (const line of lines) report(line);
    const file = process.env['TORTURE_REPORT'];
    if (file !== undefined) writeFileSync(file, `${lines.join('\n')}\n`);
  }
});

function guardedIn(acts: readonly History[]): string {
  const total = (many: (act: History) => number): number =>
    acts.reduce((so, act) => so + many(act), 0);
  const ends = new Map<string, number>();
  for (const { recorded } of acts) ends.set(recorded, (ends.get(recorded) ?? 0) + 1);
  return (
    `${acts.length} guarded actions, ${total(({ kills }) => kills.length)} executors killed, ` +
    `${total(({ starts }) => starts)} starts: ${counted(ends)}.`
  );
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, many) => total + many, 0);
}
