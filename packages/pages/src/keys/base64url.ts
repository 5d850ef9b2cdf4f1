/** Base64url without padding, as the protocol writes bytes (protocol §19.2). */
export function toBase64url(bytes: ArrayBuffer | Uint8Array): string {
  const text = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('');
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Throws for other text. */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (each) => each.charCodeAt(0));
}
