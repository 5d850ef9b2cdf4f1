import { Refusal, personDigest, verifiedMembership } from '@countersign/protocol';
import type { Digest, MembershipConfigured, Trust } from '@countersign/protocol';
import { askOne } from './pool.js';
import type { Pool } from './pool.js';
import { RevisionCache } from './revision-cache.js';
import { statements } from './statement.js';

/** Of a human principal `p`: its identity, its membership, and the identity of the principal that the membership names. */
export const IDENTITY_COLUMNS = `p.id, p.oidc_issuer AS issuer, p.oidc_subject AS subject, m.record,
    n.oidc_issuer AS "namedIssuer", n.oidc_subject AS "namedSubject"`;
export const IDENTITY_JOINS = `LEFT JOIN membership m ON m.tenant = p.tenant AND m.principal = p.id
  LEFT JOIN principal n ON n.tenant = p.tenant AND n.id = m.same_person_as`;

/** A row of {@link IDENTITY_COLUMNS}. */
export interface IdentityRow {
  readonly id: string | null;
  readonly issuer: string | null;
  readonly subject: string | null;
  /** The signed text of the membership. */
  readonly record: string | null;
  readonly namedIssuer: string | null;
  readonly namedSubject: string | null;
}

export interface KnownPerson {
  readonly person: Digest;
  readonly membership: MembershipConfigured | null;
  /** The signed text of the membership. */
  readonly record: string | null;
}

/** Null where there is no identity, or where the signed text does not verify or is of another person (protocol §18.2). */
export function knownPerson(row: IdentityRow, tenant: string, trust: Trust): KnownPerson | null {
  const [issuer, subject] =
    row.namedIssuer === null || row.namedSubject === null
      ? [row.issuer, row.subject]
      : [row.namedIssuer, row.namedSubject];
  if (row.id === null || issuer === null || subject === null) return null;
  const person = personDigest({ issuer, subject, tenant });
  if (row.record === null) return { person, membership: null, record: null };
  try {
    const membership = verifiedMembership(row.record, { tenant, principal: row.id }, trust);
    return membership.person === person ? { person, membership, record: row.record } : null;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

export const PERSON_STATEMENTS = statements('persons', {
  identity: `SELECT t.directory_revision, ${IDENTITY_COLUMNS} FROM tenant t
  LEFT JOIN principal p ON p.tenant = t.tenant AND p.kind = 'human' AND p.id = :id
  ${IDENTITY_JOINS} WHERE t.tenant = $1`,
});

/** The persons of human principals, at one directory revision. */
export class Persons {
  readonly #known = new RevisionCache<KnownPerson | null>(10_000);

  constructor(
    private readonly pool: Pool,
    private readonly trust: Trust,
  ) {}

  /** Throws `identity_uncertain` for a principal whose person is not certain to be known. */
  async of(tenant: string, id: string, revision: number): Promise<KnownPerson> {
    const known = await this.#known.of([tenant, id], revision, async () => {
      const row = await askOne<IdentityRow & { directory_revision: number }>(
        this.pool,
        PERSON_STATEMENTS.identity,
        { tenant, id },
      );
      return (
        row && { revision: row.directory_revision, value: knownPerson(row, tenant, this.trust) }
      );
    });
    if (known === null) throw new Refusal('identity_uncertain');
    return known;
  }

  /** The person alone; null where that is not certain to be known. */
  async digestOf(tenant: string, id: string, revision: number): Promise<Digest | null> {
    try {
      return (await this.of(tenant, id, revision)).person;
    } catch (error) {
      if (error instanceof Refusal) return null;
      throw error;
    }
  }
}
