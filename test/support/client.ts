import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Demo } from './instance.js';
import { logInAs } from '@countersign/tools/demo/person';
import { assertDescribed } from './openapi.js';

export type Credentials = { token: string } | { cookie: string; csrf: string } | null;

export interface Answer<T = any> {
  readonly status: number;
  readonly headers: Headers;
  /** The body as sent, without its coding. */
  readonly text: string;
  /** The body as JSON, when it is. */
  readonly body: T;
}

export interface CallOptions {
  readonly key?: string | null;
  readonly headers?: Record<string, string>;
  /** Sent as it is instead of JSON of `body`. */
  readonly raw?: string | Uint8Array;
  /**
   * Only for calls that are meant to break HTTP itself, and for extended forms (protocol §18.3), which have a description of
   * their own: every other answer must be as docs/openapi.json says.
   */
  readonly undescribed?: true;
}

/**
 * One caller of the HTTP interface; gives every answer as it is, refusals too. Throws for an answer that the published
 * description does not allow.
 */
export class Client {
  constructor(
    readonly origin: string,
    readonly credentials: Credentials,
  ) {}

  get(path: string, options: CallOptions = {}): Promise<Answer> {
    return this.call('GET', path, undefined, { key: null, ...options });
  }

  post(path: string, body: unknown = {}, options: CallOptions = {}): Promise<Answer> {
    return this.call('POST', path, body, options);
  }

  put(path: string, body: unknown, options: CallOptions = {}): Promise<Answer> {
    return this.call('PUT', path, body, { key: null, ...options });
  }

  async call(method: string, path: string, body: unknown, options: CallOptions): Promise<Answer> {
    const key = options.key === undefined ? randomUUID() : options.key;
    const { status, headers, bytes } = await exchange(
      this.origin + path,
      method,
      {
        ...credentialHeaders(this.origin, this.credentials),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === null ? {} : { 'idempotency-key': key }),
        ...options.headers,
      },
      body === undefined ? undefined : (options.raw ?? JSON.stringify(body)),
    );
    if (options.undescribed !== true)
      assertDescribed({ method, path, status, headers, body: bytes });
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    return { status, headers, text, body: jsonOf(text) };
  }
}

const agent = new Agent({ keepAlive: true });

/**
 * One exchange, without what `fetch` does for browsers, which took half of the processor time of a test file's process.
 *
 * @throws TypeError as `fetch` does, for an exchange that broke off
 */
function exchange(
  url: string,
  method: string,
  headers: Record<string, string>,
  body: string | Uint8Array | undefined,
): Promise<{ status: number; headers: Headers; bytes: Uint8Array }> {
  return new Promise((answered, fail) => {
    const failed = (cause: Error) => fail(new TypeError('the exchange broke off', { cause }));
    const call = request(url, { method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', failed);
      response.once('end', () => {
        const received = new Headers();
        for (let at = 0; at < response.rawHeaders.length; at += 2)
          received.append(response.rawHeaders[at]!, response.rawHeaders[at + 1]!);
        answered({
          status: response.statusCode!,
          headers: received,
          bytes: decoded(Buffer.concat(chunks), received.get('content-encoding')),
        });
      });
    });
    call.on('error', failed);
    call.end(body);
  });
}

/** The plain bytes of an answer whose call asked for a coding. */
function decoded(body: Buffer, coding: string | null): Uint8Array {
  if (coding === 'br') return new Uint8Array(brotliDecompressSync(body));
  return new Uint8Array(coding === 'gzip' ? gunzipSync(body) : body);
}

export function credentialHeaders(
  origin: string,
  credentials: Credentials,
): Record<string, string> {
  if (credentials === null) return {};
  return 'token' in credentials
    ? { authorization: `Bearer ${credentials.token}` }
    : { cookie: credentials.cookie, 'x-csrf-token': credentials.csrf, origin };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function producerOf(demo: Demo): Client {
  return new Client(demo.origin, { token: demo.producer.token });
}

export function operatorOf(demo: Demo): Client {
  return new Client(demo.origin, { token: demo.operator.token });
}

/**
 * A person with a fresh session, through the real login; as the command `session` does it, without its process. `tenant`
 * and `principal` are chosen where the person has more than one entry.
 */
export async function personOf(
  demo: Demo,
  dataDirectory: string,
  id: string,
  tenant?: string,
  principal?: string,
): Promise<Client> {
  const { cookie, csrf } = await logInAs(dataDirectory, id, tenant, principal);
  return new Client(demo.origin, { cookie, csrf });
}
