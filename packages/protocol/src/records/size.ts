import type { ErrorCode } from '../errors.js';
import { canonicalText } from '../json/canonical.js';
import { isJsonObject } from '../json/value.js';
import type { JsonValue } from '../json/value.js';
import type { Limits } from './request.js';

/**
 * The 413 of a DecisionProposal, or null: canonical bytes of `response` (R27, protocol §7 review.propose). It is asked before
 * the schema, so the value may have any shape.
 */
export function oversizedResponse(
  input: JsonValue,
  limits: Pick<Limits, 'response_bytes'>,
): ErrorCode | null {
  const response = isJsonObject(input) ? input['response'] : undefined;
  return response !== undefined &&
    Buffer.byteLength(canonicalText(response)) > limits.response_bytes
    ? 'response_too_large'
    : null;
}
