import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { canonicalText, textDigest } from '@countersign/protocol';
import { requestBodies } from '../load/request-body.js';
import { get, post } from './ground.js';
import type { Ground, Headers } from './ground.js';

/** Requests of each kind for a thousand of the tenant: made by real calls and then copied. */
export const SHARES = {
  pending: 100,
  available: 100,
  completed: 300,
  approved: 200,
  cancelled: 100,
  expired: 100,
  superseded: 100,
} as const;
export type Kind = keyof typeof SHARES;

/**
 * One request of every kind, by the product itself, so that every row of it is as the product writes it. Resolves when
 * their records are chained and anchored.
 */
export async function makeTemplates(ground: Ground): Promise<Record<Kind, string>> {
  const ids = {
    pending: await create(ground, 'execution'),
    available: await decided(ground, 'execution', 'authorise'),
    completed: await decided(ground, 'execution', 'authorise'),
    approved: await decided(ground, 'review', 'approve'),
    cancelled: await create(ground, 'review'),
    expired: await create(ground, 'review'),
    superseded: await create(ground, 'execution'),
  };
  await send(ground, ground.producer.headers, `/${ids.cancelled}/cancel`, {});
  const replaced = await bodyOf(ground, ids.superseded);
  await send(ground, ground.producer.headers, `/${ids.superseded}/supersede`, replaced);
  await untilQuiet(ground);
  await complete(ground, ids.completed);
  await untilQuiet(ground);
  await ground.database.query(LONG_LIVED, [ground.tenant, Object.values(ids)]);
  await ground.database.query(EXPIRED, [ground.tenant, ids.expired]);
  return ids;
}

/** Open requests stay open for a day: nothing falls due while the bench runs. */
const LONG_LIVED = `
WITH d AS (
  UPDATE deadline SET due = l.accepted_at + CASE deadline.kind WHEN 'review' THEN interval '1 day'
      WHEN 'grant' THEN interval '1 day' ELSE interval '2 days' END
  FROM lifecycle l WHERE deadline.tenant = $1 AND deadline.request_id = ANY ($2::uuid[])
    AND l.tenant = $1 AND l.request_id = deadline.request_id
)
UPDATE lifecycle SET review_deadline = accepted_at + interval '1 day', private_delete_at = accepted_at + interval '2 days',
  grant_deadline = CASE WHEN grant_deadline IS NOT NULL THEN accepted_at + interval '1 day' END
WHERE tenant = $1 AND request_id = ANY ($2::uuid[])`;

/** As the worker leaves it, but for the event. */
const EXPIRED = `
WITH d AS (
  UPDATE deadline SET due = now() - interval '1 second', done_at = now()
  WHERE tenant = $1 AND request_id = $2 AND kind = 'review'
)
UPDATE lifecycle SET decision = 'expired', review_deadline = accepted_at + interval '1 second'
WHERE tenant = $1 AND request_id = $2`;

interface Status {
  readonly request: { readonly id: string; readonly execution?: unknown };
}

async function create(ground: Ground, purpose: 'review' | 'execution'): Promise<string> {
  const text = await send(ground, ground.producer.headers, '', inputOf(ground, purpose));
  const { request } = JSON.parse(text) as Status;
  return request.id;
}

function inputOf({ routes }: Ground, purpose: 'review' | 'execution'): object {
  const { body } = requestBodies(routes.execution)(`growth/${randomUUID()}`);
  const { execution, profiles, ...rest } = JSON.parse(body) as Record<string, unknown>;
  return purpose === 'execution'
    ? { ...rest, execution, profiles }
    : { ...rest, purpose: 'review', profiles: {}, route: routes.review };
}

async function decided(ground: Ground, purpose: 'review' | 'execution', decision: string) {
  const id = await create(ground, purpose);
  const { headers } = ground.reviewer;
  const response = { reason: 'Tests pass, the migration is harmless, roll-back is known.' };
  const text = await send(ground, headers, `/${id}/candidates`, { decision, response });
  await send(ground, headers, `/${id}/confirm`, {
    candidate_id: (JSON.parse(text) as { id: string }).id,
    // Candidates are answered in canonical form.
    candidate_digest: textDigest(text),
  });
  return id;
}

async function complete(ground: Ground, id: string): Promise<void> {
  const { headers } = ground.producer;
  const execution_identity = `run/${randomUUID()}`;
  const claim = await send(ground, headers, `/${id}/claims`, {
    execution_identity,
    execution_binding_digest: await bindingDigest(ground, id),
  });
  const { payload } = JSON.parse(claim) as { payload: { id: string } };
  const nonce = randomUUID().replaceAll('-', '');
  await send(ground, headers, `/${id}/admission`, {
    claim_id: payload.id,
    nonce,
    execution_identity,
  });
  const details = { version: '4.2.0', instances: 6 };
  await send(ground, headers, `/${id}/outcomes`, {
    execution_identity,
    status: 'completed',
    details,
  });
}

/** A request's own occurrence, as a supersession must have it. */
async function bodyOf(ground: Ground, id: string): Promise<object> {
  const text = await get(ground, `/v2/requests/${id}`, ground.producer.headers);
  const { request } = JSON.parse(text) as Status;
  return { ...inputOf(ground, 'execution'), execution: request.execution };
}

/** Digest of the canonical execution binding, as a claim has to name it. */
export async function bindingDigest({ database, tenant }: Ground, id: string): Promise<string> {
  const { rows } = await database.query<{ canonical: string }>(
    'SELECT canonical FROM request WHERE tenant = $1 AND id = $2',
    [tenant, id],
  );
  const { execution } = JSON.parse(rows[0]?.canonical ?? '{}') as Status['request'];
  return textDigest(canonicalText(execution));
}

/** `path` below the requests. */
async function send(ground: Ground, headers: Headers, path: string, body: object) {
  return post(ground, `/v2/requests${path}`, headers, JSON.stringify(body));
}

const QUIET_WITHIN_MS = 60_000;

/** Everything that was committed is chained, and every checkpoint anchored. */
export async function untilQuiet({ database, tenant }: Ground): Promise<void> {
  for (const end = Date.now() + QUIET_WITHIN_MS; ; await delay(50)) {
    const { rows } = await database.query<{ quiet: boolean }>(
      `SELECT NOT EXISTS (SELECT FROM outbox o WHERE o.tenant = h.tenant) AND h.checkpoint_sequence = h.sequence
         AND h.anchored_sequence = h.sequence AS quiet FROM ledger_head h WHERE h.tenant = $1`,
      [tenant],
    );
    if (rows[0]?.quiet === true) return;
    if (Date.now() > end) throw new Error('the ledger did not come to rest');
  }
}
