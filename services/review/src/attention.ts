import {
  Refusal,
  areRight,
  attentionOf,
  isAllTyped,
  isNo,
  requireRead,
} from '@countersign/protocol';
import type {
  ApprovalRecord,
  Attention,
  AttentionPolicy,
  JsonValue,
  ApprovalInput,
  Digest,
  OfferInput,
} from '@countersign/protocol';
import { StaleRead } from '@countersign/database';
import type { ApprovedRequest } from './approved-request.js';
import type { ReviewDeps } from './deps.js';
import { offeredStatement } from './signed-votes.js';
import type { OfferedVote } from './signed-votes.js';

// Attention of a yes, where the policy of the request asks for it (protocol §18.12). A no is never asked for any.

/** What the policy of the request asks of this vote; null where it asks for nothing. */
export function attentionAsked(
  { request }: Pick<ApprovedRequest, 'request'>,
  { decision }: Pick<ApprovalRecord, 'decision'>,
): AttentionPolicy | null {
  return isNo(decision) ? null : attentionOf(request);
}

interface Given {
  readonly attention: Attention;
  /** Of the document. */
  readonly characters: number;
  readonly now: number;
}

/**
 * The attention that a yes has had, and the time at which it is offered. Throws `attention_required` while it is not enough,
 * and `rate_limited`.
 */
export async function attentionGiven(
  { readings, attention }: ReviewDeps,
  stored: ApprovedRequest,
  { person, candidate_digest: candidate }: ApprovalRecord,
  policy: AttentionPolicy,
  { typed = [], client }: OfferInput,
): Promise<Given> {
  const { tenant, id } = stored;
  await readings.note(stored, [candidate], async () => person);
  const read = await attention.reading(tenant, { request_id: id, person, candidate });
  if (read === undefined || read.candidateAt === null || read.characters === null) {
    throw new StaleRead('review.reading');
  }
  const { materialAt, candidateAt, characters, now } = read;
  const reading = { materialAt, candidateAt, characters };
  requireRead(policy, reading, now);
  if (!isAllTyped(policy, typed)) {
    const detail = 'Type each value that the policy names.';
    throw new Refusal('attention_required', { detail });
  }
  if (typed.length > 0) {
    const isRight = await attention.attempt(tenant, person, async () => {
      const payload = await attention.payload(tenant, id);
      return payload !== null && areRight(typed, JSON.parse(payload) as JsonValue);
    });
    if (!isRight) {
      const detail = 'A typed value is not the one in the material.';
      throw new Refusal('attention_required', { detail });
    }
  }
  const first = materialAt as number;
  return {
    attention: {
      tier: policy.tier,
      material_first_read_at: new Date(first).toISOString(),
      candidate_first_read_at: new Date(candidateAt).toISOString(),
      read_ms: now - first,
      typed: policy.typed.map(({ pointer }) => pointer),
      client: client ?? { document_end: false, payload_opened: false },
    },
    characters,
    now,
  };
}

/**
 * The offer that a vote without a signature takes; null for one that needs none. Throws `offer_expired` for a yes without one
 * where the policy asks for attention, and `invalid_ApprovalInput` for what the policy does not ask for: it would count for
 * nothing.
 */
export async function offeredVote(
  deps: ReviewDeps,
  stored: ApprovedRequest,
  record: ApprovalRecord,
  { offer, assertion }: ApprovalInput,
  now: number,
): Promise<OfferedVote | null> {
  const takesOffers = attentionOf(stored.request) !== null;
  if (assertion !== undefined || (offer !== undefined && !takesOffers)) {
    throw new Refusal('invalid_ApprovalInput');
  }
  if (offer === undefined) {
    if (attentionAsked(stored, record) !== null) throw new Refusal('offer_expired');
    return null;
  }
  const { attention, characters } = await offeredStatement(deps, stored, record, offer, now);
  return { attention, characters, statementDigest: offer as Digest };
}
