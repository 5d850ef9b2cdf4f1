import { createHash, webcrypto } from 'node:crypto';
import type { BusBody } from '../bus/types.js';
import { turn } from '../turn.js';

/** A longer body is bound by its digest, which may be compared when the body is fetched. */
const SHORT = 64 * 1024;
/** Of a text: some 1.5 ms of work. */
const SLICE = 1024 * 1024;

/** Bytes are always bound by their digest: who has them as text is not known. */
export function isShort(body: BusBody): body is string {
  return typeof body === 'string' && body.length <= SHORT;
}

/** SHA-256 of the UTF-8 bytes in base64url, away from this thread or in slices between which others get their turn. */
export async function digestOf(body: BusBody): Promise<string> {
  if (typeof body !== 'string') {
    // Bytes of a worker may be shared memory for all that the types know; ours never are.
    const digest = await webcrypto.subtle.digest('SHA-256', body as Uint8Array<ArrayBuffer>);
    return Buffer.from(digest).toString('base64url');
  }
  const hash = createHash('sha256');
  for (let at = 0; at < body.length;) {
    const end = sliceEnd(body, at + SLICE);
    hash.update(body.slice(at, end));
    at = end;
    if (at < body.length) await turn();
  }
  return hash.digest('base64url');
}

/** Not between the halves of a surrogate pair: each alone would be digested as U+FFFD. */
function sliceEnd(body: string, end: number): number {
  const last = body.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end + 1 : end;
}
