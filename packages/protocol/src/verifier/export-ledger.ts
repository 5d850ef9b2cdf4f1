import { textDigest } from '../json/canonical.js';
import { parseStrictJson } from '../json/strict-body.js';
import type { AuditExport, RecordType } from '../records/index.js';
import { chainHeadOrNull } from '../signing/chain.js';
import { DOCUMENT_BOUNDS } from './context.js';
import type { VerifierContext } from './context.js';
import { plainText } from './plain-text.js';
import type { CheckedProof } from './proof.js';
import { canonicalOrNull, checkRecord } from './record.js';
import type { CheckedRecord, RecordExpectation } from './record.js';

/** Types of which an export shows the ledger's copy only (protocol §3.6). */
const LEDGER_ONLY: readonly RecordType[] = ['RequestChangedEvent', 'MaterialDiscarded'];

export interface CheckedEntry {
  readonly sequence: number;
  readonly previousHead: string;
  readonly head: string;
  readonly recordDigest: string;
  readonly path: string;
  /** Null when its text is gone or is no record. */
  readonly record: CheckedRecord | null;
}

/**
 * The request's entries of the ledger, each against its record. Those of `records` are matched by their
 * digests; those that only the ledger has are checked here (protocol §3.6, §4.1).
 */
export function checkEntries(
  context: VerifierContext,
  { audit }: AuditExport,
  records: readonly (CheckedRecord | null)[],
  expectation: RecordExpectation,
): CheckedEntry[] {
  const { findings } = context;
  const known = new Map(records.flatMap((record) => (record ? [[record.digest, record]] : [])));
  const met = new Set<string>();
  const entries = audit.map((entry, at): CheckedEntry => {
    const path = `/audit/${at}`;
    const sequence = /^[1-9]\d*$/.test(entry.sequence) ? Number(entry.sequence) : Number.NaN;
    const follows =
      chainHeadOrNull(entry.previous_head, entry.record_digest, sequence) === entry.head;
    const text = entry.record;
    if (text === null) {
      findings.check('ledger_entry', path, follows);
      const says = `The text of entry ${plainText(entry.sequence)} is gone; its digest stays in the chain.`;
      findings.gone.push({ path: `${path}/record`, says });
      findings.unknown('ledger_records', path, {
        says,
        decisive: !known.has(entry.record_digest as `sha256:${string}`),
      });
    } else {
      findings.check('ledger_entry', path, follows && textDigest(text) === entry.record_digest);
    }
    const twin = known.get(entry.record_digest as `sha256:${string}`);
    // The same record twice in the ledger, or one that `records` should hold and does not.
    if (met.has(entry.record_digest)) findings.check('ledger_records', path, false);
    met.add(entry.record_digest);
    const record = twin ?? (text === null ? null : checkText(context, text, path, expectation));
    const { previous_head: previousHead, head, record_digest: recordDigest } = entry;
    return { sequence, previousHead, head, recordDigest, path, record };
  });
  for (const [at, record] of records.entries()) {
    if (record === null) continue;
    if (met.has(record.digest)) findings.check('ledger_records', `/records/${at}`, true);
    else {
      findings.unknown('ledger_records', `/records/${at}`, {
        says: 'This record has no entry in the ledger yet, so nothing shows when it was made.',
      });
    }
  }
  checkOrder(context, entries, records);
  return entries;
}

/** An entry's own text: only the types that `records` does not hold may stand here alone. */
function checkText(
  context: VerifierContext,
  text: string,
  path: string,
  expectation: RecordExpectation,
): CheckedRecord | null {
  const at = `${path}/record`;
  let value: unknown;
  try {
    value = parseStrictJson(new TextEncoder().encode(text), DOCUMENT_BOUNDS);
  } catch {
    value = undefined;
  }
  const { canonical } = context.memory;
  const digest = textDigest(text);
  if (value === undefined || (!canonical.has(digest) && canonicalOrNull(value) !== text)) {
    context.findings.check('ledger_entry', at, false, { reason: 'record_not_canonical' });
    return null;
  }
  canonical.add(digest);
  const record = checkRecord(context, value, at, expectation, digest);
  if (record !== null && !LEDGER_ONLY.includes(record.type)) {
    const detail = `The ledger has a ${record.type} that is missing among the records.`;
    context.findings.check('ledger_records', path, false, { detail });
  }
  return record;
}

function checkOrder(
  { findings }: VerifierContext,
  entries: readonly CheckedEntry[],
  records: readonly (CheckedRecord | null)[],
): void {
  for (const [at, entry] of entries.entries()) {
    const before = entries[at - 1];
    if (before === undefined) continue;
    const neighbours = entry.sequence === before.sequence + 1;
    const times = [before.record?.issuedAt, entry.record?.issuedAt];
    const holds =
      entry.sequence > before.sequence &&
      (!neighbours || entry.previousHead === before.head) &&
      (times[0] === undefined || times[1] === undefined || times[0] <= times[1]);
    findings.check('ledger_order', entry.path, holds);
  }
  // Those without an entry yet come last.
  const places = new Map(entries.map(({ recordDigest, sequence }) => [recordDigest, sequence]));
  let last = 0;
  for (const record of records) {
    if (record === null) continue;
    const place = places.get(record.digest) ?? Number.POSITIVE_INFINITY;
    if (place < last) findings.check('ledger_records', record.path, false);
    last = place;
  }
}

/** Which entries lead to the checkpoint; only this file vouches for the numbers and heads of the others. */
export function checkPlaces(
  { findings, log }: VerifierContext,
  entries: readonly CheckedEntry[],
  anchor: CheckedProof | null,
): void {
  findings.unknown('ledger_end', '/audit', {
    says: 'Whether more happened after the last entry, or an admission between two entries that are not neighbours, cannot be seen in an export; the ledger and the event feed show it.',
    decisive: false,
  });
  if (entries.length === 0) return;
  const nodes = new Map(anchor?.proof.proof.map((node) => [node.sequence, node]));
  const placed = new Set<number>();
  for (const entry of entries) {
    const node = nodes.get(entry.sequence);
    if (node === undefined) continue;
    placed.add(entry.sequence);
    const same = node.head === entry.head && node.record_digest === entry.recordDigest;
    if (!same) findings.check('ledger_place', entry.path, false);
  }
  // A neighbour before a placed entry is placed by that one's previous head.
  for (const entry of [...entries].reverse()) {
    if (placed.has(entry.sequence + 1)) placed.add(entry.sequence);
  }
  const open = entries.filter(({ sequence }) => !placed.has(sequence));
  if (log?.holdsEntries === true && open.length > 0) {
    const says = `The heads of the entries ${listed(open)} fit their own entries only; numbers and digests of all entries lie in the tree.`;
    findings.uncovered.push({ path: '/audit/*/head', says });
  }
  if (open.length === 0 || log?.holdsEntries === true)
    findings.check('ledger_place', '/audit', true);
  else {
    findings.unknown('ledger_place', '/audit', {
      says: `${open.length} of ${entries.length} entries (${listed(open)}) lie outside the proven stretch: their records are signed, but their numbers and heads could only be compared with the ledger itself.`,
      decisive: false,
    });
  }
}

function listed(entries: readonly CheckedEntry[]): string {
  const shown = entries.slice(0, 8).map(({ sequence }) => sequence);
  return `${shown.join(', ')}${entries.length > shown.length ? ', …' : ''}`;
}
