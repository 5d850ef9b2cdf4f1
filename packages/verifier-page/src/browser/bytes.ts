/** The little of Node's Buffer that the verifier uses; as strict as the verifier needs it and no more lenient than Node. */
class Bytes extends Uint8Array<ArrayBuffer> {
  static byteLength(text: string): number {
    return new TextEncoder().encode(text).length;
  }

  equals(other: Uint8Array): boolean {
    return this.length === other.length && this.every((byte, at) => byte === other[at]);
  }

  readBigUInt64BE(): bigint {
    return new DataView(this.buffer, this.byteOffset, this.byteLength).getBigUint64(0);
  }

  override toString(encoding = 'utf8'): string {
    if (encoding === 'utf8') return new TextDecoder().decode(this);
    const letters = Array.from({ length: Math.ceil(this.length / STRETCH) }, (_, at) =>
      String.fromCharCode(...this.subarray(at * STRETCH, (at + 1) * STRETCH)),
    ).join('');
    if (encoding === 'latin1') return letters;
    if (encoding === 'base64') return btoa(letters);
    if (encoding === 'hex') {
      return Array.from(this, (byte) => byte.toString(16).padStart(2, '0')).join('');
    }
    if (encoding === 'base64url') {
      return btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
    }
    throw new TypeError(`not here: ${encoding}`);
  }
}

/** As many letters as one call takes. */
const STRETCH = 8192;

function from(
  value: string | ArrayBuffer | Uint8Array,
  encodingOrStart: string | number = 'utf8',
  length?: number,
): Bytes {
  if (typeof value !== 'string') {
    if (value instanceof Uint8Array) return copyOf(value);
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
  if (encodingOrStart === 'base64') {
    // As above.
    if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value))
      return empty(0);
    return Bytes.from(atob(value), (letter) => letter.charCodeAt(0)) as Bytes;
  }
  if (encodingOrStart === 'hex') {
    const pairs = value.match(/[0-9a-f]{2}/gi) ?? [];
    return Bytes.from(pairs, (pair) => Number.parseInt(pair, 16)) as Bytes;
  }
  throw new TypeError(`not here: ${String(encodingOrStart)}`);
}

function concat(parts: readonly Uint8Array[]): Bytes {
  const all = empty(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function empty(length: number): Bytes {
  return new Bytes(new ArrayBuffer(length));
}

function copyOf(bytes: Uint8Array): Bytes {
  const copy = empty(bytes.length);
  copy.set(bytes);
  return copy;
}

export const Buffer = {
  from,
  concat,
  of: (...bytes: number[]) => copyOf(Uint8Array.of(...bytes)),
  byteLength: Bytes.byteLength,
};
