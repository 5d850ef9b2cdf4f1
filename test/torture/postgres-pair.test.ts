import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../support/folder.js';
import { until } from '../support/requests.js';
import { mountSmallDisk, unmountSmallDisk } from './support/small-disk.js';
import { startPostgresPair } from './support/postgres-pair.js';
import type { PostgresPair } from './support/postgres-pair.js';

// Faults of the torture follow one another at once: each leaves the primary as the next one needs it.

/** Whether this machine lets the test mount disks; then the servers have their own. */
const DISKS = canMount();

let folder: string;
let pair: PostgresPair;

beforeAll(async () => {
  folder = newFolder('torture-pair');
  const logs = join(folder, 'logs');
  mkdirSync(logs);
  pair = await startPostgresPair(join(folder, 'data'), logs, { disks: DISKS });
});
afterAll(async () => {
  await pair?.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('no connection is left while they are taken, and the primary answers once they are given back', async () => {
  const give = await pair.takeConnections();
  expect(await pair.answers()).toBe(false);
  const asking = pair.ask('SELECT 1 AS one');
  await give();
  expect(await asking).toEqual([{ one: 1 }]);
});

it('connections are taken only once the standby after a failover follows', async () => {
  await pair.failOver();
  const give = await pair.takeConnections();
  await give();
  const standbys = await pair.ask(
    "SELECT state FROM pg_stat_replication WHERE sync_state = 'sync'",
  );
  expect(standbys).toEqual([{ state: 'streaming' }]);
});

it('a commit waits for as long as nothing passes to the standby', async () => {
  await pair.ask('CREATE TABLE written (n integer)');
  let written = false;
  const way = pair.copying()!;
  way.cut();
  const writing = pair.ask('INSERT INTO written VALUES (1)').then(() => (written = true));
  const waiting = "SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
  await until(
    () => pair.ask(waiting),
    (rows) => rows.length === 1,
  );
  expect(written).toBe(false);
  way.heal();
  await writing;
});

// Left out where mounting needs rights that the machine does not give.
(DISKS ? it : it.skip)(
  'a primary without room on its disk writes again once there is some',
  async () => {
    const write = 'INSERT INTO written SELECT generate_series(1, 100000)';
    const makeRoom = (await pair.fillDisk())!;
    await expect(pair.ask(write)).rejects.toThrow();
    await makeRoom();
    await pair.ask(write);
  },
  120_000,
);

function canMount(): boolean {
  const place = newFolder('torture-mount');
  try {
    mountSmallDisk(place);
    unmountSmallDisk(place);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
