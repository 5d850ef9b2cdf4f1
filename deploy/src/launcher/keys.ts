import { createHash, createPublicKey } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  PROTOCOL_REVISION,
  SIGNING_POLICY,
  addKey,
  generateSigningKey,
  signerFromPem,
} from '@countersign/protocol';
import type { NewKey, TrustManifest } from '@countersign/protocol';

const HOUR_MS = 3_600_000;
const TEN_YEARS_MS = 3650 * 24 * HOUR_MS;

/**
 * Makes sure that `directory` holds a private key for every service that signs (`<service>.pem`) and the gateway's
 * key for caller tokens (`caller.pem`, and `caller.pub.pem` for everybody). Existing keys are kept.
 */
export function ensureKeys(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const name of [...Object.keys(SIGNING_POLICY), 'caller']) {
    const file = join(directory, `${name}.pem`);
    if (existsSync(file)) continue;
    const { privatePem } = generateSigningKey(name);
    writeFileSync(file, privatePem, { mode: 0o600, flag: 'wx' });
  }
  writeFileSync(join(directory, 'caller.pub.pem'), publicPemOf(directory, 'caller'));
}

/**
 * The trust manifest of the keys in `directory` (contract §2.4). What `known` lists stays listed, so that records of
 * retired keys verify; new keys are valid for ten years from an hour before `now`, for clocks differ.
 */
export function trustManifest(
  directory: string,
  issuer: string,
  known: TrustManifest | null,
  now: number,
): TrustManifest {
  const start: TrustManifest = {
    issuer,
    protocol_revision: PROTOCOL_REVISION,
    keys: known?.keys ?? [],
  };
  return Object.keys(SIGNING_POLICY).reduce((manifest, service) => {
    const publicPem = publicPemOf(directory, service);
    const key = newKey(service, publicPem, now);
    if (manifest.keys.some(({ key_id }) => key_id === key.keyId)) return manifest;
    return addKey(manifest, key);
  }, start);
}

/** A key as it is listed when nobody says otherwise: named after what it is for and after itself. */
export function newKey(name: string, publicPem: string, now: number): NewKey {
  return {
    keyId: `${name}-${fingerprint(publicPem)}`,
    publicPem,
    notBefore: now - HOUR_MS,
    notAfter: now + TEN_YEARS_MS,
  };
}

export function publicPemOf(directory: string, name: string): string {
  return signerFromPem(name, readFileSync(join(directory, `${name}.pem`), 'utf8')).publicPem;
}

function fingerprint(publicPem: string): string {
  const bytes = createPublicKey(publicPem).export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}
