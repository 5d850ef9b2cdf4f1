import type { Kubectl } from './kubectl.js';
import { STORES } from './names.js';

export type Store = 'nats' | 'redis' | 'postgres';

/** Takes a store away: its open connections break, and new ones are refused. Its data stays where it has any. */
export async function takeAway(kubectl: Kubectl, store: Store): Promise<void> {
  await select(kubectl, store, 'nobody');
  // An end that all three handle at once: Postgres waits for no client then. Kubernetes starts it again.
  await kubectl.ask(
    ...['--namespace', STORES, 'exec', `deployment/${store}`],
    ...['--', 'sh', '-c', 'kill -INT 1'],
  );
}

export function bringBack(kubectl: Kubectl, store: Store): Promise<void> {
  return select(kubectl, store, store);
}

/** Has a Service lead to the pods of that label. */
async function select(kubectl: Kubectl, service: Store, app: string): Promise<void> {
  const patch = JSON.stringify({ spec: { selector: { app } } });
  await kubectl.ask('--namespace', STORES, 'patch', 'service', service, '--patch', patch);
}
