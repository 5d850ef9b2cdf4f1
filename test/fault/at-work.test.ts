import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { newFolder } from '../support/folder.js';
import { workersOnly } from '../support/instance.js';
import type { Instance } from '../support/instance.js';
import { notDone } from './support/at-work.js';
import type { Cast } from './support/fixture.js';
import { startFaultFixture } from './support/fixture.js';
import { keepDown, untilStoreAnswers } from './support/outage.js';
import type { StoreName } from './support/processes.js';
import { report } from './support/report.js';

// The check of invariant I12 (work goes on within ten seconds of a store's return), with connections that stay away planted.

const HOOK = resolve(__dirname, 'support/stays-away.mjs');

let folder: string;
let instance: Instance;
let cast: Cast;

beforeAll(async () => {
  folder = newFolder('stays-away');
  ({ instance, cast } = await startFaultFixture('at-work', {
    replicas: workersOnly('anchor', 'expiry'),
    env: { NODE_OPTIONS: `--import ${HOOK}`, STAYS_AWAY: folder },
  }));
});
afterAll(async () => {
  await instance?.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('all work goes on where all connections come back', async () => {
  await restart('redis');
  expect(await notDone(cast)).toEqual([]);
});

// One after the other: what an earlier one has stopped stays so.
it.each<[string, StoreName, string, string[]]>([
  ['worker-expiry', 'redis', 'REDIS_URL', ['a deadline']],
  ['worker-anchor', 'postgres', 'DATABASE_URL', ['a lifecycle', 'a deadline']],
  ['gateway', 'nats', 'NATS_URL', ['a call', 'a lifecycle', 'a deadline']],
])('it is noticed that %s never comes back to %s', async (target, store, variable, missing) => {
  writeFileSync(join(folder, target), variable);
  await restart(store);
  const found = await notDone(cast);
  report(`at work: ${target} stays away from ${store}: not done in time: ${found.join(', ')}`);
  expect(found).toEqual(missing);
});

async function restart(store: StoreName): Promise<void> {
  expect(await keepDown(instance, store, () => false)).toBe(1);
  await untilStoreAnswers(instance, store);
}
