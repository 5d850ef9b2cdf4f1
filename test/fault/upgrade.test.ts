import { join } from 'node:path';
import { migrate } from '@countersign/database';
import { ensureKeys } from '@countersign/deploy';
import { operatorOf, personOf, producerOf } from '../support/client.js';
import { until } from '../support/requests.js';
import { findingsIn } from './support/checks.js';
import { gather } from './support/evidence.js';
import { followFeed } from './support/feed.js';
import type { Feed } from './support/feed.js';
import { startFleet } from './support/fleet.js';
import type { Fleet, Member } from './support/fleet.js';
import { newAttempts } from './support/insist.js';
import type { Journal } from './support/lifecycles.js';
import { completeLifecycle } from './support/lifecycles.js';
import { PREVIOUS, ROOT, knowsPrevious, migrationsIn, previousRoot } from './support/previous.js';
import { counted, report, seconds } from './support/report.js';
import type { Cast } from './support/fixture.js';

/** Targets that are replaced together; every group by the next one only when the one before serves. */
const GROUPS = [
  // First, for the new `request` and `review` ask it.
  ['schema'],
  ['request', 'ledger'],
  ['execution-authority', 'worker-anchor'],
  ['worker-delivery', 'worker-expiry'],
  ['gateway'],
  // Last, for one of the new version waits for its schema from the beginning.
  ['review'],
] as const;
/** Targets that the previous version does not have. Going back leaves them running: they end with the last that asks them. */
const NEW: readonly string[] = ['schema'];
/** Lifecycles that begin and end within each state. */
const ENOUGH = 3;
const CLIENTS = 3;
/** More than one message of the bus carries. */
const LARGE = '# Long\n'.repeat(50_000);
const WAITING = /waiting for the database.s schema/;

const known = knowsPrevious();
if (!known) {
  report(
    `upgrade: LEFT OUT, NOT TESTED: this checkout has no commit ${PREVIOUS}. ` +
      'Fetch the whole history (git fetch --unshallow) to test that two versions run side by side.',
  );
}

/** Expand, migrate, contract (docs/upgrades.md): the previous version's processes and ours beside each other. */
(known ? describe : describe.skip)('the previous version and this one', () => {
  const attempts = newAttempts();
  const journals: Journal[] = [];
  const running = new Map<string, Member>();
  let previous: string;
  let lacking: string[];
  let fleet: Fleet;
  let cast: Cast;
  let feed: Feed;
  let load: Promise<unknown>;
  let waiting: Member;
  let loading = true;

  beforeAll(async () => {
    previous = previousRoot();
    const before = migrationsIn(previous);
    lacking = migrationsIn(ROOT).filter((name) => !before.includes(name));
    const begin = performance.now();
    fleet = await startFleet(previous);
    // As docs/upgrades.md says: the new version's keys are made first, and while both run each understands the other.
    ensureKeys(join(fleet.dataDirectory, 'keys'));
    const provider = await fleet.launch(previous, 'development-provider');
    const members = await Promise.all(
      GROUPS.flat()
        .filter((target) => !NEW.includes(target))
        .map((target) => fleet.launch(previous, target)),
    );
    for (const member of [provider, ...members]) {
      await member.serving;
      running.set(member.target, member);
    }
    const demo = await fleet.configure(previous);
    const reviewer = await personOf(demo, fleet.dataDirectory, demo.people[1]!.id);
    cast = { demo, producer: producerOf(demo), reviewer, operator: operatorOf(demo) };
    feed = followFeed(cast.producer, attempts);
    load = Promise.all(Array.from({ length: CLIENTS }, keepGoing));
    load.catch(() => {});
    report(`upgrade: ${members.length} processes of ${PREVIOUS} in ${seconds(begin)}`);
  });
  afterAll(async () => {
    loading = false;
    attempts.end();
    await load?.catch(() => {});
    await feed?.stop().catch(() => {});
    await fleet?.stop();
  });

  it('waits unready on an older schema, and logs the reason once', async () => {
    waiting = await launch(ROOT, 'review');
    if (lacking.length === 0) {
      // Between releases with one schema; test/deploy/standing-by.test.ts takes the tables away.
      report(`upgrade: ${PREVIOUS} has this version's schema: nothing to wait for`);
      await waiting.serving;
      return;
    }
    await until(
      async () => waiting.log(),
      (log) => WAITING.test(log),
      30_000,
    );
    const answer = await fetch(`${waiting.health}/readyz`);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ ready: false });
    await more();
    expect(waiting.log().split(WAITING)).toHaveLength(2);
    expect(waiting.log()).not.toContain('"ready":true');
  });

  it('runs on the newer schema: the one before as well as the one that waited for it', async () => {
    const applied = await migrate(fleet.databaseUrl);
    report(`upgrade: applied ${applied.length} migrations under load`);
    expect(applied).toEqual(lacking);
    await waiting.serving;
    await more();
  });

  it('is replaced by this one under load and put back, without a failed call', async () => {
    for (const version of [ROOT, previous]) {
      const begin = performance.now();
      for (const group of GROUPS) await replace(version, group);
      await more();
      report(`upgrade: to ${version === ROOT ? 'this version' : PREVIOUS} in ${seconds(begin)}`);
    }
  });

  it('has lost, doubled and failed nothing', async () => {
    loading = false;
    await load;
    report(`upgrade: ${journals.length} lifecycles; answers: ${counted(attempts.counts)}`);
    const evidence = await gather(cast, attempts, journals, feed);
    expect(findingsIn(evidence)).toEqual([]);
    expect(attempts.undeclared).toEqual([]);
    for (const member of running.values()) expect(member.log()).not.toContain('"level":"fatal"');
  });

  // ---------------------------------------------------------------------------------------------------

  function launch(version: string, target: string): Promise<Member> {
    return fleet.launch(version, target, version === ROOT ? { CALLER_TOKENS: 'compatible' } : {});
  }

  async function keepGoing(): Promise<void> {
    while (loading) {
      const changes = journals.length % 3 === 0 ? { review_document: LARGE } : {};
      journals.push(await completeLifecycle(cast, attempts, { changes, withReleaseBefore: true }));
    }
  }

  /** Some lifecycles that begin now; a client that failed ends the run. */
  async function more(): Promise<void> {
    const before = journals.length + CLIENTS;
    await Promise.race([
      until(
        async () => journals.length - before,
        (many) => many >= ENOUGH,
        40_000,
      ),
      load.then(() => Promise.reject(new Error('the clients have ended'))),
    ]);
  }

  async function replace(version: string, targets: readonly string[]): Promise<void> {
    await Promise.all(
      targets.map(async (target) => {
        if (version !== ROOT && NEW.includes(target)) return;
        const first = version === ROOT && target === 'review' ? waiting : undefined;
        const member = first ?? (await launch(version, target));
        await member.serving;
        await running.get(target)?.stop();
        running.set(target, member);
      }),
    );
  }
});
