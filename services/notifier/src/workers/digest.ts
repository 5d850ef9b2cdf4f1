import { nextDigest, quietUntil } from '@countersign/protocol';
import type { Effect, WorkerRuntime } from '@countersign/platform';
import type { DueItem } from '@countersign/platform';
import { addressOf } from '../deliveries/recipients.js';
import { digestMessage } from '../mail/digest.js';
import { MailTimeout } from '../mail/mailer.js';
import type { SendMail } from '../mail/mailer.js';
import type { DigestStore } from '../store/digests.js';
import { faultOf, pauseMs } from './fault.js';

export interface DigestDeps {
  readonly digests: DigestStore;
  readonly sendMail: SendMail;
  readonly origin: string;
}

/**
 * One digest to one person. The claim moves the row to the next time before anything is sent: of a process that dies meanwhile,
 * and of a server that does not say whether it took the mail, no second one is sent for that time.
 */
export async function sendDigest(
  { log, metrics }: WorkerRuntime,
  { digests, sendMail, origin }: DigestDeps,
  item: DueItem,
  signal: AbortSignal,
): ReturnType<Effect> {
  const digest = await digests.load(item);
  if (digest === null || digest.nextAt === null || digest.nextAt > digest.now) return 'later';
  const { now, tenant, recipient, preferences } = digest;
  const next = nextDigest(preferences, now);
  const to = addressOf(digest.principal);
  if (!digest.planned || to === null) {
    await digests.plan(digest, next);
    return 'later';
  }
  // Late, for want of a worker or a mail server.
  const quiet = quietUntil(preferences, now);
  if (quiet !== null) {
    await digests.plan(digest, quiet);
    return 'later';
  }
  const waiting = await digests.waiting(digest);
  if (waiting.many === 0) {
    await digests.plan(digest, next);
    return 'later';
  }
  const claim = await digests.claim(digest, next);
  if (claim === null) return 'later';
  try {
    const messageId = `<${claim.id}@${new URL(origin).hostname}>`;
    const message = digestMessage(waiting, preferences, origin);
    await sendMail({ ...message, to, messageId, date: new Date(claim.now) }, signal);
  } catch (error) {
    metrics.failed();
    const { attempts } = claim;
    log.warn(
      { tenant, recipient, kind: 'digest', attempts, fault: faultOf(error) },
      'not delivered',
    );
    if (!(error instanceof MailTimeout)) {
      await digests.retry(digest, claim, claim.now + pauseMs(attempts));
    }
    return 'later';
  }
  await digests.sent(digest, claim);
  return { lateMs: now - digest.nextAt };
}
