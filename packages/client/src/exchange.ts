import { CertificateFault, attempt } from './attempt.js';
import type { Answer, Attempt } from './attempt.js';
import { ServiceRefusal, Unreachable } from './errors.js';
import type { Operation } from './operation.js';
import { mayRepeat, pauseBefore } from './retry.js';
import type { Failure, RetryBucket } from './retry.js';

/** Told before an attempt sends anything. */
export interface AttemptNote {
  readonly operation: Operation;
  /** Of all attempts of one call; null for operations without one. */
  readonly key: string | null;
  /** 1 for the first. */
  readonly attempt: number;
}

/** Time and chance; tests have their own. */
export interface Runtime {
  /** Milliseconds that only grow. */
  now(): number;
  /** Rejects with the reason of `signal` when that aborts. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** From 0 to 1. */
  chance(): number;
}

/** What all calls of a client have in common. */
export interface Line {
  readonly send: typeof fetch;
  readonly token: () => string | Promise<string>;
  readonly attempts: number;
  readonly budgetMs: number;
  readonly bucket: RetryBucket;
  readonly onAttempt: ((note: AttemptNote) => void) | undefined;
  readonly runtime: Runtime;
}

/** One call, the same in all attempts. */
export interface Request {
  readonly operation: Operation;
  readonly url: string;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** How long one attempt may take. */
  readonly attemptMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Makes the attempts of one call (docs/client.md).
 *
 * @throws ServiceRefusal, Unreachable, AnswerInvalid, and the reason of the signal
 */
export async function exchange(line: Line, request: Request): Promise<Answer> {
  const { operation, key, signal } = request;
  const { runtime, bucket } = line;
  const begun = runtime.now();
  const left = () => line.budgetMs - (runtime.now() - begun);
  let unanswered = 0;
  let token = await line.token();
  let renewed = false;
  bucket.add();
  for (let made = 1; ; made += 1) {
    signal?.throwIfAborted();
    line.onAttempt?.({ operation, key, attempt: made });
    const outcome = await once(line, request, { token, left: left(), made, unanswered });
    if ('answer' in outcome) return outcome.answer;
    const { failure, error } = outcome;
    if (failure.kind === 'lost') unanswered += 1;
    const end = () => endOf(operation, made, unanswered, failure, error);
    if (made >= line.attempts) throw end();
    if (isUnauthenticated(error)) {
      const next = await line.token();
      if (renewed || next === token) throw end();
      renewed = true;
      token = next;
      continue;
    }
    if (!mayRepeat(operation, failure, unanswered)) throw end();
    const pause = pauseBefore(failure, made, runtime.chance());
    if (pause >= left() || !bucket.take()) throw end();
    await runtime.sleep(pause, signal);
    token = await line.token();
  }
}

interface Standing {
  readonly token: string;
  /** Milliseconds of the budget. */
  readonly left: number;
  readonly made: number;
  readonly unanswered: number;
}

async function once(
  { send }: Line,
  { operation, url, headers, body, attemptMs, signal }: Request,
  { token, left, made, unanswered }: Standing,
): Promise<Attempt> {
  const sent = {
    url,
    headers: { ...headers, authorization: `Bearer ${token}` },
    body,
    timeoutMs: Math.max(1, Math.ceil(Math.min(attemptMs, left))),
  };
  try {
    return await attempt(send, operation, sent, signal);
  } catch (error) {
    if (!(error instanceof CertificateFault)) throw error;
    throw new Unreachable(made, effectOf(operation, unanswered), error);
  }
}

function endOf(
  operation: Operation,
  made: number,
  unanswered: number,
  failure: Failure,
  error: unknown,
): Error {
  if (failure.kind !== 'refused' || !(error instanceof ServiceRefusal))
    return new Unreachable(made, effectOf(operation, unanswered), error);
  return unanswered === 0 ? error : new ServiceRefusal({ ...error, afterUnanswered: true });
}

function effectOf({ method }: Operation, unanswered: number): 'none' | 'unknown' {
  return method !== 'GET' && unanswered > 0 ? 'unknown' : 'none';
}

function isUnauthenticated(error: unknown): boolean {
  return error instanceof ServiceRefusal && error.status === 401;
}
