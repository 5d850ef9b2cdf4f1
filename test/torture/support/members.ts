import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Fleet, Member } from '../../fault/support/fleet.js';
import { ROOT } from '../../fault/support/previous.js';
import { ZONES } from './stores.js';
import type { Stores, Zone } from './stores.js';

/** Two of each, one in each zone. */
const TARGETS = [
  'schema',
  'request',
  'review',
  'execution-authority',
  'ledger',
  'notifier',
  'worker-anchor',
  'worker-expiry',
  'worker-reconciliation',
  'worker-reminder',
  'worker-delivery',
  'gateway',
] as const;

/** A replica, whichever process it is at this moment. */
export interface Slot {
  readonly target: string;
  readonly zone: Zone;
  /** Whether a process is there that serves. */
  readonly serves: boolean;
  /** SIGKILL; it starts again by itself. */
  kill(): void;
  /** SIGSTOP and SIGCONT. */
  pause(): void;
  resume(): void;
  /** As in a rolling upgrade: asked to end, waited for, and started again; resolves when it serves. */
  replace(): Promise<void>;
  /** The same, with the other one of two releases. Null where there is one. */
  readonly exchange: (() => Promise<void>) | null;
}

export interface Members {
  readonly slots: readonly Slot[];
  /** The clock of every process in zone `b`, which is that far off; 0 sets it right. */
  setClock(offMs: number): void;
  /** Starts none again. */
  stop(): void;
}

/** Of this version beside the one before (docs/upgrades.md). */
const BESIDE_PREVIOUS = { CALLER_TOKENS: 'compatible' };
/** The version before has no process for it. */
const NEW = 'schema';

/** They have the variables of webhooks. */
const KNOW_WEBHOOKS: readonly string[] = ['request', 'worker-delivery'];

/**
 * Starts all of them, and starts again each that ends, as an orchestrator does. Resolves when all serve. `previous` is the root
 * of the version before: those of zone `a` begin with it.
 */
export async function startMembers(
  fleet: Fleet,
  stores: Stores,
  webhooks: Readonly<Record<string, string>>,
  previous: string | null,
): Promise<Members> {
  const clocks = join(fleet.dataDirectory, 'clocks');
  const setClock = (offMs: number): void => {
    writeFileSync(join(clocks, 'off.new'), String(offMs));
    // Whole at every moment for its readers.
    renameSync(join(clocks, 'off.new'), join(clocks, 'off'));
  };
  mkdirSync(clocks);
  setClock(0);
  // wrong-clock.mjs leaves the first process of each target right; here that process has already been.
  for (const target of TARGETS) mkdirSync(join(clocks, `--target=${target}`));
  const wrongClock = {
    NODE_OPTIONS: `--import ${resolve(ROOT, 'test/fault/support/wrong-clock.mjs')}`,
    WRONG_CLOCKS: clocks,
  };
  let stopped = false;

  async function startSlot(target: string, zone: Zone): Promise<Slot> {
    let member: Member;
    let serves = false;
    const exchanges = previous !== null && target !== NEW;
    let version = exchanges && zone === 'a' ? previous : ROOT;
    const { NATS_URL = '', ...others } = stores.environment(zone);
    // It reaches nothing else.
    const ways = target === 'schema' ? { NATS_URL } : { NATS_URL, ...others };
    const env = {
      ...ways,
      ...(KNOW_WEBHOOKS.includes(target) ? webhooks : {}),
      ...(zone === 'b' ? wrongClock : {}),
    };
    const beside = previous === null ? {} : BESIDE_PREVIOUS;
    const launch = async (): Promise<void> => {
      const ofVersion = version === ROOT ? beside : stores.withoutSentinel;
      member = await fleet.launch(version, target, { ...env, ...ofVersion });
      const mine = member;
      void mine.ended.then(() => {
        serves = false;
        if (mine === member && !stopped) void launch();
      });
      await mine.serving.then(
        () => (serves = true),
        // It ended before it served, and another one is started.
        () => {},
      );
    };
    const replace = async (): Promise<void> => {
      const old = member;
      // The next one is not started by its end, but here.
      member = { ...old, ended: new Promise(() => {}) };
      serves = false;
      await old.stop();
      await launch();
    };
    await launch();
    return {
      target,
      zone,
      get serves() {
        return serves;
      },
      kill: () => member.signal('SIGKILL'),
      pause: () => member.signal('SIGSTOP'),
      resume: () => member.signal('SIGCONT'),
      replace,
      exchange: exchanges
        ? () => {
            version = version === ROOT ? previous : ROOT;
            return replace();
          }
        : null,
    };
  }

  const slots: Slot[] = [];
  try {
    for (const target of TARGETS)
      slots.push(...(await Promise.all(ZONES.map((zone) => startSlot(target, zone)))));
  } catch (error) {
    stopped = true;
    throw error;
  }
  return {
    slots,
    setClock,
    stop: () => void (stopped = true),
  };
}
