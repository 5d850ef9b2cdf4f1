import { Type } from '@sinclair/typebox';
import { Uuid, closed } from './primitives.js';
import type { Static } from '@sinclair/typebox';

/** Without padding; `decodeBase64url` refuses every spelling but one. */
export const Base64url = Type.String({ pattern: '^[A-Za-z0-9_-]*$', maxLength: 8192 });

/** The answer of an authenticator, as the browser gives it (protocol §19.2). */
export const assertion = {
  client_data_json: Base64url,
  authenticator_data: Base64url,
  signature: Base64url,
};

export const Assertion = closed(assertion);
export type Assertion = Static<typeof Assertion>;

/** The same with the key that gave it. */
export const SignedBy = closed({ credential: Uuid, ...assertion });
export type SignedBy = Static<typeof SignedBy>;
