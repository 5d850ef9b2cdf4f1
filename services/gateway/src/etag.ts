import { textDigest } from '@countersign/protocol';

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
