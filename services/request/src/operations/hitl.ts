import {
  Refusal,
  effective,
  hitlPollText,
  hitlRetryAfter,
  humanInputRequired,
  isHitlPending,
  jsonText,
  textDigest,
} from '@countersign/protocol';
import type { HitlCase, HitlPoll, JsonValue } from '@countersign/protocol';
import { openRequest } from '@countersign/database';
import { answer } from '@countersign/platform';
import type { Answer, OperationAnswer, OperationHandler } from '@countersign/platform';
import type { RequestDeps } from '../deps.js';
import { tenantInConflict } from '../status-view.js';

/** A case, and the response schema of one that is pending. */
interface Opened {
  readonly found: HitlCase;
  readonly schema: () => JsonValue;
}

/**
 * `request.hitl`: 202 with the question for a human while the review is pending, afterwards the answer of
 * `request.hitl-poll` (protocol §13, R19).
 */
export function hitl(deps: RequestDeps): OperationHandler<'request.hitl'> {
  return hitlOperation(deps, ({ found, schema }) =>
    isHitlPending(found)
      ? answer(202, jsonText(humanInputRequired(found, schema())), retryAfter(found))
      : pollAnswer(found),
  );
}

/** `request.hitl-poll`: how the review stands. */
export function hitlPoll(deps: RequestDeps): OperationHandler<'request.hitl-poll'> {
  return hitlOperation(deps, ({ found }) => pollAnswer(found));
}

/**
 * Read as a status is (`request.status`): only the integrity of the returned parts is checked, so a damaged bundle hides no
 * decision.
 */
function hitlOperation<Name extends 'request.hitl' | 'request.hitl-poll'>(
  deps: RequestDeps,
  tell: (opened: Opened) => OperationAnswer<Name>,
): OperationHandler<Name> {
  return async ({ caller, id }) => {
    const asked = await deps.requests.hitl(caller, id);
    const { row: loaded, visible } = await openRequest(deps.directory, caller, asked, '');
    const { request, lifecycle } = await visible();
    if (request.purpose !== 'review') throw new Refusal('hitl_review_only');
    const found: HitlCase = {
      id,
      origin: deps.notary.origin,
      summary: request.summary,
      acceptedAt: loaded.accepted_at,
      now: loaded.now,
      lifecycle,
      audit: tenantInConflict(loaded.fence_reason)
        ? 'conflict'
        : effective(lifecycle, loaded.now).audit,
      cancelledAt: loaded.cancelled_at,
      receipt: loaded.receipt,
      candidate: loaded.candidate,
    };
    return tell({
      found,
      schema: () => intactSchema(loaded.response_schema, request.review.response_schema_digest),
    });
  };
}

function intactSchema(text: string | null, digest: string): JsonValue {
  if (text === null || textDigest(text) !== digest) {
    throw new Refusal('material_integrity_mismatch');
  }
  return JSON.parse(text) as JsonValue;
}

function pollAnswer(found: HitlCase): Answer<HitlPoll, 200> {
  const body = hitlPollText(found);
  return isHitlPending(found) ? answer(200, body, retryAfter(found)) : answer(200, body);
}

function retryAfter(found: HitlCase): Record<string, string> {
  return { 'retry-after': String(hitlRetryAfter(found)) };
}
