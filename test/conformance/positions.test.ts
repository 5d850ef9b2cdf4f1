import { loadTrust, verifyDocument, verifyLedgerRange } from '@countersign/protocol';
import type { LedgerEntry } from '@countersign/protocol';
import { trustManifest } from './evidence/keys.js';
import { copiesIn } from './evidence/store.js';
import { buildEvidence } from './evidence/build-evidence.js';

const trust = loadTrust(trustManifest());
// Whole: claimed, admitted, reported and reconciled, with neighbours between.
const { ledger } = buildEvidence({ admissions: 3, reconciliations: 12 });
const entries: readonly LedgerEntry[] = ledger.entries;
const [{ tenant, head = '' }] = [{ tenant: entries[0]?.tenant ?? '', head: entries.at(-1)?.head }];
const points = [{ sequence: entries.length, head }];

/** Every way to damage a copy in one place (invariant I6); null where the place does not allow it. */
const DAMAGES: readonly [
  what: string,
  (copy: LedgerEntry[], at: number) => LedgerEntry[] | null,
][] = [
  ['deleted', (copy, at) => copy.toSpliced(at, 1)],
  [
    'swapped with the next',
    (copy, at) => {
      const [one, other] = copy.slice(at, at + 2);
      return one && other ? copy.toSpliced(at, 2, other, one) : null;
    },
  ],
  ['inserted twice', (copy, at) => copy.toSpliced(at, 0, copy[at] as LedgerEntry)],
  [
    'inserted from elsewhere',
    (copy, at) => copy.toSpliced(at, 0, copy[(at + 5) % copy.length] as LedgerEntry),
  ],
  ['cut off from here', (copy, at) => copy.slice(0, at)],
  ...(['sequence', 'previous_head', 'head', 'record_digest', 'tenant'] as const).map(
    (member): (typeof DAMAGES)[number] => [
      `with a bit of its ${member} flipped`,
      (copy, at) => withText(copy, at, member, flipped(copy[at]?.[member] ?? '', at)),
    ],
  ),
  [
    'with another request',
    (copy, at) =>
      copy.with(at, {
        ...(copy[at] as LedgerEntry),
        request_id: '00000000-0000-4000-8000-000000000000',
      }),
  ],
  ...[0, 0.2, 0.4, 0.6, 0.8].map((part): (typeof DAMAGES)[number] => [
    `with a bit of its record flipped, ${part * 100} % in`,
    (copy, at) => {
      const text = copy[at]?.record ?? '';
      return withText(copy, at, 'record', flipped(text, Math.floor(text.length * part)));
    },
  ]),
  ['with the record of another', (copy, at) => swapRecord(copy, at)],
];

function withText(
  copy: LedgerEntry[],
  at: number,
  member: 'sequence' | 'previous_head' | 'head' | 'record_digest' | 'tenant' | 'record',
  text: string | null,
): LedgerEntry[] | null {
  return text === null ? null : copy.with(at, { ...(copy[at] as LedgerEntry), [member]: text });
}

/** The text with the lowest bit of one letter turned; null for the empty text. */
function flipped(text: string, place: number): string | null {
  if (text === '') return null;
  const at = place % text.length;
  return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1);
}

function swapRecord(copy: LedgerEntry[], at: number): LedgerEntry[] {
  const other = copy[(at + 1) % copy.length] as LedgerEntry;
  return copy.with(at, { ...(copy[at] as LedgerEntry), record: other.record });
}

it('a copy of the ledger holds as it is', () => {
  expect(verifyLedgerRange(entries, trust, { tenant, points })).toMatchObject({ ok: true });
  const copies = copiesIn(ledger.store);
  const { verdict, checks } = verifyDocument(JSON.stringify(entries), trust, { copies });
  expect(checks.filter(({ status }) => status === 'fails')).toEqual([]);
  expect(verdict).not.toBe('fails');
});

it('fails with any place of it deleted, swapped, inserted, cut off or flipped', () => {
  const missed: string[] = [];
  let done = 0;
  for (const [what, damage] of DAMAGES) {
    for (const at of entries.keys()) {
      const damaged = damage([...entries], at);
      if (damaged === null) continue;
      done += 1;
      const ranged = verifyLedgerRange(damaged, trust, { tenant, points });
      if (ranged.ok) missed.push(`entry ${at + 1} ${what}`);
    }
  }
  console.info(`planted bugs caught: ${done - missed.length} of ${done}`);
  expect(missed).toEqual([]);
  expect(done).toBeGreaterThan(15 * entries.length);
});
