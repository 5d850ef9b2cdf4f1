// The little of Node's `Buffer` that packages/protocol uses, for the worker alone (vite.config.mjs, decisions/0010).

type Encoding = 'utf8' | 'latin1' | 'hex' | 'base64url';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

class Bytes extends Uint8Array {
  override toString(encoding: Encoding = 'utf8'): string {
    if (encoding === 'utf8') return decoder.decode(this);
    if (encoding === 'hex')
      return [...this].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    let text = '';
    for (const byte of this) text += String.fromCharCode(byte);
    if (encoding === 'latin1') return text;
    return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  }

  equals(other: Uint8Array): boolean {
    return this.length === other.length && this.every((byte, at) => byte === other[at]);
  }
}

function ofText(text: string, encoding: Encoding): Bytes {
  if (encoding === 'utf8') return new Bytes(encoder.encode(text));
  if (encoding !== 'base64url') throw new TypeError(`${encoding} is not read here`);
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return Bytes.from(binary, (character) => character.charCodeAt(0)) as Bytes;
  } catch {
    // As Node's does with what is no base64: nothing that anybody could take for a signature.
    return new Bytes();
  }
}

const buffer = {
  from(source: string | ArrayBuffer, at?: Encoding | number, length?: number): Bytes {
    return typeof source === 'string'
      ? ofText(source, (at as Encoding | undefined) ?? 'utf8')
      : new Bytes(source, (at as number | undefined) ?? 0, length);
  },
  byteLength: (text: string): number => encoder.encode(text).length,
};

Object.assign(globalThis, { Buffer: buffer });
