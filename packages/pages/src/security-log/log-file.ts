import type { SecurityPages } from '@countersign/protocol';
import { DOCUMENT_BYTES } from '@countersign/protocol/constants';

/** Where the log is read (packages/protocol/src/security-log/reads.ts). */
export const DATA = '/operator/data/security-log';

/** The most entries that `countersign verify` takes as one document. */
const FILE_ENTRIES = 100_000;
const FILE_CHARACTERS = DOCUMENT_BYTES / 4;

/** A stretch of the log as `countersign verify` reads it, by the number of its first and last entry. */
export interface LogFile {
  readonly first: number;
  readonly last: number;
  readonly text: string;
}

/**
 * Reads the whole log and gives it file by file: one, unless the log is longer than a document that can be verified. `page`
 * gives the text of the page behind an entry.
 */
export async function* logFiles(
  page: (after: number) => Promise<string>,
): AsyncGenerator<LogFile, void> {
  let pages: SecurityPages[] = [];
  let size = 0;
  const fileOf = (): LogFile => {
    const entries = pages.flatMap((each) => each.entries);
    const file = {
      security_log: pages[0]?.security_log,
      entries,
      checkpoints: pages.flatMap((each) => each.checkpoints),
    };
    const [first, last] = [entries[0]?.sequence ?? 0, entries.at(-1)?.sequence ?? 0];
    pages = [];
    size = 0;
    return { first, last, text: JSON.stringify(file) };
  };
  for (let after: number | null = 0; after !== null;) {
    const text: string = await page(after);
    const read = JSON.parse(text) as SecurityPages;
    const entries = pages.reduce((sum, each) => sum + each.entries.length, read.entries.length);
    const isFull = entries > FILE_ENTRIES || size + text.length > FILE_CHARACTERS;
    if (pages.length > 0 && isFull) yield fileOf();
    pages.push(read);
    size += text.length;
    after = read.next === null ? null : Number(read.next);
  }
  yield fileOf();
}
