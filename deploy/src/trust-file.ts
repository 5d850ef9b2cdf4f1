import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { parseStrictJson, readTrustManifest } from '@countersign/protocol';
import type { TrustManifest } from '@countersign/protocol';
import { PlainError } from './plain-error.js';

/** Reads a trust manifest that is sound. Throws PlainError. */
export function readTrustFile(file: string): TrustManifest {
  let manifest: unknown;
  try {
    manifest = parseStrictJson(readFileSync(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new PlainError(
      code === undefined
        ? `${file}: the trust manifest is not strict JSON.`
        : `${file}: ${code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code})`}.`,
    );
  }
  const { faults } = readTrustManifest(manifest);
  if (faults.length === 0) return manifest as unknown as TrustManifest;
  throw new PlainError(`${file}: ${faults.map(({ message }) => message).join(' ')}`);
}

/** Writes a manifest atomically, so that no reader sees half of one. Throws PlainError for an invalid one. */
export function writeTrustFile(file: string, manifest: TrustManifest): void {
  const { faults } = readTrustManifest(manifest);
  if (faults.length > 0) {
    throw new PlainError(`Not written: ${faults.map(({ message }) => message).join(' ')}`);
  }
  writeFileSync(`${file}.new`, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o644 });
  renameSync(`${file}.new`, file);
}
