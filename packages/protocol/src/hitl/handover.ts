import { HITL_VERSION } from '../constants.js';
import { Refusal } from '../errors.js';
import { textDigest } from '../json/canonical.js';
import { asJsonText, jsonText } from '../json/text.js';
import type { JsonText } from '../json/text.js';
import type { JsonValue } from '../json/value.js';
import { effective } from '../lifecycle/apply-due.js';
import type { AuditState, Lifecycle } from '../lifecycle/state.js';
import { materialReadable } from '../lifecycle/state.js';
import type { HitlHandover, HitlPoll, HumanInputRequired } from '../records/hitl.js';
import type { DecisionCandidate, DecisionReceipt } from '../records/review.js';
import { isClosedEmptyObject } from '../response-schema/check.js';
import { hitlFormFields } from './form.js';

/** The default for a review without an answer (R19): the machine does not act. */
const DEFAULT_ACTION = 'abort';

/** Seconds between two polls (`/.well-known/hitl.json`, Retry-After). */
export const HITL_POLL_SECONDS = { least: 1, recommended: 30 } as const;

/** A request of purpose review, as the human-in-the-loop protocol sees it. Times are epoch milliseconds. */
export interface HitlCase {
  readonly id: string;
  /** Of the service, without a trailing slash. */
  readonly origin: string;
  readonly summary: string;
  readonly acceptedAt: number;
  readonly now: number;
  /** As it is stored; deadlines due by `now` are applied here. */
  readonly lifecycle: Lifecycle;
  /** As the status shows it. */
  readonly audit: AuditState;
  /** When it was cancelled or superseded, else null. */
  readonly cancelledAt: number | null;
  /** Text of the signed receipt, else null. */
  readonly receipt: string | null;
  /** Text of the confirmed candidate, null once it is deleted. */
  readonly candidate: string | null;
}

export function isHitlPending({ lifecycle, now }: Pick<HitlCase, 'lifecycle' | 'now'>): boolean {
  return effective(lifecycle, now).decision === 'pending';
}

/** Whole seconds for Retry-After: as recommended, sooner when the review ends sooner. */
export function hitlRetryAfter({ lifecycle, now }: Pick<HitlCase, 'lifecycle' | 'now'>): number {
  const left = Math.ceil((lifecycle.reviewDeadline - now) / 1000);
  return Math.max(HITL_POLL_SECONDS.least, Math.min(HITL_POLL_SECONDS.recommended, left));
}

/** `request.hitl` while a review is pending: the question, the address and the deadline for a human (protocol §13, R19). */
export function humanInputRequired(found: HitlCase, responseSchema: JsonValue): HumanInputRequired {
  const { id, origin, summary, lifecycle } = found;
  const asked = {
    spec_version: HITL_VERSION,
    case_id: id,
    review_url: `${origin}/review/${id}`,
    poll_url: `${origin}/v2/hitl/${id}/poll`,
    prompt: summary,
    timeout: `PT${secondsOf(lifecycle.reviewDeadline - found.acceptedAt)}S`,
    default_action: DEFAULT_ACTION,
    created_at: timestamp(found.acceptedAt),
    expires_at: timestamp(lifecycle.reviewDeadline),
  } as const;
  const hitl: HitlHandover = isClosedEmptyObject(responseSchema)
    ? { ...asked, type: 'approval' }
    : {
        ...asked,
        type: 'input',
        context: { form: { fields: hitlFormFields(responseSchema) } },
      };
  return {
    status: 'human_input_required',
    message: `A human has to answer at ${asked.review_url} before ${asked.expires_at}.`,
    hitl,
  };
}

/**
 * `request.hitl-poll`, and `request.hitl` once it is decided, as JSON text: receipt and response are spliced in as they
 * were signed and frozen.
 */
export function hitlPollText(found: HitlCase): JsonText<HitlPoll> {
  const { id, lifecycle, now } = found;
  const { decision } = effective(lifecycle, now);
  if (decision === 'confirmed') return completedText(found);
  const open = {
    case_id: id,
    created_at: timestamp(found.acceptedAt),
    expires_at: timestamp(lifecycle.reviewDeadline),
  };
  if (decision === 'pending') return jsonText<HitlPoll>({ ...open, status: 'pending' });
  if (decision === 'expired') {
    const expired_at = timestamp(expiredAt(lifecycle));
    return jsonText<HitlPoll>({
      ...open,
      status: 'expired',
      expired_at,
      default_action: DEFAULT_ACTION,
    });
  }
  const cancelled_at = timestamp(found.cancelledAt ?? lifecycle.reviewDeadline);
  const reason = lifecycle.invalidated ?? decision;
  return jsonText<HitlPoll>({ ...open, status: 'cancelled', cancelled_at, reason });
}

/**
 * A review ends by its deadline, even if no process has applied it yet; or when its material was deleted before that, which
 * is the only thing that moves the time of deletion of an undecided request.
 */
function expiredAt({ reviewDeadline, privateDeleteAt }: Lifecycle): number {
  return Math.min(reviewDeadline, privateDeleteAt);
}

function completedText(found: HitlCase): JsonText<HitlPoll> {
  const { id, receipt, audit, lifecycle, now } = found;
  if (receipt === null) throw new Refusal('material_integrity_mismatch');
  const { payload } = JSON.parse(receipt) as { payload: DecisionReceipt };
  const available = materialReadable(lifecycle, now);
  const response = available ? confirmedResponse(found, payload) : 'null';
  return asJsonText(
    `{"case_id":"${id}","status":"completed","completed_at":"${payload.confirmed_at}"` +
      `,"result":{"action":"${payload.decision}","data":{"response":${response},"proto_receipt":${receipt}` +
      `,"audit_state":"${audit}","material_available":${available}}}}`,
  );
}

/** The response that the receipt was signed over, as canonical text; no other is ever returned. */
function confirmedResponse({ candidate }: HitlCase, receipt: DecisionReceipt): string {
  const { response_canonical } = (
    candidate === null ? {} : JSON.parse(candidate)
  ) as Partial<DecisionCandidate>;
  if (
    response_canonical === undefined ||
    textDigest(response_canonical) !== receipt.response_digest
  ) {
    throw new Refusal('material_integrity_mismatch');
  }
  return response_canonical;
}

/** Rounded up, at least 1 (protocol §13). */
function secondsOf(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000));
}

function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
