import { Refusal } from '../errors.js';
import type { CredentialBound } from '../records/index.js';
import { verifyRecord } from '../signing/index.js';
import type { Trust } from '../signing/index.js';

/**
 * A key as its record binds it: a column of the table that says otherwise changes nothing (protocol §19.6). Throws
 * `identity_uncertain` for a text that does not verify, or that binds another key or person.
 */
export function verifiedCredential(
  text: string,
  of: { readonly tenant: string; readonly credential: string; readonly person: string },
  trust: Trust,
): CredentialBound {
  const verified = verifyRecord(JSON.parse(text), trust, {
    ...{ type: 'CredentialBound', audience: 'proto.directory', purpose: 'service' },
    tenant: of.tenant,
  });
  const bound = verified.ok ? (verified.record.payload as CredentialBound) : null;
  if (bound?.credential !== of.credential || bound.person !== of.person) {
    throw new Refusal('identity_uncertain');
  }
  return bound;
}
