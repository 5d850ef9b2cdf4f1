import type { CredentialKey } from '@countersign/protocol';

/** The COSE form (RFC 9053 §7) of a key, as the library takes it. */
export function coseKey(key: CredentialKey): Uint8Array<ArrayBuffer> {
  const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');
  return new Uint8Array(
    key.kty === 'EC'
      ? Buffer.concat([
          Buffer.from('a5010203262001215820', 'hex'),
          bytes(key.x),
          Buffer.from('225820', 'hex'),
          bytes(key.y),
        ])
      : Buffer.concat([Buffer.from('a4010103272006215820', 'hex'), bytes(key.x)]),
  );
}
