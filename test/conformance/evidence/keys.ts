import { createTrustManifest, signerFromPem } from '@countersign/protocol';
import type { KeySigner, NewKey, TrustManifest } from '@countersign/protocol';

/** Test keys. Their seeds are public: they must not be trusted. */
export const SEEDS = {
  /** The key of protocol §2.6. */
  'k-2026-01': '96176e1069df54bfb25b64fb78666854eb84a689fa5a41c0ddc4a98332707fc1',
  'k-2026-02': '11'.repeat(32),
  /** Revoked at noon of 1 May 2026. */
  'k-revoked': '22'.repeat(32),
  /** Valid in 2025 only. */
  'k-2025': '33'.repeat(32),
  /** In no manifest. */
  'k-stranger': '44'.repeat(32),
  /** Named after a service each: good for that service's records only (protocol R36). */
  'request-1': '51'.repeat(32),
  'review-1': '52'.repeat(32),
  'execution-authority-1': '53'.repeat(32),
  'ledger-1': '54'.repeat(32),
  'notifier-1': '55'.repeat(32),
  'gateway-1': '56'.repeat(32),
  /** Look like it, but name no service. */
  'reviewer-1': '57'.repeat(32),
  'ledger.1': '58'.repeat(32),
} as const;

export type KeyName = keyof typeof SEEDS;

export function signer(name: KeyName, keyId: string = name): KeySigner {
  // PKCS #8 around the 32 bytes of the seed.
  const body = Buffer.from(`302e020100300506032b657004220420${SEEDS[name]}`, 'hex').toString(
    'base64',
  );
  return signerFromPem(keyId, `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----`);
}

export const ISSUER = 'https://review.example';

const window = (year: number) => ({
  notBefore: Date.UTC(year, 0, 1),
  notAfter: Date.UTC(year + 1, 0, 1),
});

/** Five services, the gateway, and two keys that name no service. */
export function serviceManifest(): TrustManifest {
  const keys = Object.keys(SEEDS).filter((name) => !name.startsWith('k-')) as KeyName[];
  const listed = keys.map((name) => ({
    keyId: name,
    publicPem: signer(name).publicPem,
    ...window(2026),
  }));
  return createTrustManifest(ISSUER, ...(listed as [NewKey, ...NewKey[]]));
}

/** The records of a single old key: everything but those of the unknown key. */
export function trustManifest(issuer: string = ISSUER): TrustManifest {
  const key = (name: KeyName, year: number) => ({
    keyId: name,
    publicPem: signer(name).publicPem,
    ...window(year),
  });
  const manifest = createTrustManifest(
    issuer,
    key('k-2026-01', 2026),
    key('k-2026-02', 2026),
    key('k-revoked', 2026),
    key('k-2025', 2025),
  );
  for (const listed of manifest.keys) {
    if (listed.key_id === 'k-revoked') listed.revoked_at = '2026-05-01T12:00:00.000Z';
  }
  return manifest;
}
