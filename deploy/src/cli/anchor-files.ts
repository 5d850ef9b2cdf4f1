import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { AnchorCopies, AnchorCopy } from '@countersign/protocol';
import { PlainError } from '../plain-error.js';

/** No checkpoint is nearly as large; a larger file is none. */
const LARGEST = 65_536;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NAME = /^\d{16}\.json$/;

/**
 * An anchor store of files as a verifier reads it: `DIR/checkpoints/<ledger>/<generation>/<sequence>.json`, and below
 * `DIR/security` those of security logs.
 */
export function anchorFiles(directory: string): AnchorCopies {
  if (directory.includes('://')) {
    throw new PlainError(
      `--store ${directory}: name a directory, or a bucket as s3://bucket/prefix.`,
    );
  }
  if (!existsSync(join(directory, 'checkpoints'))) {
    throw new PlainError(
      `--store ${directory}: there is no anchor store; it would hold a folder checkpoints.`,
    );
  }
  return { ...filesBelow(directory, 'checkpoints'), security: filesBelow(directory, 'security') };
}

function filesBelow(directory: string, prefix: string): AnchorCopies {
  const root = join(directory, prefix);
  const copy = (ledgerId: string, generation: string, sequence: number): AnchorCopy | null => {
    // The document that names them is hostile until proven otherwise.
    if (!UUID.test(ledgerId) || !UUID.test(generation)) return null;
    const key = `${prefix}/${ledgerId}/${generation}/${String(sequence).padStart(16, '0')}.json`;
    const path = join(directory, key);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined || !found.isFile() || found.size > LARGEST) return null;
    return { key, generation, sequence, bytes: readFileSync(path) };
  };
  return {
    copy,
    within(ledgerId, from, to) {
      if (!UUID.test(ledgerId)) return [];
      const generations = namesIn(join(root, ledgerId)).filter((name) => UUID.test(name));
      return generations
        .flatMap((generation) =>
          namesIn(join(root, ledgerId, generation))
            .filter((name) => NAME.test(name))
            .map((name) => ({ generation, sequence: Number(name.slice(0, 16)) })),
        )
        .filter(({ sequence }) => sequence >= from && sequence <= to)
        .sort((a, b) => a.sequence - b.sequence)
        .flatMap(({ generation, sequence }) => copy(ledgerId, generation, sequence) ?? []);
    },
  };
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
