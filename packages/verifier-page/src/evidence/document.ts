import {
  DOCUMENT_BOUNDS,
  EVIDENCE_ELEMENT,
  isJsonObject,
  parseStrictJson,
  readPage,
} from '@countersign/protocol/verifier';
import type { JsonValue } from '@countersign/protocol/verifier';

/** The evidence that this page carries. */
export interface Carried {
  /** The element as a file of its own: the verifier reads it as it reads this page. */
  readonly bytes: Uint8Array;
  /** The JSON text. */
  readonly json: string;
  /** Untrusted, of any shape; null when it cannot be read. */
  readonly value: JsonValue;
}

/** Null when the element is empty. */
export function carriedBy(content: string): Carried | null {
  if (content.trim() === '') return null;
  const { open, close } = EVIDENCE_ELEMENT;
  const bytes = new TextEncoder().encode(open + content + close);
  const page = readPage(bytes);
  const json = 'json' in page ? page.json : '';
  return { bytes, json, value: parsed(json) };
}

function parsed(json: string): JsonValue {
  try {
    return parseStrictJson(new TextEncoder().encode(json), DOCUMENT_BOUNDS);
  } catch {
    // The verdict says why.
    return null;
  }
}

/** A member of an untrusted value; undefined where there is none. */
export function member(value: JsonValue | undefined, ...names: string[]): JsonValue | undefined {
  let found = value;
  for (const name of names) {
    if (!isJsonObject(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found;
}

export function itemsOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** A string as it is, everything else as indented JSON, nothing as the empty text. */
export function textOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
