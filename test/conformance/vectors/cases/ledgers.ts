import { canonicalText, textDigest, valueDigest } from '@countersign/protocol';
import type { AnchorProof, LedgerEntry, Signed, SignedRecord } from '@countersign/protocol';
import { copyOf, forged } from '../../evidence/forging.js';
import { LEDGER_ID } from '../../evidence/ledger.js';
import { buildEvidence } from '../../evidence/build-evidence.js';
import { accepted, refused } from '../vector.js';
import type { Vector } from '../vector.js';

const evidence = buildEvidence();
const { entries, store } = evidence.ledger;
const proof = evidence.document.anchor as AnchorProof;
const EXPECTED = { tenant: 'acme', ledger: LEDGER_ID };

/** The same entries from one place on, as a service would chain them that rewrites its ledger. */
export function rechained(changed: LedgerEntry[]): LedgerEntry[] {
  let previous = '';
  return changed.map((entry, at) => {
    const record_digest = entry.record === null ? entry.record_digest : textDigest(entry.record);
    const head = valueDigest({ previous, record_digest, sequence: at + 1 });
    const chained = {
      ...entry,
      sequence: String(at + 1),
      previous_head: previous,
      record_digest,
      head,
    };
    previous = head;
    return chained;
  });
}

/** The ledger with one more record behind it, of a type that a later release has. */
function withLaterType(changes: Parameters<typeof forged>[1] = {}, signature?: string) {
  const first = JSON.parse(entries[0]?.record ?? '') as SignedRecord;
  const later = forged(first, {
    ...changes,
    protected: { type: 'DelegationGranted', audience: 'proto.directory', ...changes.protected },
  });
  const record = canonicalText({ ...later, ...(signature === undefined ? {} : { signature }) });
  return rechained([...entries, { ...(entries[0] as LedgerEntry), record }]);
}

export function ranges(): Vector[] {
  const failing = (
    name: string,
    what: string,
    check: Omit<Vector['check'], 'status'>,
    change: (copy: any) => unknown,
    kept: Record<string, string> | null = store,
  ): Vector => {
    const copy = copyOf(entries);
    const changed = change(copy) ?? copy;
    return refused(`ledger-${name}`, what, changed, check, { expected: EXPECTED, store: kept });
  };
  const entry = (reason: string) => ({ code: 'range_entry', reason }) as const;
  const twice = buildEvidence({ secondClaim: true }).ledger;
  return [
    accepted(
      'ledger-complete',
      'A ledger from its start, through a checkpoint.',
      entries,
      { code: 'range_store', status: 'holds' },
      { expected: EXPECTED, store },
    ),
    accepted(
      'ledger-from-the-middle',
      'A stretch whose beginning is not here.',
      entries.slice(3),
      { code: 'range_start', status: 'cannot be known' },
      { expected: EXPECTED, store },
    ),
    accepted(
      'ledger-without-store',
      'A ledger, without a look into the anchor store.',
      entries,
      { code: 'range_store', status: 'not checked' },
      { expected: EXPECTED },
      'incomplete',
    ),
    accepted(
      'ledger-type-of-a-later-release',
      'A well-signed record of a type that this release does not know.',
      withLaterType(),
      { code: 'range_entry', status: 'cannot be known' },
      { expected: EXPECTED, store },
      'incomplete',
    ),
    refused(
      'ledger-type-of-a-later-release-unsigned',
      'A record of a type that this release does not know, with the signature of another.',
      withLaterType({}, (JSON.parse(entries[1]?.record ?? '') as SignedRecord).signature),
      entry('wrong_signature'),
      { expected: EXPECTED, store },
    ),
    refused(
      'ledger-type-of-a-later-release-by-a-stranger',
      'A record of a type that this release does not know, by a key that it does not know either.',
      withLaterType({ key: 'k-stranger' }),
      entry('unknown_key'),
      { expected: EXPECTED, store },
    ),
    refused(
      'ledger-type-of-a-later-release-of-another-tenant',
      'A record of a type that this release does not know, of another tenant.',
      withLaterType({ protected: { tenant: 'other' } }),
      entry('tenant_mismatch'),
      { expected: EXPECTED, store },
    ),
    failing(
      'entry-missing',
      'An entry is left out.',
      entry('sequence_gap'),
      (it) => void it.splice(4, 1),
    ),
    failing(
      'entries-swapped',
      'Two entries change places.',
      entry('sequence_gap'),
      (it) => void it.splice(4, 2, it[5], it[4]),
    ),
    failing(
      'entry-renumbered',
      'An entry is left out and the others are numbered anew.',
      entry('previous_head_mismatch'),
      (it) => {
        it.splice(4, 1);
        it.forEach((one: LedgerEntry, at: number) => (one.sequence = String(at + 1)));
      },
    ),
    failing(
      'head',
      'A head is another.',
      entry('head_mismatch'),
      (it) => void (it[4].head = `sha256:${'0'.repeat(64)}`),
    ),
    failing('record', 'The text of a record is another.', entry('record_digest_mismatch'), (it) => {
      it[4].record = it[4].record.replace('authorise', 'refuse');
    }),
    failing(
      'record-not-canonical',
      'A record is written in another canonical form, and chained so.',
      entry('record_not_canonical'),
      (it) => {
        it[4].record = it[4].record.replace('{"payload":', '{ "payload":');
        return rechained(it);
      },
    ),
    failing(
      'record-duplicate-key',
      'A record names a member twice, and is chained so.',
      entry('record_not_canonical'),
      (it) => {
        it[4].record = it[4].record.replace('{"payload":', '{"payload":{},"payload":');
        return rechained(it);
      },
    ),
    failing(
      'unsigned-record',
      'A record was changed and everything chained anew: the signature tells.',
      entry('wrong_signature'),
      (it) => {
        it[4].record = it[4].record.replace('"authorise"', '"refuse"');
        return rechained(it);
      },
    ),
    failing(
      'other-tenant',
      'An entry of another tenant.',
      entry('tenant_mismatch'),
      (it) => void (it[4].tenant = 'other'),
    ),
    failing(
      'other-request',
      'An entry is filed under another request.',
      entry('request_mismatch'),
      (it) => {
        it[4].request_id = '11111111-1111-4111-8111-111111111111';
      },
    ),
    failing(
      'rewritten',
      'An event was left out and everything chained anew, all signatures being good: the revisions tell.',
      { code: 'event_revisions' },
      (it) => {
        it.splice(5, 1);
        return rechained(it);
      },
      null,
    ),
    failing(
      'rewritten-before-checkpoint',
      'An entry without a request was left out and everything chained anew: only the anchor store shows it.',
      { code: 'range_store' },
      (it) => {
        it.splice(0, 1);
        return rechained(it);
      },
    ),
    failing(
      'record-twice',
      'One record was chained twice.',
      { code: 'ledger_records' },
      (it) => rechained([...it, it[0]]),
      null,
    ),
    failing(
      'before-the-first',
      'The first entry continues another one.',
      { code: 'range_start' },
      (it) => void (it[0].previous_head = `sha256:${'0'.repeat(64)}`),
    ),
    refused(
      'ledger-claimed-twice',
      'One action was claimed twice, well signed and well chained.',
      twice.entries,
      { code: 'range_occurrences' },
      { expected: EXPECTED, store: twice.store },
    ),
  ];
}

export function proofs(): Vector[] {
  const failing = (
    name: string,
    what: string,
    reason: string,
    change: (copy: any) => void,
  ): Vector => {
    const copy = copyOf(proof);
    change(copy);
    const check = { code: 'anchor_proof', reason } as const;
    return refused(`proof-${name}`, what, copy, check, { store });
  };
  const wrong = (changes: Parameters<typeof forged>[1]) => (copy: any) => {
    copy.checkpoint = forged(copy.checkpoint as SignedRecord, changes);
    copy.acceptance.digest = textDigest(canonicalText(copy.checkpoint));
  };
  return [
    accepted(
      'proof',
      'An anchor proof alone.',
      proof,
      { code: 'anchor_proof', status: 'holds' },
      { store },
    ),
    failing('node-head', 'The head of a node is another.', 'node_head_mismatch', (it) => {
      it.proof[1].head = `sha256:${'0'.repeat(64)}`;
    }),
    failing('empty', 'A proof without nodes.', 'empty_proof', (it) => void (it.proof = [])),
    failing(
      'checkpoint-audience',
      'The checkpoint is addressed to someone else, well signed.',
      'audience_mismatch',
      wrong({ protected: { audience: 'bot-7' } }),
    ),
    failing(
      'checkpoint-type',
      'Another record in the place of the checkpoint.',
      'audience_mismatch',
      (it) => {
        it.checkpoint = (evidence.records['receipt'] as Signed).record;
      },
    ),
    failing(
      'checkpoint-stranger',
      'The checkpoint is signed by a stranger.',
      'unknown_key',
      wrong({ key: 'k-stranger' }),
    ),
  ];
}
