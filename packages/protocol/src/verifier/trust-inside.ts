import { parseStrictJson } from '../json/strict-body.js';
import { isFingerprint, readFingerprint } from '../signing/fingerprint-words.js';
import type { Trust } from '../signing/trust-manifest.js';
import { readTrustManifest } from '../signing/trust-manifest.js';
import { DOCUMENT_BOUNDS } from './context.js';
import { isPage, readPage } from './evidence-page.js';

/**
 * The manifest that evidence carries, if it is the one whose fingerprint was typed; or a sentence that says why it is not used.
 *
 * @param document untrusted bytes, of JSON or of a page
 * @param typed words or hex
 */
export function trustInside(
  document: Uint8Array,
  typed: string,
): { readonly trust: Trust } | { readonly fault: string } {
  const fingerprint = readFingerprint(typed);
  if ('fault' in fingerprint) return { fault: `The fingerprint: ${fingerprint.fault}` };
  const page = isPage(document) ? readPage(document) : null;
  let inside: unknown;
  try {
    const json = page !== null && 'json' in page ? new TextEncoder().encode(page.json) : document;
    inside = (parseStrictJson(json, DOCUMENT_BOUNDS) as { trust?: unknown } | null)?.trust;
  } catch {
    inside = undefined;
  }
  const { trust } = readTrustManifest(inside);
  if (trust === null) {
    return {
      fault: 'The file carries no trust manifest that a fingerprint could be compared with.',
    };
  }
  if (isFingerprint(trust.fingerprint, fingerprint)) return { trust };
  return {
    fault: `The manifest in the file has another fingerprint and was not used: ${trust.fingerprint}.`,
  };
}
