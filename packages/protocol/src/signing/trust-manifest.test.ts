import type { TrustManifest } from '../records/index.js';
import { generateSigningKey } from './keys.js';
import { addKey, createTrustManifest, endKey, revokeKey } from './change-trust.js';
import type { SigningService } from './policy.js';
import type { TrustFaultCode } from './trust-manifest.js';
import {
  loadTrust,
  readTrustManifest,
  startUpFaults,
  trustManifestToJwks,
} from './trust-manifest.js';

const issuer = 'https://review.example';
const [one, two, other] = [
  generateSigningKey('k1'),
  generateSigningKey('k2'),
  generateSigningKey('k1'),
];
const window = { notBefore: Date.UTC(2026, 0, 1), notAfter: Date.UTC(2027, 0, 1) };
const manifest = createTrustManifest(issuer, { ...one, ...window }, { ...two, ...window });
const now = Date.UTC(2026, 5, 1);

function changed(change: Partial<TrustManifest['keys'][number]>, index = 0): TrustManifest {
  return {
    ...manifest,
    keys: manifest.keys.map((key, i) => (i === index ? { ...key, ...change } : key)),
  };
}

function faults(value: unknown, origin = issuer, at = now, keys = [one, two]): TrustFaultCode[] {
  const active = keys.map((key) => ({ service: 'review' as const, ...key }));
  return startUpFaults(value, origin, active, at).map(({ code }) => code);
}

describe('start-up', () => {
  it('accepts a manifest that lists every active key', () => {
    expect(faults(manifest)).toEqual([]);
    expect(faults(JSON.parse(JSON.stringify(manifest)))).toEqual([]);
    expect(faults(addKey(manifest, { ...other, keyId: 'k3', ...window }))).toEqual([]);
  });

  it.each<[TrustFaultCode, unknown]>([
    ['malformed_manifest', null],
    ['malformed_manifest', {}],
    ['malformed_manifest', { ...manifest, keys: [] }],
    ['malformed_manifest', { ...manifest, extra: 1 }],
    ['malformed_manifest', { ...manifest, keys: Array(129).fill(manifest.keys[0]) }],
    ['malformed_manifest', { ...manifest, keys: [{ ...manifest.keys[0], algorithm: 'RS256' }] }],
    ['malformed_manifest', changed({ key_id: 'k 1' })],
    ['malformed_manifest', changed({ not_before: 'yesterday' })],
    ['malformed_manifest', changed({ public_key: one.publicPem + ' '.repeat(4096) })],
    ['revision_mismatch', { ...manifest, protocol_revision: '2.0.0-draft.2' }],
    ['not_ed25519_public_pem', changed({ public_key: one.privatePem })],
    ['not_ed25519_public_pem', changed({ public_key: 'MCowBQYDK2VwAyEA' })],
    ['empty_window', changed({ not_after: manifest.keys[0]?.not_before as string })],
    ['duplicate_key_id', changed({ key_id: 'k1' }, 1)],
    ['active_key_absent', { ...manifest, keys: manifest.keys.slice(0, 1) }],
    ['active_key_mismatch', changed({ public_key: other.publicPem })],
    ['active_key_revoked', changed({ revoked_at: new Date(now).toISOString() })],
    ['active_key_outside_window', changed({ not_before: new Date(now + 1).toISOString() })],
    ['active_key_outside_window', changed({ not_after: new Date(now).toISOString() })],
  ])('refuses: %s', (code, value) => {
    expect(faults(value)).toEqual([code]);
  });

  it('holds the bounds of a key exactly', () => {
    expect(faults(manifest, issuer, window.notBefore)).toEqual([]);
    expect(faults(manifest, issuer, window.notBefore - 1)).toHaveLength(2);
    expect(faults(manifest, issuer, window.notAfter - 1)).toEqual([]);
    expect(faults(changed({ revoked_at: new Date(now + 1).toISOString() }))).toEqual([]);
  });

  it.each<[string, string, TrustFaultCode[]]>([
    ['review', 'review-1', []],
    ['execution-authority', 'execution-authority-1', []],
    ['review', 'k-1', []],
    ['review', 'reviewer-1', []],
    ['review', 'notifier-1', ['active_key_of_another_service']],
    ['ledger', 'review-1', ['active_key_of_another_service']],
    ['request', 'gateway-1', ['active_key_of_another_service']],
  ])('lets %s sign under a key %s: %j', (service, keyId, codes) => {
    const key = { ...one, keyId, service: service as SigningService };
    const listed = createTrustManifest(issuer, { ...key, ...window });
    expect(startUpFaults(listed, issuer, [key], now).map(({ code }) => code)).toEqual(codes);
  });

  it('refuses the manifest of another origin', () => {
    expect(faults(manifest, 'https://review.example/')).toEqual(['issuer_mismatch']);
  });

  it('collects all faults of a manifest', () => {
    const broken = {
      ...changed({ public_key: 'x', not_after: '2020-01-01T00:00:00Z' }),
      issuer: 'https://a.example',
    };
    const twice = { ...broken, keys: [...broken.keys, ...broken.keys] };
    expect(faults(twice)).toEqual([
      'issuer_mismatch',
      'not_ed25519_public_pem',
      'empty_window',
      'not_ed25519_public_pem',
      'empty_window',
      'duplicate_key_id',
      'duplicate_key_id',
    ]);
    expect(readTrustManifest(twice).trust).toBeNull();
    expect(() => loadTrust(twice)).toThrow(TypeError);
  });

  it('says which key is at fault', () => {
    const [fault] = startUpFaults(
      changed({ key_id: 'k9' }),
      issuer,
      [{ service: 'review', ...one }],
      now,
    );
    expect(fault).toMatchObject({ code: 'active_key_absent', keyId: 'k1' });
    expect(fault?.message).toContain('k1');
  });
});

describe('trustManifestToJwks', () => {
  it('lists the keys that are not revoked', () => {
    const { keys } = trustManifestToJwks(manifest);
    expect(keys.map(({ kid }) => kid)).toEqual(['k1', 'k2']);
    expect(keys[0]).toEqual({
      kty: 'OKP',
      crv: 'Ed25519',
      x: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/) as string,
      kid: 'k1',
      alg: 'EdDSA',
      use: 'sig',
    });
    const revoked = changed({ revoked_at: '2026-02-01T00:00:00.000Z' });
    expect(trustManifestToJwks(revoked).keys.map(({ kid }) => kid)).toEqual(['k2']);
  });
});

describe('a manifest that changes', () => {
  const at = (changed: TrustManifest, id: string) => loadTrust(changed).keys.get(id);

  it('revokes a key from a time on, which can only be moved to an earlier one', () => {
    const revoked = revokeKey(manifest, 'k1', now);
    expect(at(revoked, 'k1')?.revokedAt).toBe(now);
    expect(at(revoked, 'k2')).toEqual(at(manifest, 'k2'));
    expect(at(revokeKey(revoked, 'k1', now - 1), 'k1')?.revokedAt).toBe(now - 1);
    expect(() => revokeKey(revoked, 'k1', now)).toThrow(RangeError);
    expect(() => revokeKey(revoked, 'k1', now + 1)).toThrow(RangeError);
  });

  it('ends the window of a key, and never opens one again', () => {
    const ended = endKey(manifest, 'k1', now);
    expect(at(ended, 'k1')?.notAfter).toBe(now);
    expect(() => endKey(ended, 'k1', now + 1)).toThrow(RangeError);
    expect(() => endKey(manifest, 'k1', window.notBefore)).toThrow(RangeError);
  });

  it('changes no key that it does not list, and no manifest in place', () => {
    expect(() => revokeKey(manifest, 'k9', now)).toThrow(RangeError);
    const before = JSON.stringify(manifest);
    revokeKey(manifest, 'k1', now);
    endKey(manifest, 'k1', now);
    expect(JSON.stringify(manifest)).toBe(before);
  });
});
