import type { LapseReason } from './errors.js';

/** The state of the request, as the service proved it. */
export interface Ledger {
  readonly decision: 'pending' | 'confirmed' | 'cancelled' | 'expired' | 'superseded';
  /** Whether the receipt says `authorise`; null without a receipt. */
  readonly authorises: boolean | null;
  readonly grant:
    | 'not_applicable'
    | 'none'
    | 'pending_anchor'
    | 'available'
    | 'expired'
    | 'revoked'
    | 'consumed';
  /** `claimed_at` in epoch milliseconds. */
  readonly claim: { readonly identity: string; readonly at: number } | null;
  readonly isSettled: boolean;
}

/** What this process has and knows itself. */
export interface Own {
  /** The identity that it may act under: made by this process, or taken over under an exclusive hold of a durable journal. */
  readonly identity: string | null;
  /**
   * `free`: not asked for. `held`: this process alone acts for the occurrence, by the hold of a durable journal or because
   * no other process knows the identity. `taken`: another process does.
   */
  readonly hold: 'free' | 'held' | 'taken';
  /**
   * `none`: never sent. `sent`: an earlier attempt, in this journal or in this process, had no answer. `admitted`: the permit
   * is this process's own. `refused`: there is none for this process. `over`: likewise, and no other copy can have one.
   * `unexplained`: the permit is there and nothing of ours asked for it. `elsewhere`: it was sent, by a journal that this one
   * is a copy of.
   */
  readonly launch: 'none' | 'sent' | 'admitted' | 'refused' | 'over' | 'unexplained' | 'elsewhere';
  /** Whether the local deadline and the window are open. */
  readonly inTime: boolean;
  /** Whether the fence was passed before this process came. */
  readonly isFenced: boolean;
  /** Whether the process that passed it is proven to be gone. */
  readonly isDead: boolean;
  /** Whether the end is known. */
  readonly hasEnd: boolean;
  /** Whether the caller gave up. */
  readonly isAborted: boolean;
  readonly probe: 'none' | 'unasked' | 'unknown';
  /** Whether this process revoked the request, and that was acknowledged. */
  readonly hasRevoked: boolean;
}

/** What the newest export says of the launch permit. `unread`: not read, or before the revocation. */
export type Permit = 'unread' | 'none' | { readonly checkedAt: number };

export interface Facts {
  /** Epoch milliseconds of the service, never later than its clock. */
  readonly now: number;
  readonly ledger: Ledger | null;
  readonly own: Own;
  readonly permit: Permit;
  /** How long a claim of another process may have no permit. */
  readonly foreignMs: number;
  /** The window of the execution, and what is added to it before its process counts as gone. */
  readonly windowMs: number;
  readonly marginMs: number;
}

export type Step =
  | { readonly do: 'ask' | 'wait' | 'hold' | 'claim' | 'launch' | 'start' | 'report' }
  | { readonly do: 'cancel' | 'look' | 'revoke' | 'probe' | 'uncertain' | 'settled' | 'refused' }
  | { readonly do: 'lapsed'; readonly why: LapseReason }
  /** A launch that the service knows nothing of any more: there is nothing to report it to. */
  | { readonly do: 'unknown' }
  /** Wait for the outcome of another process, `until` that time of the service. */
  | { readonly do: 'follow'; readonly until: number };

/**
 * What to do next for an occurrence (docs/guard.md). The function of the user is started by the step `start` alone, and that
 * needs the identity, the hold, the launch permit, and a fence that was not passed before.
 */
export function next(facts: Facts): Step {
  const { ledger, own } = facts;
  if (ledger === null) return { do: 'ask' };
  if (ledger.isSettled) return { do: 'settled' };
  // Also without a claim: a service that was restored may have lost it, and the end stays an end.
  if (own.hasEnd) return { do: 'report' };
  if (ledger.claim === null) return beforeClaim(ledger, own, facts.now);
  const isOwn = own.identity === ledger.claim.identity;
  if (!isOwn) return unlaunchedBefore(facts, ledger.claim.at);
  if (own.hold === 'free') return { do: 'hold' };
  if (own.hold === 'taken') return unlaunchedBefore(facts, ledger.claim.at);
  return withOwnClaim(facts, ledger.claim.at);
}

/** A request without a claim: none was made, or a service that was restored has lost it. */
function beforeClaim(ledger: Ledger, own: Own, now: number): Step {
  const step = byDecision(ledger, own, now);
  if (step.do !== 'lapsed' || own.identity === null) return step;
  // This journal was about to claim: only under its hold is it known whether it launched.
  if (own.hold === 'free') return { do: 'hold' };
  if (own.hold === 'taken') return { do: 'follow', until: now };
  return own.isFenced ? { do: 'unknown' } : step;
}

function byDecision({ decision, authorises, grant }: Ledger, own: Own, now: number): Step {
  switch (decision) {
    case 'pending':
      return { do: 'wait' };
    case 'cancelled':
    case 'expired':
    case 'superseded':
      return { do: 'lapsed', why: decision };
    case 'confirmed':
      break;
  }
  if (authorises !== true) return { do: 'refused' };
  switch (grant) {
    case 'pending_anchor':
      return { do: 'wait' };
    case 'available':
      if (own.hold === 'taken') return { do: 'follow', until: now };
      return own.hold === 'free' ? { do: 'hold' } : { do: 'claim' };
    case 'expired':
      return { do: 'lapsed', why: 'grant_expired' };
    default:
      return { do: 'lapsed', why: 'revoked' };
  }
}

function withOwnClaim(facts: Facts, claimedAt: number): Step {
  const { own, permit } = facts;
  if (own.isFenced) return unseen(facts);
  switch (own.launch) {
    case 'admitted':
      return { do: own.inTime && !own.isAborted ? 'start' : 'cancel' };
    case 'refused':
      // Another copy of the identity may have launched: only the export shows it.
      if (permit === 'unread') return { do: 'look' };
      return permit === 'none' ? { do: 'cancel' } : unseen(facts);
    case 'over':
      return { do: 'cancel' };
    case 'unexplained':
      return unseen(facts);
    case 'elsewhere':
      return unlaunchedBefore(facts, claimedAt);
    case 'none':
      if (!own.isAborted) return { do: 'launch' };
      if (permit === 'unread') return { do: 'look' };
      return permit === 'none' ? { do: 'cancel' } : unseen(facts);
    case 'sent':
      return { do: 'launch' };
  }
}

/** A claim that another process may launch: proves that it did not, or waits for its end. */
function unlaunchedBefore(facts: Facts, claimedAt: number): Step {
  const { now, own, permit, foreignMs } = facts;
  if (now < claimedAt + foreignMs) return { do: 'follow', until: claimedAt + foreignMs };
  if (permit === 'unread') return { do: 'look' };
  if (permit !== 'none') return unseen(facts);
  // Only a look after the revocation proves anything: no permit can follow it.
  return { do: own.hasRevoked ? 'cancel' : 'revoke' };
}

/** A launch whose end was not seen. */
function unseen(facts: Facts): Step {
  const { now, own, permit, windowMs, marginMs } = facts;
  if (!own.isDead) {
    if (permit === 'unread') return { do: 'look' };
    // A launch without a permit is none of this service's: nothing that can be read explains it.
    if (permit === 'none') return { do: 'uncertain' };
    const until = permit.checkedAt + windowMs + marginMs;
    if (now < until) return { do: 'follow', until };
  }
  return { do: own.probe === 'unasked' ? 'probe' : 'uncertain' };
}
