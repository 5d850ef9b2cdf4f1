import { parseStrictJson } from '../json/strict-body.js';
import { isJsonObject } from '../json/value.js';
import type { JsonValue } from '../json/value.js';
import type { AssertionReason } from './reasons.js';

export const CLIENT_DATA_BYTES = 4096;

export interface ExpectedClientData {
  readonly type: 'webauthn.get' | 'webauthn.create';
  /** In base64url. */
  readonly challenge: string;
  readonly origin: string;
}

/**
 * Compares client data (WebAuthn, 5.8.1) member by member: browsers add members, so it is not compared as a text. Null when
 * it is as expected.
 */
export function clientDataFault(
  bytes: Uint8Array,
  expected: ExpectedClientData,
): AssertionReason | null {
  const value = bytes.length > CLIENT_DATA_BYTES ? null : strictJson(bytes);
  if (!isJsonObject(value)) return 'client_data_malformed';
  if (value['type'] !== expected.type) return 'wrong_type';
  if (value['challenge'] !== expected.challenge) return 'wrong_challenge';
  if (value['origin'] !== expected.origin) return 'wrong_origin';
  // Older browsers leave it out.
  const crossOrigin = value['crossOrigin'];
  if ((crossOrigin !== undefined && crossOrigin !== false) || 'topOrigin' in value) {
    return 'cross_origin';
  }
  // Nothing here knows the connection that it would be bound to.
  return 'tokenBinding' in value ? 'token_binding' : null;
}

function strictJson(bytes: Uint8Array): JsonValue {
  try {
    return parseStrictJson(bytes);
  } catch {
    return null;
  }
}
