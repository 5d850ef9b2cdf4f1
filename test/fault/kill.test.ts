import type { Instance } from '../support/instance.js';
import { findingsIn } from './support/checks.js';
import { gather } from './support/evidence.js';
import { followFeed } from './support/feed.js';
import { newAttempts } from './support/insist.js';
import type { Journal } from './support/lifecycles.js';
import { completeLifecycle, inParallel } from './support/lifecycles.js';
import { fsckOf } from './support/fsck.js';
import { startNemesis } from './support/nemesis.js';
import { PLANTED_BUGS, resignWith } from './support/planted.js';
import { replicasOf } from './support/processes.js';
import { randomFrom, seedOfRun } from './support/random.js';
import { amount, count, counted, report, seconds } from './support/report.js';
import type { Cast } from './support/fixture.js';
import { startFaultFixture } from './support/fixture.js';

const LIFECYCLES = amount('FAULT_LIFECYCLES', 500);
const CLIENTS = 32;
const STRIKE_EVERY_MS = 1000;

describe('two replicas of each service, one process killed every second', () => {
  const journals: Journal[] = [];
  const attempts = newAttempts();
  let instance: Instance;
  let cast: Cast;

  beforeAll(async () => {
    ({ instance, cast } = await startFaultFixture('kill'));
  });
  afterAll(async () => {
    attempts.end();
    await instance?.stop();
  });

  it('notices every planted bug', async () => {
    const feed = followFeed(cast.producer, attempts);
    journals.push(...(await inParallel(3, 1, () => completeLifecycle(cast, attempts))));
    const evidence = await gather(cast, attempts, journals, feed);
    await feed.stop();
    expect(findingsIn(evidence)).toEqual([]);

    const resign = resignWith(instance.dataDirectory);
    const missed = PLANTED_BUGS.filter(({ plant, fault }) => {
      return !findingsIn(plant(evidence, resign)).some((finding) => finding.fault === fault);
    });
    report(`planted bugs caught: ${PLANTED_BUGS.length - missed.length} of ${PLANTED_BUGS.length}`);
    expect(missed.map(({ name }) => name)).toEqual([]);
  });

  it('completes every lifecycle, claims once, and loses and doubles nothing', async () => {
    const seed = seedOfRun();
    report(`kill: FAULT_SEED=${seed}, ${replicasOf(instance).length} processes`);
    const feed = followFeed(cast.producer, attempts);
    const nemesis = startNemesis(instance, randomFrom(seed), STRIKE_EVERY_MS);
    const begin = performance.now();
    try {
      journals.push(
        ...(await inParallel(LIFECYCLES, CLIENTS, () => completeLifecycle(cast, attempts))),
      );
      report(`kill: ${LIFECYCLES} lifecycles in ${seconds(begin)}, ${CLIENTS} clients`);
    } finally {
      nemesis.stop();
      const struck = new Map<string, number>();
      for (const target of nemesis.strikes) count(struck, target);
      report(`kill: killed ${nemesis.strikes.length}: ${counted(struck)}`);
      report(`kill: answers: ${counted(attempts.counts)}`);
    }

    const verifying = performance.now();
    const evidence = await gather(cast, attempts, journals, feed);
    await feed.stop();
    const findings = findingsIn(evidence);
    report(
      `kill: ${evidence.ledger.length} ledger entries, ` +
        `${evidence.feed.flatMap(({ items }) => items).length} events in ${evidence.feed.length} pages, ` +
        `${evidence.exports.size} exports checked in ${seconds(verifying)}: ${findings.length} violations`,
    );
    expect(findings).toEqual([]);
    expect(attempts.undeclared).toEqual([]);
    expect(nemesis.strikes.length).toBeGreaterThan(3);
    expect(await fsckOf('kill', instance)).toBe('');
  }, 360_000);
});
