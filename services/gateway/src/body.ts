import type { IncomingMessage } from 'node:http';

import { SMALL_BODY_BYTES, turn } from '@countersign/platform';
import type { BodyPlace } from '@countersign/platform';
import { LARGE_BYTES, Refusal } from '@countersign/protocol';

import { readOnNextTurn } from './read-on-next-turn.js';
import { CallerGone } from './refusals.js';

const charset = /^utf-8$/i;

export type Body =
  | { readonly kind: 'small'; readonly bytes: Uint8Array }
  /** Its holder leaves its place. */
  | { readonly kind: 'large'; readonly bytes: Uint8Array; readonly place: BodyPlace }
  /** A large body that is no object, as every operation wants one: no more than its first byte was looked at. */
  | { readonly kind: 'no object' };

export interface Reading {
  /** The most bytes that the operation takes. */
  readonly limit: number;
  /** Called when nothing that was announced speaks against the body. */
  readonly begin: () => void;
  /** Room in memory for so many bytes, for which nothing is read before. */
  readonly place: (bytes: number) => Promise<BodyPlace>;
  /** Called as soon as the body is known to be longer than `LARGE_BYTES`, perhaps more than once; may throw. */
  readonly large: () => void;
  /** Ends the reading of a large body. */
  readonly signal: () => AbortSignal;
}

/**
 * Reads a whole body within its limit (protocol §6.1 step 6). Throws `json_required` →
 * `unsupported_encoding` → `utf8_required` → `body_too_large`, the last one as soon as it is known.
 */
export async function readBody(request: IncomingMessage, reading: Reading): Promise<Body> {
  checkHeaders(request);
  const { limit, begin } = reading;
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limit) throw new Refusal('body_too_large');
  if (announced > LARGE_BYTES) reading.large();
  if (announced > SMALL_BODY_BYTES) return readLarge(request, announced, reading, []);
  begin();
  const most = Math.min(limit, SMALL_BODY_BYTES);
  const chunks: Buffer[] = [];
  let length = 0;
  const whole = await drain(request, null, (chunk) => {
    chunks.push(chunk);
    length += chunk.length;
    return length <= most;
  });
  if (whole) {
    const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
    return { kind: 'small', bytes };
  }
  // It did not say its length, and may have as much as any.
  if (length > limit) throw new Refusal('body_too_large');
  return readLarge(request, limit, { ...reading, begin: () => {} }, chunks);
}

/** As {@link readBody}, of 64 KiB at most. */
export async function readSmallBody(request: IncomingMessage): Promise<Uint8Array> {
  const none = () => {
    throw new Refusal('body_too_large');
  };
  const begin = () => {};
  const reading = { limit: SMALL_BODY_BYTES, begin, large: none, place: none, signal: none };
  const body = await readBody(request, reading);
  return body.kind === 'small' ? body.bytes : none();
}

/** `begun`: the bytes that have arrived already. */
async function readLarge(
  request: IncomingMessage,
  most: number,
  { begin, place: placeFor, large, signal }: Reading,
  begun: readonly Buffer[],
): Promise<Body> {
  const place = await placeFor(most);
  try {
    begin();
    const bytes = new Uint8Array(most);
    let length = 0;
    let first: number | undefined;
    const take = (chunk: Buffer): boolean => {
      if (length + chunk.length > most) throw new Refusal('body_too_large');
      bytes.set(chunk, length);
      length += chunk.length;
      if (length > LARGE_BYTES) large();
      first ??= chunk.find((byte) => !SPACES.has(byte));
      return first === undefined || first === OBJECT;
    };
    const whole = begun.every(take) && (await drain(request, signal(), take));
    if (!whole) {
      place.leave();
      if (!VALUES.has(first as number)) throw new Refusal('invalid_json');
      return { kind: 'no object' };
    }
    return { kind: 'large', bytes: length === most ? bytes : bytes.slice(0, length), place };
  } catch (error) {
    place.leave();
    throw error;
  }
}

const bytesOf = (text: string): ReadonlySet<number> => new Set(Buffer.from(text));
const SPACES = bytesOf(' \t\r\n');
const OBJECT = 0x7b;
/** The bytes that other values begin with. */
const VALUES = bytesOf('["-0123456789tfn');

/**
 * Gives chunks to `take` until the body ends, true, or until that wants no more, false: then the body waits. Rejects with
 * the error of `take`. `signal`: ends the reading of a large body, which leaves the event loop to other calls after each chunk.
 */
function drain(
  request: IncomingMessage,
  signal: AbortSignal | null,
  take: (chunk: Buffer) => boolean,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let ended = false;
    const finish = (settle: () => void) => {
      ended = true;
      request.off('data', data).off('end', end).off('error', gone).off('close', gone);
      signal?.removeEventListener('abort', gone);
      settle();
    };
    const stop = (settle: () => void) => {
      request.pause();
      finish(settle);
    };
    const data = (chunk: Buffer) => {
      try {
        if (!take(chunk)) return stop(() => resolve(false));
      } catch (error) {
        return stop(() => reject(error as Error));
      }
      if (signal !== null) readOnNextTurn(request, turn, () => !ended);
    };
    const end = () => finish(() => resolve(true));
    const gone = () => finish(() => reject(new CallerGone()));
    if (signal?.aborted === true || request.destroyed) return reject(new CallerGone());
    signal?.addEventListener('abort', gone, { once: true });
    request.on('data', data).on('end', end).on('error', gone).on('close', gone);
    request.resume();
  });
}

function checkHeaders({ headers }: IncomingMessage): void {
  const announced =
    headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';');
  if (!announced || type.trim().toLowerCase() !== 'application/json') {
    throw new Refusal('json_required');
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    throw new Refusal('unsupported_encoding');
  }
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=', 2);
    if (name.trim().toLowerCase() !== 'charset') continue;
    if (!charset.test(value.trim().replace(/^"(.*)"$/, '$1'))) throw new Refusal('utf8_required');
  }
}
