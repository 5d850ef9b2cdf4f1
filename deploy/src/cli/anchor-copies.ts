import type { FsckCopies } from '@countersign/database';
import { openS3Copies } from '@countersign/ledger';
import type { S3AnchorCopies } from '@countersign/ledger';
import { ConfigurationError } from '@countersign/platform';
import type { AnchorCopies, AnchorCopy } from '@countersign/protocol';
import { anchorS3Settings, securitySettings } from '../anchor-settings.js';
import { PlainError } from '../plain-error.js';
import { anchorFiles } from './anchor-files.js';

/** A limit on the rounds for one document: each may show more copies to fetch, but a document is only so deep. */
const MOST_ROUNDS = 20;

/**
 * Runs a verification that looks into the anchor store named by `store`: a directory, or `s3://bucket/prefix`. The verifier
 * is pure and cannot wait, so its missing copies are fetched from the bucket after each run until none is missing.
 */
export async function lookingInto<T>(
  store: string,
  verify: (copies: AnchorCopies) => T,
): Promise<T> {
  if (!store.startsWith('s3://')) return verify(anchorFiles(store));
  const location = locationOf(store);
  const remote = await openS3Copies(location);
  const security = await openS3Copies(securitySettings(location));
  try {
    return await untilNothingIsMissing(remote, security, verify);
  } catch (error) {
    throw unreadable(store, error);
  } finally {
    remote.close();
    security.close();
  }
}

function unreadable(store: string, error: unknown): PlainError {
  if (error instanceof PlainError) return error;
  const { cause } = error as { cause?: unknown };
  const why = cause instanceof Error ? cause.message : 'it gave no usable answer';
  return new PlainError(`--store ${store}: the anchor store cannot be read: ${why}`);
}

/** The same, asynchronously: each copy is read when it is needed. The caller closes it. */
export async function openCopies(
  store: string,
): Promise<{ copies: FsckCopies; close: () => void }> {
  if (!store.startsWith('s3://')) return { copies: anchorFiles(store), close: () => {} };
  const location = locationOf(store);
  const remote = await openS3Copies(location);
  const security = await openS3Copies(securitySettings(location));
  const plainly = <T>(read: Promise<T>): Promise<T> =>
    read.catch((error: unknown) => {
      throw unreadable(store, error);
    });
  return {
    copies: {
      copy: (...place) => plainly(remote.copy(...place)),
      within: (...stretch) => plainly(remote.within(...stretch)),
      security: { within: (...stretch) => plainly(security.within(...stretch)) },
    },
    close: () => {
      remote.close();
      security.close();
    },
  };
}

async function untilNothingIsMissing<T>(
  remote: S3AnchorCopies,
  security: S3AnchorCopies,
  verify: (copies: AnchorCopies) => T,
): Promise<T> {
  const copies = new Map<string, AnchorCopy | null>();
  const ranges = new Map<string, readonly AnchorCopy[]>();
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const missing: (() => Promise<void>)[] = [];
    const known = <K, V>(of: Map<K, V>, key: K, nothing: V, fetch: () => Promise<V>): V => {
      const found = of.get(key);
      if (found !== undefined) return found;
      missing.push(async () => void of.set(key, await fetch()));
      return nothing;
    };
    const verdict = verify({
      copy: (ledger, generation, sequence) =>
        known(copies, `${ledger}/${generation}/${sequence}`, null, () =>
          remote.copy(ledger, generation, sequence),
        ),
      within: (ledger, from, to) =>
        known<string, readonly AnchorCopy[]>(ranges, `${ledger}/${from}/${to}`, [], () =>
          remote.within(ledger, from, to),
        ),
      security: {
        within: (ledger, from, to) =>
          known<string, readonly AnchorCopy[]>(ranges, `security ${ledger}/${from}/${to}`, [], () =>
            security.within(ledger, from, to),
          ),
      },
    });
    if (missing.length === 0) return verdict;
    for (const fetch of missing) await fetch();
  }
  throw new PlainError('The file makes the verifier look for ever more checkpoints.');
}

/** Region, endpoint and credentials come from ANCHOR_S3_* as for the service, else from where Amazon's tools have them. */
function locationOf(store: string) {
  const [, bucket = '', prefix = ''] = /^s3:\/\/([^/]+)\/?(.*?)\/?$/.exec(store) ?? [];
  if (bucket === '') {
    throw new PlainError(`--store ${store}: name a bucket, as s3://bucket or s3://bucket/prefix.`);
  }
  const named = prefix === '' ? {} : { ANCHOR_S3_PREFIX: prefix };
  const region = process.env['ANCHOR_S3_REGION'] ?? process.env['AWS_REGION'];
  try {
    return anchorS3Settings(
      bucket,
      {
        ...process.env,
        ...named,
        ...(region === undefined ? {} : { ANCHOR_S3_REGION: region }),
      },
      'development',
    );
  } catch (error) {
    throw error instanceof ConfigurationError ? new PlainError(error.message) : error;
  }
}
