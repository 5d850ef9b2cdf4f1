import { chainSecurityEvent, securityStatement } from '../security-log/index.js';
import type { SecurityEntry } from '../security-log/index.js';
import { createTrustManifest } from '../signing/change-trust.js';
import { generateSigningKey, loadTrust, signerFromPem } from '../signing/index.js';
import { verifyDocument } from './index.js';
import type { AnchorCopies } from './index.js';

const issuer = 'https://a.example';
const ledgerId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const generation = '7d444840-9dc0-41d1-b245-5ffdce74fad2';
const key = generateSigningKey('ledger-1');
const window = { notBefore: 0, notAfter: Date.UTC(2030, 0, 1) };
const trust = loadTrust(createTrustManifest(issuer, { ...key, ...window }));

const entries: SecurityEntry[] = [];
for (const kind of ['login.succeeded', 'material.read', 'principal.changed']) {
  entries.push(
    chainSecurityEvent(entries.at(-1) ?? { sequence: 0, head: '' }, {
      ...{ tenant: 'acme', kind, source: 'gateway', actor: null, subject: null, request_id: null },
      ...{ detail: {}, time: '2026-05-01T09:00:00.000Z' },
    }),
  );
}

function checkpointOver(entry: SecurityEntry) {
  const { sequence, head } = entry;
  const issuedAt = Date.UTC(2026, 4, 1, 9, 5);
  const statement = securityStatement({ issuer, ledgerId, generation, sequence, head, issuedAt });
  const signature = signerFromPem('ledger-1', key.privatePem).sign(Buffer.from(statement));
  return { key_id: 'ledger-1', signature: signature.toString('base64url'), statement };
}

const last = entries.at(-1) as SecurityEntry;
const good = {
  security_log: { tenant: 'acme', ledger_id: ledgerId },
  entries,
  checkpoints: [checkpointOver(last)],
};
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));

/** An anchor store with one checkpoint over the last entry. */
const store = (kept: unknown) => ({
  security: {
    within: () => [{ bytes: bytesOf(kept), generation, sequence: last.sequence }],
  },
});

function verify(pages: unknown, kept: unknown = good.checkpoints[0], expected = {}) {
  const copies = store(kept) as unknown as AnchorCopies;
  return verifyDocument(bytesOf(pages), trust, {
    expected: { now: Date.now(), ...expected },
    copies,
  });
}

const failed = ({ checks }: ReturnType<typeof verify>) =>
  checks.filter(({ status }) => status === 'fails').map(({ code }) => code);

test('pages with their checkpoint and its copy hold', () => {
  expect(verify(good)).toMatchObject({ kind: 'security log', verdict: 'holds' });
});

test.each<[string, () => ReturnType<typeof verify>]>([
  ['security_ledger', () => verify(good, undefined, { ledgerId: generation })],
  [
    'security_entry',
    () => verify({ ...good, entries: [entries[0], { ...entries[1], head: last.head }, last] }),
  ],
  [
    'security_checkpoint',
    () => verify({ ...good, checkpoints: [{ ...good.checkpoints[0], signature: 'A'.repeat(86) }] }),
  ],
  ['security_store', () => verify(good, checkpointOver({ ...last, head: entries[0]!.head }))],
])('fails by %s', (check, verdict) => {
  expect(failed(verdict())).toContain(check);
});
