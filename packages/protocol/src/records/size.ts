import { REVIEW_DOCUMENT_CHARACTERS } from '../constants.js';
import type { ErrorCode } from '../errors.js';
import { canonicalText } from '../json/canonical.js';
import type { JsonValue } from '../json/value.js';
import type { Limits } from './request.js';

/** Bytes of a value in canonical form; give your own to remember texts that are needed again. */
export type SizeOf = (part: JsonValue) => number;

const canonicalSize: SizeOf = (part) => Buffer.byteLength(canonicalText(part));

function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** More than so many code points? A text has at least half as many as it has code units. */
function isLongerThan(text: string, characters: number): boolean {
  if (text.length <= characters) return false;
  if (text.length > 2 * characters) return true;
  let count = 0;
  for (const _character of text) count += 1;
  return count > characters;
}

/**
 * The 413 of a RequestInput, or null (R27; order of protocol §7 request.create). It is asked before the schema,
 * so the value may have any shape: parts that are missing or of another type are left to the schema.
 * Payload and document are bounded by `payload_bytes` each; schema, metadata and
 * `execution.provenance.references` by `response_bytes` each (protocol §9.1).
 */
export function oversizedPart(
  input: JsonValue,
  limits: Pick<Limits, 'payload_bytes' | 'response_bytes'>,
  sizeOf: SizeOf = canonicalSize,
): ErrorCode | null {
  const exceeds = (part: JsonValue | undefined, bytes: number): boolean =>
    part !== undefined && sizeOf(part) > bytes;

  if (exceeds(member(input, 'payload'), limits.payload_bytes)) return 'payload_too_large';
  const document = member(input, 'review_document');
  if (
    typeof document === 'string' &&
    (isLongerThan(document, REVIEW_DOCUMENT_CHARACTERS) ||
      Buffer.byteLength(document) > limits.payload_bytes)
  ) {
    return 'document_too_large';
  }
  if (exceeds(member(input, 'response_schema'), limits.response_bytes)) return 'schema_too_large';
  if (exceeds(member(input, 'metadata'), limits.response_bytes)) return 'metadata_too_large';
  const provenance = member(member(input, 'execution'), 'provenance');
  return exceeds(member(provenance, 'references'), limits.response_bytes)
    ? 'provenance_too_large'
    : null;
}

/** The 413 of a BundleRegistration, or null: bytes of `html` (R27, protocol §7 request.register-bundle). */
export function oversizedBundle(
  input: JsonValue,
  limits: Pick<Limits, 'bundle_bytes'>,
): ErrorCode | null {
  const html = member(input, 'html');
  return typeof html === 'string' && Buffer.byteLength(html) > limits.bundle_bytes
    ? 'bundle_too_large'
    : null;
}

/** The 413 of a DecisionProposal, or null: canonical bytes of `response` (R27, protocol §7 review.propose). */
export function oversizedResponse(
  input: JsonValue,
  limits: Pick<Limits, 'response_bytes'>,
  sizeOf: SizeOf = canonicalSize,
): ErrorCode | null {
  const response = member(input, 'response');
  return response !== undefined && sizeOf(response) > limits.response_bytes
    ? 'response_too_large'
    : null;
}
