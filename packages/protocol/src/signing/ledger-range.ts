import { canonicalText, textDigest } from '../json/canonical.js';
import { isJsonObject } from '../json/value.js';
import type { JsonValue } from '../json/value.js';
import type { LedgerEntry, RecordType } from '../records/index.js';
import { SIGNED_RECORDS, validate } from '../records/index.js';
import type { ChainPoint } from './chain.js';
import { CHAIN_START, chainHeadOrNull } from './chain.js';
import { isRecordType } from './policy.js';
import type { LedgerReason } from './reasons.js';
import type { Trust } from './trust-manifest.js';
import { verifyRecord, verifyUnknownType } from './verify-record.js';

export interface ExpectedRange {
  readonly tenant: string;
  /** The place that the first entry continues; the very start when absent. */
  readonly from?: ChainPoint;
  /** Places known from elsewhere, as from checkpoints: each must lie on this stretch of the chain. */
  readonly points?: readonly ChainPoint[];
  /** Lets records pass whose type this release does not know, and names them (protocol §18.8). */
  readonly passUnknownTypes?: boolean;
}

export type RangeVerification =
  | {
      readonly ok: true;
      /** The last entry; hand it over as `from` with the next page. */
      readonly end: ChainPoint;
      /** Records whose signatures were verified; the others' texts are gone (protocol §11.3). */
      readonly verifiedRecords: number;
      /** Entries among them whose type is unknown: nothing is known of their payload. */
      readonly unknownTypes: readonly number[];
    }
  | { readonly ok: false; readonly reason: LedgerReason; readonly sequence: number };

const ledgerTypes: readonly RecordType[] = Object.keys(SIGNED_RECORDS)
  .filter(isRecordType)
  .filter((type) => SIGNED_RECORDS[type].ledger);

/**
 * Verifies consecutive ledger entries (protocol §4.1): numbers, heads, and each record that is still
 * there. A missing end shows only against `points`.
 */
export function verifyLedgerRange(
  entries: readonly unknown[],
  trust: Trust,
  { tenant, from = CHAIN_START, points = [], passUnknownTypes = false }: ExpectedRange,
): RangeVerification {
  const known = new Map(points.map(({ sequence, head }) => [sequence, head]));
  const unknownTypes: number[] = [];
  let verifiedRecords = 0;
  let end = from;
  const checkPoint = (): LedgerReason | null => {
    const head = known.get(end.sequence);
    known.delete(end.sequence);
    return head === undefined || head === end.head ? null : 'point_mismatch';
  };

  const startFault = checkPoint();
  if (startFault !== null) return refused(startFault, end.sequence);
  for (const entry of entries) {
    const sequence = end.sequence + 1;
    if (!validate('LedgerEntry', entry)) return refused('malformed_entry', sequence);
    const linkFault = linkFaultOf(entry, end);
    if (linkFault !== null) return refused(linkFault, sequence);
    const judged = judgeRecord(entry, trust, tenant);
    if (judged === 'unknown type' && passUnknownTypes) unknownTypes.push(sequence);
    else if (judged !== null) {
      return refused(judged === 'unknown type' ? 'type_mismatch' : judged, sequence);
    }
    if (entry.record !== null) verifiedRecords++;
    end = { sequence, head: entry.head };
    const pointFault = checkPoint();
    if (pointFault !== null) return refused(pointFault, sequence);
  }
  return known.size > 0
    ? refused('point_outside_range', Math.min(...known.keys()))
    : { ok: true, end, verifiedRecords, unknownTypes };
}

function linkFaultOf(entry: LedgerEntry, before: ChainPoint): LedgerReason | null {
  const sequence = before.sequence + 1;
  if (entry.sequence !== String(sequence)) return 'sequence_gap';
  if (entry.previous_head !== before.head) return 'previous_head_mismatch';
  const head = chainHeadOrNull(entry.previous_head, entry.record_digest, sequence);
  return head === entry.head ? null : 'head_mismatch';
}

/** Null for a good record, or one whose text is gone. */
function judgeRecord(
  entry: LedgerEntry,
  trust: Trust,
  tenant: string,
): LedgerReason | 'unknown type' | null {
  if (entry.tenant !== tenant) return 'tenant_mismatch';
  if (entry.record === null) return null;
  if (textDigest(entry.record) !== entry.record_digest) return 'record_digest_mismatch';
  const record = parseCanonical(entry.record);
  if (record === undefined) return 'record_not_canonical';
  const known = verifyRecord(record, trust, { type: ledgerTypes, audience: null, tenant });
  const mayBeUnknown = !known.ok && known.reason === 'type_mismatch';
  const verified = mayBeUnknown ? verifyUnknownType(record, trust, tenant) : known;
  if (!verified.ok) return verified.reason;
  const { protected: header, payload } = verified.record;
  if (requestOf(header.purpose, payload) !== entry.request_id) return 'request_mismatch';
  return mayBeUnknown ? 'unknown type' : null;
}

/** Every record of a request names it in its payload; others belong to none. */
function requestOf(purpose: string, payload: JsonValue): JsonValue {
  return purpose !== 'service' && isJsonObject(payload) ? (payload['request_id'] ?? null) : null;
}

function parseCanonical(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return canonicalText(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

function refused(reason: LedgerReason, sequence: number): RangeVerification {
  return { ok: false, reason, sequence };
}
