import type pg from 'pg';
import {
  HASH_BYTES,
  TILE_WIDTH,
  appendEntries,
  logKeys,
  noteKeyId,
  readNote,
  readTreeHead,
  tileWidth,
  treeEntry,
  treeOrigin,
  treeRoot,
  verifyCheckpoint,
} from '@countersign/protocol';
import type { Tile, TileId } from '@countersign/protocol';
import type { Findings } from './report.js';
import type { CheckedTenant } from './tenants.js';

interface HeadRow {
  generation: string;
  size: number;
  note: string;
}

/** The tree of a tenant, rebuilt from the digests of its chain and compared with the stored tree. */
export class TreeWalk {
  /** Tiles that are not full yet: a tree grows from these. */
  readonly #edge = new Map<string, Uint8Array>();
  #size = 0;
  #tiles = 0;
  #heads = 0;

  private constructor(
    private readonly client: pg.ClientBase,
    private readonly of: CheckedTenant,
    private readonly findings: Findings,
    private readonly generations: readonly string[],
  ) {}

  static async begin(
    client: pg.ClientBase,
    of: CheckedTenant,
    findings: Findings,
  ): Promise<TreeWalk> {
    const { tenant } = of;
    findings.check(of.treeSize <= of.anchored, 'tree_size', tenant, of.treeSize);
    const { rows } = await client.query<{ generation: string }>(
      'SELECT DISTINCT generation FROM tree_head WHERE tenant = $1',
      [tenant],
    );
    const generations = rows.map(({ generation }) => generation);
    return new TreeWalk(client, of, findings, generations);
  }

  /** Digests of the next entries, as far as the tree goes. */
  async add(digests: readonly string[]): Promise<void> {
    const entries = digests.slice(0, this.of.treeSize - this.#size).map(entryOf);
    if (entries.length === 0) return;
    const [from, to] = [this.#size, this.#size + entries.length];
    const full: Tile[] = [];
    for (const head of await this.#headsWithin(from, to)) {
      full.push(...this.#grow(entries.slice(this.#size - from, head.size - from)));
      this.#checkHead(head);
    }
    full.push(...this.#grow(entries.slice(this.#size - from)));
    await this.#compare(full);
  }

  async finish(): Promise<void> {
    const { tenant, treeSize } = this.of;
    this.findings.check(this.#size === treeSize, 'tree_size', tenant, treeSize);
    const edge = [...this.#edge].map(([key, hashes]) => ({ ...idOf(key), hashes }));
    await this.#compare(edge);
    // Any other stored row belongs to no existing tree.
    const { rows } = await this.client.query<{ tiles: number; heads: number; strays: number }>(
      `SELECT (SELECT count(*) FROM tree_tile WHERE tenant = $1)::float8 AS tiles,
         (SELECT count(*) FROM tree_head WHERE tenant = $1)::float8 AS heads,
         (SELECT count(*) FROM tree_cosignature c WHERE c.tenant = $1 AND NOT EXISTS (SELECT 1 FROM tree_head x
           WHERE x.tenant = $1 AND x.generation = c.generation AND x.size = c.size))::float8 AS strays`,
      [tenant],
    );
    const kept = rows[0];
    this.findings.check(kept?.tiles === this.#tiles, 'tree_tile', tenant, 'number of tiles');
    this.findings.check(kept?.heads === this.#heads, 'tree_head', tenant, 'number of checkpoints');
    this.findings.check(kept?.strays === 0, 'tree_head', tenant, 'cosignatures of nothing');
  }

  #grow(entries: readonly Uint8Array[]): Tile[] {
    const changed = appendEntries(this.#size, (id) => this.#edge.get(keyOf(id)), entries);
    this.#size += entries.length;
    const full: Tile[] = [];
    for (const tile of changed) {
      if (tile.hashes.length === TILE_WIDTH * HASH_BYTES) {
        full.push(tile);
        this.#edge.delete(keyOf(tile));
      } else {
        this.#edge.set(keyOf(tile), tile.hashes);
      }
    }
    return full;
  }

  async #headsWithin(from: number, to: number): Promise<HeadRow[]> {
    const found = this.generations.map((generation) =>
      this.client.query<HeadRow>({
        name: 'fsck.tree-heads',
        text: `SELECT x.generation, x.size, x.note FROM tree_head x
          WHERE x.tenant = $1 AND x.generation = $2 AND x.size > $3 AND x.size <= $4`,
        values: [this.of.tenant, generation, from, to],
      }),
    );
    const heads = (await Promise.all(found)).flatMap(({ rows }) => rows);
    return heads.sort((a, b) => a.size - b.size);
  }

  #checkHead({ generation, size, note }: HeadRow): void {
    const { findings, of } = this;
    const head = readTreeHead(readNote(note)?.body ?? '');
    const root = treeRoot((id) => this.#edge.get(keyOf(id)), this.#size);
    const fits = head?.size === size && size === this.#size && head.root.equals(root);
    const good = fits && this.#isSigned(note, generation);
    findings.check(good, 'tree_head', of.tenant, `${generation}/${size}`);
    findings.counts.treeHeads += 1;
    this.#heads += 1;
  }

  #isSigned(note: string, generation: string): boolean {
    const { trust } = this.findings.options;
    if (trust === null) return true;
    const origin = treeOrigin(trust.issuer, this.of.ledgerId, generation);
    const signed = new Set(readNote(note)?.signatures.map(({ keyId }) => keyId));
    return logKeys(origin, trust).some(
      (key) => signed.has(noteKeyId(key)) && verifyCheckpoint(note, key) !== null,
    );
  }

  async #compare(tiles: readonly Tile[]): Promise<void> {
    if (tiles.length === 0) return;
    const { tenant, treeSize } = this.of;
    const { rows } = await this.client.query<Tile>({
      name: 'fsck.tiles',
      text: `SELECT x.level, x.index, x.hashes FROM unnest($2::smallint[], $3::bigint[]) AS k (level, index)
        CROSS JOIN LATERAL (SELECT t.level, t.index, t.hashes FROM tree_tile t
          WHERE t.tenant = $1 AND t.level = k.level AND t.index = k.index LIMIT 1) x`,
      values: [tenant, tiles.map(({ level }) => level), tiles.map(({ index }) => index)],
    });
    const kept = new Map(rows.map((tile) => [keyOf(tile), tile.hashes]));
    for (const tile of tiles) {
      const same = kept.get(keyOf(tile));
      const fits = same !== undefined && Buffer.from(tile.hashes).equals(same);
      const complete = tile.hashes.length === tileWidth(tile, treeSize) * HASH_BYTES;
      this.findings.check(fits && complete, 'tree_tile', tenant, keyOf(tile));
    }
    this.findings.counts.tiles += tiles.length;
    this.#tiles += tiles.length;
  }
}

/** A digest that is none is a fault of the chain, found there. */
function entryOf(digest: string): Buffer {
  return /^sha256:[a-f0-9]{64}$/.test(digest) ? treeEntry(digest) : Buffer.alloc(HASH_BYTES);
}

function keyOf({ level, index }: TileId): string {
  return `${level}/${index}`;
}

function idOf(key: string): TileId {
  const [level = 0, index = 0] = key.split('/').map(Number);
  return { level, index };
}
