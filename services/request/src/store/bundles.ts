import {
  NOW,
  StaleRead,
  ask,
  consequenceValues,
  consequences,
  isBeaten,
  statement,
} from '@countersign/database';
import type { CallerIdentity, NewAnswer, NewRecord, Pool } from '@countersign/database';
import type { QuotaAmounts } from '../quotas.js';
import { bytesOf, quotaRefusal } from './creation.js';

export interface BundleRow {
  now: number;
  directory_revision: number;
  replay_digest: string | null;
  replay_status: number | null;
  replay_result: string | null;
  quota_refusal: string | null;
}

const PUBLISHER = `(SELECT CASE WHEN p.kind = 'publisher' THEN p.id ELSE p.config ->> 'publisher' END
  FROM principal p WHERE p.tenant = $1 AND p.id = :caller)`;

export const LOAD_BUNDLE = statement(
  'request.load-bundle',
  `SELECT ${NOW} AS now, t.directory_revision,
    i.digest AS replay_digest, i.status AS replay_status, i.result AS replay_result,
    CASE WHEN i.digest IS NULL AND :quota_amounts::jsonb IS NOT NULL
      THEN bundle_refusal($1, ${PUBLISHER}, :quota_amounts::jsonb || t.quotas) END AS quota_refusal
  FROM tenant t
  LEFT JOIN idempotency i ON i.tenant = t.tenant AND i.principal = :caller AND i.operation = :operation AND i.key = :key
  WHERE t.tenant = $1`,
);

const LEFT = { records: 1, answer: true } as const;
const NOTHING_ELSE = { deadlines: [], settled: [], incidents: [] };
export const REGISTER = statement(
  'request.register-bundle',
  `WITH t AS (
    SELECT quotas FROM tenant WHERE tenant = $1 AND directory_revision = :directory_revision FOR KEY SHARE
  ), q AS (
    SELECT CASE WHEN :quota_amounts::jsonb IS NULL THEN true
      ELSE take_bundle_quota($1, :publisher, :bytes::bigint, :quota_amounts::jsonb || t.quotas) END AS ok FROM t
  ), b AS (
    INSERT INTO bundle (tenant, id, publisher, digest, manifest, html, bytes, created_at)
    SELECT $1, :id::uuid, :publisher, :digest, :manifest, :html, :bytes::bigint, :created_at::timestamptz
    FROM q WHERE q.ok RETURNING id
  ), rt AS (
    INSERT INTO retained AS x (tenant, scope, subject, bytes) SELECT $1, 'publisher', :publisher, :bytes::bigint FROM b
    ON CONFLICT (tenant, scope, subject, slot) DO UPDATE SET bytes = x.bytes + EXCLUDED.bytes
  ), ${consequences(LEFT, { step: 'b', request: 'NULL::uuid' }).join(', ')}
  SELECT count(*)::integer AS saved FROM b`,
);

export interface NewBundle {
  readonly id: string;
  readonly publisher: string;
  readonly digest: string;
  /** ReviewBundle as canonical text: the answer, and the text that requests bind. */
  readonly manifest: string;
  /** As text, or as UTF-8. */
  readonly html: string | Uint8Array;
  readonly bytes: number;
  readonly createdAt: number;
}

export class BundleStore {
  constructor(
    private readonly pool: Pool,
    private readonly amounts: QuotaAmounts | null,
  ) {}

  /** The facts before a registration: the stored answer, or the quota that would refuse it now. */
  async refusal(caller: CallerIdentity, operation: string, key: string | null) {
    const { rows } = await ask<BundleRow>(this.pool, LOAD_BUNDLE, {
      tenant: caller.tenant,
      caller: caller.id,
      operation,
      key,
      quota_amounts: this.#amounts(),
    });
    return rows[0];
  }

  async register(
    tenant: string,
    directoryRevision: number,
    bundle: NewBundle,
    record: NewRecord,
    answer: NewAnswer,
  ): Promise<void> {
    try {
      const { rows } = await ask<{ saved: number }>(this.pool, REGISTER, {
        tenant,
        directory_revision: directoryRevision,
        quota_amounts: this.#amounts(),
        publisher: bundle.publisher,
        bytes: bundle.bytes,
        id: bundle.id,
        digest: bundle.digest,
        manifest: bundle.manifest,
        html: bytesOf(bundle.html),
        created_at: new Date(bundle.createdAt),
        ...consequenceValues({ ...NOTHING_ELSE, records: [record], answer }, LEFT),
      });
      if (rows[0]?.saved !== 1) throw new StaleRead('register-bundle');
    } catch (error) {
      throw (
        quotaRefusal(error) ??
        (isBeaten(error) ? new StaleRead('register-bundle', { cause: error }) : error)
      );
    }
  }

  #amounts(): string | null {
    return this.amounts === null ? null : JSON.stringify(this.amounts);
  }
}
