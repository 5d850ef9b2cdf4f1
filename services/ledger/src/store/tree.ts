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

export interface UnwitnessedHead {
  readonly tenant: string;
  readonly ledgerId: string;
  readonly generation: string;
  readonly size: number;
  readonly note: string;
  /** The largest tree that this witness has signed, 0 when none. */
  readonly witnessed: number;
}

const NEWEST_HEAD = `SELECT x.size, x.note FROM tree_head x WHERE x.tenant = t.tenant AND x.generation = t.generation
  ORDER BY x.size DESC LIMIT 1`;

/** The Merkle tree beside the chain: written by its follower, read by who may. */
export class TreeStore {
  constructor(private readonly pool: Pool) {}

  /** Tenants whose ledger is anchored further than their tree goes, or whose generation has no checkpoint of it yet. */
  async behind(): Promise<string[]> {
    const { rows } = await this.pool.acrossTenants.query<{ tenant: string }>({
      name: 'tree.behind',
      text: `SELECT t.tenant FROM tenant t JOIN ledger_head h ON h.tenant = t.tenant
        LEFT JOIN LATERAL (SELECT x.size FROM tree_head x WHERE x.tenant = t.tenant AND x.generation = t.generation
          ORDER BY x.size DESC LIMIT 1) p ON true
        WHERE h.anchored_sequence > coalesce(p.size, 0)`,
    });
    return rows.map(({ tenant }) => tenant);
  }

  async position(tenant: string): Promise<TreePosition | undefined> {
    const { rows } = await this.pool.of(tenant).query<TreePosition>({
      name: 'tree.position',
      text: `SELECT t.ledger_id AS "ledgerId", t.generation, coalesce(r.size, 0) AS size,
          h.anchored_sequence AS anchored, p.size AS head
        FROM tenant t JOIN ledger_head h ON h.tenant = t.tenant LEFT JOIN tree r ON r.tenant = t.tenant
        LEFT JOIN LATERAL (${NEWEST_HEAD}) p ON true WHERE t.tenant = $1`,
      values: [tenant],
    });
    return rows[0];
  }

  /** Digests of the records of the entries after `after`, in their order. */
  async digests(tenant: string, after: number, most: number): Promise<string[]> {
    const { rows } = await this.pool.of(tenant).query<{ record_digest: string }>({
      name: 'tree.digests',
      text: `SELECT e.record_digest FROM ledger_entry e WHERE e.tenant = $1 AND e.sequence > $2
        ORDER BY e.sequence LIMIT $3`,
      values: [tenant, after, most],
    });
    return rows.map(({ record_digest }) => record_digest);
  }

  /** Those of the tiles that there are. */
  async tiles(tenant: string, tiles: readonly TileId[]): Promise<Tile[]> {
    if (tiles.length === 0) return [];
    const { rows } = await this.pool.of(tenant).query<Tile>({
      name: 'tree.tiles',
      text: `SELECT x.level, x.index, x.hashes FROM unnest($2::smallint[], $3::bigint[]) AS k (level, index)
        CROSS JOIN LATERAL (SELECT t.level, t.index, t.hashes FROM tree_tile t
          WHERE t.tenant = $1 AND t.level = k.level AND t.index = k.index LIMIT 1) x`,
      values: [tenant, tiles.map(({ level }) => level), tiles.map(({ index }) => index)],
    });
    return rows;
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
    const { rowCount } = await this.pool.of(tenant).query({
      name: 'tree.append',
      text: `WITH n AS (
          INSERT INTO tree (tenant, size) SELECT $1, $3 WHERE $2::bigint = 0
          ON CONFLICT (tenant) DO UPDATE SET size = EXCLUDED.size WHERE tree.size = 0 RETURNING 1
        ), u AS (
          UPDATE tree SET size = $3 WHERE tenant = $1 AND size = $2 AND $2::bigint > 0 RETURNING 1
        ), moved AS (
          SELECT 1 FROM n UNION ALL SELECT 1 FROM u
        ), x AS (
          INSERT INTO tree_tile (tenant, level, index, hashes)
          SELECT $1, k.level, k.index, k.hashes FROM unnest($4::smallint[], $5::bigint[], $6::bytea[]) AS k (level, index, hashes),
            moved ON CONFLICT (tenant, level, index) DO UPDATE SET hashes = EXCLUDED.hashes
        ), h AS (
          INSERT INTO tree_head (tenant, generation, size, note, created_at)
          SELECT $1, $7::uuid, $3, $8, clock_timestamp() FROM moved ON CONFLICT DO NOTHING
        ) SELECT 1 FROM moved`,
      values: [
        tenant,
        from,
        to,
        tiles.map(({ level }) => level),
        tiles.map(({ index }) => index),
        tiles.map(({ hashes }) => hashes),
        generation,
        note,
      ],
    });
    return rowCount === 1;
  }

  /** The published part of a log; undefined when there is no such ledger, or never was such a generation of it. */
  async published(ledgerId: string, generation: string): Promise<PublishedTree | undefined> {
    const { rows } = await this.pool.acrossTenants.query<PublishedTree>({
      name: 'tree.published',
      text: `SELECT t.tenant, t.tree_access AS access, coalesce(p.size, 0) AS size, p.note, ARRAY(
          SELECT c.line FROM tree_cosignature c
          WHERE c.tenant = t.tenant AND c.generation = $2::uuid AND c.size = p.size ORDER BY c.witness, c.key_id
        ) AS cosignatures
        FROM tenant t LEFT JOIN LATERAL (
          SELECT x.size, x.note FROM tree_head x WHERE x.tenant = t.tenant AND x.generation = $2::uuid
          ORDER BY x.size DESC LIMIT 1
        ) p ON true
        WHERE t.ledger_id = $1::uuid AND (t.generation = $2::uuid OR p.size IS NOT NULL)`,
      values: [ledgerId, generation],
    });
    return rows[0];
  }

  async directoryRevision(tenant: string): Promise<number | undefined> {
    const { rows } = await this.pool.of(tenant).query<{ directory_revision: number }>({
      name: 'tree.directory-revision',
      text: 'SELECT directory_revision FROM tenant WHERE tenant = $1',
      values: [tenant],
    });
    return rows[0]?.directory_revision;
  }

  /** Newest checkpoints that this witness may see and has not signed. */
  async unwitnessed(witness: string, keyId: string, most: number): Promise<UnwitnessedHead[]> {
    const { rows } = await this.pool.acrossTenants.query<UnwitnessedHead>({
      name: 'tree.unwitnessed',
      text: `SELECT t.tenant, t.ledger_id AS "ledgerId", t.generation, p.size, p.note, coalesce(c.size, 0) AS witnessed
        FROM tenant t CROSS JOIN LATERAL (${NEWEST_HEAD}) p
        LEFT JOIN LATERAL (SELECT x.size FROM tree_cosignature x WHERE x.tenant = t.tenant AND x.generation = t.generation
          AND x.witness = $1 AND x.key_id = $2 ORDER BY x.size DESC LIMIT 1) c ON true
        WHERE t.tree_access <> 'operators' AND p.size > coalesce(c.size, 0) ORDER BY t.tenant LIMIT $3`,
      values: [witness, keyId, most],
    });
    return rows;
  }

  async saveCosignature(head: UnwitnessedHead, cosignature: Cosignature): Promise<void> {
    const { tenant, generation, size } = head;
    const { witness, keyId, line, time } = cosignature;
    await this.pool.of(tenant).query({
      name: 'tree.cosignature',
      text: `INSERT INTO tree_cosignature (tenant, generation, size, witness, key_id, line, cosigned_at)
        VALUES ($1, $2::uuid, $3, $4, $5, $6, to_timestamp($7)) ON CONFLICT DO NOTHING`,
      values: [tenant, generation, size, witness, keyId, line, time],
    });
  }
}
