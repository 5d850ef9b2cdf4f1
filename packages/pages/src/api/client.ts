import { isAttended } from '../session/attended.js';
import { endSession, freshSession, knownSession } from '../session/session.js';
import { learnTime } from '../time/clock.js';
import { Problem, Unanswered, problemOf } from './problem.js';

export interface CallOptions {
  /** One per intended effect: sending it again repeats the question, never the effect (protocol §6.3). */
  readonly key?: string;
  readonly signal?: AbortSignal;
  /** The caller shows by itself that the session ended. */
  readonly quiet?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer together with the tag under which it can be asked for again. */
export interface Tagged<T> {
  readonly value: T;
  readonly tag: string | null;
}

const ANSWER_WITHIN_MS = 30_000;

/** A fresh idempotency key. */
export function newKey(): string {
  return crypto.randomUUID();
}

/** Reads. Throws `Problem` for a refusal and `Unanswered` when no answer came. */
export async function read<T>(path: string, options: CallOptions = {}): Promise<T> {
  const response = await ask(path, { method: 'GET' }, options);
  return (await bodyOf(response)) as T;
}

/** Reads an answer as text, for use elsewhere. */
export async function readAsText(path: string, options: CallOptions = {}): Promise<string> {
  return textOf(await ask(path, { method: 'GET' }, options));
}

/** Reads an answer as text; null when it has more than `most` bytes, the rest of which is not fetched. */
export async function readAsTextWithin(
  path: string,
  most: number,
  options: CallOptions = {},
): Promise<string | null> {
  const { body } = await ask(path, { method: 'GET' }, options);
  if (body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      bytes += value.length;
      text += decoder.decode(value, { stream: true });
      if (bytes > most) break;
    }
    await reader.cancel();
    return null;
  } catch (cause) {
    throw new Unanswered('the answer broke off', { cause });
  }
}

/** Reads data that may be known already: null when the service says that `tag` is still current. */
export async function readChanged<T>(
  path: string,
  tag: string | null,
  options: CallOptions = {},
): Promise<Tagged<T> | null> {
  const headers: Record<string, string> = tag === null ? {} : { 'If-None-Match': tag };
  const response = await ask(path, { method: 'GET', headers }, options);
  if (response.status === 304) return null;
  return { value: (await bodyOf(response)) as T, tag: response.headers.get('ETag') };
}

/**
 * Changes something: `POST` or `PUT` with the session's CSRF token; the browser adds the origin (protocol §8.4). The token of a
 * session that this person has replaced by another one is refused; the call is then repeated with the new one.
 */
export async function send<T>(
  method: 'POST' | 'PUT',
  path: string,
  body: unknown,
  options: CallOptions = {},
): Promise<T> {
  const known = knownSession();
  const headers: Record<string, string> = { 'Content-Type': 'application/json' };
  if (options.key !== undefined) headers['Idempotency-Key'] = options.key;
  const sendAs = async ({ csrf }: { readonly csrf: string }): Promise<T> => {
    const init = {
      method,
      headers: { ...headers, 'X-CSRF-Token': csrf },
      body: JSON.stringify(body),
    };
    return (await bodyOf(await ask(path, init, options))) as T;
  };
  if (known === null) return sendAs(await freshSession());
  try {
    return await sendAs(known);
  } catch (fault) {
    if (!isRefusal(fault, 'csrf')) throw fault;
    return sendAs(await freshSession());
  }
}

async function ask(path: string, init: RequestInit, options: CallOptions): Promise<Response> {
  const late = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const signal = options.signal === undefined ? late : AbortSignal.any([options.signal, late]);
  let response: Response;
  try {
    response = await fetch(path, {
      ...init,
      signal,
      redirect: 'error',
      cache: 'no-store',
      headers: {
        Accept: 'application/json',
        ...(isAttended() ? {} : { 'X-Unattended': '1' }),
        ...init.headers,
        ...options.headers,
      },
    });
  } catch (cause) {
    options.signal?.throwIfAborted();
    throw new Unanswered('no answer', { cause });
  }
  learnTime(response.headers.get('Date'));
  if (response.ok || response.status === 304) return response;
  const problem = problemOf(
    response.status,
    await response.text().catch(() => ''),
    response.headers.get('Retry-After'),
  );
  if (problem.code === 'unauthenticated' && options.quiet !== true) endSession();
  throw problem;
}

async function textOf(response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (cause) {
    throw new Unanswered('the answer broke off', { cause });
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await textOf(response);
  if (text === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    // Something between the service and here answers in its place.
    throw new Unanswered('the answer is no JSON', { cause });
  }
}

/** Whether a fault is a refusal with one of these codes. */
export function isRefusal(fault: unknown, ...codes: readonly string[]): fault is Problem {
  return fault instanceof Problem && codes.includes(fault.code);
}
