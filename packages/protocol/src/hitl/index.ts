export {
  HITL_POLL_SECONDS,
  hitlPollText,
  hitlRetryAfter,
  humanInputRequired,
  isHitlPending,
} from './handover.js';
export type { HitlCase } from './handover.js';
