import { textDigest } from '@countersign/protocol';
import type { Digest } from '@countersign/protocol';

/** The body of a call as canonical text, or its digest: large bodies were read elsewhere. */
export type GivenBody = string | { readonly digest: Digest };

/** The digest that a retry must match (protocol §6.3). */
export function bodyDigest(body: GivenBody): Digest {
  return typeof body === 'string' ? textDigest(body) : body.digest;
}
