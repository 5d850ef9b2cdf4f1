import type { Installation } from './installation.js';
import type { Kubectl } from './kubectl.js';
import { STORES } from './names.js';
import { STANDBY } from './surroundings.js';
import { until } from '../../support/requests.js';

/** Only to end a run that hangs. */
const WITHIN_MS = 300_000;

const SYNCHRONOUS = "ALTER SYSTEM SET synchronous_standby_names = '*'";
const ALONE = 'ALTER SYSTEM RESET synchronous_standby_names';
const TAKE_EFFECT = 'SELECT pg_reload_conf()';

export type Store = 'nats' | 'redis' | 'postgres';

/** Takes a store away: its open connections break, and new ones are refused. Its data stays where it has any. */
export async function takeAway(kubectl: Kubectl, store: Store): Promise<void> {
  await select(kubectl, store, 'nobody');
  await restart(kubectl, store);
}

/** Ends a store's process; Kubernetes starts it again at once. Waits for the end of an earlier restart. */
export async function restart(kubectl: Kubectl, store: Store): Promise<void> {
  const ask = (...args: string[]): Promise<string> => kubectl.ask('--namespace', STORES, ...args);
  await ask('rollout', 'status', `deployment/${store}`, '--timeout=5m');
  // An end that all three handle at once: Postgres waits for no client then.
  await ask('exec', `deployment/${store}`, '--', 'sh', '-c', 'kill -INT 1');
}

export function bringBack(kubectl: Kubectl, store: Store): Promise<void> {
  return select(kubectl, store, store);
}

/** Has a Service lead to the pods of that label. */
async function select(kubectl: Kubectl, service: Store, app: string): Promise<void> {
  const patch = JSON.stringify({ spec: { selector: { app } } });
  await kubectl.ask('--namespace', STORES, 'patch', 'service', service, '--patch', patch);
}

/** Two servers of Postgres, where a commit waits for both. */
export interface Pair {
  /**
   * Ends the primary and has the standby take its place, as a manager of Postgres does; `fault` is called when the primary
   * is gone. Resolves when a new standby has followed it.
   */
  failOver(fault: () => void): Promise<void>;
}

/** Gives the installation's Postgres a standby. */
export async function pairOf(kubectl: Kubectl, { inPostgres }: Installation): Promise<Pair> {
  let primary = 'postgres';
  const ask = (...args: string[]): Promise<string> => kubectl.ask('--namespace', STORES, ...args);
  const ready = (name: string): Promise<string> =>
    ask('rollout', 'status', `deployment/${name}`, '--timeout=10m');
  async function wait(): Promise<void> {
    await until(
      () => inPostgres("SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'"),
      ({ length }) => length > 0,
      WITHIN_MS,
    );
    await inPostgres(SYNCHRONOUS, TAKE_EFFECT);
  }

  await ready(STANDBY);
  await wait();
  return {
    async failOver(fault) {
      const old = primary;
      primary = primary === 'postgres' ? STANDBY : 'postgres';
      const end = ask('exec', `deployment/${old}`, '--', 'sh', '-c', 'kill -INT 1');
      fault();
      await select(kubectl, 'postgres', primary);
      await end;
      // Its configuration is that of the old one, which waits for a standby.
      await inPostgres('SELECT pg_promote()', ALONE, TAKE_EFFECT);
      // Without the data of the old one: it may hold what no caller was told.
      await ask('scale', `deployment/${old}`, '--replicas=0');
      await ask('wait', '--for=delete', 'pod', '-l', `app=${old}`, '--timeout=5m');
      await ask('scale', `deployment/${old}`, '--replicas=1');
      await ready(old);
      await wait();
    },
  };
}
