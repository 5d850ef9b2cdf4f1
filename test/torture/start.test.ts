import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startFleet } from '../fault/support/fleet.js';
import type { Fleet, FleetStores, Member } from '../fault/support/fleet.js';
import { newFolder } from '../support/folder.js';
import { startMembers } from './support/members.js';
import { startTortureStores } from './support/stores.js';
import type { Stores } from './support/stores.js';

// A start that fails in the middle leaves nothing behind.

let data: string;
beforeEach(() => {
  data = newFolder('torture-start');
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

/** Commands of all processes below this one. */
function descendants(): string[] {
  const processes = execFileSync('ps', ['-axo', 'pid=,ppid=,command='], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => {
      const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
      return command === undefined ? [] : [{ pid, parent, command }];
    });
  const below = (of: string): typeof processes =>
    processes
      .filter(({ parent }) => parent === of)
      .flatMap((child) => [child, ...below(child.pid as string)]);
  return below(String(process.pid))
    .map(({ command }) => command)
    .filter((command) => !command.startsWith('ps '))
    .sort();
}

it('servers end when a later one cannot start', async () => {
  const before = descendants();
  mkdirSync(join(data, 'logs'));
  // Redis starts last, and cannot have this for a folder.
  writeFileSync(join(data, 'redis'), '');
  await expect(startTortureStores(data, join(data, 'logs'), false)).rejects.toThrow();
  expect(descendants()).toEqual(before);
});

it('stores and folder go when their schema cannot be made', async () => {
  let folder = '';
  let stopped = false;
  const stores: FleetStores = {
    databaseUrl: 'postgres://127.0.0.1:1/none',
    natsUrl: '',
    environment: () => ({}),
    stop: async () => void (stopped = true),
  };
  const starting = startFleet(join(data, 'no-version'), {
    startStores: async (place) => {
      folder = place;
      return stores;
    },
  });
  await expect(starting).rejects.toThrow('no-version');
  expect({ stopped, left: existsSync(folder) }).toEqual({ stopped: true, left: false });
});

it('no process is started again when another one could not start', async () => {
  const ends: (() => void)[] = [];
  let launched = 0;
  const launch = async (_: string, target: string): Promise<Member> => {
    launched += 1;
    if (target === 'request') throw new Error('no port is free');
    return {
      target,
      health: '',
      serving: Promise.resolve(),
      ended: new Promise((resolve) => ends.push(resolve)),
      log: () => '',
      signal: () => {},
      stop: async () => {},
    };
  };
  const fleet = { dataDirectory: data, launch } as unknown as Fleet;
  const stores = { environment: () => ({}) } as unknown as Stores;
  await expect(startMembers(fleet, stores, {}, null)).rejects.toThrow('no port is free');
  const before = launched;
  for (const end of ends) end();
  await new Promise((resolve) => setImmediate(resolve));
  expect(launched).toBe(before);
});
