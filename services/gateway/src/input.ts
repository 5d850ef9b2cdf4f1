import type { ErrorCode, JsonValue, RecordName } from '@countersign/protocol';
import {
  DEFAULT_LIMITS,
  Refusal,
  assertRecord,
  canonicalObject,
  canonicalText,
  isJsonObject,
  oversizedBundle,
  oversizedPart,
  oversizedResponse,
  parseStrictJson,
} from '@countersign/protocol';

/**
 * A canonical form is at most this many times as long as what was sent (`9e15` becomes 16 digits),
 * so a body that is small enough cannot hold a part over its limit.
 */
const LONGEST_GROWTH = 8;
const smallestLimit = DEFAULT_LIMITS.response_bytes / LONGEST_GROWTH;

/** Parts that are measured in canonical form and may be big. */
const bigParts = ['payload', 'response_schema', 'metadata', 'response'] as const;

/**
 * Reads a body as the record an operation takes: strict JSON, sizes (R27), record schema. Gives its
 * canonical text, which is what travels on and what idempotency compares.
 */
export function readInput(input: RecordName, bytes: Uint8Array): string {
  const value = parseStrictJson(bytes);
  const texts = new Map<JsonValue, string>();
  if (bytes.length > smallestLimit) {
    const tooLarge = oversized(input, value, (part) => {
      const text = canonicalText(part);
      texts.set(part, text);
      return Buffer.byteLength(text);
    });
    if (tooLarge !== null) throw new Refusal(tooLarge);
  }
  assertRecord(input, value);
  return texts.size > 0 ? splicedText(value, texts) : canonicalText(value);
}

function oversized(
  input: RecordName,
  value: JsonValue,
  sizeOf: (part: JsonValue) => number,
): ErrorCode | null {
  if (input === 'RequestInput') return oversizedPart(value, DEFAULT_LIMITS, sizeOf);
  if (input === 'BundleRegistration') return oversizedBundle(value, DEFAULT_LIMITS);
  return input === 'DecisionProposal' ? oversizedResponse(value, DEFAULT_LIMITS, sizeOf) : null;
}

/** The canonical text of an object, with the parts that were measured already put in as they are. */
function splicedText(value: JsonValue, texts: ReadonlyMap<JsonValue, string>): string {
  if (!isJsonObject(value)) return canonicalText(value);
  const members: Record<string, JsonValue> = { ...value };
  const known: Record<string, string> = {};
  for (const name of bigParts) {
    const text = members[name] === undefined ? undefined : texts.get(members[name]);
    if (text === undefined) continue;
    known[name] = text;
    delete members[name];
  }
  return canonicalObject(members, known);
}
