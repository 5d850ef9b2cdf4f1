import { randomInt } from 'node:crypto';
import { DEFAULT_LIMITS, Refusal } from '@countersign/protocol';
import type { Digest, Lifecycle } from '@countersign/protocol';
import {
  ANY_STEP,
  keyed,
  replayColumn,
  replayOf,
  saveTransition,
  stepForm,
} from '@countersign/database';
import type {
  CallerIdentity,
  Pool,
  RequestRow,
  StepForm,
  StepStatement,
  Transit,
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
const ROUTE_DAY_IS_OVER = `EXISTS (SELECT 1 FROM quota_day q WHERE q.tenant = $1 AND q.scope = 'route' AND q.subject = $10::text
  AND q.day = (clock_timestamp() AT TIME ZONE 'UTC')::date AND q.used >= (($6::jsonb || t.quotas) ->> 'daily_route')::integer)`;

const LOAD = {
  name: 'request.load-creation',
  brief: true,
  text: `SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now, t.directory_revision, t.generation,
    t.fenced, t.fence_reason, ${replayColumn('$2', '$4', '$5')},
    CASE WHEN $6::jsonb IS NOT NULL THEN creation_refusal($1, $2,
      (SELECT p.config ->> 'publisher' FROM principal p WHERE p.tenant = $1 AND p.id = $2), $7, $6::jsonb || t.quotas)
    END AS quota_refusal, coalesce(${ROUTE_DAY_IS_OVER}, false) AS route_day_over,
    b.manifest AS bundle_manifest, b.publisher AS bundle_publisher, b.html IS NOT NULL AS bundle_retained,
    o.request_id AS occurrence_request, o.consumed_by AS occurrence_consumed_by, v.consumed_by AS recovered_by
  FROM tenant t ${keyed('bundle', 'b', 'x.id = $3::uuid')}
  ${keyed('occurrence', 'o', 'x.owner = $2 AND x.occurrence = $8')}
  ${keyed('occurrence', 'v', 'x.owner = $2 AND x.occurrence = $9')}
  WHERE t.tenant = $1`,
};

/** One event; of a supersession the old request's too. */
const CREATE_FORM = stepForm({ records: 1, answer: true, deadlines: true });
const SUPERSEDE_FORM = ANY_STEP;

// Own parameters: 0 owner, 1 route, 2 purpose, 3 summary, 4 digest, 5 canonical, 6 payload, 7 schema, 8 document,
// 9 bytes, 10 occurrence, 11 accepted_at, 12 review_deadline, 13 private_delete_at, 14 audit_delete_at, 15 reminded_at,
// 16 grant, 17 execution, 18 revision, 19 quota amounts, 20 publisher, 21 retained limit, 22 bundle,
// 23 slot of the bytes retained;
// of a supersession: 24 old id, 25 old version, 26 old decision, 27 old grant, 28 old revision, 29 old invalidation,
// 30 ids of the old request's records.
const HEAD = `WITH t AS (
  SELECT quotas FROM tenant WHERE tenant = $1 AND directory_revision = $2 FOR KEY SHARE
)`;
const quota = ({ own }: StepForm) => `q AS (
  SELECT CASE WHEN ${own(19)}::jsonb IS NULL THEN true
    ELSE take_creation_quota($1, ${own(0)}, ${own(1)}, ${own(9)}::bigint, ${own(20)}, ${own(21)}::bigint,
      ${own(19)}::jsonb || t.quotas) END AS ok
  FROM t`;
const request = ({ own }: StepForm) => `l AS (
  INSERT INTO lifecycle (tenant, request_id, owner, route, decision, audit, grant_state, execution, revision, version,
    accepted_at, review_deadline, private_delete_at, audit_delete_at, reminded_at)
  SELECT $1, $3::uuid, ${own(0)}, ${own(1)}, 'pending', 'unanchored', ${own(16)}, ${own(17)}, ${own(18)}::integer, $4::integer,
    ${own(11)}::timestamptz, ${own(12)}::timestamptz, ${own(13)}::timestamptz, ${own(14)}::timestamptz, ${own(15)}::timestamptz
  FROM q WHERE q.ok AND ($5::timestamptz IS NULL OR clock_timestamp() < $5)
  RETURNING request_id
), rq AS (
  INSERT INTO request (tenant, id, owner, route, purpose, summary, digest, canonical, occurrence, bundle_id)
  SELECT $1, $3::uuid, ${own(0)}, ${own(1)}, ${own(2)}, ${own(3)}, ${own(4)}, ${own(5)}, ${own(10)}, ${own(22)}::uuid FROM l
), m AS (
  INSERT INTO material (tenant, request_id, payload, response_schema, review_document, bytes)
  SELECT $1, $3::uuid, ${own(6)}, ${own(7)}, ${own(8)}, ${own(9)}::bigint FROM l
), rt AS (
  INSERT INTO retained AS x (tenant, scope, subject, slot, bytes)
  SELECT $1, 'owner', ${own(0)}, ${own(23)}::smallint, ${own(9)}::bigint FROM l
  ON CONFLICT (tenant, scope, subject, slot) DO UPDATE SET bytes = x.bytes + EXCLUDED.bytes
)`;

const CREATE: StepStatement = {
  name: 'request.create',
  brief: true,
  form: CREATE_FORM,
  text: `${HEAD}, ${quota(CREATE_FORM)}
), ${request(CREATE_FORM)}, oc AS (
  INSERT INTO occurrence (tenant, owner, occurrence, request_id)
  SELECT $1, ${CREATE_FORM.own(0)}, ${CREATE_FORM.own(10)}, $3::uuid FROM l WHERE ${CREATE_FORM.own(10)}::text IS NOT NULL
), ${CREATE_FORM.consequences()}
SELECT count(*)::integer AS saved FROM l`,
};

const { own } = SUPERSEDE_FORM;

// The replaced request moves first: when somebody was faster with it, nothing else happens.
const SUPERSEDE: StepStatement = {
  name: 'request.supersede',
  form: SUPERSEDE_FORM,
  text: `${HEAD}, old AS (
  UPDATE lifecycle SET version = lifecycle.version + 1, decision = ${own(26)}, grant_state = ${own(27)},
    revision = ${own(28)}, invalidated = ${own(29)}
  FROM t WHERE lifecycle.tenant = $1 AND lifecycle.request_id = ${own(24)}::uuid AND lifecycle.version = ${own(25)}
  RETURNING lifecycle.request_id
), ${quota(SUPERSEDE_FORM)}, old
), ${request(SUPERSEDE_FORM)}, oc AS (
  UPDATE occurrence SET request_id = $3::uuid FROM l
  WHERE occurrence.tenant = $1 AND occurrence.owner = ${own(0)} AND occurrence.occurrence = ${own(10)}
    AND occurrence.request_id = ${own(24)}::uuid AND occurrence.consumed_by IS NULL
  RETURNING 1
), ${SUPERSEDE_FORM.consequences(
    `CASE WHEN x.id = ANY (${own(30)}::uuid[]) THEN ${own(24)}::uuid ELSE $3::uuid END`,
  )}
SELECT count(*)::integer AS saved,
  must(${own(10)}::text IS NULL OR (SELECT count(*) FROM oc) = count(*), 'occurrence_unavailable') FROM l`,
};

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
  readonly state: Lifecycle;
  readonly publisher: string;
  readonly retainedLimit: number;
}

export interface Replaced {
  readonly id: string;
  readonly version: number;
  readonly state: Lifecycle;
  readonly recordIds: readonly string[];
}

/** Rows that an owner's retained bytes are spread over, so that creations do not wait for one another's commits. */
const SLOTS = 64;

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
    const { rows } = await this.pool
      .of(caller.tenant)
      .query<CreationRow & { replay: string | null }>({
        ...LOAD,
        values: [
          caller.tenant,
          caller.id,
          names.bundle,
          operation,
          key,
          this.amounts === null ? null : JSON.stringify(this.amounts),
          DEFAULT_LIMITS.retained_bytes,
          names.occurrence,
          names.recoveryOf,
          names.route ?? null,
        ],
      });
    return rows[0] === undefined ? undefined : { ...rows[0], ...replayOf(rows[0].replay) };
  }

  async create(transit: Transit, creation: Creation): Promise<void> {
    const slot = randomInt(SLOTS);
    // Beside quotas, which are the tenant's, creations meet in this row alone.
    const holds = `${transit.tenant} ${creation.owner} ${slot}`;
    await this.#save(CREATE, transit, this.#values(creation, slot), holds);
  }

  async supersede(transit: Transit, creation: Creation, old: Replaced): Promise<void> {
    await this.#save(SUPERSEDE, transit, [
      ...this.#values(creation, randomInt(SLOTS)),
      old.id,
      old.version,
      old.state.decision,
      old.state.grant,
      old.state.revision,
      old.state.invalidated,
      old.recordIds,
    ]);
  }

  #values(creation: Creation, slot: number): unknown[] {
    const { state } = creation;
    return [
      creation.owner,
      creation.route,
      creation.purpose,
      // For lists and mail; what Postgres cannot keep is in the canonical text.
      creation.summary.replaceAll('\0', UNKEPT),
      creation.digest,
      creation.canonical,
      typeof creation.payload === 'string' ? creation.payload : bytesOf(creation.payload),
      creation.schema,
      bytesOf(creation.document),
      creation.bytes,
      creation.occurrence,
      new Date(creation.acceptedAt),
      new Date(state.reviewDeadline),
      new Date(state.privateDeleteAt),
      new Date(creation.auditDeleteAt),
      state.remindedAt === null ? null : new Date(state.remindedAt),
      state.grant,
      state.execution,
      state.revision,
      this.amounts === null ? null : JSON.stringify(this.amounts),
      creation.publisher,
      creation.retainedLimit,
      creation.bundle,
      slot,
    ];
  }

  async #save(
    statement: StepStatement,
    transit: Transit,
    own: readonly unknown[],
    holds?: string,
  ): Promise<void> {
    try {
      await saveTransition(this.pool, statement, transit, own, holds);
    } catch (error) {
      throw quotaRefusal(error) ?? error;
    }
  }
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
