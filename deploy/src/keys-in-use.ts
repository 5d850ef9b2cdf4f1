import { createPublicKey } from 'node:crypto';
import {
  SIGNING_POLICY,
  restrictSigner,
  signerFromPem,
  startUpFaults,
} from '@countersign/protocol';
import type { KeySigner, SigningService, TrustManifest } from '@countersign/protocol';

/**
 * The service's own key, good for its own record types only. The manifest says under which id it is listed. Throws,
 * saying every fault, when the manifest does not vouch for the key now (contract §2.4).
 */
export function serviceSigner(
  service: SigningService,
  privatePem: string,
  manifest: TrustManifest,
  origin: string,
  now: number,
): KeySigner {
  const publicKey = createPublicKey(privatePem);
  const listed = manifest.keys.find((key) => createPublicKey(key.public_key).equals(publicKey));
  const signer = signerFromPem(listed?.key_id ?? `${service} (not listed)`, privatePem);
  const faults = startUpFaults(manifest, origin, [signer], now);
  if (faults.length > 0) {
    const reasons = faults.map((fault) => fault.message).join(' ');
    throw new Error(`The signing key of ${service} cannot be used: ${reasons}`);
  }
  return restrictSigner(signer, SIGNING_POLICY[service]);
}
