import type { AnchorStore } from './anchor-store.js';
import type { S3AnchorSettings } from './s3.js';
import type { S3AnchorCopies } from './s3-copies.js';
import type { S3Settings } from './s3-bucket.js';

// The client of S3 is loaded only where a store of that kind is used: it is a large part of a small process.

export async function openS3Anchors(
  settings: S3AnchorSettings,
  now: () => number = () => Date.now(),
): Promise<AnchorStore> {
  const { S3AnchorStore } = await import('./s3.js');
  return new S3AnchorStore(settings, now);
}

/** The same objects for a verifier who may only read. */
export async function openS3Copies(settings: S3Settings): Promise<S3AnchorCopies> {
  const { S3AnchorCopies } = await import('./s3-copies.js');
  return new S3AnchorCopies(settings);
}
