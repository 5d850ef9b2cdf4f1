import { Refusal } from '../errors.js';
import { JsonFault, readStrictJson } from './strict-reader.js';
import type { JsonBounds } from './strict-reader.js';
import type { JsonValue } from './value.js';

/**
 * Reads a request body as {@link readStrictJson} does.
 *
 * @throws Refusal `invalid_json` or `body_too_large`; its detail names the rule and never quotes the body
 */
export function parseStrictJson(bytes: Uint8Array, bounds?: JsonBounds): JsonValue {
  try {
    return readStrictJson(bytes, bounds);
  } catch (fault) {
    if (!(fault instanceof JsonFault)) throw fault;
    throw new Refusal(fault.isTooLarge ? 'body_too_large' : 'invalid_json', {
      detail: fault.message,
    });
  }
}
