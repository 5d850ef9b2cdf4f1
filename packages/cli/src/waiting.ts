import { WaitEnded } from '@countersign/client/node';
import type { Client, Goal, RequestStatus } from '@countersign/client/node';
import { Option } from 'commander';

import { durationOf } from './durations.js';
import type { Terminal } from './terminal.js';

/** In milliseconds. */
export const WAIT_OPTION = () =>
  new Option(
    '--wait <time>',
    'how long to wait, such as 30m or 4h; 0s only asks. Without it: as long as the request is open',
  ).argParser((text) => durationOf('--wait', text));

export interface Interruptions {
  readonly signal: AbortSignal;
  end(): void;
}

/** Aborts on Ctrl-C and on SIGTERM: the request stays open. */
export function interruptions(): Interruptions {
  const stop = new AbortController();
  const abort = () => stop.abort();
  process.on('SIGINT', abort);
  process.on('SIGTERM', abort);
  return {
    signal: stop.signal,
    end() {
      process.off('SIGINT', abort);
      process.off('SIGTERM', abort);
    },
  };
}

/**
 * The status of a request once the goal is reached, or when the time is up.
 *
 * @throws as `Client.until`, but no WaitEnded
 */
export async function waitFor(
  client: Client,
  id: string,
  goal: Goal,
  wait: number | undefined,
  terminal: Terminal,
  { signal, end }: Interruptions = interruptions(),
): Promise<{ readonly isReached: boolean; readonly status: RequestStatus | null }> {
  if (wait === 0) {
    end();
    return { isReached: false, status: null };
  }
  const line = terminal.wait(
    goal === 'decided' ? 'Waiting for a decision' : `Waiting until it is ${goal}`,
  );
  try {
    const status = await client.until(id, goal, {
      signal,
      ...(wait !== undefined && { timeout: wait }),
    });
    return { isReached: true, status };
  } catch (error) {
    if (!(error instanceof WaitEnded)) throw error;
    return { isReached: false, status: null };
  } finally {
    line.stop();
    end();
  }
}
