// A request is hidden when a legal hold keeps it past `audit_delete_at`: to everybody it is as one that was deleted (protocol §20.7).

/** SQL of whether a row of `lifecycle` is of a request that is not hidden. */
export const isShown = (alias: string): string => `${alias}.hidden IS NOT TRUE`;

/** SQL of whether the request with that id is hidden, by an index of those alone; a scalar, so that it is looked up by its key. */
export function isHiddenRequest(id: string): string {
  return `((SELECT true FROM lifecycle x WHERE x.tenant = $1 AND x.request_id = ${id} AND x.hidden LIMIT 1) IS NOT NULL)`;
}

/** SQL of the time until which a request is held, which has passed where its holds are over; null where it never was held. */
export function heldUntil(id: string): string {
  return `(SELECT max(least(h.until, h.lifted_at)) FROM hold_item h WHERE h.tenant = $1 AND h.request_id = ${id})`;
}

/** The database refused to delete what a legal hold keeps; as its error or as the refusal that it was made. */
export function isKept(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === 'CSQ04' || code === 'legal_hold';
}
