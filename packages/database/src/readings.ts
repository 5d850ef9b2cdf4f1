import { attentionOf } from '@countersign/protocol';
import { ask } from './pool.js';
import type { Pool } from './pool.js';
import type { StoredRequest } from './request-row.js';
import { statements } from './statement.js';

export const READING_STATEMENTS = statements('readings', {
  // Cut and not rounded: no reading is later than it was.
  note: `INSERT INTO reading (tenant, request_id, person, what, first_at)
  SELECT $1, :request_id::uuid, :person, w, date_trunc('milliseconds', clock_timestamp()) FROM unnest(:whats::text[]) AS w
  WHERE EXISTS (SELECT FROM material m WHERE m.tenant = $1 AND m.request_id = :request_id::uuid)
  ON CONFLICT DO NOTHING`,
});

/** The reading of the material; a candidate is read by its digest. */
export const MATERIAL_READ = 'material';

/** When people first read what they decide about, where the policy asks for attention (protocol §18.12). */
export class Readings {
  constructor(private readonly pool: Pool) {}

  /** Notes a reading of now; the first one counts. Other requests are left alone, and their reads ask no more than before. */
  async note(
    { tenant, id, request }: Pick<StoredRequest, 'tenant' | 'id' | 'request'>,
    what: readonly string[],
    personOf: () => Promise<string | null>,
  ): Promise<void> {
    if (attentionOf(request) === null || what.length === 0) return;
    const person = await personOf();
    if (person === null) return;
    const values = { tenant, request_id: id, person, whats: what };
    await ask(this.pool, READING_STATEMENTS.note, values);
  }
}
