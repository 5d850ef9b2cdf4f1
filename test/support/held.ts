import { randomUUID } from 'node:crypto';

/** The database as its owner. */
interface Owner {
  query(text: string, values: unknown[]): Promise<unknown>;
}

/** Holds requests as the operation does, without its record; gives the hold's id. `forTime`: an interval of Postgres. */
export async function hold(
  database: Owner,
  tenant: string,
  requests: readonly string[],
  forTime = '1 year',
): Promise<string> {
  const id = randomUUID();
  await database.query(
    `WITH h AS (
       INSERT INTO hold (tenant, id, revision, reference, until, set_by, set_by_person, set_at)
       VALUES ($1, $2, 1, 'case 17', clock_timestamp() + $4::interval, 'custodian-1', 'p', clock_timestamp())
       RETURNING tenant, id, until
     ) INSERT INTO hold_item (tenant, request_id, hold_id, until)
       SELECT h.tenant, r.id, h.id, h.until FROM h, unnest($3::uuid[]) AS r (id) ORDER BY r.id`,
    [tenant, id, requests, forTime],
  );
  return id;
}

/** Lifts a hold as the operation does, without its record: at a time that has come, which a rounded one may not have. */
export async function lift(database: Owner, holdId: string): Promise<void> {
  await database.query(
    `WITH h AS (
       UPDATE hold SET lifted_by = 'custodian-2', lifted_at = date_trunc('milliseconds', clock_timestamp()) WHERE id = $1 RETURNING tenant, id, lifted_at
     ) UPDATE hold_item i SET lifted_at = h.lifted_at FROM h WHERE i.tenant = h.tenant AND i.hold_id = h.id`,
    [holdId],
  );
}
