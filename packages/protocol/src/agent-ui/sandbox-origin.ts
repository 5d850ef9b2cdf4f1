import { valueDigest } from '../json/canonical.js';
import type { DecisionRequest } from '../records/request.js';

/** The part of a sandbox pattern that stands for one bundle's own DNS label; on a loopback address it may be absent. */
export const SCOPE = '{scope}';

/** 64 hex digits that name one publisher's bundle of one tenant (protocol §2.2). */
export function scopeOf(tenant: string, publisher: string, digest: string): string {
  return valueDigest({ tenant, publisher, digest }).slice('sha256:'.length);
}

/** The scope as one DNS label: a base-36 number (protocol §12.1). */
export function labelOf(scope: string): string {
  return BigInt(`0x${scope}`).toString(36);
}

/** The exact origin that a request's app runs on, or null for a request without one. */
export function sandboxOriginOf(
  pattern: string,
  request: Pick<DecisionRequest, 'tenant' | 'review'>,
): string | null {
  const { bundle } = request.review;
  if (bundle === undefined) return null;
  const scope = scopeOf(request.tenant, bundle.publisher, bundle.digest);
  return pattern.replace(SCOPE, labelOf(scope));
}
