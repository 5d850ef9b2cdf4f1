import type { RecordName } from '@countersign/protocol';
import {
  DEFAULT_LIMITS,
  Refusal,
  assertRecord,
  canonicalText,
  oversizedResponse,
  parseStrictJson,
} from '@countersign/protocol';

/**
 * A canonical form is at most this many times as long as its source (`9e15` becomes 16 digits), so a body that is small
 * enough cannot hold a part over its limit.
 */
const LONGEST_GROWTH = 8;
const smallestLimit = DEFAULT_LIMITS.response_bytes / LONGEST_GROWTH;

/**
 * Reads a body as the record an operation takes: strict JSON, sizes (R27), record schema. Gives its canonical text, which
 * is sent to the service and compared for idempotency. With null the record is left to the service, which checks route and
 * quotas before it (protocol §7 request.register-bundle, request.create, request.supersede).
 */
export function readInput(input: RecordName | null, bytes: Uint8Array): string {
  const value = parseStrictJson(bytes);
  if (input === null) return canonicalText(value);
  if (input === 'DecisionProposal' && bytes.length > smallestLimit) {
    const tooLarge = oversizedResponse(value, DEFAULT_LIMITS);
    if (tooLarge !== null) throw new Refusal(tooLarge);
  }
  assertRecord(input, value);
  return canonicalText(value);
}
