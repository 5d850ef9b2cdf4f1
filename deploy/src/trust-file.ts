import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import {
  canonicalText,
  parseStrictJson,
  readTrustManifest,
  textDigest,
} from '@countersign/protocol';
import type { Digest, Trust, TrustManifest } from '@countersign/protocol';
import { PlainError } from './plain-error.js';
import { whyUnreadable } from './read-file.js';

/** Reads a trust manifest that is sound. Throws PlainError. */
export function readTrustFile(file: string): TrustManifest {
  return sound(file, readJson(file));
}

/** Reads a trust manifest to verify by, of that issuer where one is given. Throws PlainError. */
export function loadTrustFile(file: string, issuer?: string): Trust {
  const { trust, faults } = readTrustManifest(readJson(file), issuer);
  if (trust === null) throw new PlainError(faultsIn(file, faults));
  return trust;
}

/** The manifest that a connection file pins (docs/operations.md). Throws PlainError. */
export function trustOfConnection(file: string): TrustManifest {
  const connection = readJson(file) as { readonly trust?: unknown } | null;
  return sound(file, connection?.trust);
}

/**
 * SHA-256 of the canonical manifest: its receiver compares it over another way than the one by which the manifest came. It
 * does not depend on the layout of a file.
 */
export function fingerprintOf(manifest: TrustManifest): Digest {
  return textDigest(canonicalText(manifest));
}

function readJson(file: string): unknown {
  try {
    return parseStrictJson(readFileSync(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new PlainError(
      code === undefined ? `${file}: it is not strict JSON.` : `${file}: ${whyUnreadable(error)}.`,
    );
  }
}

function sound(file: string, manifest: unknown): TrustManifest {
  const { faults } = readTrustManifest(manifest);
  if (faults.length === 0) return manifest as unknown as TrustManifest;
  throw new PlainError(faultsIn(file, faults));
}

function faultsIn(file: string, faults: readonly { readonly message: string }[]): string {
  return `${file}: ${faults.map(({ message }) => message).join(' ')}`;
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
