import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  addKey,
  endKey,
  generateSigningKey,
  signerFromPem,
  startUpFaults,
} from '@countersign/protocol';
import type { SigningService, TrustManifest } from '@countersign/protocol';
import { newKey, publicPemOf } from './keys.js';
import { PlainError } from './plain-error.js';
import { listedAs } from './service-signer.js';

/**
 * Replaces a service's key in three steps, between which the operator hands things out: the manifest lists the new key
 * before the first record is signed with it, and the window of the old one ends after its last. Private keys are files
 * `<service>.pem` (in use), `.next.pem` (announced) and `.old.pem` (until its window is ended).
 *
 * Each step may be repeated after a crash. All throw PlainError.
 */
export interface Rotation {
  readonly service: SigningService;
  /** Folder of the private keys. */
  readonly directory: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Clocks differ: a record under way when a key ends must still have been signed in time. */
const MARGIN_MS = 5 * 60_000;

/** Makes the next key and lists it; it signs nothing yet. */
export function prepare(rotation: Rotation, manifest: TrustManifest, validDays?: number) {
  const { service, directory, now } = rotation;
  const { next, old } = filesOf(rotation);
  if (existsSync(old)) {
    throw new PlainError(
      `The last rotation of ${service} is not finished: first \`countersign rotate retire ${service}\`.`,
    );
  }
  if (!existsSync(next)) {
    const { privatePem } = generateSigningKey(service);
    writeFileSync(next, privatePem, { mode: 0o600, flag: 'wx' });
  }
  const publicPem = publicPemOf(directory, `${service}.next`);
  const listed = listedAs(manifest, publicPem);
  if (listed !== null) return { manifest, keyId: listed };
  const key = newKey(service, publicPem, now, validDays);
  return { manifest: addKey(manifest, key), keyId: key.keyId };
}

/**
 * Makes the next key the one that signs from the service's next start on.
 *
 * @param announced every manifest that has to vouch for it by now: our file, and the one that the service serves
 */
export function activate(rotation: Rotation, announced: readonly TrustManifest[]): string {
  const { service, directory, now } = rotation;
  const { current, next, old } = filesOf(rotation);
  if (!existsSync(next)) {
    throw new PlainError(`There is no next key: first \`countersign rotate prepare ${service}\`.`);
  }
  const publicPem = publicPemOf(directory, `${service}.next`);
  let keyId: string | null = null;
  for (const manifest of announced) {
    keyId = listedAs(manifest, publicPem);
    const signer = { service, keyId: keyId ?? `${service} (not listed)`, publicPem };
    const faults = startUpFaults(manifest, manifest.issuer, [signer], now);
    if (faults.length > 0) {
      throw new PlainError(
        `The next key of ${service} may not sign yet: ${faults.map(({ message }) => message).join(' ')} ` +
          'Hand the manifest out, restart what serves it, and try again.',
      );
    }
  }
  // The key that is in use is never missing: `old` is a second name of it until the last step.
  if (!existsSync(old)) linkSync(current, old);
  renameSync(next, current);
  return keyId ?? '';
}

/** Ends the window of the replaced key, and forgets its private half. */
export function retire(rotation: Rotation, manifest: TrustManifest) {
  const { service, directory, now } = rotation;
  const { current, next, old } = filesOf(rotation);
  if (!existsSync(old)) throw new PlainError(`No key of ${service} waits to be retired.`);
  const publicPem = publicPemOf(directory, `${service}.old`);
  if (existsSync(next) || readFileSync(old, 'utf8') === readFileSync(current, 'utf8')) {
    throw new PlainError(
      `The old key of ${service} is in use still: first \`countersign rotate activate ${service}\`.`,
    );
  }
  const keyId = listedAs(manifest, publicPem);
  const ended = keyId === null ? manifest : ending(manifest, keyId, now + MARGIN_MS);
  return { manifest: ended, keyId, forget: () => rmSync(old) };
}

/** Nothing is signed with it any more; a step that is repeated leaves the end where it is. */
function ending(manifest: TrustManifest, keyId: string, at: number): TrustManifest {
  const listed = manifest.keys.find(({ key_id }) => key_id === keyId);
  return Date.parse(listed?.not_after ?? '') <= at ? manifest : endKey(manifest, keyId, at);
}

/** The key that signs: its id, and whether the manifest vouches for it now. */
export function keyInUse(directory: string, service: SigningService, manifest: TrustManifest) {
  const file = join(directory, `${service}.pem`);
  if (!existsSync(file)) return null;
  return listedAs(manifest, signerFromPem(service, readFileSync(file, 'utf8')).publicPem);
}

function filesOf({ directory, service }: Rotation) {
  const file = (suffix: string): string => join(directory, `${service}${suffix}.pem`);
  const files = { current: file(''), next: file('.next'), old: file('.old') };
  if (!existsSync(files.current)) {
    throw new PlainError(
      `${files.current}: there is no such key. \`countersign keygen\` makes keys; --dir says where they are.`,
    );
  }
  return files;
}
