import { setTimeout as delay } from 'node:timers/promises';

/** Another call changed the request or the directory since it was read: read again and decide again. */
export class StaleRead extends Error {
  override readonly name = 'StaleRead';
}

const BEATEN: readonly unknown[] = [
  // Another call took the key, identity, nonce or occurrence first: the answer is the stored one.
  '23505',
  // Both waited for each other, and Postgres ended this one.
  '40P01',
  // `must` of the database: a step that had to have an effect had none.
  'CSQ02',
];

/** A statement or transaction was undone because of another one: read the current state and decide again. */
export function isBeaten(error: unknown): boolean {
  return BEATEN.includes((error as { code?: unknown } | null)?.code);
}

/** As many as may call at once for one request, each of whom moves it in turn. */
const MOST_ATTEMPTS = 64;
/** The first ones at once; then they get out of each other's way. */
const UNHURRIED = 3;
const LONGEST_PAUSE_MS = 40;

/**
 * Load, decide, save; again with fresh state when another call was faster. A decision is only ever saved on the state
 * that it was made with.
 */
export async function withFreshState<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof StaleRead) || tries === MOST_ATTEMPTS) throw error;
      if (tries > UNHURRIED) await delay(Math.random() * LONGEST_PAUSE_MS);
    }
  }
}

type Attempting = (call: never) => Promise<unknown>;

/** The handlers of a service, each of which is called anew for as long as it ends in {@link StaleRead}. */
export function onFreshState<Handlers extends Readonly<Record<string, Attempting>>>(
  handlers: Handlers,
): Handlers {
  const anew = Object.entries(handlers).map(([name, handler]): [string, Attempting] => [
    name,
    (call) => withFreshState(() => handler(call)),
  ]);
  return Object.fromEntries(anew) as Handlers;
}
