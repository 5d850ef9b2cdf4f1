import { Refusal, isErrorCode, statusesOf } from '@countersign/protocol';
import type { ErrorStatus } from '@countersign/protocol';
import { currentTrace, traceparentOf } from '../telemetry.js';
import { busFaultOf, busRefusal, isBusFaultKind } from './fault.js';
import type { BusBody, BusHeaders, BusReply } from './types.js';

/** Header lines as they travel: names of letters, digits, - and _; values of printable ASCII. */
export type WireHeaders = [name: string, value: string][];

/** A request body or a reply, encoded. */
export interface EncodedMessage {
  headers: WireHeaders;
  body: BusBody;
}

/** The header with the id of the body in the parcel store. */
export const PARCEL = 'parcel';
/** How many bytes the parcel has. */
export const PARCEL_BYTES = 'parcel-bytes';

/** Bodies of more bytes travel as parcels: big messages hold up the small ones behind them. */
export const INLINE_BYTES = 256 * 1024;

export function isLarge(body: BusBody): boolean {
  if (typeof body !== 'string') return body.length > INLINE_BYTES;
  // UTF-8 needs one to three bytes per UTF-16 unit.
  if (body.length > INLINE_BYTES) return true;
  return body.length * 3 > INLINE_BYTES && Buffer.byteLength(body) > INLINE_BYTES;
}

const SUBJECT = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;
const checkedSubjects = new Set<string>();

/** Subjects come from our own code, so a wrong one is a mistake and not a refusal. */
export function checkSubject(subject: string): void {
  if (checkedSubjects.has(subject)) return;
  if (!SUBJECT.test(subject)) throw new TypeError(`not a bus subject: ${subject}`);
  if (checkedSubjects.size < 1000) checkedSubjects.add(subject);
}

const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;
/** The characters that a header line cannot carry unescaped: %, line ends, anything beyond ASCII, space at either end. */
const ESCAPED = /[^\x20-\x24\x26-\x7e]|^ | $/gu;
const TO_ESCAPE = new RegExp(ESCAPED.source, 'u');

function escapeValue(value: string): string {
  if (!TO_ESCAPE.test(value)) return value;
  // Through bytes: half a surrogate pair becomes U+FFFD instead of an error.
  return Buffer.from(value).toString().replace(ESCAPED, encodeURIComponent);
}

function unescapeValue(value: string): string {
  return value.includes('%') ? decodeURIComponent(value) : value;
}

function isOfParcel(name: string): boolean {
  return name === PARCEL || name === PARCEL_BYTES;
}

/** Adds the current trace when the caller names none. */
export function encodeHeaders(headers: BusHeaders): WireHeaders {
  const lines: WireHeaders = [];
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined) continue;
    if (!NAME.test(name) || isOfParcel(name)) throw new TypeError(`not a bus header: ${name}`);
    lines.push([name, typeof value === 'string' ? escapeValue(value) : String(value)]);
  }
  if (headers.traceparent === undefined) {
    const trace = currentTrace();
    if (trace !== undefined) lines.push(['traceparent', traceparentOf(trace)]);
  }
  return lines;
}

export function decodeHeaders(lines: WireHeaders): BusHeaders {
  const headers: BusHeaders = { timeoutMs: 0 };
  for (const [name, value] of lines) {
    if (name === 'timeoutMs') headers.timeoutMs = Number(value) || 0;
    else if (!isOfParcel(name) && NAME.test(name)) headers[name] = unescapeValue(value);
  }
  return headers;
}

/** Reply headers travel under names of their own, apart from ours. */
const OWN = 'reply-';

/** Says that the caller gets the body as bytes, as it was given. */
const BYTES: WireHeaders[number] = ['bytes', 'yes'];

/** The body of an envelope that travelled with these headers. */
export function arrivedBody(headers: WireHeaders, bytes: Uint8Array): BusBody {
  return headers.some(([name]) => name === BYTES[0]) ? bytes : textOf(bytes);
}

/** UTF-8 as it is: a decoder of the platform's would drop a leading byte-order mark. */
export function textOf({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('utf8');
}

export function encodeReply({ status, body, bytes, headers }: BusReply): EncodedMessage {
  const lines: WireHeaders = [['status', String(status)]];
  for (const name in headers) lines.push([OWN + name, escapeValue(headers[name] as string)]);
  if (bytes !== undefined) lines.push(BYTES);
  return { headers: lines, body: bytes ?? body };
}

/** A refusal by its code; anything else as `service_unavailable` without a word about it. */
export function encodeFailure(error: unknown): EncodedMessage {
  if (!(error instanceof Refusal)) {
    return {
      headers: [
        ['error', 'service_unavailable'],
        ['fault', 'handler_failed'],
      ],
      body: '',
    };
  }
  const lines: WireHeaders = [
    ['error', error.code],
    ['status', String(error.status)],
  ];
  if (error.retryAfter !== undefined) lines.push(['retry-after', String(error.retryAfter)]);
  if (error.detail !== undefined) lines.push(['detail', escapeValue(error.detail)]);
  const fault = busFaultOf(error);
  if (fault !== null) lines.push(['fault', fault]);
  return { headers: lines, body: '' };
}

/** The reply, or throws the refusal that came instead. */
export function decodeReply(subject: string, { headers: lines, body }: EncodedMessage): BusReply {
  const own: Record<string, string> = {};
  const given: Record<string, string> = {};
  let hasGiven = false;
  for (const [name, value] of lines) {
    if (name.startsWith(OWN)) {
      given[name.slice(OWN.length)] = unescapeValue(value);
      hasGiven = true;
    } else {
      own[name] = value;
    }
  }
  if (own['error'] !== undefined) throw decodeFailure(subject, own['error'], own);
  const status = Number(own['status']);
  if (!Number.isInteger(status)) throw busRefusal('handler_failed', subject);
  const reply = typeof body === 'string' ? { status, body } : { status, body: '', bytes: body };
  return hasGiven ? { ...reply, headers: given } : reply;
}

function decodeFailure(subject: string, code: string, own: Record<string, string>): Refusal {
  if (isBusFaultKind(own['fault'])) return busRefusal(own['fault'], subject);
  const status = Number(own['status']) as ErrorStatus;
  // A service of a newer version may know codes that we do not.
  if (!isErrorCode(code) || !statusesOf(code).includes(status)) {
    return busRefusal('handler_failed', subject, new Error(`unknown refusal ${code}`));
  }
  return new Refusal(code, {
    status,
    ...(own['retry-after'] === undefined ? {} : { retryAfter: Number(own['retry-after']) }),
    ...(own['detail'] === undefined ? {} : { detail: unescapeValue(own['detail']) }),
  });
}
