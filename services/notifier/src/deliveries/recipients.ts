import type { Principal } from '@countersign/database';
import type { MailChoice, RequestChangedEvent } from '@countersign/protocol';

/** Whom a mail about an event goes to; null: no mail. */
export type MailTo = 'reviewers' | 'voters' | 'requester' | 'operators' | null;

/**
 * Protocol §11.6: creations and reminders go to the reviewers; a vote, if it opens a stage, to those with a seat there; a decision, an open grant and an early deletion to the
 * requester; an execution whose outcome is overdue to those humans who are operators (R23). `discarded` = deleted on demand
 * (`request.discard`); deletions by retention are not mailed.
 */
export function mailTo(
  event: Pick<RequestChangedEvent, 'reason' | 'state'>,
  discarded: boolean,
): MailTo {
  switch (event.reason) {
    case 'created':
    case 'reminder':
      return 'reviewers';
    case 'approval':
      return 'voters';
    case 'decision':
      return 'requester';
    case 'anchor_accepted':
      return event.state.grant === 'available' ? 'requester' : null;
    case 'material_deleted':
      return discarded ? 'requester' : null;
    case 'reconciliation_due':
      return 'operators';
    default:
      return null;
  }
}

/** Whether a person who chose this gets such a mail by itself; one who never chose gets every mail at once. */
export function wantsMail(chosen: MailChoice | undefined, to: MailTo): boolean {
  switch (to) {
    case 'reviewers':
    case 'voters':
      return (chosen ?? 'at_once') === 'at_once';
    case 'requester':
      return chosen !== 'none';
    // An outcome that is missing concerns more than its reader.
    case 'operators':
      return true;
    default:
      return false;
  }
}

type Addressee = Pick<Principal, 'kind' | 'enabled' | 'config'>;

/** The mail address of a principal: an enabled human with a verified address, else null. */
export function addressOf(principal: Addressee | null): string | null {
  if (principal === null || principal.kind !== 'human' || !principal.enabled) return null;
  const { email, email_verified: verified } = principal.config;
  return verified === true && email !== undefined ? email : null;
}

/** The ids of those who get a mail: each address once, however many principals have it. */
export function recipientsOf(principals: readonly (Principal | null)[]): string[] {
  const byAddress = new Map<string, string>();
  for (const principal of principals) {
    const address = addressOf(principal)?.toLowerCase();
    if (principal === null || address === undefined || byAddress.has(address)) continue;
    byAddress.set(address, principal.id);
  }
  return [...byAddress.values()];
}
