import { JournalInvalid } from '../errors.js';
import { changed } from '../journal.js';
import type { Change, Entry, EntryState, Hold, Journal } from '../journal.js';

/** Rows by their columns. */
interface Answer {
  readonly rows: readonly Record<string, unknown>[];
}

/** A session of `pg`, as far as the journal uses it. */
export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<Answer>;
  on(event: 'error' | 'end', listener: () => void): unknown;
  release(destroy?: boolean): void;
}

/** A pool of `pg`, as far as the journal uses it. */
export interface PostgresPool {
  query(text: string, values?: unknown[]): Promise<Answer>;
  connect(): Promise<PostgresClient>;
}

/** A change is on the disk before its statement returns, whatever the session's own setting is. */
const DURABLE = `durable AS (SELECT set_config('synchronous_commit', 'on', true))`;

const SQL = {
  read: `SELECT version, plan, state FROM countersign_guard_entry WHERE key = $1`,
  open: `WITH ${DURABLE}
    INSERT INTO countersign_guard_entry (key, version, plan, state)
    SELECT $1, 1, $2, $3 FROM durable ON CONFLICT DO NOTHING`,
  advance: `WITH ${DURABLE}
    UPDATE countersign_guard_entry SET version = $3, plan = $4, state = $5, closed_at = $6
    FROM durable WHERE key = $1 AND version = $2 RETURNING key`,
  page: `SELECT key, version, plan, state FROM countersign_guard_entry
    WHERE key > $1 AND (closed_at IS NULL OR NOT $2) ORDER BY key LIMIT 100`,
  prune: `WITH gone AS (
      DELETE FROM countersign_guard_entry WHERE closed_at < $1 RETURNING key
    ), fences AS (
      DELETE FROM countersign_guard_fence WHERE key IN (SELECT key FROM gone)
    ) SELECT count(*)::int AS count FROM gone`,
  lock: `SELECT pg_try_advisory_lock(hashtextextended('countersign_guard ' || $1, 0)) AS taken`,
  unlock: `SELECT pg_advisory_unlock(hashtextextended('countersign_guard ' || $1, 0))`,
  fence: `WITH ${DURABLE}
    INSERT INTO countersign_guard_fence (key) SELECT $1 FROM durable
    ON CONFLICT DO NOTHING RETURNING key`,
  isFenced: `SELECT 1 FROM countersign_guard_fence WHERE key = $1`,
  // Another cluster, another timeline of it, or a table that was loaded from a copy: each is another journal.
  place: `SELECT concat_ws(':',
      (SELECT system_identifier FROM pg_control_system()),
      substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8),
      'countersign_guard_fence'::regclass::oid) AS place`,
} as const;

/** A session with the advisory locks of all holds of one journal. */
interface Session {
  readonly client: PostgresClient;
  readonly place: string;
  readonly keys: Set<string>;
  isAlive: boolean;
}

/**
 * A journal in two tables of a Postgres that the program has already; `postgres.sql` makes them. Holds are advisory locks of
 * one session of the pool, so a pooler in front has to give sessions and not transactions.
 *
 * @param pool of `pg`; the program ends it
 */
export function postgresJournal(pool: PostgresPool): Journal {
  let session: Promise<Session> | null = null;

  async function begin(): Promise<Session> {
    const client = await pool.connect();
    try {
      const { rows } = await client.query(SQL.place);
      const place = String(rows[0]?.['place']);
      const begun: Session = { client, place, keys: new Set(), isAlive: true };
      const lose = () => {
        begun.isAlive = false;
      };
      client.on('error', lose);
      client.on('end', lose);
      return begun;
    } catch (fault) {
      client.release(true);
      throw fault;
    }
  }

  /** The session; a new one where the last was lost, and with it all its holds. */
  async function current(): Promise<Session> {
    session ??= begin();
    const found = await session.catch((fault: unknown) => {
      session = null;
      throw fault;
    });
    if (found.isAlive) return found;
    session = null;
    found.client.release(true);
    return current();
  }

  async function drop(from: Session, key: string): Promise<void> {
    if (!from.keys.delete(key)) return;
    if (from.isAlive) await from.client.query(SQL.unlock, [key]);
    // A session without holds ends, so that the program can end its pool.
    if (from.keys.size > 0 || (await session) !== from) return;
    session = null;
    from.isAlive = false;
    from.client.release(true);
  }

  async function read(key: string): Promise<Entry | null> {
    const { rows } = await pool.query(SQL.read, [key]);
    return rows[0] === undefined ? null : entryOf(key, rows[0]);
  }

  return {
    durable: true,
    async open(key, plan, state: EntryState) {
      const found = await read(key);
      if (found !== null) return found;
      await pool.query(SQL.open, [key, plan, JSON.stringify(state)]);
      return (await read(key)) as Entry;
    },
    read,
    async advance(key, from, change: Change) {
      const entry = await read(key);
      if (entry === null || entry.version !== from) return null;
      const next = changed(entry, change);
      const { key: _key, version, plan, ...state } = next;
      const closedAt = state.closed?.at ?? null;
      const values = [key, from, version, plan, JSON.stringify(state), closedAt];
      const { rows } = await pool.query(SQL.advance, values);
      return rows.length === 1 ? next : null;
    },
    async hold(key): Promise<Hold | null> {
      const own = await current();
      if (!own.isAlive) return this.hold(key);
      // The lock of one session can be taken twice.
      if (own.keys.has(key)) return null;
      own.keys.add(key);
      const { rows } = await own.client.query(SQL.lock, [key]).catch(async (fault: unknown) => {
        await drop(own, key);
        throw fault;
      });
      if (rows[0]?.['taken'] !== true) {
        own.keys.delete(key);
        return null;
      }
      const isHeld = () => own.isAlive && own.keys.has(key);
      return {
        place: own.place,
        // A session may end while its process runs on.
        provesDeath: false,
        isHeld,
        async fence() {
          if (!isHeld()) throw new JournalInvalid(key, 'is no longer held by this process');
          return (await own.client.query(SQL.fence, [key])).rows.length === 1;
        },
        async isFenced() {
          return (await own.client.query(SQL.isFenced, [key])).rows.length === 1;
        },
        release: () => drop(own, key),
      };
    },
    async *entries({ open = false } = {}) {
      let after = '';
      for (;;) {
        const { rows } = await pool.query(SQL.page, [after, open]);
        for (const row of rows) yield entryOf(String(row['key']), row);
        if (rows.length === 0) return;
        after = String(rows.at(-1)?.['key']);
      }
    },
    async prune(before) {
      const { rows } = await pool.query(SQL.prune, [before.toISOString()]);
      return Number(rows[0]?.['count']);
    },
  };
}

function entryOf(key: string, row: Readonly<Record<string, unknown>>): Entry {
  try {
    const state = JSON.parse(String(row['state'])) as EntryState;
    return { ...state, key, version: Number(row['version']), plan: row['plan'] as string | null };
  } catch (cause) {
    throw new JournalInvalid(`countersign_guard_entry ${key}`, 'is damaged: restore it', cause);
  }
}
