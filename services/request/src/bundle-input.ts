import { DEFAULT_LIMITS, canonicalText, textDigest } from '@countersign/protocol';
import type { BundleRegistration, Digest } from '@countersign/protocol';
import { faultOf, measured } from './creation-input.js';
import type { Fault, Keep, MeasuredText } from './creation-input.js';

/** The input of `request.register-bundle`, taken apart as a {@link CreationInput} is. */
export interface BundleInput {
  /** Of the whole body. */
  readonly digest: Digest;
  readonly html: MeasuredText;
  readonly tooLarge: boolean;
  readonly fault: Fault | null;
  /** '' where there is a fault. */
  readonly author: string;
  readonly licence: string;
  /** Canonical: its content and size are up to the publisher. */
  readonly compatibility: string;
}

/** Reads a body in canonical form. */
export function readBundle(body: string, keep: Keep): BundleInput {
  const value = JSON.parse(body) as Partial<BundleRegistration> | null;
  const given = value?.html;
  const html = typeof given === 'string' ? given : '';
  const tooLarge = Buffer.byteLength(html) > DEFAULT_LIMITS.bundle_bytes;
  const fault = tooLarge ? null : faultOf('BundleRegistration', value);
  const good = fault === null && !tooLarge ? (value as BundleRegistration) : null;
  return {
    digest: textDigest(body),
    html: measured(good?.html ?? '', keep),
    tooLarge,
    fault,
    author: good?.author ?? '',
    licence: good?.licence ?? '',
    compatibility: good === null ? '' : canonicalText(good.compatibility),
  };
}
