import { DEFAULT_LIMITS, Refusal } from '@countersign/protocol';
import type { Digest, Lifecycle } from '@countersign/protocol';
import {
  NOW,
  STARTING_COLUMNS,
  ask,
  consequences,
  customStep,
  keyed,
  lifecycleColumns,
  movedRow,
  replayColumn,
  replayOf,
  startingRow,
  statement,
} from '@countersign/database';
import type {
  CallerIdentity,
  Pool,
  RequestRow,
  StoredRequest,
  Values,
} from '@countersign/database';
import type { QuotaAmounts } from '../quotas.js';
import { UNKEPT } from './unkept.js';

export type CreationRow = Pick<
  RequestRow,
  | 'now'
  | 'directory_revision'
  | 'generation'
  | 'fenced'
  | 'fence_reason'
  | 'replay_digest'
  | 'replay_status'
  | 'replay_result'
> & {
  /** The quota that would refuse a creation now, or null. */
  quota_refusal: string | null;
  /** The route's creations of today are used up. */
  route_day_over: boolean;
  bundle_manifest: string | null;
  bundle_publisher: string | null;
  bundle_retained: boolean | null;
  occurrence_request: string | null;
  occurrence_consumed_by: string | null;
  /** Claim that consumed the occurrence named by `recovery_of`. */
  recovered_by: string | null;
};

// Asked after the owner is known to be allowed on the route; creation_refusal asks the other days.
const ROUTE_DAY_IS_OVER = `EXISTS (SELECT 1 FROM quota_day q WHERE q.tenant = $1 AND q.scope = 'route' AND q.subject = :route::text
  AND q.day = (clock_timestamp() AT TIME ZONE 'UTC')::date AND q.used >= ((:quota_amounts::jsonb || t.quotas) ->> 'daily_route')::integer)`;

export const LOAD_CREATION = statement(
  'request.load-creation',
  `SELECT ${NOW} AS now, t.directory_revision, t.generation,
    t.fenced, t.fence_reason, ${replayColumn(':owner', ':operation', ':key')},
    CASE WHEN :quota_amounts::jsonb IS NOT NULL THEN creation_refusal($1, :owner,
      (SELECT p.config ->> 'publisher' FROM principal p WHERE p.tenant = $1 AND p.id = :owner), :retained_limit, :quota_amounts::jsonb || t.quotas)
    END AS quota_refusal, coalesce(${ROUTE_DAY_IS_OVER}, false) AS route_day_over,
    b.manifest AS bundle_manifest, b.publisher AS bundle_publisher, b.html IS NOT NULL AS bundle_retained,
    o.request_id AS occurrence_request, o.consumed_by AS occurrence_consumed_by, v.consumed_by AS recovered_by
  FROM tenant t ${keyed('bundle', 'b', 'x.id = :bundle::uuid')}
  ${keyed('occurrence', 'o', 'x.owner = :owner AND x.occurrence = :occurrence')}
  ${keyed('occurrence', 'v', 'x.owner = :owner AND x.occurrence = :recovery_of')}
  WHERE t.tenant = $1`,
  { pointQuery: true },
);

const QUOTA = (from: string) => `q AS (
  SELECT CASE WHEN :quota_amounts::jsonb IS NULL THEN true
    ELSE take_creation_quota($1, :owner, :route, :bytes::bigint, :publisher, :retained_limit::bigint,
      :quota_amounts::jsonb || t.quotas) END AS ok
  FROM ${from}
)`;

/** The new request's own rows, of a quota `q`. */
const NEW_REQUEST = [
  startingRow('q WHERE q.ok'),
  `rq AS (
  INSERT INTO request (tenant, id, owner, route, purpose, summary, digest, canonical, occurrence, bundle_id)
  SELECT $1, $3::uuid, :owner, :route, :purpose, :summary, :digest, :canonical, :occurrence, :bundle::uuid FROM l
)`,
  `m AS (
  INSERT INTO material (tenant, request_id, payload, response_schema, review_document, bytes)
  SELECT $1, $3::uuid, :payload, :schema, :document, :bytes::bigint FROM l
)`,
  `qs AS (
  INSERT INTO quorum_state (tenant, request_id, needed)
  SELECT $1, $3::uuid, :approvals_needed::smallint FROM l WHERE :approvals_needed::smallint IS NOT NULL
)`,
  `rt AS (
  INSERT INTO retained AS x (tenant, scope, subject, slot, bytes)
  SELECT $1, 'owner', :owner, :slot::smallint, :bytes::bigint FROM l
  ON CONFLICT (tenant, scope, subject, slot) DO UPDATE SET bytes = x.bytes + EXCLUDED.bytes
)`,
];

const NEW = { moves: STARTING_COLUMNS, answer: true, deadlines: true } as const;

const CREATED = { ...NEW, records: 1, pointQuery: true } as const;
export const CREATE = customStep(
  'request.create',
  CREATED,
  [
    QUOTA('t'),
    ...NEW_REQUEST,
    `oc AS (
  INSERT INTO occurrence (tenant, owner, occurrence, request_id)
  SELECT $1, :owner, :occurrence, $3::uuid FROM l WHERE :occurrence::text IS NOT NULL
)`,
    ...consequences(CREATED),
  ],
  'quotas',
);

const REPLACED = ['decision', 'grant_state', 'revision', 'invalidated'] as const;
const SUPERSEDED = {
  ...NEW,
  records: 'any',
  check: `must(:occurrence::text IS NULL OR (SELECT count(*) FROM oc) = count(*), 'occurrence_unavailable')`,
} as const;

// The replaced request changes first: when another call was faster with it, nothing else happens.
export const SUPERSEDE = customStep(
  'request.supersede',
  SUPERSEDED,
  [
    `old AS (${movedRow({ id: ':old_id::uuid', version: ':old_version', moves: REPLACED, prefix: 'old_' })})`,
    QUOTA('t, old'),
    ...NEW_REQUEST,
    `oc AS (
  UPDATE occurrence SET request_id = $3::uuid FROM l
  WHERE occurrence.tenant = $1 AND occurrence.owner = :owner AND occurrence.occurrence = :occurrence
    AND occurrence.request_id = :old_id::uuid AND occurrence.consumed_by IS NULL
  RETURNING 1
)`,
    ...consequences(SUPERSEDED, {
      recordRequest:
        'CASE WHEN x.id = ANY (:old_records::uuid[]) THEN :old_id::uuid ELSE $3::uuid END',
    }),
  ],
  'quotas',
);

export interface Creation {
  readonly owner: string;
  readonly route: string;
  readonly purpose: string;
  readonly summary: string;
  readonly digest: Digest;
  readonly canonical: string;
  /** As text, or as UTF-8. */
  readonly payload: string | Uint8Array;
  readonly schema: string;
  readonly document: string | Uint8Array;
  readonly bytes: number;
  readonly occurrence: string | null;
  readonly bundle: string | null;
  readonly acceptedAt: number;
  readonly auditDeleteAt: number;
  readonly publisher: string;
  readonly retainedLimit: number;
  /** Of a request that several people decide; null where one reviewer confirms. */
  readonly approvalsNeeded: number | null;
}

/** Rows that an owner's retained bytes are spread over, so that creations do not wait for one another's commits. */
export const SLOTS = 64;

export class CreationStore {
  /** `amounts` null lifts the quotas (development only). */
  constructor(
    private readonly pool: Pool,
    private readonly amounts: QuotaAmounts | null,
  ) {}

  async load(
    caller: CallerIdentity,
    operation: string,
    key: string | null,
    names: {
      bundle: string | null;
      occurrence: string | null;
      recoveryOf: string | null;
      /** Unknown before the body is there. */
      route?: string | null;
    },
  ): Promise<CreationRow | undefined> {
    const { rows } = await ask<CreationRow & { replay: string | null }>(this.pool, LOAD_CREATION, {
      tenant: caller.tenant,
      owner: caller.id,
      operation,
      key,
      bundle: names.bundle,
      occurrence: names.occurrence,
      recovery_of: names.recoveryOf,
      route: names.route ?? null,
      quota_amounts: this.amounts === null ? null : JSON.stringify(this.amounts),
      retained_limit: DEFAULT_LIMITS.retained_bytes,
    });
    return rows[0] === undefined ? undefined : { ...rows[0], ...replayOf(rows[0].replay) };
  }

  /** The values that {@link CREATE} and {@link SUPERSEDE} have in common. */
  valuesOf(creation: Creation): Values {
    return {
      owner: creation.owner,
      route: creation.route,
      purpose: creation.purpose,
      // For lists and mail; characters that Postgres cannot store are in the canonical text.
      summary: creation.summary.replaceAll('\0', UNKEPT),
      digest: creation.digest,
      canonical: creation.canonical,
      payload: typeof creation.payload === 'string' ? creation.payload : bytesOf(creation.payload),
      schema: creation.schema,
      document: bytesOf(creation.document),
      bytes: creation.bytes,
      occurrence: creation.occurrence,
      accepted_at: new Date(creation.acceptedAt),
      audit_delete_at: new Date(creation.auditDeleteAt),
      quota_amounts: this.amounts === null ? null : JSON.stringify(this.amounts),
      publisher: creation.publisher,
      retained_limit: creation.retainedLimit,
      bundle: creation.bundle,
      approvals_needed: creation.approvalsNeeded,
    };
  }
}

/** The values of {@link SUPERSEDE} for the replaced request, as it was read, with the ids of its records. */
export function replacedValues(
  { id, version }: StoredRequest,
  next: Lifecycle,
  recordIds: readonly string[],
): Values {
  return {
    old_id: id,
    old_version: version,
    ...lifecycleColumns(next, REPLACED, 'old_'),
    old_records: recordIds,
  };
}

/** As the client takes them, without a copy where they are bytes already. */
export function bytesOf(text: string | Uint8Array): Buffer {
  if (typeof text === 'string') return Buffer.from(text);
  return Buffer.from(text.buffer, text.byteOffset, text.length);
}

/** The refusal that a quota function of the database raised, or null. */
export function quotaRefusal(error: unknown): Refusal | null {
  const raised = error as { code?: string; message?: string };
  return raised.code === 'CSQ01' ? new Refusal(raised.message as 'daily_quota') : null;
}
