import { Refusal } from '../errors.js';
import { requirePending } from './pending.js';
import type { Lifecycle } from './state.js';
import { step } from './transition.js';
import type { Transition } from './transition.js';

const DAY_MS = 86_400_000;

/** `notifier.remind`: at most one reminder in 86400 s, a superseding request inherits the time. */
export function remind(state: Lifecycle, now: number): Transition {
  const pending = requirePending(state, now);
  if (state.remindedAt !== null && now - state.remindedAt < DAY_MS) {
    throw new Refusal('reminder_limit', {
      retryAfter: Math.ceil((state.remindedAt + DAY_MS - now) / 1000),
    });
  }
  return step(pending, 'reminder', { remindedAt: now });
}
