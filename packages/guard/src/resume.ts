import type { Guarded } from './guard.js';
import type { Journal } from './journal.js';
import type { CallOptions } from './options.js';

/** How an occurrence of the journal went on. */
export interface Resumed {
  readonly occurrence: string;
  readonly name: string;
  /** `waiting`: people have not decided, or another process acts. `no_guard`: none of that name was given. */
  readonly state: 'done' | 'ended' | 'waiting' | 'no_guard';
  /** Why it did not end with a result. */
  readonly error?: unknown;
}

/**
 * Goes on with every open occurrence of the journal, one after the other: reports what was not reported, runs what people
 * authorised and was never started, closes an end that cannot be known as uncertain. It does not wait for people longer than `timeout`.
 */
export async function resumeAll(
  journal: Journal,
  // Each guard has arguments of its own, and gets those of its own entries.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  guards: readonly Guarded<any, unknown>[],
  call: CallOptions = {},
): Promise<Resumed[]> {
  const resumed: Resumed[] = [];
  for await (const entry of journal.entries({ open: true })) {
    const { occurrence, name } = entry;
    const guard = guards.find(({ guardName }) => guardName === name);
    if (guard === undefined) {
      resumed.push({ occurrence, name, state: 'no_guard' });
      continue;
    }
    try {
      await guard.resume(entry, { timeout: 0, ...call });
      resumed.push({ occurrence, name, state: 'done' });
    } catch (error) {
      const isWaiting = error instanceof Error && error.name === 'WaitEnded';
      resumed.push({ occurrence, name, state: isWaiting ? 'waiting' : 'ended', error });
    }
  }
  return resumed;
}
