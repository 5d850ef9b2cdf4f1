import { SECONDS } from '@countersign/protocol';
import { inSpan } from '@countersign/platform';
import type { DueItem, Effect, WorkerRuntime } from '@countersign/platform';
import type { ChatChannel } from '../chat/channel.js';
import { chatMessage } from '../chat/message.js';
import type { NoticeStore } from '../store/notices.js';
import { WebhookFailure } from '../webhook/sender.js';
import type { SendWebhook } from '../webhook/sender.js';
import { faultOf, pauseMs } from './fault.js';

export interface NoticeDeps {
  readonly notices: NoticeStore;
  readonly channels: readonly ChatChannel[];
  readonly sendChat: SendWebhook;
  readonly origin: string;
}

/** A receiver that wants to be left alone longer is asked after this. */
const LONGEST_PAUSE_MS = 3_600_000;

/**
 * One notice to one channel of Slack or Teams, about everything that is new since the last one. It is tried for 24 hours
 * (protocol §11.4), with the receiver's own pause where it names one.
 */
export async function sendNotice(
  { log, metrics }: WorkerRuntime,
  { notices, channels, sendChat, origin }: NoticeDeps,
  item: DueItem,
  signal: AbortSignal,
): ReturnType<Effect> {
  const notice = await notices.load(item);
  if (notice === null || notice.nextAt === null || notice.nextAt > notice.now) return 'later';
  const { tenant, now } = notice;
  const channel = channels.find((each) => each.tenant === tenant && each.name === notice.channel);
  const isTooOld = now >= notice.since + SECONDS.deliveryWindow * 1000;
  if (channel === undefined || isTooOld) {
    log.warn({ tenant, channel: notice.channel, configured: !isTooOld }, 'notice dropped');
    await notices.drop(notice);
    return 'later';
  }
  const claim = await notices.claim(notice);
  if (claim === null) return 'later';
  const { attempts, news } = claim;
  const waiting = await notices.waiting(channel);
  // All decided meanwhile.
  if (waiting === null) {
    await notices.told(notice, claim);
    return 'later';
  }
  try {
    const body = chatMessage(channel, { ...waiting, news }, origin);
    const attributes = { 'server.address': new URL(channel.url).hostname };
    await inSpan('chat notice', { kind: 'client', attributes }, () =>
      sendChat(channel.url, {}, body, signal),
    );
  } catch (error) {
    metrics.failed();
    log.warn(
      { tenant, channel: channel.name, kind: 'chat', attempts, fault: faultOf(error) },
      'not delivered',
    );
    const asked = error instanceof WebhookFailure ? (error.retryAfterMs ?? 0) : 0;
    const pause = Math.max(pauseMs(attempts), Math.min(asked, LONGEST_PAUSE_MS));
    await notices.retry(notice, claim, pause);
    return 'later';
  }
  await notices.told(notice, claim);
  return { lateMs: now - notice.nextAt };
}
