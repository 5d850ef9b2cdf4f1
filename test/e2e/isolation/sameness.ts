import type { Answer } from '../../support/client.js';

/** Headers that differ between any two answers. */
const OWN_HEADERS = ['date', 'traceparent'];

/**
 * The difference between two answers, or null: status, headers and every byte, but for the trace that a problem document
 * names (R3).
 */
export function difference(one: Answer, other: Answer): string | null {
  if (one.status !== other.status) return `${one.status} and ${other.status}`;
  const [bytes, otherBytes] = [withoutTrace(one), withoutTrace(other)];
  if (bytes !== otherBytes) return `${bytes} and ${otherBytes}`;
  const [headers, otherHeaders] = [headersOf(one), headersOf(other)];
  return headers === otherHeaders ? null : `${headers} and ${otherHeaders}`;
}

function withoutTrace({ text, body }: Answer): string {
  const trace = body?.instance;
  return typeof trace === 'string' && /^[0-9a-f]{32}$/.test(trace)
    ? text.replace(trace, 'trace')
    : text;
}

function headersOf({ headers }: Answer): string {
  return [...headers]
    .filter(([name]) => !OWN_HEADERS.includes(name))
    .map(([name, value]) => `${name}: ${value}`)
    .sort()
    .join('\n');
}
