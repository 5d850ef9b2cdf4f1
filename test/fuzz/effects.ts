import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

/** Whose traces to look for: the tenant, the request that a call is about, who calls with which key. */
export interface Place {
  readonly tenant: string;
  readonly request: string | null;
  readonly owner: string;
  readonly caller: string;
  readonly key: string | null;
}

/** The reasons of steps without a caller, and the record of one: anchoring, deadlines, retention. */
const BACKGROUND = [
  'anchor_accepted',
  'expiry',
  'material_deleted',
  'reconciliation_due',
  'MaterialDiscarded',
];

const REQUEST = 'x.tenant = $1 AND x.request_id = $2::uuid';
/**
 * The visible changes. A deadline is done early by a transition alone. Once it is due a worker may find, at any time, that
 * there is nothing left to do, and makes no event.
 */
const SNAPSHOT = `SELECT
  (SELECT jsonb_build_object(
    'lifecycle', (SELECT md5(x::text) FROM lifecycle x WHERE ${REQUEST}),
    'candidates', (SELECT string_agg(x.id::text || x.live, ',' ORDER BY x.reviewer, x.revision) FROM candidate x WHERE ${REQUEST}),
    'lease', (SELECT x::text FROM assignment x WHERE ${REQUEST}),
    'nonces', (SELECT count(*) FROM nonce x WHERE ${REQUEST}),
    'deadlines', (SELECT string_agg(x.kind || x.due || (x.done_at < x.due IS TRUE), ',' ORDER BY x.kind) FROM deadline x WHERE ${REQUEST}),
    'material', (SELECT count(*) FROM material x WHERE ${REQUEST})
  )) AS of_request,
  (SELECT jsonb_build_object(
    'directories', (SELECT string_agg(tenant || directory_revision, ',' ORDER BY tenant) FROM tenant),
    'principals', (SELECT concat(count(*), max(updated_at)) FROM principal),
    'routes', (SELECT concat(count(*), max(updated_at)) FROM route),
    'credentials', (SELECT concat(count(*), max(created_at)) FROM credential),
    'bundles', (SELECT count(*) FROM bundle),
    'newest', (SELECT jsonb_object_agg(t.tenant, coalesce((SELECT r.id::text FROM request r WHERE r.tenant = t.tenant ORDER BY r.id DESC LIMIT 1), '')) FROM tenant t),
    'occurrences', (SELECT string_agg(x.occurrence || x.request_id || coalesce(x.consumed_by::text, ''), ',' ORDER BY x.occurrence)
      FROM occurrence x WHERE x.tenant = $1 AND x.owner = $3),
    'identities', (SELECT count(*) FROM execution_identity x WHERE x.tenant = $1 AND x.owner = $3),
    'answers', (SELECT count(*) FROM idempotency x WHERE x.tenant = $1 AND x.principal = $4 AND x.key = $5),
    'retained', (SELECT sum(bytes) FROM retained x WHERE x.tenant = $1 AND x.subject = $3)
  )) AS of_everything,
  ARRAY(SELECT CASE x.type WHEN 'RequestChangedEvent' THEN x.record::jsonb #>> '{payload,reason}' ELSE x.type END FROM record x WHERE ${REQUEST} ORDER BY x.id) AS told`;

interface Snapshot {
  readonly of_request: Record<string, unknown>;
  readonly of_everything: Record<string, unknown>;
  /** Of each record of the request its event's reason, or its type; null of an event whose text retention has deleted. */
  readonly told: readonly (string | null)[];
}

/** Looks into the database of an instance, because a refusal must not change anything that any answer could show. */
export class Effects {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async of(dataDirectory: string): Promise<Effects> {
    const stores = JSON.parse(readFileSync(join(dataDirectory, 'stores.json'), 'utf8')) as {
      urls: { DATABASE_URL: string };
    };
    const client = new pg.Client({ connectionString: stores.urls.DATABASE_URL });
    await client.connect();
    return new Effects(client);
  }

  async before({ tenant, request, owner, caller, key }: Place): Promise<Snapshot> {
    const values = [tenant, request, owner, caller, key];
    const { rows } = await this.#client.query<Snapshot>({ name: 'fuzz', text: SNAPSHOT, values });
    return rows[0] as Snapshot;
  }

  /** Whether retention has taken the request away, and with it the answers about it. */
  async isGone(tenant: string, request: string): Promise<boolean> {
    const { rows } = await this.#client.query(
      'SELECT 1 FROM lifecycle WHERE tenant = $1 AND request_id::text = $2',
      [tenant, request],
    );
    return rows.length === 0;
  }

  /** The changes since; null when there were none, or none that a caller would have made. */
  async since(place: Place, before: Snapshot): Promise<string | null> {
    const after = await this.before(place);
    const everywhere = difference(before.of_everything, after.of_everything);
    if (everywhere !== null) return everywhere;
    const told = after.told.slice(before.told.length);
    const ofCallers = told.filter((reason) => reason !== null && !BACKGROUND.includes(reason));
    if (ofCallers.length > 0) return `records: ${ofCallers.join(', ')}`;
    // Nothing but its retention takes a request away, and no event tells of that (protocol §11.3).
    const gone = before.of_request['lifecycle'] !== null && after.of_request['lifecycle'] === null;
    return told.length > 0 || gone ? null : difference(before.of_request, after.of_request);
  }

  async end(): Promise<void> {
    await this.#client.end();
  }
}

/**
 * Retention removes other requests at any time, the newest one too, with the answers about them, and returns their quota:
 * of these only a rise counts. That the material of this one is still there is looked at by itself.
 */
function difference(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): string | null {
  const changed = Object.keys(after).filter((name) => {
    const [was, is] = [before[name], after[name]];
    if (name === 'retained' || name === 'answers') return Number(is) > Number(was);
    if (name === 'newest') return isLater(was as Newest, is as Newest);
    return JSON.stringify(was) !== JSON.stringify(is);
  });
  return changed.length === 0 ? null : changed.join(', ');
}

/** By tenant: its newest request, whose ids are in the order of time; '' for none. */
type Newest = Readonly<Record<string, string>>;

function isLater(before: Newest, after: Newest): boolean {
  return Object.entries(after).some(([tenant, id]) => id > (before[tenant] ?? ''));
}
