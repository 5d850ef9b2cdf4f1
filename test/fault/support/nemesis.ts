import type { Instance } from '../../support/instance.js';
import { kill9, replicasOf, servingReplicasOf } from './processes.js';
import type { Random } from './random.js';
import { pick } from './random.js';

/** Everything but the development provider, whose sessions live in its memory and who is no part of a production. */
const VICTIMS = [
  'gateway',
  'schema',
  'request',
  'review',
  'execution-authority',
  'ledger',
  'notifier',
  'worker-anchor',
];

export interface Nemesis {
  /** Targets in the order in which a process of theirs was killed. */
  readonly strikes: readonly string[];
  stop(): void;
}

/** A busy machine starts processes more slowly than they are killed: without a bound none would be left. */
const MOST_AWAY = 4;

/**
 * Kills one service process at random every `everyMs`, and no other: neither the launcher nor a store. Waits while
 * {@link MOST_AWAY} processes that it killed do not serve again.
 */
export function startNemesis(instance: Instance, random: Random, everyMs: number): Nemesis {
  const strikes: string[] = [];
  const all = replicasOf(instance, ...VICTIMS).length;
  const serving = () =>
    VICTIMS.reduce((sum, target) => sum + servingReplicasOf(instance, target).length, 0);
  const timer = setInterval(() => {
    if (all - serving() >= MOST_AWAY) return;
    // In an order that the seed decides, for any process numbers.
    const target = pick(VICTIMS, random);
    const replicas = replicasOf(instance, target);
    if (replicas.length === 0) return;
    if (kill9(pick(replicas, random))) strikes.push(target);
  }, everyMs);
  return { strikes, stop: () => clearInterval(timer) };
}
