import { parseStrictJson } from '../json/strict-body.js';
import { isJsonObject } from '../json/value.js';
import type { JsonValue } from '../json/value.js';
import type { AuditCheckpoint, LedgerEntry } from '../records/index.js';
import { validate } from '../records/index.js';
import { LEDGER_REASONS, verifyLedgerRange, verifyRecord } from '../signing/index.js';
import type { ChainPoint, Trust } from '../signing/index.js';
import { checkEvents } from './events.js';
import { DOCUMENT_BOUNDS } from './context.js';
import type { VerifierContext } from './context.js';
import { plainText } from './plain-text.js';
import { checkHolds } from './range-holds.js';
import { expecting, checkRecord, isOf, recordsOf } from './record.js';
import type { CheckedRecord } from './record.js';
import { addToTimeline } from './timeline.js';

/** A range of the ledger: every entry, and the checks that need several entries. */
export function checkRange(context: VerifierContext, value: readonly JsonValue[]): void {
  const { findings, trust, expected } = context;
  const first = value[0];
  if (first === undefined || !validate('LedgerEntry', first)) {
    if (first === undefined) {
      findings.unknown('range_entry', '', {
        says: 'There are no entries, so nothing was checked.',
      });
    } else {
      findings.check('range_entry', '/0', false, { reason: 'malformed_entry' });
    }
    return;
  }
  const tenant = expected.tenant ?? first.tenant;
  if (expected.tenant !== undefined) {
    findings.check('expected_tenant', '/0/tenant', first.tenant === tenant);
  } else {
    findings.skipped('expected_tenant', '/0/tenant', {
      says: `It is of the tenant ${plainText(tenant)}; whether that is whom you mean was not compared.`,
      decisive: false,
    });
  }
  const from = startOf(context, first);
  if (from === null) return;
  const verified = verifyLedgerRange(value, trust, { tenant, from, passUnknownTypes: true });
  if (!verified.ok) {
    const at = verified.sequence - from.sequence - 1;
    const { reason } = verified;
    findings.check('range_entry', `/${at}`, false, { reason, detail: LEDGER_REASONS[reason] });
    return;
  }
  findings.check('range_entry', '', true, {
    detail: `Entries ${from.sequence + 1} to ${verified.end.sequence}; ${verified.verifiedRecords} signatures are good.`,
  });
  const entries = value as unknown as readonly LedgerEntry[];
  const unjudged = new Set(verified.unknownTypes.map((sequence) => sequence - from.sequence - 1));
  for (const at of unjudged) {
    findings.unknown('range_entry', `/${at}/record`, {
      says: 'Its signature is good, and its place in the chain is; this verifier does not know its type, so nothing else of it was checked. A newer verifier does.',
    });
  }
  checkRecords(context, entries, { tenant, complete: from.sequence === 0, unjudged });
  comparePoints(context, entries, from);
}

/** Only the first entry itself vouches for its predecessor, unless it is the first of the ledger. */
function startOf({ findings }: VerifierContext, first: LedgerEntry): ChainPoint | null {
  const sequence = Number(first.sequence);
  if (!Number.isSafeInteger(sequence) || sequence < 1) {
    findings.check('range_entry', '/0', false, { reason: 'sequence_gap' });
    return null;
  }
  if (sequence === 1) findings.check('range_start', '/0', first.previous_head === '');
  else {
    findings.unknown('range_start', '/0/previous_head', {
      says: `It begins with entry ${sequence}; what came before is not in this file.`,
      decisive: false,
    });
  }
  return { sequence: sequence - 1, head: first.previous_head };
}

function checkRecords(
  context: VerifierContext,
  entries: readonly LedgerEntry[],
  {
    tenant,
    complete,
    unjudged,
  }: { tenant: string; complete: boolean; unjudged: ReadonlySet<number> },
): void {
  const { findings, expected } = context;
  const { now } = expected;
  const records: CheckedRecord[] = [];
  let lost = 0;
  for (const [at, entry] of entries.entries()) {
    if (entry.record === null) {
      lost++;
      continue;
    }
    if (unjudged.has(at)) continue;
    const record = recordOf(context, entry.record, `/${at}/record`, tenant, now);
    if (record !== null) records.push(record);
  }
  if (lost > 0) {
    const says = `The texts of ${lost} entries are gone; their digests stay in the chain.`;
    findings.gone.push({ path: '', says });
  }
  const digests = entries.map(({ record_digest }) => record_digest);
  findings.check('ledger_records', '', new Set(digests).size === digests.length);
  compareRequests(context, records, complete && lost === 0);
  const claims = recordsOf(records, 'ExecutionClaim').map(
    ({ header, payload }) => `${header.audience} ${payload.action_occurrence_id}`,
  );
  const nonces = recordsOf(records, 'AdmissionStatus').map(
    ({ payload }) => `${payload.request_id} ${payload.nonce}`,
  );
  const once = (all: readonly string[]): boolean => new Set(all).size === all.length;
  findings.check('range_occurrences', '', once(claims) && once(nonces));
  checkDirectory(findings, records, complete && lost === 0);
  checkHolds(findings, records, complete && lost === 0);
  const says =
    'The time of the entries and which request an entry without text belongs to are the service’s own notes; nothing signs them.';
  findings.uncovered.push({ path: '/*/created_at', says });
  if (lost > 0) findings.uncovered.push({ path: '/*/request_id', says });
  for (const record of records) addToTimeline(context, record);
}

/**
 * Whether each vote names the newest membership of its giver, and a key that is bound (protocol §18.9, §19.5). `complete`:
 * nothing came before.
 */
function checkDirectory(
  findings: VerifierContext['findings'],
  records: readonly CheckedRecord[],
  complete: boolean,
): void {
  const newest = new Map<string, string>();
  /** Record digests of keys; null for those that ended. */
  const keys = new Map<string, string | null>();
  for (const record of records) {
    if (isOf(record, 'MembershipConfigured')) newest.set(record.payload.principal, record.digest);
    if (isOf(record, 'CredentialBound')) keys.set(record.payload.credential, record.digest);
    if (isOf(record, 'CredentialEnded')) keys.set(record.payload.credential, null);
    if (!isOf(record, 'ApprovalRecord')) continue;
    const { reviewer, membership, human } = record.payload;
    const key = human === null ? undefined : keys.get(human.credential);
    if (human !== null && (key !== undefined || complete)) {
      findings.check('range_directory', `${record.path}/payload/human`, key === human.bound);
    }
    const known = newest.get(reviewer);
    if (known !== undefined || complete) {
      findings.check('range_directory', record.path, known === membership);
    } else {
      findings.unknown('range_directory', record.path, {
        says: 'The membership of its giver was configured before this range, or is gone.',
        decisive: false,
      });
    }
  }
}

/** The text was verified before; here its payload is read. */
function recordOf(
  context: VerifierContext,
  text: string,
  path: string,
  tenant: string,
  now: number | undefined,
): CheckedRecord | null {
  const value = parseStrictJson(new TextEncoder().encode(text), DOCUMENT_BOUNDS);
  const type =
    isJsonObject(value) && isJsonObject(value['protected']) ? value['protected']['type'] : '';
  return checkRecord(
    context,
    value,
    path,
    expecting({
      type: type as CheckedRecord['type'],
      audience: null,
      tenant,
      ...(now === undefined ? {} : { now }),
    }),
  );
}

function compareRequests(
  { findings }: VerifierContext,
  records: readonly CheckedRecord[],
  complete: boolean,
): void {
  const requests = new Map<string, CheckedRecord<'RequestChangedEvent'>[]>();
  for (const record of records) {
    if (!isOf(record, 'RequestChangedEvent')) continue;
    const { request_id } = record.payload;
    const events = requests.get(request_id);
    if (events === undefined) requests.set(request_id, [record]);
    else events.push(record);
  }
  for (const events of requests.values()) checkEvents(findings, events, complete);
}

/** The checkpoints that the anchor store holds for this range: each must match it. */
function comparePoints(
  { findings, copies, expected, trust }: VerifierContext,
  entries: readonly LedgerEntry[],
  from: ChainPoint,
): void {
  const { ledgerId } = expected;
  if (copies === null || ledgerId === undefined) {
    findings.skipped('range_store', '', {
      says:
        copies === null
          ? 'The anchor store was not looked into, so nothing outside this file says that the chain was not rewritten.'
          : 'Which ledger of the anchor store it is was not said, so its checkpoints were not compared.',
    });
    return;
  }
  const end = from.sequence + entries.length;
  const kept = copies.within(ledgerId, from.sequence + 1, end);
  for (const { bytes, sequence } of kept) {
    const checkpoint = checkpointIn(bytes, trust, ledgerId);
    const entry = entries[sequence - from.sequence - 1];
    const same = checkpoint?.sequence === sequence && checkpoint.head === entry?.head;
    findings.check('range_store', `/${sequence - from.sequence - 1}/head`, same);
  }
  const last = kept.at(-1)?.sequence ?? from.sequence;
  if (kept.length === 0 || last < end) {
    findings.unknown('range_store', `/${last - from.sequence}`, {
      says: `The anchor store has no checkpoint over entries ${last + 1} to ${end}.`,
      decisive: kept.length === 0,
    });
  }
}

function checkpointIn(bytes: Uint8Array, trust: Trust, ledgerId: string): AuditCheckpoint | null {
  let value: JsonValue;
  try {
    value = parseStrictJson(bytes);
  } catch {
    return null;
  }
  const verified = verifyRecord(value, trust, {
    type: 'AuditCheckpoint',
    audience: 'proto.audit',
    purpose: 'service',
    tenant: ledgerId,
  });
  if (!verified.ok) return null;
  const { payload } = verified.record;
  return validate('AuditCheckpoint', payload) && payload.ledger_id === ledgerId ? payload : null;
}
