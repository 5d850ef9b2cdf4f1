/** The little of Node's Buffer that the verifier uses; as strict as the verifier needs it and no more lenient than Node. */
class Bytes extends Uint8Array<ArrayBuffer> {
  static byteLength(text: string): number {
    return new TextEncoder().encode(text).length;
  }

  equals(other: Uint8Array): boolean {
    return this.length === other.length && this.every((byte, at) => byte === other[at]);
  }

  override toString(encoding = 'utf8'): string {
    if (encoding === 'utf8') return new TextDecoder().decode(this);
    const letters = Array.from({ length: Math.ceil(this.length / STRETCH) }, (_, at) =>
      String.fromCharCode(...this.subarray(at * STRETCH, (at + 1) * STRETCH)),
    ).join('');
    if (encoding === 'latin1') return letters;
    if (encoding === 'base64url') {
      return btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
    }
    throw new TypeError(`not here: ${encoding}`);
  }
}

/** As many letters as one call takes. */
const STRETCH = 8192;

function from(
  value: string | ArrayBuffer,
  encodingOrStart: string | number = 'utf8',
  length?: number,
): Bytes {
  if (typeof value !== 'string') {
    return typeof encodingOrStart === 'number'
      ? new Bytes(value, encodingOrStart, length)
      : new Bytes(value);
  }
  if (encodingOrStart === 'utf8') return copyOf(new TextEncoder().encode(value));
  if (encodingOrStart === 'base64url') {
    // A text that is no base64url decodes to one that is spelled otherwise, which the verifier detects.
    if (!/^[A-Za-z0-9_-]*$/.test(value) || value.length % 4 === 1) return empty(0);
    const letters = atob(value.replaceAll('-', '+').replaceAll('_', '/'));
    return Bytes.from(letters, (letter) => letter.charCodeAt(0)) as Bytes;
  }
  throw new TypeError(`not here: ${String(encodingOrStart)}`);
}

function empty(length: number): Bytes {
  return new Bytes(new ArrayBuffer(length));
}

function copyOf(bytes: Uint8Array): Bytes {
  const copy = empty(bytes.length);
  copy.set(bytes);
  return copy;
}

export const Buffer = { from, byteLength: Bytes.byteLength };
