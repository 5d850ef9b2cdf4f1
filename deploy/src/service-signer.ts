import { createPublicKey } from 'node:crypto';
import {
  SIGNING_POLICY,
  isSecurityStatement,
  isTreeHead,
  loadTrust,
  restrictSigner,
  signerFromPem,
  startUpFaults,
} from '@countersign/protocol';
import type { KeyWindow, RemoteSigner, SigningService, TrustManifest } from '@countersign/protocol';

/** Under which id the manifest lists a public key, or null. */
export function listedAs(manifest: TrustManifest, publicPem: string): string | null {
  const publicKey = createPublicKey(publicPem);
  const found = manifest.keys.find((key) => createPublicKey(key.public_key).equals(publicKey));
  return found?.key_id ?? null;
}

/** When records of a listed key count. */
export function windowOf(manifest: TrustManifest, keyId: string): KeyWindow | undefined {
  const key = loadTrust(manifest).keys.get(keyId);
  if (key === undefined) return undefined;
  return { notBefore: key.notBefore, end: Math.min(key.notAfter, key.revokedAt ?? Infinity) };
}

/** The texts that a service signs beside records. */
export function mayAlsoSign(service: SigningService): (preimage: Uint8Array) => boolean {
  if (service !== 'ledger') return () => false;
  return (preimage) => isTreeHead(preimage) || isSecurityStatement(preimage);
}

/**
 * The service's own key, good for its own record types only. The manifest says under which id it is listed. Throws,
 * saying every fault, when the manifest does not vouch for the key now (protocol §2.4).
 */
export function serviceSigner(
  service: SigningService,
  privatePem: string,
  manifest: TrustManifest,
  origin: string,
  now: number,
): RemoteSigner {
  const keyId = listedAs(
    manifest,
    createPublicKey(privatePem).export({ type: 'spki', format: 'pem' }).toString(),
  );
  const signer = signerFromPem(keyId ?? `${service} (not listed)`, privatePem);
  const faults = startUpFaults(manifest, origin, [{ ...signer, service }], now);
  if (faults.length > 0) {
    const reasons = faults.map((fault) => fault.message).join(' ');
    throw new Error(`The signing key of ${service} cannot be used: ${reasons}`);
  }
  return {
    ...restrictSigner(signer, SIGNING_POLICY[service], mayAlsoSign(service)),
    window: windowOf(manifest, signer.keyId),
  };
}
