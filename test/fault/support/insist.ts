import { setTimeout as delay } from 'node:timers/promises';
import { isErrorCode, statusesOf } from '@countersign/protocol';
import type { Answer, CallOptions, Client } from '../../support/client.js';
import { count } from './report.js';

/** The results of single attempts, over a whole run. */
export interface Attempts {
  /** How often each status and code was answered, and how often the answer was `lost` or the call `hung`. */
  readonly counts: Map<string, number>;
  /** Answers that no operation declares. */
  readonly undeclared: string[];
  /** Ends every client that still insists. */
  end(): void;
  readonly ended: AbortSignal;
}

export function newAttempts(): Attempts {
  const ending = new AbortController();
  return {
    counts: new Map(),
    undeclared: [],
    end: () => ending.abort(new Error('the run has ended')),
    ended: ending.signal,
  };
}

export interface InsistOptions extends CallOptions {
  readonly method?: 'GET' | 'POST';
  readonly body?: unknown;
  /** Gives up after this long. */
  readonly withinMs?: number;
}

/** Longer than a service may take (10 s), so only calls that will never be answered are given up. */
const ANSWER_WITHIN_MS = 15_000;
/** Only to end a run that hangs: a busy machine takes a minute to start what a fault has ended. */
const GIVES_UP_AFTER_MS = 180_000;
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;

/**
 * Calls until an answer comes that is not 503, always with the same key, as clients should: after a lost answer or a 503
 * the effect is unknown.
 */
export async function insist(
  client: Client,
  attempts: Attempts,
  path: string,
  options: InsistOptions,
): Promise<Answer> {
  const { withinMs = GIVES_UP_AFTER_MS } = options;
  const end = performance.now() + withinMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    attempts.ended.throwIfAborted();
    const answer = await attempt(client, attempts, path, options);
    if (answer !== null && answer.status !== 503) return answer;
    if (performance.now() > end) {
      const last = answer === null ? 'no answer' : answer.text;
      throw new Error(`${path} was not answered within ${withinMs / 1000} s: ${last}`);
    }
    await delay(pause);
  }
}

/** One attempt; null when its answer was lost. */
export async function attempt(
  client: Client,
  attempts: Attempts,
  path: string,
  { method = 'POST', body, key, headers }: InsistOptions,
): Promise<Answer | null> {
  const options = {
    ...(method === 'GET' ? { key: null } : key === undefined ? {} : { key }),
    ...(headers === undefined ? {} : { headers }),
  };
  const calling =
    method === 'GET' ? client.get(path, options) : client.post(path, body ?? {}, options);
  const answer = await inTime(calling);
  if (typeof answer === 'string') {
    count(attempts.counts, answer);
    return null;
  }
  const name = answer.status < 300 ? `${answer.status}` : `${answer.status} ${answer.body?.error}`;
  count(attempts.counts, name);
  if (!isDeclared(answer)) attempts.undeclared.push(`${method} ${path}: ${name}`);
  return answer;
}

/** A success with a JSON body, or a problem document whose code has that status. */
function isDeclared({ status, body }: Answer): boolean {
  if (status === 200 || status === 201) return body !== undefined;
  const code = body?.error;
  return (
    typeof code === 'string' && isErrorCode(code) && statusesOf(code).includes(status as never)
  );
}

/** `lost` when the connection broke, `hung` when no answer comes any more. */
async function inTime(calling: Promise<Answer>): Promise<Answer | 'lost' | 'hung'> {
  const late = new AbortController();
  try {
    return await Promise.race([
      calling.catch((error: unknown) => {
        // By name: jest's own TypeError is another one than that of fetch.
        if ((error as Error).name === 'TypeError') return 'lost' as const;
        throw error;
      }),
      delay(ANSWER_WITHIN_MS, 'hung' as const, { signal: late.signal }),
    ]);
  } finally {
    late.abort();
  }
}
