import canonicalize from 'canonicalize';

/** RFC 8785 of a JSON value, as the service forms it (protocol §2.2). */
export function canonicalText(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('this is no JSON value');
  return text;
}

/** The digest of a text's UTF-8 bytes: `sha256:` and lower-case hex. Needs a secure context. */
export async function textDigest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const hex = Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0'));
  return `sha256:${hex.join('')}`;
}

/** The digest of a value's canonical form. */
export function valueDigest(value: unknown): Promise<string> {
  return textDigest(canonicalText(value));
}
