import {
  ANCHOR_COLUMN,
  ANCHOR_JOIN,
  NOW,
  acrossTenants,
  ask,
  askOne,
  asked,
  batchStatement,
  commitBatch,
  isBeaten,
  isHiddenRequest,
  jsonOf,
  keyed,
  lifecycleOf,
  loadSized,
  loadValues,
  openIncident,
  shownCandidate,
  sized,
  statements,
} from '@countersign/database';
import type {
  BundleColumns,
  CallerIdentity,
  MaterialColumns,
  NewRecord,
  Pool,
  RequestRow,
} from '@countersign/database';
import { CUSTODIANS } from '@countersign/protocol';
import type { Digest, Lifecycle } from '@countersign/protocol';

export interface Drained {
  appended: number;
  sequence: number;
  head: Digest;
  /** More waits already. */
  remaining: boolean;
  /** A decision is on the chain that no checkpoint covers. */
  decided: boolean;
  /** The newest checkpoint is still on its way to the anchor store. */
  anchoring: boolean;
  /** Sequence of the newest checkpoint. */
  checkpointed: number;
  ledger_id: string;
  generation: string;
  now: number;
}

export interface LedgerPosition {
  ledger_id: string;
  generation: string;
  /** Newest checkpoint, 0 when none. */
  checkpoint_sequence: number;
  /** Where the next checkpoint goes: at most 100 entries further (R17). */
  sequence: number;
  head: Digest;
  now: number;
}

export interface OpenCheckpoint {
  ledger_id: string;
  generation: string;
  sequence: number;
  previous_sequence: number;
  record: string;
  created_at: number;
  acceptance: string | null;
}

export interface AnchoringDecision {
  readonly id: string;
  readonly owner: string;
  readonly profiles: Record<string, string>;
  readonly receiptId: string;
  readonly receiptSequence: number;
  readonly version: number;
  readonly lifecycle: Lifecycle;
}

export interface ExportRow extends RequestRow, MaterialColumns, BundleColumns {
  anchor: string | null;
  candidate: string | null;
}

export interface HeldExportRow extends ExportRow {
  /** Whether that hold keeps the request, and the caller may read it. */
  held: boolean | null;
  /** Signed text of the caller's membership, or null. */
  membership: string | null;
}

export interface EntryRow {
  tenant: string;
  sequence: number;
  request_id: string | null;
  type: string;
  previous_head: string;
  head: string;
  record_digest: string;
  record: string | null;
  created_at: number;
}

interface EventRow {
  newest: number;
  /** Null on the one row of a page without events. */
  sequence: number | null;
  record: string | null;
}

export const EXPORT = sized('ledger.export', {
  material: ['payload', 'response_schema', 'review_document'],
  bundle: true,
  columns: [ANCHOR_COLUMN, 'c.candidate'],
  joins: `${ANCHOR_JOIN} ${shownCandidate()}`,
});

/** A custodian of a hold in force on the request (protocol §20.8); the service verifies the membership again. */
const CUSTODIAN_SEES = `(EXISTS (SELECT 1 FROM hold_item h WHERE h.tenant = $1 AND h.request_id = l.request_id
    AND h.hold_id = :hold::uuid AND h.lifted_at IS NULL AND h.until > clock_timestamp())
  AND EXISTS (SELECT 1 FROM membership y WHERE y.tenant = $1 AND y.principal = :caller AND '${CUSTODIANS}' = ANY (y.groups)))`;

export const HELD_EXPORT = sized('ledger.held-export', {
  material: ['payload', 'response_schema', 'review_document'],
  bundle: true,
  seen: CUSTODIAN_SEES,
  columns: [
    ANCHOR_COLUMN,
    'c.candidate',
    `${CUSTODIAN_SEES} AS held`,
    '(SELECT y.record FROM membership y WHERE y.tenant = $1 AND y.principal = :caller) AS membership',
  ],
  joins: `${ANCHOR_JOIN} ${shownCandidate()}`,
});

// The checkpoint counts as applied when all of its decisions moved.
const ALL_MOVED = '(SELECT count(*) FROM l) = cardinality(:id::uuid[])';

export const ANCHOR = batchStatement('ledger.anchor', {
  moves: ['audit', 'grant_state', 'revision'],
  each: { receipt_sequence: 'bigint' },
  sets: {
    receipt_sequence: 'm.receipt_sequence',
    anchor_sequence: ':sequence',
    anchor_generation: ':generation::uuid',
  },
  with: [
    `k AS (
    UPDATE checkpoint SET acceptance = :acceptance, accepted_at = coalesce(accepted_at, clock_timestamp()), error = NULL,
      applied = ${ALL_MOVED}
    WHERE tenant = $1 AND generation = :generation::uuid AND sequence = :sequence
  )`,
    `h AS (
    UPDATE ledger_head SET anchored_sequence = greatest(anchored_sequence, :sequence) WHERE tenant = $1 AND ${ALL_MOVED}
  )`,
  ],
});

const entryWith = (record: string) =>
  `e.tenant, e.sequence, e.request_id, e.type, e.previous_head, e.head, e.record_digest, ${record}, e.created_at
  FROM ledger_entry e CROSS JOIN LATERAL (SELECT x.record FROM record x WHERE x.tenant = $1 AND x.id = e.record_id LIMIT 1) r`;

export const LEDGER = statements('ledger', {
  drain: `SELECT d.*, t.ledger_id, t.generation, ${NOW} AS now
    FROM ledger_drain($1, :most) d CROSS JOIN LATERAL (SELECT x.* FROM tenant x WHERE x.tenant = $1 LIMIT 1) t`,
  checkpoint: `WITH h AS (
      UPDATE ledger_head SET checkpoint_sequence = :sequence WHERE tenant = $1 AND checkpoint_sequence = :previous RETURNING 1
    ) INSERT INTO checkpoint (tenant, generation, sequence, previous_sequence, record, created_at)
      SELECT $1, :generation::uuid, :sequence, :previous, :text, :created_at::timestamptz FROM h RETURNING sequence`,
  waiting:
    acrossTenants(`SELECT h.tenant FROM ledger_head h WHERE h.checkpoint_sequence < h.sequence
      OR EXISTS (SELECT 1 FROM outbox o WHERE o.tenant = h.tenant)`),
  position: `SELECT t.ledger_id, t.generation, h.checkpoint_sequence, e.sequence, e.head, ${NOW} AS now
    FROM ledger_head h JOIN tenant t ON t.tenant = $1
    CROSS JOIN LATERAL (SELECT least(h.sequence, h.checkpoint_sequence + :most) AS sequence OFFSET 0) n
    ${keyed('ledger_entry', 'e', 'x.sequence = n.sequence')}
    WHERE h.tenant = $1 AND h.checkpoint_sequence < h.sequence`,
  unanchored: acrossTenants(
    'SELECT h.tenant FROM ledger_head h WHERE h.anchored_sequence < h.checkpoint_sequence',
  ),
  // By the index of those that are open, which are few: OFFSET keeps the generation from being looked up first.
  nextCheckpoint: `SELECT t.ledger_id, k.generation, k.sequence, k.previous_sequence, k.record, k.created_at, k.acceptance,
      t.fence_reason IS NOT DISTINCT FROM 'ledger_behind_anchor' AS behind,
      coalesce(t.compared_at >= pg_postmaster_start_time(), false) AS compared
    FROM (SELECT x.* FROM checkpoint x WHERE x.tenant = $1 AND NOT x.applied ORDER BY x.sequence OFFSET 0) k
    JOIN tenant t ON t.tenant = $1 AND t.generation = k.generation ORDER BY k.sequence LIMIT 1`,
  decisions: `SELECT ${NOW} AS now, l.*, e.sequence AS receipt_at, r.purpose, ${jsonOf('r.canonical')} -> 'profiles' AS profiles
    FROM ledger_entry e ${keyed('lifecycle', 'l', 'x.request_id = e.request_id')}
    ${keyed('request', 'r', 'x.id = e.request_id')}
    WHERE e.tenant = $1 AND e.sequence > :after AND e.sequence <= :through AND e.type = 'DecisionReceipt'
      AND l.audit = 'pending' ORDER BY l.request_id`,
  noteFailure: `UPDATE checkpoint SET attempts = attempts + 1, error = :fault
    WHERE tenant = $1 AND generation = :generation AND sequence = :sequence`,
  fence: `WITH x AS (
      SELECT tenant FROM tenant WHERE tenant = $1 AND generation = :generation FOR UPDATE
    ), t AS (
      UPDATE tenant SET fenced = true, fence_reason = :reason, directory_revision = directory_revision + 1 FROM x
      WHERE tenant.tenant = x.tenant AND NOT (fenced AND fence_reason IS NOT DISTINCT FROM :reason) RETURNING tenant.tenant
    ) ${openIncident({ code: ':reason', from: 't' })}`,
  entriesOf: `SELECT ${entryWith('r.record')} WHERE e.tenant = $1 AND e.request_id = :request_id ORDER BY e.sequence`,
  // Each by its own index, however many other records there are.
  unchained: `SELECT EXISTS (SELECT 1 FROM record r WHERE r.tenant = $1 AND r.request_id = :request_id AND NOT EXISTS (
      SELECT 1 FROM ledger_entry e WHERE e.tenant = $1 AND e.request_id = :request_id AND e.record_id = r.id)) AS unchained`,
  recordsOf: `SELECT r.record FROM record r
    LEFT JOIN ledger_entry e ON e.tenant = r.tenant AND e.request_id = r.request_id AND e.record_id = r.id
    WHERE r.tenant = $1 AND r.request_id = :request_id AND r.type IN
      ('DecisionReceipt', 'ExecutionClaim', 'AdmissionStatus', 'ExecutionOutcome', 'ExecutionReconciliation',
       'ApprovalRecord', 'ApprovalEnded')
    ORDER BY e.sequence NULLS LAST, r.id`,
  evidenceOf: `SELECT record FROM request_evidence WHERE tenant = $1 AND request_id = :request_id ORDER BY digest`,
  // The texts of a request that is hidden are as if they were gone.
  entries: `SELECT ${entryWith(`CASE WHEN NOT ${isHiddenRequest('e.request_id')} THEN r.record END AS record`)}
    WHERE e.tenant = $1 AND e.sequence > :after ORDER BY e.sequence LIMIT :most`,
  // Newest number and events are of one moment; without events there is one row, of the number alone.
  events: `SELECT coalesce(h.sequence, 0) AS newest, e.* FROM (SELECT) one ${keyed('event_head', 'h', 'x.owner = :owner')}
    LEFT JOIN LATERAL (SELECT v.sequence, r.record FROM event v ${keyed('record', 'r', 'x.id = v.record_id')}
      WHERE v.tenant = $1 AND v.owner = :owner AND v.sequence > :after ORDER BY v.sequence LIMIT :most) e ON true
    ORDER BY e.sequence`,
});

function checkpointValues(tenant: string, position: LedgerPosition, text: string) {
  const { generation, checkpoint_sequence: previous, sequence, now } = position;
  return { tenant, generation, previous, sequence, text, created_at: new Date(now) };
}

export class LedgerStore {
  constructor(private readonly pool: Pool) {}

  // The chain ------------------------------------------------------------------------------------

  /** Appends waiting records, in one transaction; null when another writer holds the tenant's chain. */
  async drain(tenant: string, most: number): Promise<Drained | null> {
    return (await askOne<Drained>(this.pool, LEDGER.drain, { tenant, most })) ?? null;
  }

  /** Saves the checkpoint, then appends waiting records, in one transaction: see `saveCheckpoint` and `drain`. */
  async checkpointAndDrain(
    tenant: string,
    position: LedgerPosition,
    text: string,
    most: number,
  ): Promise<{ saved: boolean; drained: Drained | null }> {
    const [checkpoints, drains] = await this.pool
      .of(tenant)
      .together([
        asked(LEDGER.checkpoint, checkpointValues(tenant, position, text)),
        asked(LEDGER.drain, { tenant, most }),
      ]);
    return {
      saved: checkpoints?.rows.length === 1,
      drained: (drains?.rows[0] as Drained | undefined) ?? null,
    };
  }

  /** Tenants with something to chain or to checkpoint. */
  async tenantsWaiting(): Promise<string[]> {
    const { rows } = await ask<{ tenant: string }>(this.pool, LEDGER.waiting, {});
    return rows.map((row) => row.tenant);
  }

  position(tenant: string, most: number): Promise<LedgerPosition | undefined> {
    return askOne(this.pool, LEDGER.position, { tenant, most });
  }

  /** False when another process made the checkpoint first. */
  async saveCheckpoint(tenant: string, position: LedgerPosition, text: string): Promise<boolean> {
    const values = checkpointValues(tenant, position, text);
    return (await askOne(this.pool, LEDGER.checkpoint, values)) !== undefined;
  }

  // Anchoring ------------------------------------------------------------------------------------

  async tenantsUnanchored(): Promise<string[]> {
    const { rows } = await ask<{ tenant: string }>(this.pool, LEDGER.unanchored, {});
    return rows.map((row) => row.tenant);
  }

  /**
   * `behind`: the tenant is fenced because the store is ahead of its ledger. `compared`: with the store, since the
   * database server started.
   */
  nextCheckpoint(tenant: string) {
    return askOne<OpenCheckpoint & { behind: boolean; compared: boolean }>(
      this.pool,
      LEDGER.nextCheckpoint,
      { tenant },
    );
  }

  /** Decisions of the entries after `after` up to `through` that still wait for an anchor. */
  async decisions(tenant: string, after: number, through: number) {
    const { rows } = await ask<
      RequestRow & { receipt_at: number; profiles: Record<string, string> }
    >(this.pool, LEDGER.decisions, { tenant, after, through });
    const decisions = rows.map((row): AnchoringDecision => ({
      id: row.request_id as string,
      owner: row.owner,
      profiles: row.profiles,
      receiptId: row.receipt_id as string,
      receiptSequence: row.receipt_at,
      version: row.version,
      lifecycle: lifecycleOf(row),
    }));
    return { now: rows[0]?.now ?? 0, decisions };
  }

  /**
   * Keeps the acceptance and moves the decisions with their events, each only from the version that was read. Answers how
   * many moved; the checkpoint counts as applied when all of them did. None change when Postgres ended the statement
   * because of a deadlock: the current state has to be read again.
   */
  async anchor(
    tenant: string,
    checkpoint: OpenCheckpoint,
    acceptance: string,
    moved: readonly { decision: AnchoringDecision; next: Lifecycle; record: NewRecord }[],
  ): Promise<number> {
    const own = {
      generation: checkpoint.generation,
      sequence: checkpoint.sequence,
      acceptance,
      receipt_sequence: moved.map(({ decision }) => decision.receiptSequence),
    };
    const requests = moved.map(({ decision: { id, version }, next, record }) => {
      return { id, version, next, records: [record] };
    });
    try {
      return await commitBatch(this.pool.of(tenant), ANCHOR, tenant, requests, own);
    } catch (error) {
      if (isBeaten(error)) return 0;
      throw error;
    }
  }

  async noteFailure(tenant: string, checkpoint: OpenCheckpoint, fault: string): Promise<void> {
    const { generation, sequence } = checkpoint;
    await ask(this.pool, LEDGER.noteFailure, { tenant, generation, sequence, fault });
  }

  /**
   * The anchor store contradicts the ledger: no further authority until an operator's recovery (protocol §4.2, R18). Does
   * nothing when a recovery has begun another generation since: what was compared no longer counts.
   */
  async fence(tenant: string, generation: string, reason: string): Promise<void> {
    await ask(this.pool, LEDGER.fence, { tenant, generation, reason });
  }

  // Reading --------------------------------------------------------------------------------------

  /** Not `whole`: without the large columns. */
  async export(caller: CallerIdentity, id: string, whole: boolean): Promise<ExportRow | undefined> {
    return loadSized(this.pool, EXPORT, whole, loadValues(caller, id));
  }

  /** As {@link export}, for a custodian under a hold, also when the request is out of all others' sight. */
  async heldExport(
    caller: CallerIdentity,
    { hold, id }: { readonly hold: string; readonly id: string },
    whole: boolean,
  ): Promise<HeldExportRow | undefined> {
    return loadSized(this.pool, HELD_EXPORT, whole, { ...loadValues(caller, id), hold });
  }

  /** The request's ledger entries, ascending. */
  async entriesOf(tenant: string, requestId: string): Promise<EntryRow[]> {
    const values = { tenant, request_id: requestId };
    return (await ask<EntryRow>(this.pool, LEDGER.entriesOf, values)).rows;
  }

  /** Whether a record of the request waits for its place in the ledger. */
  async unchained(tenant: string, requestId: string): Promise<boolean> {
    const values = { tenant, request_id: requestId };
    return (
      (await askOne<{ unchained: boolean }>(this.pool, LEDGER.unchained, values))?.unchained ===
      true
    );
  }

  /** Texts of the records without a request that the request's votes cite, by their digests (protocol §18.9). */
  async evidenceOf(tenant: string, requestId: string): Promise<string[]> {
    const values = { tenant, request_id: requestId };
    const { rows } = await ask<{ record: string }>(this.pool, LEDGER.evidenceOf, values);
    return rows.map(({ record }) => record);
  }

  /** Votes and their endings, receipt, claim, admissions, outcomes in order of creation; texts, null after audit expiry. */
  async recordsOf(tenant: string, requestId: string): Promise<string[]> {
    const values = { tenant, request_id: requestId };
    const { rows } = await ask<{ record: string | null }>(this.pool, LEDGER.recordsOf, values);
    return rows.flatMap((row) => (row.record === null ? [] : [row.record]));
  }

  async entries(tenant: string, after: number, most: number): Promise<EntryRow[]> {
    return (await ask<EntryRow>(this.pool, LEDGER.entries, { tenant, after, most })).rows;
  }

  /** Events after a number, ascending, and the owner's newest number, 0 before the first event. */
  async events(tenant: string, owner: string, after: number, most: number) {
    const values = { tenant, owner, after, most };
    const { rows } = await ask<EventRow>(this.pool, LEDGER.events, values);
    const events = rows.flatMap(({ sequence, record }) =>
      sequence === null ? [] : [{ sequence, record }],
    );
    return { events, newest: rows[0]?.newest ?? 0 };
  }
}
