import { Refusal } from '@countersign/protocol';
import { MATERIAL_READ, NOW, ask, askOne, keyed, statements } from '@countersign/database';
import type { Pool } from '@countersign/database';
import { MS, TOO_MANY } from './signing.js';

/** Wrong values that one person may type in ten minutes. */
const WRONG_VALUES = 5;
const TEN_MINUTES = 10;

const firstRead = (what: string) =>
  `(SELECT ${MS('x.first_at')} FROM reading x WHERE x.tenant = $1 AND x.request_id = :request_id::uuid AND x.person = :person
    AND x.what = ${what})`;

export const ATTENTION = statements('review', {
  reading: `SELECT ${firstRead(`'${MATERIAL_READ}'`)} AS "materialAt", ${firstRead(':candidate')} AS "candidateAt",
    char_length(convert_from(m.review_document, 'UTF8')) AS characters, ${NOW} AS now
  FROM tenant t ${keyed('material', 'm', 'x.request_id = :request_id::uuid')} WHERE t.tenant = $1`,
  payload: `SELECT m.payload FROM material m WHERE m.tenant = $1 AND m.request_id = :request_id::uuid`,
  takeTyped: `SELECT take_token($1, 'approval_typed', :person, ${WRONG_VALUES / TEN_MINUTES}, ${WRONG_VALUES}, 'rate_limited')`,
  giveTypedBack: `UPDATE quota_bucket SET tokens = least(${WRONG_VALUES}, tokens + 1)
  WHERE tenant = $1 AND scope = 'approval_typed' AND subject = :person`,
});

/** What a person has been given of a request; null for what is not there. Times are the database's, in epoch milliseconds. */
export interface ReadingRow {
  readonly materialAt: number | null;
  readonly candidateAt: number | null;
  /** Code points of the document. */
  readonly characters: number | null;
  readonly now: number;
}

export class AttentionStore {
  constructor(private readonly pool: Pool) {}

  async reading(
    tenant: string,
    of: { readonly request_id: string; readonly person: string; readonly candidate: string },
  ): Promise<ReadingRow | undefined> {
    return askOne<ReadingRow>(this.pool, ATTENTION.reading, { tenant, ...of });
  }

  /** Canonical text, or null when it is gone. */
  async payload(tenant: string, requestId: string): Promise<string | null> {
    const values = { tenant, request_id: requestId };
    return (
      (await askOne<{ payload: string }>(this.pool, ATTENTION.payload, values))?.payload ?? null
    );
  }

  /**
   * Compares what a person typed. It counts before it is compared, so that no two attempts at once are one, and a right one is
   * given back. Throws `rate_limited` behind five wrong ones.
   */
  async attempt(tenant: string, person: string, isRight: () => Promise<boolean>): Promise<boolean> {
    const values = { tenant, person };
    try {
      await ask(this.pool, ATTENTION.takeTyped, values);
    } catch (error) {
      if ((error as { code?: unknown }).code !== TOO_MANY) throw error;
      throw new Refusal('rate_limited', { retryAfter: (TEN_MINUTES * 60) / WRONG_VALUES });
    }
    if (!(await isRight())) return false;
    await ask(this.pool, ATTENTION.giveTypedBack, values);
    return true;
  }
}
