import { valueDigest } from '../json/canonical.js';
import type { Digest } from '../json/canonical.js';
import { isJsonObject } from '../json/value.js';
import type { DecisionRequest, ReviewBundle } from '../records/request.js';

/**
 * Whether a stored bundle is the one that the request bound: the digest of its HTML, and id, tenant, publisher, time and
 * compatibility of its manifest (protocol §7 request.app).
 */
export function isBoundBundle(
  { tenant, review }: Pick<DecisionRequest, 'tenant' | 'review'>,
  manifestText: string,
  htmlDigest: Digest,
): boolean {
  const bound = review.bundle;
  const manifest = parsed(manifestText);
  return (
    bound !== undefined &&
    manifest !== null &&
    manifest.id === bound.id &&
    manifest.tenant === tenant &&
    manifest.publisher === bound.publisher &&
    manifest.created_at === bound.created_at &&
    manifest.digest === bound.digest &&
    manifest.compatibility !== undefined &&
    valueDigest(manifest.compatibility) === valueDigest(bound.compatibility) &&
    htmlDigest === bound.digest
  );
}

/** Null for a text that holds no manifest any more: damaged, not a fault of ours. */
function parsed(text: string): Partial<ReviewBundle> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
