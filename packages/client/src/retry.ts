import type { Retry } from './generated/errors.js';
import type { Operation } from './operation.js';

/** How an attempt ended without the answer that the caller wants. */
export type Failure =
  /** Nothing was sent: no connection, no name, no TLS. */
  | { readonly kind: 'unsent' }
  /** Something may have been sent, and its answer is not known. */
  | { readonly kind: 'lost'; readonly retryAfter: number | null }
  /** Refused; `service_unavailable` is `lost`, because a gateway says so when it lost a service's reply. */
  | { readonly kind: 'refused'; readonly retry: Retry; readonly retryAfter: number | null };

const FIRST_MS = 250;
const LONGEST_MS = 20_000;
/** Not sooner, whatever chance says, when the service counts calls. */
const RATE_MS = 1_000;

/** Whether the call may be made again (docs/client.md). `lost`: how many of its answers were lost, this one included. */
export function mayRepeat({ method }: Operation, failure: Failure, lost: number): boolean {
  switch (failure.kind) {
    case 'unsent':
      return true;
    case 'lost':
      // A configuration without a key may have been changed by somebody else meanwhile.
      return method !== 'PUT' || lost < 2;
    case 'refused':
      return failure.retry === 'same' || failure.retry === 'after';
  }
}

/** Milliseconds before the next attempt, full jitter; `made`: attempts so far, `chance` from 0 to 1. */
export function pauseBefore(failure: Failure, made: number, chance: number): number {
  const pause = chance * Math.min(LONGEST_MS, FIRST_MS * 2 ** (made - 1));
  if (failure.kind === 'unsent') return pause;
  const floor = failure.kind === 'refused' && failure.retry === 'after' ? RATE_MS : 0;
  return Math.max(pause, floor, (failure.retryAfter ?? 0) * 1_000);
}

/** A client's retries: a tenth of its calls, and twenty at once. */
export interface RetryBucket {
  /** A call began. */
  add(): void;
  /** Whether one call may be made again. */
  take(): boolean;
}

const BURST = 20;

export function newRetryBucket(): RetryBucket {
  /** In tenths of a retry, so that they add up exactly. */
  let tenths = BURST * 10;
  return {
    add: () => {
      tenths = Math.min(BURST * 10, tenths + 1);
    },
    take: () => {
      if (tenths < 10) return false;
      tenths -= 10;
      return true;
    },
  };
}
