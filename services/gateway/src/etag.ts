import { textDigest } from '@countersign/protocol';

import type { Call } from './call.js';

/** The strong validator of an answer's text (R31). */
export function etagOf(body: string): string {
  return `"${textDigest(body).slice('sha256:'.length)}"`;
}

/** Weak comparison, as If-None-Match wants it (RFC 9110 §13.1.2). */
export function isKnown(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const strong = (text: string) => text.trim().replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((one) => strong(one) === strong(tag));
}

/** Gives an answer its tag; sends 304, and says so, when the caller has that answer (R31). */
export function sendKnown({ request, response }: Call, body: string): boolean {
  const tag = etagOf(body);
  response.setHeader('ETag', tag);
  if (!isKnown(request.headers['if-none-match'], tag)) return false;
  response.statusCode = 304;
  response.end();
  return true;
}
