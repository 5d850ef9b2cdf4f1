import { StaleRead, bodyDigest, isBeaten, recordValues } from '@countersign/database';
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
  FROM principal p WHERE p.tenant = $1 AND p.id = $2)`;

const LOAD = {
  name: 'request.load-bundle',
  text: `SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now, t.directory_revision,
    i.digest AS replay_digest, i.status AS replay_status, i.result AS replay_result,
    CASE WHEN i.digest IS NULL AND $5::jsonb IS NOT NULL
      THEN bundle_refusal($1, ${PUBLISHER}, $5::jsonb || t.quotas) END AS quota_refusal
  FROM tenant t
  LEFT JOIN idempotency i ON i.tenant = t.tenant AND i.principal = $2 AND i.operation = $3 AND i.key = $4
  WHERE t.tenant = $1`,
};

const REGISTER = {
  name: 'request.register-bundle',
  text: `WITH t AS (
    SELECT quotas FROM tenant WHERE tenant = $1 AND directory_revision = $2 FOR KEY SHARE
  ), q AS (
    SELECT CASE WHEN $3::jsonb IS NULL THEN true ELSE take_bundle_quota($1, $4, $5::bigint, $3::jsonb || t.quotas) END AS ok FROM t
  ), b AS (
    INSERT INTO bundle (tenant, id, publisher, digest, manifest, html, bytes, created_at)
    SELECT $1, $6::uuid, $4, $7, $8, $9, $5::bigint, $10::timestamptz FROM q WHERE q.ok RETURNING id
  ), rt AS (
    INSERT INTO retained AS x (tenant, scope, subject, bytes) SELECT $1, 'publisher', $4, $5::bigint FROM b
    ON CONFLICT (tenant, scope, subject, slot) DO UPDATE SET bytes = x.bytes + EXCLUDED.bytes
  ), r AS (
    INSERT INTO record (tenant, id, type, digest, issued_at, record)
    SELECT $1, x.id, x.type, x.digest, x.issued_at, x.record
    FROM b, unnest($11::uuid[], $12::text[], $13::text[], $14::timestamptz[], $15::text[]) AS x (id, type, digest, issued_at, record)
  ), o AS (
    INSERT INTO outbox (tenant, record_id, type, digest, audience)
    SELECT $1, x.id, x.type, x.digest, x.audience
    FROM b, unnest($11::uuid[], $12::text[], $13::text[], $16::text[]) AS x (id, type, digest, audience)
  ), a AS (
    INSERT INTO idempotency (tenant, principal, operation, key, digest, status, result, created_at)
    SELECT $1, $17, $18, $19, $20, 201, $8, clock_timestamp() FROM b
  ) SELECT count(*)::integer AS saved FROM b`,
};

export interface NewBundle {
  readonly id: string;
  readonly publisher: string;
  readonly digest: string;
  /** ReviewBundle as canonical text: the answer, and what requests bind. */
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

  /** What is known before a registration: the stored answer, or the quota that would refuse it now. */
  async refusal(caller: CallerIdentity, operation: string, key: string | null) {
    const { rows } = await this.pool.of(caller.tenant).query<BundleRow>({
      ...LOAD,
      values: [caller.tenant, caller.id, operation, key, this.#amounts()],
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
      const { rows } = await this.pool.of(tenant).query<{ saved: number }>({
        ...REGISTER,
        values: [
          tenant,
          directoryRevision,
          this.#amounts(),
          bundle.publisher,
          bundle.bytes,
          bundle.id,
          bundle.digest,
          bundle.manifest,
          bytesOf(bundle.html),
          new Date(bundle.createdAt),
          ...recordValues([record]),
          answer.principal,
          answer.operation,
          answer.key,
          bodyDigest(answer.body),
        ],
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
