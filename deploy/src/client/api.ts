import { randomUUID } from 'node:crypto';
import { PlainError } from '../plain-error.js';

/** The credentials of a caller: a bearer token, or the cookie and CSRF token of a session. */
export type Credentials = { token: string } | { cookie: string; csrf: string };

/** The HTTP interface of one origin, as one caller. Methods resolve to the answer's JSON and throw ApiRefusal. */
export interface Api {
  get<T>(path: string): Promise<T>;
  /** With a fresh Idempotency-Key, unless one is given. */
  post<T>(path: string, body: unknown, key?: string): Promise<T>;
  put<T>(path: string, body: unknown): Promise<T>;
  /** The number of the newest event of a producer's feed. */
  newestEvent(): Promise<number>;
}

/** Beyond every event. */
const FAR = 99_999_999;

/** An answer that is no success; `code` is the problem document's `error`. */
export class ApiRefusal extends Error {
  constructor(
    request: string,
    readonly status: number,
    readonly code: string,
    detail: string,
  ) {
    super(`${request} answered ${status} ${code}${detail === '' ? '' : `: ${detail}`}`);
  }
}

/** No connection came about, or it ended before the answer. */
export class Unreachable extends PlainError {}

/** As fetch, but a refused connection is `Unreachable`. It names no header: one of them may be a credential. */
export async function reach(url: string, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    const { origin } = new URL(url);
    const { code, message } =
      (error as { cause?: { code?: string; message?: string } }).cause ?? {};
    const cause = code ?? message ?? 'the request could not be sent';
    throw new Unreachable(
      `${origin} does not answer (${cause}). Is Countersign running? Start it with \`npm start\`.`,
    );
  }
}

export function apiOf(origin: string, credentials: Credentials): Api {
  async function send(
    method: string,
    path: string,
    body?: unknown,
    key?: string,
  ): Promise<Response> {
    const response = await reach(origin + path, {
      method,
      headers: {
        ...headersOf(origin, credentials),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.ok) return response;
    throw refusalOf(`${method} ${path}`, response.status, await response.text());
  }
  async function call<T>(...sent: Parameters<typeof send>): Promise<T> {
    return (await send(...sent)).json() as Promise<T>;
  }
  return {
    get: (path) => call('GET', path),
    post: (path, body, key = randomUUID()) => call('POST', path, body, key),
    put: (path, body) => call('PUT', path, body),
    newestEvent: async () =>
      Number((await send('GET', `/v2/events?after=${FAR}`)).headers.get('event-head')),
  };
}

function headersOf(origin: string, credentials: Credentials): Record<string, string> {
  return 'token' in credentials
    ? { authorization: `Bearer ${credentials.token}` }
    : { cookie: credentials.cookie, 'x-csrf-token': credentials.csrf, origin };
}

function refusalOf(request: string, status: number, text: string): ApiRefusal {
  try {
    const { error, detail } = JSON.parse(text) as { error?: string; detail?: string };
    return new ApiRefusal(request, status, error ?? 'unknown', detail ?? '');
  } catch {
    return new ApiRefusal(request, status, 'unknown', text.slice(0, 200));
  }
}
