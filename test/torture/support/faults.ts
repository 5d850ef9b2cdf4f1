import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../fault/support/random.js';
import { pick } from '../../fault/support/random.js';
import type { Link } from './link.js';
import type { Members, Slot } from './members.js';
import { ZONES } from './stores.js';
import type { Stores } from './stores.js';

/** What faults happen to. */
export interface Victims {
  readonly stores: Stores;
  readonly members: Members;
}

export interface Fault {
  readonly name: string;
  /** How often it is chosen, beside others. */
  readonly weight: number;
  /** The option of the torture without which it cannot happen. */
  readonly needs?: 'disks' | 'upgrade';
  /** Faults of one part happen one after the other; a part named `slot` is any process of ours. */
  readonly part: 'slot' | 'postgres' | 'nats' | 'redis' | 'anchors' | 'clock';
  /** Does it, lets it last, and ends it. Resolves to where, or null when it could not happen now. */
  happen(victims: Victims, random: Random): Promise<string | null>;
}

const CLOCK_OFF_MS = 300_000;
const LOCKED_TABLES = 'request, record, outbox';

/** Faults of the network on the ways of one zone to a store, or from one server of a store `to` another. */
function onTheWay(
  part: 'postgres' | 'nats' | 'anchors',
  linkOf: (victims: Victims, zone: (typeof ZONES)[number], random: Random) => Link | null,
  to: string = part,
): Fault[] {
  const lasting = (
    name: string,
    weight: number,
    begin: (link: Link, random: Random) => void,
    [shortest, longest]: readonly [number, number],
  ): Fault => ({
    name: `${name} to ${to}`,
    weight,
    part,
    async happen(victims, random) {
      const zone = pick(ZONES, random);
      const link = linkOf(victims, zone, random);
      if (link === null) return null;
      begin(link, random);
      await delay(between(random, shortest, longest));
      link.heal();
      return `zone ${zone}`;
    },
  });
  return [
    lasting('nothing passes', 2, (link) => link.cut(), [500, 6000]),
    lasting('late packets', 2, (link, random) => link.slow(between(random, 20, 300)), [1000, 5000]),
    lasting('broken connections', 2, (link) => link.reset(), [0, 0]),
    ...(part === 'anchors'
      ? [lasting('web pages', 1, (link: Link) => link.lie(), [1000, 6000] as const)]
      : []),
  ];
}

export const FAULTS: readonly Fault[] = [
  {
    name: 'SIGKILL',
    weight: 12,
    part: 'slot',
    async happen({ members }, random) {
      const slot = oneThatServes(members, random);
      slot?.kill();
      return slot?.target ?? null;
    },
  },
  {
    name: 'SIGSTOP',
    weight: 5,
    part: 'slot',
    async happen({ members }, random) {
      const slot = oneThatServes(members, random);
      if (slot === null) return null;
      slot.pause();
      await delay(between(random, 300, 6000));
      slot.resume();
      return slot.target;
    },
  },
  {
    name: 'replaced',
    weight: 2,
    part: 'slot',
    async happen({ members }, random) {
      const slot = oneThatServes(members, random);
      await slot?.replace();
      return slot?.target ?? null;
    },
  },
  {
    name: 'the other release',
    weight: 4,
    needs: 'upgrade',
    part: 'slot',
    async happen({ members }, random) {
      const exchange = oneThatServes(members, random)?.exchange;
      await exchange?.();
      return exchange ? 'upgraded or rolled back' : null;
    },
  },
  {
    name: 'Postgres killed',
    weight: 1,
    part: 'postgres',
    async happen({ stores }) {
      await stores.postgres.restart();
      return 'primary';
    },
  },
  {
    name: 'Postgres fails over',
    weight: 1,
    part: 'postgres',
    async happen({ stores }) {
      await stores.failOverPostgres();
      return 'standby';
    },
  },
  {
    name: 'tables locked',
    weight: 1,
    part: 'postgres',
    async happen({ stores }, random) {
      const seconds = between(random, 500, 3000) / 1000;
      await stores.postgres.ask(
        'BEGIN',
        `LOCK TABLE ${LOCKED_TABLES} IN ACCESS EXCLUSIVE MODE`,
        `SELECT pg_sleep(${seconds})`,
        'ROLLBACK',
      );
      return LOCKED_TABLES;
    },
  },
  {
    name: 'connections taken',
    weight: 1,
    part: 'postgres',
    async happen({ stores }, random) {
      const give = await stores.postgres.takeConnections();
      await delay(between(random, 500, 3000));
      await give();
      return 'primary';
    },
  },
  {
    name: 'disk full',
    weight: 1,
    needs: 'disks',
    part: 'postgres',
    async happen({ stores }, random) {
      const makeRoom = await stores.postgres.fillDisk();
      if (makeRoom === null) return null;
      await delay(between(random, 500, 5000));
      await makeRoom();
      return 'primary';
    },
  },
  ...onTheWay('postgres', ({ stores }, zone) => stores.ways[zone].postgres),
  // Commits wait for the standby, as for a disk that is slow or stands still.
  ...onTheWay('postgres', ({ stores }) => stores.postgres.copying(), 'standby'),
  {
    name: 'NATS killed',
    weight: 2,
    part: 'nats',
    async happen({ stores }, random) {
      const server = Math.floor(random() * 3);
      const startAgain = await stores.killNats(server);
      await delay(between(random, 0, 4000));
      await startAgain();
      return `server ${server}`;
    },
  },
  {
    name: 'NATS stands still',
    weight: 1,
    part: 'nats',
    async happen({ stores }, random) {
      const server = Math.floor(random() * 3);
      const resume = await stores.pauseNats(server);
      await delay(between(random, 500, 6000));
      await resume();
      return `server ${server}`;
    },
  },
  ...onTheWay('nats', ({ stores }, zone, random) => pick(stores.ways[zone].nats, random)),
  {
    name: 'Redis killed',
    weight: 2,
    part: 'redis',
    async happen({ stores }, random) {
      const server = Math.floor(random() * 2);
      const startAgain = await stores.killRedis(server);
      await delay(between(random, 0, 6000));
      await startAgain();
      // Its Sentinel makes it a replica, or lets it be the primary again, before the other one may fail.
      await delay(3000);
      return `server ${server}`;
    },
  },
  ...onTheWay('anchors', ({ stores }, zone) => stores.ways[zone].s3),
  {
    name: 'clock off',
    weight: 2,
    part: 'clock',
    async happen({ members }, random) {
      const off = random() < 0.5 ? CLOCK_OFF_MS : -CLOCK_OFF_MS;
      members.setClock(off);
      await delay(between(random, 2000, 8000));
      members.setClock(0);
      return `zone b, ${off / 1000} s`;
    },
  },
];

function between(random: Random, shortest: number, longest: number): number {
  return Math.round(shortest + random() * (longest - shortest));
}

/** A busy machine starts processes more slowly than they end: without a bound none would be left. */
const MOST_AWAY = 5;

function oneThatServes({ slots }: Members, random: Random): Slot | null {
  const serving = slots.filter(({ serves }) => serves);
  if (slots.length - serving.length >= MOST_AWAY) return null;
  return pick(serving, random);
}
