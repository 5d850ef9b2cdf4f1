import { Refusal, STATEMENT_MS } from '@countersign/protocol';
import type { Attention, Credential } from '@countersign/protocol';
import { ask, askOne, openIncident, statements } from '@countersign/database';
import type { Pool } from '@countersign/database';

/** A key of a person whose CredentialBound is there. */
export interface ActiveKey extends Credential {
  readonly id: string;
  readonly credentialId: string;
  /** The signed text in force. */
  readonly bound: string;
  /** Texts of the key that vouched for it, and of those that it rests on, as they were then. */
  readonly vouchedBy: readonly string[];
}

/** What a vote was offered with; the digest of the statement is its name. */
export interface Offered {
  /** Null where the policy asks for no key. */
  readonly credential: string | null;
  /** Null where the policy asks for no attention, and of a no. */
  readonly attention: Attention | null;
  /** Of the document, where there is attention. */
  readonly characters: number | null;
  /** Epoch milliseconds. */
  readonly issuedAt: number;
  readonly nonce: string;
}

/** Active keys of a person that are looked at: more than a person may have (protocol §19.4). */
const MOST_KEYS = 10;
/** Offers of one person (protocol §9.4). */
const OFFERS_A_MINUTE = 60;

/** SQLSTATE of `take_token` without a token. */
export const TOO_MANY = 'CSQ01';

export const MS = (column: string) => `floor(extract(epoch FROM ${column}) * 1000)::float8`;
const KEY = `id, credential_id AS "credentialId", person, state, counter::float8 AS counter, attempts,
  ${MS('enrolled_at')} AS "enrolledAt", bound, vouched_by AS "vouchedBy"`;
/** How long an offer is good for, on the database's clock. */
export const OFFER_LASTS = `interval '${STATEMENT_MS / 1000} seconds'`;

export const SIGNING = statements('review', {
  key: `SELECT ${KEY} FROM credential_bound WHERE tenant = $1 AND id = :id::uuid AND bound IS NOT NULL`,
  keysOfPerson: `SELECT ${KEY} FROM credential_bound WHERE tenant = $1 AND person = :person AND person <> ''
  AND state = 'active' ORDER BY enrolled_at DESC, id LIMIT ${MOST_KEYS}`,
  endings: `SELECT k.ended FROM unnest(:ids::uuid[]) AS e (id)
  CROSS JOIN LATERAL (SELECT x.ended FROM credential_bound x WHERE x.tenant = $1 AND x.id = e.id LIMIT 1) k
  WHERE k.ended IS NOT NULL`,
  suspend: `WITH k AS (
    UPDATE credential_bound SET state = 'suspended' WHERE tenant = $1 AND id = :id::uuid AND state = 'active' RETURNING 1
  ), i AS (${openIncident({ code: "'credential_cloned'", from: 'k' })})
  SELECT count(*)::integer AS suspended FROM k`,
  offer: `SELECT credential, nonce, attention, characters, ${MS('issued_at')} AS "issuedAt" FROM approval_offer
  WHERE tenant = $1 AND digest = :digest`,
  // The person's offers that are over go with the next one.
  saveOffer: `WITH t AS (
    SELECT take_token($1, 'approval_offer', :person, ${OFFERS_A_MINUTE}, ${OFFERS_A_MINUTE}, 'rate_limited')
  ), o AS (
    DELETE FROM approval_offer WHERE tenant = $1 AND person = :person AND person <> ''
      AND issued_at < clock_timestamp() - ${OFFER_LASTS}
  )
  INSERT INTO approval_offer (tenant, digest, person, credential, nonce, issued_at, attention, characters)
  SELECT $1, :digest, :person, :credential::uuid, :nonce, :issued_at::timestamptz, :attention, :characters::integer FROM t`,
});

/** Keys of people and offers to sign with them. */
export class SigningStore {
  constructor(private readonly pool: Pool) {}

  async key(tenant: string, id: string): Promise<ActiveKey | null> {
    return (await askOne<ActiveKey>(this.pool, SIGNING.key, { tenant, id })) ?? null;
  }

  /** Active ones, the newest first. */
  async keysOf(tenant: string, person: string): Promise<ActiveKey[]> {
    return (await ask<ActiveKey>(this.pool, SIGNING.keysOfPerson, { tenant, person })).rows;
  }

  /** The signed texts of the ends of these keys, of those that ended. */
  async endings(tenant: string, ids: readonly string[]): Promise<string[]> {
    const { rows } = await ask<{ ended: string }>(this.pool, SIGNING.endings, { tenant, ids });
    return rows.map(({ ended }) => ended);
  }

  /** Suspends a key whose counter stepped back, with its incident. */
  async suspend(tenant: string, id: string): Promise<void> {
    await ask(this.pool, SIGNING.suspend, { tenant, id });
  }

  async offer(tenant: string, digest: string): Promise<Offered | null> {
    type Row = Omit<Offered, 'attention'> & { readonly attention: string | null };
    const row = await askOne<Row>(this.pool, SIGNING.offer, { tenant, digest });
    if (row === undefined) return null;
    return { ...row, attention: JSON.parse(row.attention ?? 'null') as Attention | null };
  }

  /** Throws `rate_limited` for more than 60 a minute of one person. */
  async saveOffer(
    tenant: string,
    offered: Offered & { readonly digest: string; readonly person: string },
  ): Promise<void> {
    const { digest, person, credential, nonce, issuedAt, attention, characters } = offered;
    const values = {
      ...{ tenant, digest, person, credential, nonce, characters },
      issued_at: new Date(issuedAt),
      attention: attention === null ? null : JSON.stringify(attention),
    };
    try {
      await ask(this.pool, SIGNING.saveOffer, values);
    } catch (error) {
      if ((error as { code?: unknown }).code !== TOO_MANY) throw error;
      throw new Refusal('rate_limited', { retryAfter: 1 });
    }
  }
}
