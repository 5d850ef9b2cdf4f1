import { createHash, createPublicKey } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  PROTOCOL_REVISION,
  SIGNING_POLICY,
  addKey,
  generateSigningKey,
  signerFromPem,
} from '@countersign/protocol';
import type { NewKey, SigningService, TrustManifest } from '@countersign/protocol';
import { newMessageKey } from '@countersign/platform';
import { ASKED } from './message-settings.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Default validity of a new key. */
export const VALID_DAYS = 365;

export type SigningServices = readonly SigningService[];
export const SERVICES = Object.keys(SIGNING_POLICY) as SigningServices;

/** Who holds private keys; in an installation that keeps them apart each has a folder of its own. */
export type KeyHolder = SigningService | 'gateway';
export const KEY_HOLDERS: readonly KeyHolder[] = [...SERVICES, 'gateway'];

/**
 * Makes sure that `directory` has the keys of these holders: a service its signing key (`<service>.pem`), the gateway the
 * key of caller tokens (`caller.pem`, and `caller.pub.pem` for the services) and the keys that it shares with each service
 * (`<service>.message-keys`). Existing keys are kept.
 */
export function ensureKeys(directory: string, holders: readonly KeyHolder[] = KEY_HOLDERS): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const holder of holders) {
    if (holder !== 'gateway') {
      ensurePrivateKey(directory, holder);
      continue;
    }
    ensurePrivateKey(directory, 'caller');
    listCallerKey(directory, 'caller');
    for (const service of ASKED) {
      ensureFile(join(directory, `${service}.message-keys`), () => `${newMessageKey()}\n`);
    }
  }
}

export function ensurePrivateKey(directory: string, name: string): void {
  ensureFile(join(directory, `${name}.pem`), () => generateSigningKey(name).privatePem);
}

function ensureFile(file: string, content: () => string): void {
  if (!existsSync(file)) writeFileSync(file, content(), { mode: 0o600, flag: 'wx' });
}

/** Adds the public half of `<name>.pem` to `caller.pub.pem`, unless it is there. */
export function listCallerKey(directory: string, name: string): void {
  const file = join(directory, 'caller.pub.pem');
  const publicPem = publicPemOf(directory, name);
  const listed = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (!listed.includes(publicPem.trim())) replaceFile(file, `${listed}${publicPem}`);
}

/** Whole at every moment for its readers. */
export function replaceFile(file: string, content: string, mode = 0o644): void {
  writeFileSync(`${file}.new`, content, { mode });
  renameSync(`${file}.new`, file);
}

/**
 * The trust manifest of the keys of these services in `directory` (protocol §2.4). Keys in `known` stay listed, so that
 * records of retired keys verify; new keys are valid from an hour before `now`, because clocks differ.
 */
export function trustManifest(
  directory: string,
  issuer: string,
  known: TrustManifest | null,
  now: number,
  services: SigningServices = SERVICES,
  validDays = VALID_DAYS,
): TrustManifest {
  const start: TrustManifest = {
    issuer,
    protocol_revision: PROTOCOL_REVISION,
    keys: known?.keys ?? [],
  };
  return services.reduce((manifest, service) => {
    const publicPem = publicPemOf(directory, service);
    const key = newKey(service, publicPem, now, validDays);
    if (manifest.keys.some(({ key_id }) => key_id === key.keyId)) return manifest;
    return addKey(manifest, key);
  }, start);
}

/** The default entry of a key, named after its purpose and its own digest. */
export function newKey(
  name: string,
  publicPem: string,
  now: number,
  validDays = VALID_DAYS,
): NewKey {
  return {
    keyId: `${name}-${fingerprint(publicPem)}`,
    publicPem,
    notBefore: now - HOUR_MS,
    notAfter: now + validDays * DAY_MS,
  };
}

export function publicPemOf(directory: string, name: string): string {
  return signerFromPem(name, readFileSync(join(directory, `${name}.pem`), 'utf8')).publicPem;
}

function fingerprint(publicPem: string): string {
  const bytes = createPublicKey(publicPem).export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}
