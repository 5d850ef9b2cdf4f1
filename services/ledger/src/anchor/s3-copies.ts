import type { AnchorCopy } from '@countersign/protocol';
import { anchorKey } from './anchor-store.js';
import { S3Bucket } from './s3-bucket.js';
import type { ObjectVersion, S3Settings } from './s3-bucket.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const PAGE = 1000;

/**
 * The checkpoints of a bucket for a verifier: by its own credentials, which need to read only (protocol §4.3.5). Of a key
 * that was written more than once the oldest version counts: it is the one that was accepted, and its lock keeps it. Ids
 * come from the document that is verified, and are hostile until they look like ids.
 *
 * Every method throws AnchorError `anchor_unavailable` when the store does not tell.
 */
export class S3AnchorCopies {
  readonly #bucket: S3Bucket;

  constructor(private readonly settings: S3Settings) {
    this.#bucket = new S3Bucket(settings);
  }

  async copy(ledgerId: string, generation: string, sequence: number): Promise<AnchorCopy | null> {
    if (!UUID.test(ledgerId) || !UUID.test(generation)) return null;
    const key = anchorKey(this.settings.prefix, { ledgerId, generation, sequence });
    return this.#bucket.within(async (signal) => {
      const { versions } = await this.#bucket.list(key, null, PAGE, signal);
      // A store lists the newest first.
      const oldest = versions.filter((version) => version.key === key).at(-1);
      return oldest === undefined
        ? null
        : copyOf(key, (await this.#bucket.read(oldest, signal)).bytes);
    });
  }

  /** All copies of a ledger from one sequence to another, in their order. */
  async within(ledgerId: string, from: number, to: number): Promise<AnchorCopy[]> {
    if (!UUID.test(ledgerId)) return [];
    const { prefix } = this.settings;
    const folders = await this.#bucket.within((signal) =>
      this.#bucket.folders(`${prefix}/${ledgerId}/`, signal),
    );
    const found: AnchorCopy[] = [];
    for (const generation of folders.filter((name) => UUID.test(name))) {
      const folder = `${prefix}/${ledgerId}/${generation}/`;
      const last = anchorKey(prefix, { ledgerId, generation, sequence: to });
      let after: string | null =
        from <= 0 ? null : anchorKey(prefix, { ledgerId, generation, sequence: from - 1 });
      while (after === null || after < last) {
        const page = await this.#page(folder, after, last);
        found.push(...page.copies);
        if (page.end === null) break;
        after = page.end;
      }
    }
    return found.sort((a, b) => a.sequence - b.sequence);
  }

  close(): void {
    this.#bucket.close();
  }

  async #page(folder: string, after: string | null, last: string) {
    return this.#bucket.within(async (signal) => {
      const { versions, more } = await this.#bucket.list(folder, after, PAGE, signal);
      const oldest = new Map<string, ObjectVersion>();
      for (const version of versions) {
        const { key } = version;
        const checkpoint = /^\d{16}\.json$/.test(key.slice(folder.length));
        if (checkpoint && key <= last && (after === null || key > after)) oldest.set(key, version);
      }
      const read = await this.#bucket.readAll([...oldest.values()], signal);
      const copies = [...oldest.keys()].map((key, i) => copyOf(key, read[i]!.bytes));
      return { copies, end: more ? (versions.at(-1)?.key ?? null) : null };
    });
  }
}

function copyOf(key: string, bytes: Uint8Array): AnchorCopy {
  const [generation = '', name = ''] = key.split('/').slice(-2);
  return { key, generation, sequence: Number(name.slice(0, 16)), bytes };
}
