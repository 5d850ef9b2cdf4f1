import { formatTimestamp, textDigest } from '@countersign/protocol';
import type { AnchorAcceptance } from '@countersign/protocol';
import { AnchorError, AnchorStoreUnfit, RETENTION_MS, anchorKey, headIn } from './anchor-store.js';
import type { AnchorStore, CheckpointToAnchor, KeptCheckpoint } from './anchor-store.js';
import { S3Bucket, unavailable } from './s3-bucket.js';
import type { Listing, ObjectLock, ObjectVersion, S3Settings } from './s3-bucket.js';

export interface S3AnchorSettings extends S3Settings {
  /** For how long a checkpoint is locked from when it was issued; at least 90 days. */
  readonly retentionMs: number;
}

/** How many checkpoints one look at the history reads: enough for a minute of one tenant, little for a slow store. */
const MOST_READ = 200;

/**
 * Checkpoints as objects of an S3 bucket with Object Lock: created once, locked for compliance, so that no one, not even
 * the account's owner, can delete or replace one before its time (protocol §4.2). A checkpoint counts as accepted only
 * after the store was asked for its contents: one version, our bytes, a lock that is long enough.
 *
 * `now`, in epoch milliseconds, only decides whether a lock has run out.
 */
export class S3AnchorStore implements AnchorStore {
  readonly #bucket: S3Bucket;
  #fit = false;

  constructor(
    private readonly settings: S3AnchorSettings,
    private readonly now: () => number,
  ) {
    this.#bucket = new S3Bucket(settings);
  }

  async check(): Promise<void> {
    if (this.#fit) return;
    const { bucket } = this.settings;
    const { versioned, lockable } = await this.#bucket.within((signal) =>
      this.#bucket.protection(signal),
    );
    if (!versioned || !lockable) {
      const lacking = versioned
        ? 'has no Object Lock'
        : 'does not keep versions (its versioning is not enabled)';
      throw new AnchorStoreUnfit(
        `The bucket ${bucket} ${lacking}, so checkpoints in it could be replaced or deleted. ` +
          'Name a bucket that was made with Object Lock, which includes versioning (docs/anchoring.md).',
      );
    }
    this.#fit = true;
  }

  async accept(checkpoint: CheckpointToAnchor): Promise<AnchorAcceptance> {
    await this.check();
    const { bucket, prefix, retentionMs } = this.settings;
    const key = anchorKey(prefix, checkpoint);
    // The store keeps whole seconds: never less than was asked for.
    const until = new Date(Math.ceil((checkpoint.issuedAt + retentionMs) / 1000) * 1000);
    return this.#bucket.within(async (signal) => {
      await this.#bucket.create(key, checkpoint.text, until, signal);
      const version = only(key, await this.#bucket.list(key, null, 10, signal));
      const held = await this.#bucket.read(version, signal);
      if (!held.bytes.equals(Buffer.from(checkpoint.text)))
        throw new AnchorError('anchor_conflict');
      const lock = held.lock ?? (await this.#bucket.lock(version, signal));
      const retainedUntil = lockedUntil(lock, checkpoint.issuedAt, this.now());
      return {
        backend: `s3://${bucket}`,
        key,
        version_id: version.versionId,
        digest: textDigest(checkpoint.text),
        retained_until: formatTimestamp(retainedUntil),
      };
    });
  }

  async history(ledgerId: string, generation: string): Promise<KeptCheckpoint[]> {
    const all: KeptCheckpoint[] = [];
    for (;;) {
      const from = (all.at(-1)?.sequence ?? -1) + 1;
      const next = await this.since(ledgerId, generation, from);
      all.push(...next);
      if (next.length === 0) return all;
    }
  }

  async since(ledgerId: string, generation: string, sequence: number): Promise<KeptCheckpoint[]> {
    const { prefix } = this.settings;
    const folder = `${prefix}/${ledgerId}/${generation}/`;
    const before =
      sequence <= 0 ? null : anchorKey(prefix, { ledgerId, generation, sequence: sequence - 1 });
    return this.#bucket.within(async (signal) => {
      const listing = await this.#bucket.list(folder, before, MOST_READ, signal);
      // Some stores begin with the marker itself; the last key may have more versions on the next page.
      const cut = listing.more ? listing.versions.at(-1)?.key : undefined;
      const wanted = (key: string): boolean => (before === null || key > before) && key !== cut;
      const versions = listing.versions.filter(({ key }) => wanted(key));
      refuseDeletedAndDoubled({ versions, deleted: listing.deleted.filter(wanted) });
      // A page full of one key's versions: the objects behind them must not be lost as if the history had ended.
      if (listing.more && versions.length === 0) throw new AnchorError('anchor_version_conflict');
      const read = await this.#bucket.readAll(versions, signal);
      return versions.map(({ key }, i) =>
        headIn(read[i]?.bytes.toString('utf8') ?? '', key.slice(folder.length)),
      );
    });
  }

  close(): void {
    this.#bucket.close();
  }
}

/** The one version of a key, as which it has to be there: it was created or found a moment ago. */
function only(key: string, listing: Listing): ObjectVersion {
  // Other keys have this prefix only when another program writes here; they are left to the comparison.
  const versions = listing.versions.filter((version) => version.key === key);
  const deleted = listing.deleted.filter((of) => of === key);
  refuseDeletedAndDoubled({ versions, deleted });
  const [version] = versions;
  if (version === undefined) throw unavailable('the store does not list what it has just taken');
  return version;
}

function refuseDeletedAndDoubled({ versions, deleted }: Omit<Listing, 'more'>): void {
  if (deleted.length > 0) throw new AnchorError('anchor_deleted_version');
  if (new Set(versions.map(({ key }) => key)).size < versions.length) {
    throw new AnchorError('anchor_version_conflict');
  }
}

/** End of the object's lock, epoch milliseconds. */
function lockedUntil(lock: ObjectLock | null, issuedAt: number, now: number): number {
  const refuse = (why: string): never => {
    throw new AnchorError('anchor_retention_invalid', { cause: new Error(why) });
  };
  if (lock === null) return refuse('it is not locked');
  // A principal that may bypass governance can delete its locked objects.
  if (lock.mode !== 'COMPLIANCE') return refuse(`the mode of its lock is ${lock.mode}`);
  if (lock.until < issuedAt + RETENTION_MS) {
    return refuse(`it is locked until ${formatTimestamp(lock.until)} only`);
  }
  if (lock.until <= now) throw new AnchorError('anchor_retention_expired');
  return lock.until;
}
