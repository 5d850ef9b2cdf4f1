import type pg from 'pg';
import { canonicalText, isJsonObject, verifyRecord } from '@countersign/protocol';
import type {
  JsonValue,
  LegalHoldLifted,
  LegalHoldSet,
  RecordType,
  SignedRecord,
  Trust,
} from '@countersign/protocol';
import { keyed } from '../request-row.js';
import { recordIn } from './record-in.js';
import type { Findings } from './report.js';
import type { CheckedTenant } from './tenants.js';

// Legal holds (protocol §20): their rows against the newest of their records, and the requests that they keep.

const BATCH = 500;

/** What the ledger says of a hold: the newest of its records. */
interface ToldHold {
  set?: LegalHoldSet;
  lifted?: LegalHoldLifted;
}

/** What a ledger says of holds, in its order. */
export class ToldHolds {
  readonly byId = new Map<string, ToldHold>();
  /** A text is gone by its age, so a hold may be one that no text tells of. */
  isWhole = true;

  /** A record of the ledger whose signature verifies; null for a text that is gone. */
  note(type: string, record: SignedRecord | null): void {
    if (type !== 'LegalHoldSet' && type !== 'LegalHoldLifted') return;
    if (record === null) {
      this.isWhole = false;
      return;
    }
    if (!isJsonObject(record.payload) || typeof record.payload['id'] !== 'string') return;
    const { id } = record.payload;
    const told = this.byId.get(id) ?? {};
    this.byId.set(id, told);
    if (type === 'LegalHoldSet') told.set = record.payload as unknown as LegalHoldSet;
    else told.lifted = record.payload as unknown as LegalHoldLifted;
  }
}

interface HoldRow {
  readonly id: string;
  readonly revision: number;
  readonly reference: string;
  readonly until: number;
  readonly set_by: string;
  readonly set_at: number;
  readonly lifted_by: string | null;
  readonly lifted_at: number | null;
  /** The signed texts that services go by; null where the ledger alone has them. */
  readonly record: string | null;
  readonly lifted: string | null;
}

interface ItemRow {
  readonly request_id: string;
  readonly hold_id: string;
  readonly as_hold: boolean;
  readonly in_force: boolean;
  /** The request is there, with its material unless that was deleted before the hold was set. */
  readonly kept: boolean;
}

const HOLDS = `SELECT h.id, h.revision, h.reference, h.until, h.set_by, h.set_at, h.lifted_by, h.lifted_at, h.record, h.lifted
  FROM hold h WHERE h.tenant = $1 AND h.id > $2 ORDER BY h.id LIMIT ${BATCH}`;

const ITEMS = `SELECT i.request_id, i.hold_id, i.until = h.until AND i.lifted_at IS NOT DISTINCT FROM h.lifted_at AS as_hold,
    i.lifted_at IS NULL AND i.until > clock_timestamp() AS in_force,
    l.request_id IS NOT NULL AND (m.request_id IS NOT NULL OR l.material_deleted AND NOT EXISTS (
      SELECT FROM record d WHERE d.tenant = $1 AND d.request_id = i.request_id AND d.type = 'MaterialDiscarded'
        AND d.issued_at > h.set_at)) AS kept
  FROM (SELECT x.* FROM hold_item x WHERE x.tenant = $1 AND (x.request_id, x.hold_id) > ($2, $3)
    ORDER BY x.request_id, x.hold_id LIMIT ${BATCH}) i
  ${keyed('hold', 'h', 'x.id = i.hold_id')} ${keyed('lifecycle', 'l', 'x.request_id = i.request_id')}
  ${keyed('material', 'm', 'x.request_id = i.request_id')}
  ORDER BY i.request_id, i.hold_id`;

const WAITING = `SELECT o.type, r.record FROM outbox o ${keyed('record', 'r', 'x.id = o.record_id')}
  WHERE o.tenant = $1 AND o.type IN ('LegalHoldSet', 'LegalHoldLifted') ORDER BY o.id`;

const HIDDEN = `SELECT l.request_id FROM lifecycle l WHERE l.tenant = $1 AND l.hidden
    AND (l.audit_delete_at > clock_timestamp()
      OR NOT EXISTS (SELECT FROM hold_item i WHERE i.tenant = $1 AND i.request_id = l.request_id))
  ORDER BY l.request_id LIMIT 1000`;

const FIRST = '00000000-0000-0000-0000-000000000000';

/** Every hold of a tenant, and what it keeps. `told`: what the chain says of holds. */
export async function walkHolds(
  client: pg.ClientBase,
  { tenant }: CheckedTenant,
  told: ToldHolds,
  findings: Findings,
): Promise<void> {
  const waiting = await client.query<{ type: string; record: string | null }>(WAITING, [tenant]);
  for (const { type, record } of waiting.rows) {
    const text = record === null ? null : verified(record, findings.options.trust, tenant, type);
    if (text !== null) told.note(type, text);
  }
  const counted = await walkItems(client, tenant, told, findings);
  const unseen = new Set(told.byId.keys());
  for (let after = FIRST; ;) {
    const { rows } = await client.query<HoldRow>(HOLDS, [tenant, after]);
    for (const row of rows) {
      unseen.delete(row.id);
      const of = told.byId.get(row.id);
      const fits =
        of?.set === undefined
          ? !told.isWhole
          : isAsTold(row, of.set, of.lifted) &&
            hasItsTexts(row, of) &&
            counted.get(row.id) === of.set.requests.length;
      findings.check(fits, 'hold_differs', tenant, row.id);
    }
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last.id;
  }
  for (const id of unseen) findings.add('hold_differs', tenant, id);
  const { rows: hidden } = await client.query<{ request_id: string }>(HIDDEN, [tenant]);
  for (const { request_id } of hidden) findings.add('hidden_early', tenant, request_id);
}

/** How many requests each hold has. */
async function walkItems(
  client: pg.ClientBase,
  tenant: string,
  told: ToldHolds,
  findings: Findings,
): Promise<Map<string, number>> {
  const counted = new Map<string, number>();
  for (let after: [string, string] = [FIRST, FIRST]; ;) {
    const { rows } = await client.query<ItemRow>(ITEMS, [tenant, ...after]);
    for (const { request_id, hold_id, as_hold, in_force, kept } of rows) {
      counted.set(hold_id, (counted.get(hold_id) ?? 0) + 1);
      const set = told.byId.get(hold_id)?.set;
      const isListed = set?.requests.some(({ id }) => id === request_id) ?? true;
      findings.check(as_hold && isListed, 'hold_differs', tenant, `${hold_id}/${request_id}`);
      findings.check(kept || !in_force, 'held_missing', tenant, request_id);
    }
    const last = rows.at(-1);
    if (last === undefined) return counted;
    after = [last.request_id, last.hold_id];
  }
}

function isAsTold(row: HoldRow, set: LegalHoldSet, lifted: LegalHoldLifted | undefined): boolean {
  return (
    row.revision === set.revision &&
    row.reference === set.reference &&
    row.until === Date.parse(set.until) &&
    row.set_by === set.set_by &&
    row.set_at === Date.parse(set.set_at) &&
    row.lifted_by === (lifted?.lifted_by ?? null) &&
    row.lifted_at === (lifted === undefined ? null : Date.parse(lifted.lifted_at))
  );
}

/** The texts beside the row are those of the ledger. */
function hasItsTexts({ record, lifted }: HoldRow, told: ToldHold): boolean {
  const isOf = (text: string | null, payload: object | undefined) =>
    text === null ||
    (payload !== undefined &&
      canonicalText(recordIn(text)?.payload ?? null) === canonicalText(payload as JsonValue));
  return isOf(record, told.set) && isOf(lifted, told.lifted);
}

function verified(
  text: string,
  trust: Trust | null,
  tenant: string,
  type: string,
): SignedRecord | null {
  const record = recordIn(text);
  if (record === null || trust === null) return record;
  const of = { type: type as RecordType, audience: null, tenant };
  return verifyRecord(record, trust, of).ok ? record : null;
}
