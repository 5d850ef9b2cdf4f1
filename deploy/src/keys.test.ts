import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SIGNING_POLICY, signerFromPem, startUpFaults } from '@countersign/protocol';
import type { SigningService } from '@countersign/protocol';
import { ensureKeys, trustManifest } from './keys.js';

const ORIGIN = 'http://localhost:8080';
const NOW = Date.UTC(2026, 10, 20);

let keys: string;

beforeEach(() => {
  keys = mkdtempSync(join(tmpdir(), 'countersign-keys-'));
  ensureKeys(keys);
});
afterEach(() => rmSync(keys, { recursive: true }));

const pem = (name: string): string => readFileSync(join(keys, `${name}.pem`), 'utf8');

describe('keys', () => {
  it('exist for every service that signs and for caller tokens, readable by their owner only', () => {
    for (const name of [...Object.keys(SIGNING_POLICY), 'caller']) {
      expect(statSync(join(keys, `${name}.pem`)).mode & 0o777).toBe(0o600);
    }
  });

  it('are found again later', () => {
    const before = pem('review');
    ensureKeys(keys);
    expect(pem('review')).toBe(before);
  });

  it('are in a trust manifest that every service accepts at its start', () => {
    const manifest = trustManifest(keys, ORIGIN, null, NOW);
    const signers = (Object.keys(SIGNING_POLICY) as SigningService[]).map((service) => {
      const entry = manifest.keys.find(({ key_id }) => key_id.startsWith(`${service}-`));
      return { service, ...signerFromPem(entry?.key_id ?? 'none', pem(service)) };
    });
    expect(startUpFaults(manifest, ORIGIN, signers, NOW)).toEqual([]);
  });

  it('stay listed after they are replaced', () => {
    const before = trustManifest(keys, ORIGIN, null, NOW);
    rmSync(join(keys, 'review.pem'));
    ensureKeys(keys);
    const after = trustManifest(keys, ORIGIN, before, NOW);
    expect(after.keys.slice(0, before.keys.length)).toEqual(before.keys);
    expect(after.keys).toHaveLength(before.keys.length + 1);
  });
});
