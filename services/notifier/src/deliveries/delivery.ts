import type { Principal } from '@countersign/database';
import { SECONDS, quietUntil, valueDigest } from '@countersign/protocol';
import type {
  Digest,
  NotificationPreferences,
  RequestChangedEvent,
  SignedRecord,
} from '@countersign/protocol';
import { addressOf, mailTo, wantsMail } from './recipients.js';

/** Why something was not delivered (protocol §3.3). */
export type DeliveryError =
  | 'delivery_failed'
  | 'smtp_timeout'
  | 'destination_changed'
  | 'delivery_window_expired';

/** A delivery with the current directory and request. Times are epoch milliseconds. */
export interface Delivery {
  readonly id: string;
  readonly kind: 'smtp' | 'webhook';
  readonly state: 'pending' | 'accepted' | 'failed' | 'expired';
  readonly attempts: number;
  readonly createdAt: number;
  readonly nextAt: number;
  readonly tenant: string;
  readonly requestId: string;
  /** A principal's id. */
  readonly recipient: string;
  /** Null once its text is deleted. */
  readonly event: (SignedRecord & { payload: RequestChangedEvent }) | null;
  readonly summary: string;
  /** The requester's principal. */
  readonly requester: string;
  /** Whether the private material can still be read. */
  readonly retained: boolean;
  readonly principal: Pick<Principal, 'kind' | 'enabled' | 'config'> | null;
  /** Whether the request's route names the recipient as a reviewer. */
  readonly reviews: boolean;
  /** Whether the request still waits for a decision. */
  readonly pending: boolean;
  /** The recipient's choice of mails; null where none was made. */
  readonly preferences: NotificationPreferences | null;
}

/** The current destination; null when the recipient may no longer be notified. */
export function destinationOf(delivery: Delivery): string | null {
  const { kind, event, principal, recipient } = delivery;
  if (kind === 'webhook') return principal?.enabled ? (principal.config.webhook ?? null) : null;
  const reason = event?.payload.reason;
  const concerned =
    reason === 'reconciliation_due'
      ? principal?.config.operator === true
      : isForReviewers(reason)
        ? delivery.reviews
        : recipient === delivery.requester;
  return concerned ? addressOf(principal) : null;
}

/** Of destination and authority: another one means that either has changed. */
export function fingerprintOf(delivery: Delivery): Digest {
  return valueDigest({ destination: destinationOf(delivery), recipient: delivery.recipient });
}

function isForReviewers(reason: string | undefined): boolean {
  return reason === 'created' || reason === 'reminder' || reason === 'approval';
}

export type DeliveryDecision =
  | { readonly do: 'nothing' }
  | { readonly do: 'wait' }
  /** The recipient's quiet hours. */
  | { readonly do: 'postpone'; readonly until: number }
  /** It ends unsent. */
  | { readonly do: 'end'; readonly state: 'failed'; readonly error: DeliveryError }
  | { readonly do: 'end'; readonly state: 'expired'; readonly error: null }
  | { readonly do: 'send'; readonly destination: string; readonly fingerprint: Digest };

/** The next step for a delivery whose job came (protocol §11.2, §11.4). */
export function decideDelivery(delivery: Delivery, now: number): DeliveryDecision {
  if (delivery.state !== 'pending') return { do: 'nothing' };
  if (now < delivery.nextAt) return { do: 'wait' };
  if (isCancelled(delivery)) return { do: 'end', state: 'expired', error: null };
  if (now >= windowEnd(delivery)) {
    return { do: 'end', state: 'failed', error: 'delivery_window_expired' };
  }
  if (isUnwanted(delivery)) return { do: 'end', state: 'expired', error: null };
  const destination = destinationOf(delivery);
  if (destination === null) return { do: 'end', state: 'failed', error: 'destination_changed' };
  const { kind, preferences } = delivery;
  const quiet = kind === 'smtp' && preferences !== null ? quietUntil(preferences, now) : null;
  if (quiet !== null) return { do: 'postpone', until: quiet };
  return { do: 'send', destination, fingerprint: fingerprintOf(delivery) };
}

/** Private deletion cancels unsent mail, also mail created later, except the mail that reports the deletion. */
function isCancelled({ kind, event, retained }: Delivery): boolean {
  if (event === null) return true;
  return kind === 'smtp' && !retained && event.payload.reason !== 'material_deleted';
}

/** The choice was made after the mail, or the review that quiet hours postponed it for is over. */
function isUnwanted({ kind, event, preferences, pending }: Delivery): boolean {
  if (kind !== 'smtp' || event === null || preferences === null) return false;
  const isOver = isForReviewers(event.payload.reason) && !pending && preferences.quiet !== null;
  return isOver || !wantsMail(preferences.mails, mailTo(event.payload, true));
}

export interface Settlement {
  readonly state: 'pending' | 'accepted' | 'failed' | 'expired';
  readonly error: DeliveryError | null;
  /** When it is tried again; null when it is not. */
  readonly nextAt: number | null;
}

/**
 * The end of an attempt (protocol §11.4): a success counts in any case; a failure is retried unless destination or
 * authority changed or the mail was cancelled. `delivery` is as loaded after the attempt, and `now` is the time then; `attempts`
 * counts this one.
 */
export function settle(
  delivery: Delivery,
  attempt: {
    readonly attempts: number;
    readonly error: DeliveryError | null;
    readonly changed: boolean;
  },
  now: number,
): Settlement {
  const { attempts, error, changed } = attempt;
  if (error === null) return { state: 'accepted', error: null, nextAt: null };
  if (isCancelled(delivery)) return { state: 'expired', error: null, nextAt: null };
  if (changed) return { state: 'failed', error: 'destination_changed', nextAt: null };
  const pause = Math.min(3600, 2 ** Math.min(attempts, 12)) * 1000;
  // No later than the window's end, where it fails.
  return { state: 'pending', error, nextAt: Math.min(now + pause, windowEnd(delivery)) };
}

function windowEnd({ createdAt }: Pick<Delivery, 'createdAt'>): number {
  return createdAt + SECONDS.deliveryWindow * 1000;
}
