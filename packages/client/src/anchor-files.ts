import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { ConfigurationInvalid } from './errors.js';
import type { StoredCopies, StoredCopy } from './export.js';
import type { AnchorCopy } from './verification.js';

/** No checkpoint is nearly as large; a larger file is none. */
const LARGEST = 65_536;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NAME = /^\d{16}\.json$/;

/** A folder with a copy of the anchor store, for a client and for `verifyExport`. */
export interface FileAnchorStore extends StoredCopies {
  copy(ledgerId: string, generation: string, sequence: number): (AnchorCopy & StoredCopy) | null;
}

/**
 * The anchor store as files: `<folder>/checkpoints/<ledger>/<generation>/<sequence>.json` (docs/anchoring.md).
 *
 * @throws ConfigurationInvalid for a folder that is not there
 */
export function fileAnchorStore(folder: string): FileAnchorStore {
  if (!existsSync(folder))
    throw new ConfigurationInvalid(
      'anchor_store',
      'is not there: name the folder that holds `checkpoints`',
    );
  const copy: FileAnchorStore['copy'] = (ledgerId, generation, sequence) => {
    // The answer that names them is hostile until proven otherwise.
    if (!UUID.test(ledgerId) || !UUID.test(generation)) return null;
    const key = `checkpoints/${ledgerId}/${generation}/${String(sequence).padStart(16, '0')}.json`;
    const file = join(folder, key);
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined || !found.isFile() || found.size > LARGEST) return null;
    return { key, generation, sequence, bytes: readFileSync(file) };
  };
  const namesIn = (...parts: readonly string[]) => {
    const path = join(folder, 'checkpoints', ...parts);
    return existsSync(path) ? readdirSync(path) : [];
  };
  return {
    copy,
    within(ledgerId, from, to) {
      if (!UUID.test(ledgerId)) return [];
      return namesIn(ledgerId)
        .filter((generation) => UUID.test(generation))
        .flatMap((generation) =>
          namesIn(ledgerId, generation)
            .filter((name) => NAME.test(name))
            .map((name) => ({ generation, sequence: Number(name.slice(0, 16)) })),
        )
        .filter(({ sequence }) => sequence >= from && sequence <= to)
        .sort((one, other) => one.sequence - other.sequence)
        .flatMap(({ generation, sequence }) => copy(ledgerId, generation, sequence) ?? []);
    },
  };
}
