import { readStrictJson } from '@countersign/protocol/strict-reader';
import type { JsonBounds } from '@countersign/protocol/strict-reader';

import { AnswerInvalid, ServiceRefusal } from './errors.js';
import type { RefusalFacts } from './errors.js';
import { RETRIES } from './generated/errors.js';
import type { ErrorCode } from './generated/errors.js';
import type { Operation } from './operation.js';
import type { Failure } from './retry.js';

/** One HTTP request as it is sent, the same in every attempt but for the token. */
export interface Sent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** For this one attempt. */
  readonly timeoutMs: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON value, or the text of an operation that answers with text. */
  readonly body: unknown;
}

export type Attempt =
  | { readonly answer: Answer }
  | { readonly failure: Failure; readonly error: unknown };

const MiB = 1024 * 1024;
const MOST_BYTES = 24 * MiB;
/** Exports and pages of the ledger. */
const MOST_LARGE_BYTES = 128 * MiB;
const LARGE: ReadonlySet<number> = new Set([21, 27]);

/** A record holds parts of bodies, several levels below its own root; an export holds several bodies and many records. */
const BOUNDS: JsonBounds = { depth: 72, values: 2_000_000, members: 100_000 };

/** Statuses of servers in front of the service, and of none of its refusals: the call may have reached it. */
const LOST_STATUSES: ReadonlySet<number> = new Set([500, 502, 504]);
const REFUSED: ReadonlySet<number> = new Set([400, 401, 403, 404, 409, 410, 413, 422, 429, 503]);

/**
 * Sends a call once.
 *
 * @throws AnswerInvalid for an answer that no repetition would make better, and the reason of `signal`
 */
export async function attempt(
  send: typeof fetch,
  operation: Operation,
  sent: Sent,
  signal: AbortSignal | undefined,
): Promise<Attempt> {
  const { url, headers, body, timeoutMs } = sent;
  const { method } = operation;
  const timeout = AbortSignal.timeout(timeoutMs);
  const ends = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  try {
    const response = await send(url, {
      method,
      headers,
      redirect: 'manual',
      signal: ends,
      ...(body === undefined ? {} : { body }),
    });
    return await read(operation, response);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof AnswerInvalid || error instanceof CertificateFault) throw error;
    return failed(error);
  }
}

/** The server's certificate is not to be trusted: no repetition makes it so. */
export class CertificateFault extends Error {
  override readonly name = 'CertificateFault';
}

async function read(operation: Operation, response: Response): Promise<Attempt> {
  const { status, headers, type } = response;
  if (type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304)) {
    await response.body?.cancel();
    throw new AnswerInvalid('redirect');
  }
  const retryAfter = secondsOf(headers.get('retry-after'));
  const contentType = headers.get('content-type')?.split(';', 1)[0]?.trim();
  if (LOST_STATUSES.has(status)) {
    await response.body?.cancel();
    return lost(new Error(`status ${status}`), retryAfter);
  }
  // The service has pages for browsers alone: this one is of a proxy, which may have passed the call on.
  if (contentType === 'text/html') {
    await response.body?.cancel();
    return lost(new AnswerInvalid('not_json'), retryAfter);
  }
  const isSuccess = operation.success.includes(status);
  if (!isSuccess && !REFUSED.has(status)) {
    await response.body?.cancel();
    throw new AnswerInvalid('undeclared_status');
  }
  const bytes = await bytesOf(
    response,
    LARGE.has(operation.number) ? MOST_LARGE_BYTES : MOST_BYTES,
  );
  if (isSuccess && operation.output === null)
    return { answer: { status, headers, body: new TextDecoder().decode(bytes) } };
  const wanted = isSuccess ? 'application/json' : 'application/problem+json';
  const body = contentType === wanted ? parsed(bytes) : undefined;
  // A part of an answer, or none of the service.
  if (body === undefined) return lost(new AnswerInvalid('not_json'), retryAfter);
  return isSuccess ? { answer: { status, headers, body } } : refused(status, body, retryAfter);
}

function refused(status: number, body: unknown, retryAfter: number | null): Attempt {
  const { error: code, detail, instance } = (body ?? {}) as Record<string, unknown>;
  if (typeof code !== 'string') throw new AnswerInvalid('wrong_record', '/error');
  const retry = Object.hasOwn(RETRIES, code) ? RETRIES[code as keyof typeof RETRIES] : 'never';
  const facts: RefusalFacts = {
    status,
    // A newer service may have more of them.
    code: code as ErrorCode,
    detail: typeof detail === 'string' ? detail : '',
    instance: typeof instance === 'string' ? instance : '',
    retryAfter,
    retry,
    afterUnanswered: false,
  };
  const error = new ServiceRefusal(facts);
  if (code === 'service_unavailable') return lost(error, retryAfter);
  return { failure: { kind: 'refused', retry, retryAfter }, error };
}

function lost(error: unknown, retryAfter: number | null = null): Attempt {
  return { failure: { kind: 'lost', retryAfter }, error };
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return readStrictJson(bytes, BOUNDS);
  } catch {
    return undefined;
  }
}

async function bytesOf(response: Response, most: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done || value === undefined) break;
    length += value.length;
    if (length > most) {
      await reader?.cancel();
      throw new AnswerInvalid('too_large');
    }
    parts.push(value);
  }
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Errors of Node and Bun that come before a request is sent; Deno and browsers tell nothing, which counts as lost. */
const UNSENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused)$/;
const CERTIFICATE =
  /^(CERT_|ERR_TLS_CERT|UNABLE_TO_(GET|VERIFY|DECRYPT)_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE))/;

function failed(error: unknown): Attempt {
  const codes = codesOf(error);
  if (codes.some((code) => CERTIFICATE.test(code)))
    throw new CertificateFault('its certificate is not trusted', { cause: error });
  if (codes.length > 0 && codes.every((code) => UNSENT.test(code)))
    return { failure: { kind: 'unsent' }, error };
  return lost(error);
}

/** The codes of an error and of those that it was made of: one for each address that was tried. */
function codesOf(error: unknown): string[] {
  if (typeof error !== 'object' || error === null) return [];
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return errors.flatMap(codesOf);
  return [...(typeof code === 'string' ? [code] : []), ...codesOf(cause)];
}

/** `Retry-After` in whole seconds, given as such or as a date. */
function secondsOf(header: string | null): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - Date.now()) / 1_000));
}
