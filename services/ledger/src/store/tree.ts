import { acrossTenants, ask, askOne, statements } from '@countersign/database';
import type { Pool, TreeAccess } from '@countersign/database';
import type { Cosignature, Tile, TileId } from '@countersign/protocol';

/** A tree that is to go on, and how far. */
export interface TreePosition {
  readonly ledgerId: string;
  readonly generation: string;
  /** Entries that the tiles hold. */
  readonly size: number;
  /** Entries that are anchored: as far as the tree may go. */
  readonly anchored: number;
  /** Size of this generation's newest checkpoint; null when it has none. */
  readonly head: number | null;
}

/** A published checkpoint. */
export interface PublishedTree {
  readonly tenant: string;
  readonly access: TreeAccess;
  /** 0 while there is no checkpoint. */
  readonly size: number;
  readonly note: string | null;
  /** Lines of witnesses' signatures. */
  readonly cosignatures: readonly string[];
}

/** A checkpoint of the tenant's tree of today. */
export interface CoveringHead {
  readonly generation: string;
  readonly size: number;
  readonly note: string;
  /** Lines of witnesses' signatures. */
  readonly cosignatures: readonly string[];
}

export interface UnwitnessedHead {
  readonly tenant: string;
  readonly ledgerId: string;
  readonly generation: string;
  readonly size: number;
  readonly note: string;
  /** The largest tree that this witness has signed, 0 when none. */
  readonly witnessed: number;
}

/** Cosignatures that are looked through for the checkpoint that most witnesses signed. */
const COSIGNED_AT_MOST = 64;

/** The newest checkpoint `p` of a tenant's tree: of its own generation, or of the one given. */
const newestHead = (generation = 't.generation') => `LATERAL (SELECT x.size, x.note FROM tree_head x
  WHERE x.tenant = t.tenant AND x.generation = ${generation} ORDER BY x.size DESC LIMIT 1) p`;

export const TREE = statements('tree', {
  behind:
    acrossTenants(`SELECT t.tenant FROM tenant t JOIN ledger_head h ON h.tenant = t.tenant LEFT JOIN ${newestHead()} ON true
    WHERE h.anchored_sequence > coalesce(p.size, 0)`),
  position: `SELECT t.ledger_id AS "ledgerId", t.generation, coalesce(r.size, 0) AS size,
      h.anchored_sequence AS anchored, p.size AS head
    FROM tenant t JOIN ledger_head h ON h.tenant = t.tenant LEFT JOIN tree r ON r.tenant = t.tenant
    LEFT JOIN ${newestHead()} ON true WHERE t.tenant = $1`,
  digests: `SELECT e.record_digest FROM ledger_entry e WHERE e.tenant = $1 AND e.sequence > :after
    ORDER BY e.sequence LIMIT :most`,
  tiles: `SELECT x.level, x.index, x.hashes FROM unnest(:levels::smallint[], :indexes::bigint[]) AS k (level, index)
    CROSS JOIN LATERAL (SELECT t.level, t.index, t.hashes FROM tree_tile t
      WHERE t.tenant = $1 AND t.level = k.level AND t.index = k.index LIMIT 1) x`,
  append: `WITH n AS (
      INSERT INTO tree (tenant, size) SELECT $1, :to WHERE :from::bigint = 0
      ON CONFLICT (tenant) DO UPDATE SET size = EXCLUDED.size WHERE tree.size = 0 RETURNING 1
    ), u AS (
      UPDATE tree SET size = :to WHERE tenant = $1 AND size = :from AND :from::bigint > 0 RETURNING 1
    ), moved AS (
      SELECT 1 FROM n UNION ALL SELECT 1 FROM u
    ), x AS (
      INSERT INTO tree_tile (tenant, level, index, hashes)
      SELECT $1, k.level, k.index, k.hashes FROM unnest(:levels::smallint[], :indexes::bigint[], :hashes::bytea[]) AS k (level, index, hashes),
        moved ON CONFLICT (tenant, level, index) DO UPDATE SET hashes = EXCLUDED.hashes
    ), h AS (
      INSERT INTO tree_head (tenant, generation, size, note, created_at)
      SELECT $1, :generation::uuid, :to, :note, clock_timestamp() FROM moved ON CONFLICT DO NOTHING
    ) SELECT 1 FROM moved`,
  published:
    acrossTenants(`SELECT t.tenant, t.tree_access AS access, coalesce(p.size, 0) AS size, p.note, ARRAY(
      SELECT c.line FROM tree_cosignature c
      WHERE c.tenant = t.tenant AND c.generation = :generation::uuid AND c.size = p.size ORDER BY c.witness, c.key_id
    ) AS cosignatures
    FROM tenant t LEFT JOIN ${newestHead(':generation::uuid')} ON true
    WHERE t.ledger_id = :ledger_id::uuid AND (t.generation = :generation::uuid OR p.size IS NOT NULL)`),
  // The first one, and some that witnesses have signed.
  covering: `SELECT t.generation, x.size, x.note, ARRAY(SELECT c.line FROM tree_cosignature c
      WHERE c.tenant = $1 AND c.generation = t.generation AND c.size = x.size ORDER BY c.witness, c.key_id) AS cosignatures
    FROM tenant t CROSS JOIN LATERAL (
      (SELECT h.size, h.note FROM tree_head h WHERE h.tenant = $1 AND h.generation = t.generation AND h.size >= :least
        ORDER BY h.size LIMIT 1)
      UNION
      SELECT h.size, h.note FROM (SELECT c.size FROM tree_cosignature c
          WHERE c.tenant = $1 AND c.generation = t.generation AND c.size >= :least ORDER BY c.size LIMIT :most) s
        CROSS JOIN LATERAL (SELECT y.size, y.note FROM tree_head y
          WHERE y.tenant = $1 AND y.generation = t.generation AND y.size = s.size LIMIT 1) h
    ) x WHERE t.tenant = $1 ORDER BY x.size`,
  unwitnessed:
    acrossTenants(`SELECT t.tenant, t.ledger_id AS "ledgerId", t.generation, p.size, p.note, coalesce(c.size, 0) AS witnessed
    FROM tenant t CROSS JOIN ${newestHead()}
    LEFT JOIN LATERAL (SELECT x.size FROM tree_cosignature x WHERE x.tenant = t.tenant AND x.generation = t.generation
      AND x.witness = :witness AND x.key_id = :key_id ORDER BY x.size DESC LIMIT 1) c ON true
    WHERE t.tree_access <> 'operators' AND p.size > coalesce(c.size, 0) ORDER BY t.tenant LIMIT :most`),
  cosignature: `INSERT INTO tree_cosignature (tenant, generation, size, witness, key_id, line, cosigned_at)
    VALUES ($1, :generation::uuid, :size, :witness, :key_id, :line, to_timestamp(:time)) ON CONFLICT DO NOTHING`,
});

/** The Merkle tree beside the chain: written by its follower, read by who may. */
export class TreeStore {
  constructor(private readonly pool: Pool) {}

  /** Tenants whose ledger is anchored further than their tree goes, or whose generation has no checkpoint of it yet. */
  async behind(): Promise<string[]> {
    const { rows } = await ask<{ tenant: string }>(this.pool, TREE.behind, {});
    return rows.map(({ tenant }) => tenant);
  }

  position(tenant: string): Promise<TreePosition | undefined> {
    return askOne(this.pool, TREE.position, { tenant });
  }

  /** Digests of the records of the entries after `after`, in their order. */
  async digests(tenant: string, after: number, most: number): Promise<string[]> {
    const values = { tenant, after, most };
    const { rows } = await ask<{ record_digest: string }>(this.pool, TREE.digests, values);
    return rows.map(({ record_digest }) => record_digest);
  }

  /** Those of the tiles that there are. */
  async tiles(tenant: string, tiles: readonly TileId[]): Promise<Tile[]> {
    if (tiles.length === 0) return [];
    return (await ask<Tile>(this.pool, TREE.tiles, { tenant, ...placesOf(tiles) })).rows;
  }

  /**
   * Stores the tiles that grew from `from` to `to` entries, with their checkpoint; false when another process was first.
   */
  async append(
    tenant: string,
    generation: string,
    grown: { from: number; to: number; tiles: readonly Tile[]; note: string },
  ): Promise<boolean> {
    const { from, to, tiles, note } = grown;
    const { rows } = await ask(this.pool, TREE.append, {
      ...{ tenant, generation, from, to, note, ...placesOf(tiles) },
      hashes: tiles.map(({ hashes }) => hashes),
    });
    return rows.length === 1;
  }

  /** The published part of a log; undefined when there is no such ledger, or never was such a generation of it. */
  published(ledgerId: string, generation: string): Promise<PublishedTree | undefined> {
    return askOne(this.pool, TREE.published, { ledger_id: ledgerId, generation });
  }

  /** Checkpoints over at least so many entries, the smallest first: that one, and of the later ones some with cosignatures. */
  async covering(tenant: string, least: number): Promise<CoveringHead[]> {
    const values = { tenant, least, most: COSIGNED_AT_MOST };
    return (await ask<CoveringHead>(this.pool, TREE.covering, values)).rows;
  }

  /** Newest checkpoints that this witness may see and has not signed. */
  async unwitnessed(witness: string, keyId: string, most: number): Promise<UnwitnessedHead[]> {
    const values = { witness, key_id: keyId, most };
    return (await ask<UnwitnessedHead>(this.pool, TREE.unwitnessed, values)).rows;
  }

  async saveCosignature(head: UnwitnessedHead, cosignature: Cosignature): Promise<void> {
    const { tenant, generation, size } = head;
    const { witness, keyId, line, time } = cosignature;
    const values = { tenant, generation, size, witness, key_id: keyId, line, time };
    await ask(this.pool, TREE.cosignature, values);
  }
}

function placesOf(tiles: readonly TileId[]) {
  return {
    levels: tiles.map(({ level }) => level),
    indexes: tiles.map(({ index }) => index),
  };
}
