import type { KeyObject } from 'node:crypto';
import { PROTOCOL_REVISION } from '../constants.js';
import { valueDigest } from '../json/canonical.js';
import type { Digest } from '../json/canonical.js';
import { isJsonObject } from '../json/value.js';
import type { TrustManifest } from '../records/index.js';
import { faultOf, parseTimestamp, validate } from '../records/index.js';
import type { KeySigner } from './keys.js';
import { readPublicPem } from './keys.js';
import type { SigningService } from './policy.js';
import { serviceOfKey } from './policy.js';

export interface TrustedKey {
  readonly publicKey: KeyObject;
  /** Epoch milliseconds; a record counts when notBefore ≤ issued_at < notAfter. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** Records of this moment and later do not count. */
  readonly revokedAt: number | null;
}

/** A trust manifest with its keys made ready for verification. */
export interface Trust {
  readonly issuer: string;
  /** SHA-256 of the canonical manifest. */
  readonly fingerprint: Digest;
  readonly keys: ReadonlyMap<string, TrustedKey>;
}

export type TrustFaultCode =
  | 'malformed_manifest'
  | 'revision_mismatch'
  | 'issuer_mismatch'
  | 'duplicate_key_id'
  | 'not_ed25519_public_pem'
  | 'empty_window'
  | 'active_key_absent'
  | 'active_key_outside_window'
  | 'active_key_revoked'
  | 'active_key_mismatch'
  | 'active_key_of_another_service';

export interface TrustFault {
  readonly code: TrustFaultCode;
  readonly keyId: string | null;
  /** One sentence for the log and the operator. */
  readonly message: string;
}

export type TrustReading =
  | { readonly trust: Trust; readonly faults: readonly [] }
  | { readonly trust: null; readonly faults: readonly TrustFault[] };

/** Reads a manifest; `issuer` is the origin that it has to be of. Collects all faults (protocol §2.4). */
export function readTrustManifest(manifest: unknown, issuer?: string): TrustReading {
  if (isJsonObject(manifest)) {
    const revision = manifest['protocol_revision'];
    if (typeof revision === 'string' && revision !== PROTOCOL_REVISION) {
      return failed([fault('revision_mismatch', null, `The manifest is of revision ${revision}.`)]);
    }
  }
  if (!validate('TrustManifest', manifest)) {
    const detail = faultOf('TrustManifest', manifest) ?? '';
    return failed([fault('malformed_manifest', null, `This is no trust manifest: ${detail}`)]);
  }

  const faults: TrustFault[] = [];
  if (issuer !== undefined && manifest.issuer !== issuer) {
    const message = `The manifest is of ${manifest.issuer}, the service is ${issuer}.`;
    faults.push(fault('issuer_mismatch', null, message));
  }
  const keys = new Map<string, TrustedKey>();
  const ids = new Set<string>();
  for (const entry of manifest.keys) {
    const id = entry.key_id;
    const key: Omit<TrustedKey, 'publicKey'> = {
      notBefore: parseTimestamp(entry.not_before) as number,
      notAfter: parseTimestamp(entry.not_after) as number,
      revokedAt: entry.revoked_at === undefined ? null : parseTimestamp(entry.revoked_at),
    };
    const publicKey = readPublicPem(entry.public_key);
    if (publicKey === null) {
      const message = `The key ${id} is not one Ed25519 PUBLIC KEY block in PEM form.`;
      faults.push(fault('not_ed25519_public_pem', id, message));
    }
    if (key.notBefore >= key.notAfter) {
      faults.push(fault('empty_window', id, `The key ${id} is valid at no time at all.`));
    }
    if (ids.has(id)) {
      faults.push(fault('duplicate_key_id', id, `The key id ${id} occurs twice.`));
    }
    ids.add(id);
    if (publicKey !== null) keys.set(id, { publicKey, ...key });
  }
  return faults.length > 0
    ? failed(faults)
    : {
        trust: { issuer: manifest.issuer, fingerprint: valueDigest(manifest), keys },
        faults: [],
      };
}

/** Reads a manifest that was checked before, or fails with every fault in one message. */
export function loadTrust(manifest: unknown, issuer?: string): Trust {
  const { trust, faults } = readTrustManifest(manifest, issuer);
  if (trust === null) throw new TypeError(faults.map(({ message }) => message).join(' '));
  return trust;
}

/** The key that a service is about to sign with. */
export interface ActiveKey extends Pick<KeySigner, 'keyId' | 'publicPem'> {
  readonly service: SigningService;
}

/** Why a service must not start with these keys under this manifest (protocol §2.4); empty when it may. */
export function startUpFaults(
  manifest: unknown,
  issuer: string,
  active: readonly ActiveKey[],
  now: number,
): readonly TrustFault[] {
  const { trust, faults } = readTrustManifest(manifest, issuer);
  if (trust === null) return faults;
  return active.flatMap((key) => activeKeyFault(trust, key, now) ?? []);
}

function activeKeyFault(
  trust: Trust,
  { service, keyId, publicPem }: ActiveKey,
  now: number,
): TrustFault | null {
  const key = trust.keys.get(keyId);
  if (key === undefined) {
    return fault('active_key_absent', keyId, `The manifest does not list our key ${keyId}.`);
  }
  if (readPublicPem(publicPem)?.equals(key.publicKey) !== true) {
    const message = `The manifest lists another public key as ${keyId} than the private key has.`;
    return fault('active_key_mismatch', keyId, message);
  }
  const named = serviceOfKey(keyId);
  if (named !== null && named !== service) {
    const message = `Our key ${keyId} is named after the service ${named}, so verifiers refuse every record that ${service} signs with it.`;
    return fault('active_key_of_another_service', keyId, message);
  }
  if (now < key.notBefore || now >= key.notAfter) {
    return fault('active_key_outside_window', keyId, `Our key ${keyId} is not valid at this time.`);
  }
  if (key.revokedAt !== null && now >= key.revokedAt) {
    return fault('active_key_revoked', keyId, `Our key ${keyId} is revoked.`);
  }
  return null;
}

function fault(code: TrustFaultCode, keyId: string | null, message: string): TrustFault {
  return { code, keyId, message };
}

function failed(faults: readonly TrustFault[]): TrustReading {
  return { trust: null, faults };
}

export interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly kid: string;
  readonly alg: 'EdDSA';
  readonly use: 'sig';
}

/**
 * The keys as a JWK set. It cannot say when a key is valid, so revoked keys are left out; a client that
 * verifies records needs the manifest itself.
 */
export function trustManifestToJwks(manifest: TrustManifest): { keys: PublicJwk[] } {
  const { keys } = loadTrust(manifest);
  return {
    keys: [...keys].flatMap(([kid, { publicKey, revokedAt }]) => {
      const { x } = publicKey.export({ format: 'jwk' });
      return revokedAt !== null || x === undefined
        ? []
        : [{ kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' } as const];
    }),
  };
}
