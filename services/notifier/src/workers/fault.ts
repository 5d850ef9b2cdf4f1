import { MailTimeout } from '../mail/mailer.js';
import { WebhookFailure } from '../webhook/sender.js';

/** Messages of servers and libraries quote addresses: of theirs only the code is logged. */
export function faultOf(error: unknown): string {
  if (error instanceof WebhookFailure || error instanceof MailTimeout) return error.message;
  const { code, name } = error as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : String(name);
}

/** Until the next attempt after so many failed ones (protocol §11.4), milliseconds. */
export function pauseMs(attempts: number): number {
  return Math.min(3600, 2 ** Math.min(attempts, 12)) * 1000;
}
