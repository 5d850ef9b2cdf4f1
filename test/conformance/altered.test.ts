import { loadTrust, valueDigest, verifyDocument } from '@countersign/protocol';
import type { AuditExport, CheckCode } from '@countersign/protocol';
import { copyOf, forged } from './evidence/forging.js';
import { trustManifest } from './evidence/keys.js';
import { copiesIn } from './evidence/store.js';
import { buildEvidence, deliver } from './evidence/build-evidence.js';
import { clock } from './evidence/ledger.js';

const trust = loadTrust(trustManifest());
const evidence = buildEvidence({ neighbours: false });

const manifest =
  (member: string, value: unknown) =>
  ({ material }: any): void => {
    material.bundle.manifest[member] = value;
  };

/** Changes that only one comparison of many can notice. */
const ROWS: readonly [CheckCode, string, (it: any) => void][] = [
  ['material_bundle', 'the id of the app', manifest('id', 'another')],
  ['material_bundle', 'the tenant of the app', manifest('tenant', 'other')],
  ['material_bundle', 'the time of the app', manifest('created_at', '2026-04-30T08:00:00.001Z')],
  ['material_bundle', 'the digest of the app', manifest('digest', `sha256:${'0'.repeat(64)}`)],
  [
    'material_bundle',
    'what the app is compatible with',
    manifest('compatibility', { agent_ui: '2', more: true }),
  ],
  ['material_bundle', 'the app left out', ({ material }) => delete material.bundle],
  [
    'ledger_order',
    'a neighbour that continues something else',
    ({ audit }) => {
      const entry = audit[5];
      entry.previous_head = `sha256:${'0'.repeat(64)}`;
      entry.head = valueDigest({
        previous: entry.previous_head,
        record_digest: entry.record_digest,
        sequence: Number(entry.sequence),
      });
    },
  ],
  ['ledger_entry', 'a number with a zero before it', ({ audit }) => (audit[5].sequence = '06')],
];

it.each(ROWS)('an export fails by %s: %s', (code, _, change) => {
  const document: AuditExport = copyOf(evidence.document);
  change(document);
  const copies = copiesIn(evidence.ledger.store);
  const { verdict, checks } = verifyDocument(JSON.stringify(document), trust, { copies });
  expect(verdict).toBe('fails');
  const failed = checks.filter(({ status }) => status === 'fails');
  expect(failed.map((check) => check.code)).toContain(code);
});

it('a delivery fails that was signed before its event', () => {
  const late = deliver(evidence, clock('09:09:59.999')).record;
  const { checks } = verifyDocument(JSON.stringify(late), trust);
  expect(checks).toContainEqual(
    expect.objectContaining({ code: 'delivery_event', status: 'fails' }),
  );
});

it('a registered app fails that is of another publisher or tenant than its header', () => {
  const [, registered] = buildEvidence().ledger.entries;
  const record = JSON.parse(registered?.record ?? '');
  for (const payload of [{ publisher: 'others' }, { tenant: 'other' }]) {
    const { checks } = verifyDocument(JSON.stringify(forged(record, { payload })), trust);
    expect(checks).toContainEqual(
      expect.objectContaining({ code: 'record_header', status: 'fails' }),
    );
  }
});
