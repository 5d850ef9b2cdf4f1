import { placed } from '@countersign/database';

/**
 * CTEs of what a transition that ends the time of private material takes away beside the material, also where a legal hold keeps
 * that: stored candidate answers are cleared, mail that was not sent yet is not sent. `request`: SQL of the request's id.
 */
export const withoutMaterial = (request: string): readonly string[] => [
  `y AS (UPDATE idempotency SET result = NULL
    FROM l ${placed('idempotency', 'k', `x.request_id = ${request}::uuid AND x.operation = 'review.propose:' || ${request}`)}
    WHERE idempotency.ctid = k.at)`,
  `s AS (UPDATE delivery SET state = 'expired' FROM l ${placed('delivery', 'k', `x.request_id = ${request}::uuid ORDER BY x.created_at DESC`)}
    WHERE delivery.ctid = k.at AND delivery.kind = 'smtp' AND delivery.state = 'pending'
      AND delivery.claim_id IS NULL)`,
];

/**
 * CTEs of a transition that deletes private material (protocol §11.2), by `request.discard` and by the deletion worker:
 * material, candidates and their readings go, and the room is free.
 */
export const DISCARDING: readonly string[] = [
  `m AS (DELETE FROM material USING l WHERE material.tenant = $1 AND material.request_id = $3::uuid
    RETURNING material.bytes)`,
  `c AS (DELETE FROM candidate USING l WHERE candidate.tenant = $1 AND candidate.request_id = $3::uuid)`,
  `f AS (DELETE FROM reading USING l WHERE reading.tenant = $1 AND reading.request_id = $3::uuid)`,
  `w AS (INSERT INTO retained AS x (tenant, scope, subject, bytes)
    SELECT $1, 'owner', g.owner, -m.bytes FROM m, lifecycle g WHERE g.tenant = $1 AND g.request_id = $3::uuid
    ON CONFLICT (tenant, scope, subject, slot) DO UPDATE SET bytes = x.bytes + EXCLUDED.bytes)`,
  ...withoutMaterial('$3'),
];
