import {
  DEFAULT_LIMITS,
  REVIEW_DOCUMENT_CHARACTERS,
  Refusal,
  assertRecord,
  canonicalText,
  isJsonObject,
  textDigest,
} from '@countersign/protocol';
import type { Digest, JsonValue, RecordName, RequestInput } from '@countersign/protocol';

/** A text of a body, or its UTF-8 bytes where they are handed from one thread to another. */
export interface MeasuredText {
  readonly text: string | Uint8Array;
  readonly bytes: number;
  readonly digest: Digest;
}

/** How a body's texts are kept. */
export type Keep = (text: string) => string | Uint8Array;

export const AS_TEXT: Keep = (text) => text;

/** Why a body is not the record that it should be. */
export interface Fault {
  readonly detail: string | undefined;
}

/**
 * The input of `request.create` and `request.supersede`, taken apart once. Faults are only recorded: other things are
 * checked first. Nothing in it is a function, so that one thread can make it for another.
 */
export interface CreationInput {
  /** Of the whole body, for idempotency. */
  readonly digest: Digest;
  /** The names in the body, with any other content; null for a value that cannot be a name. */
  readonly names: Readonly<Record<'route' | 'bundle' | 'occurrence' | 'recoveryOf', string | null>>;
  readonly payload: MeasuredText;
  readonly document: MeasuredText & { readonly tooLong: boolean };
  /** '' when it is larger than any route takes. */
  readonly schema: MeasuredText & { readonly text: string };
  /** Bytes of their canonical form. */
  readonly metadataBytes: number;
  readonly referencesBytes: number;
  readonly fault: Fault | null;
  /** The rest; empty when the request is refused anyway. */
  readonly head: CreationHead;
}

export type CreationHead = Omit<RequestInput, 'payload' | 'response_schema' | 'review_document'>;

/** Reads a body in canonical form. */
export function readCreation(body: string, keep: Keep): CreationInput {
  const value = JSON.parse(body) as JsonValue;
  const raw = (isJsonObject(value) ? value : {}) as Partial<RequestInput>;
  const { payload = null, response_schema = null, review_document, ...head } = raw;
  const document = typeof review_document === 'string' ? review_document : '';
  const metadataBytes = bytesOf(raw.metadata);
  const referencesBytes = bytesOf(raw.execution?.provenance?.references);
  const most = DEFAULT_LIMITS.response_bytes;
  const schema = measured(canonicalText(response_schema), AS_TEXT);
  const fault = faultOf('RequestInput', raw);
  const refused = fault !== null || metadataBytes > most || referencesBytes > most;
  return {
    digest: textDigest(body),
    names: {
      route: nameOr(raw.route),
      bundle: nameOr(raw.bundle_id),
      occurrence: nameOr(raw.execution?.action_occurrence_id),
      recoveryOf: nameOr(raw.execution?.recovery_of),
    },
    payload: measured(canonicalText(payload), keep),
    document: {
      ...measured(document, keep),
      tooLong: longerThan(document, REVIEW_DOCUMENT_CHARACTERS),
    },
    schema: { ...schema, text: schema.bytes > most ? '' : (schema.text as string) },
    metadataBytes,
    referencesBytes,
    fault,
    head: (refused ? {} : head) as CreationHead,
  };
}

export function measured(text: string, keep: Keep): MeasuredText {
  return { text: keep(text), bytes: Buffer.byteLength(text), digest: textDigest(text) };
}

export function faultOf(record: RecordName, value: unknown): Fault | null {
  try {
    assertRecord(record, value);
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { detail: error.detail };
  }
}

function nameOr(value: unknown): string | null {
  return typeof value === 'string' && value.length <= 160 ? value : null;
}

function bytesOf(value: unknown): number {
  return value === undefined ? 0 : Buffer.byteLength(canonicalText(value));
}

/** More than `most` code points, without counting where the length already answers. */
function longerThan(text: string, most: number): boolean {
  if (text.length <= most) return false;
  let count = 0;
  for (const _ of text) count += 1;
  return count > most;
}
