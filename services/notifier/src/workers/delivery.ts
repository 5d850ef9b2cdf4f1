import { setTimeout as delay } from 'node:timers/promises';
import { Approvers, Directory } from '@countersign/database';
import type { Pool, Traces } from '@countersign/database';
import { deadlineWorker, inSpan, recordedTraceparent } from '@countersign/platform';
import type { DueItem, Effect, Module, Notary, WorkerRuntime } from '@countersign/platform';
import type { Trust } from '@countersign/protocol';
import type { ChatChannel } from '../chat/channel.js';
import { fingerprintOf, decideDelivery, settle } from '../deliveries/delivery.js';
import type { DeliveryError } from '../deliveries/delivery.js';
import { MailTimeout } from '../mail/mailer.js';
import type { SendMail } from '../mail/mailer.js';
import { mailMessage } from '../mail/message.js';
import { DeliveryStore } from '../store/deliveries.js';
import type { Claim, LoadedDelivery } from '../store/deliveries.js';
import { DigestStore } from '../store/digests.js';
import { FeedStore } from '../store/feed.js';
import { NoticeStore } from '../store/notices.js';
import { webhookMessage } from '../webhook/message.js';
import type { SendWebhook } from '../webhook/sender.js';
import { sendDigest } from './digest.js';
import { faultOf } from './fault.js';
import { follower } from './follower.js';
import { sendNotice } from './notice.js';
import { oneAfterAnother } from './sources.js';

export interface DeliveryOptions {
  readonly pool: Pool;
  readonly notary: Notary;
  /** For signed texts that are read back. */
  readonly trust: Trust;
  /** To which traces events belong; null while tracing is off. */
  readonly traces: Traces | null;
  readonly sendWebhook: SendWebhook;
  /** Null where mail is not configured (any more). */
  readonly sendMail: SendMail | null;
  /** Channels of Slack and Teams, and how they are reached. */
  readonly channels: readonly ChatChannel[];
  readonly sendChat: SendWebhook;
}

interface DeliveryDeps extends DeliveryOptions {
  readonly deliveries: DeliveryStore;
}

/** How long sending may go on once the worker is asked to stop, and how long everything else may. */
const FINISH_MS = 7000;
const STOP_MS = 1000;

/**
 * The target `worker-delivery`: follows the chain, and sends due deliveries (protocol §11.4). A job is a hint: the row says
 * whether there is something to send, a claim gives it to one sender for five minutes, and nothing is locked meanwhile.
 */
export function deliveryWorker(
  runtime: WorkerRuntime,
  options: DeliveryOptions,
  onGrown: (handler: (tenant: string) => void) => Promise<void>,
): Module {
  const { pool, notary, traces, sendMail, channels } = options;
  const deps = { ...options, deliveries: new DeliveryStore(pool) };
  const digests = { ...options, digests: new DigestStore(pool), origin: notary.origin };
  const notices = { ...options, notices: new NoticeStore(pool), origin: notary.origin };
  const following = follower(runtime, {
    feed: new FeedStore(pool),
    directory: new Directory(pool),
    approvers: new Approvers(pool, options.trust),
    traces,
    mails: sendMail !== null,
    channels,
  });
  const givenBack = new AbortController();
  let stopping = false;
  const { signal } = givenBack;
  // Summaries for people and channels wait in rows of their own, and are sent as deliveries are.
  const parts = [
    ...(sendMail === null
      ? []
      : [
          {
            prefix: 'digest.',
            source: digests.digests,
            effect: (item: DueItem) => sendDigest(runtime, { ...digests, sendMail }, item, signal),
          },
        ]),
    {
      prefix: 'chat.',
      source: notices.notices,
      effect: (item: DueItem) => sendNotice(runtime, notices, item, signal),
    },
    {
      prefix: '',
      source: deps.deliveries,
      effect: (item: DueItem) => deliver(runtime, deps, item, signal),
    },
  ];
  const { source, effectOf } = oneAfterAnother(parts);
  const effect: Effect = async (item) => (stopping ? 'later' : effectOf(item));
  const worker = deadlineWorker({ ...runtime, source, effect });
  return {
    name: runtime.name,
    async start() {
      await worker.start();
      await onGrown((tenant) => following.wake(tenant));
      following.start();
    },
    // Takes nothing new. The queues wait for jobs under way: deliveries that are unsent by then are released for a retry,
    // rather than left to the end of their claim.
    async stop() {
      stopping = true;
      setTimeout(() => givenBack.abort(), FINISH_MS).unref();
      await Promise.race([
        Promise.all([following.stop(), worker.stop()]),
        delay(STOP_MS, undefined, { ref: false }),
      ]);
    },
  };
}

async function deliver(
  runtime: WorkerRuntime,
  deps: DeliveryDeps,
  item: DueItem,
  signal: AbortSignal,
): ReturnType<Effect> {
  const { deliveries } = deps;
  const delivery = await deliveries.load(item);
  if (delivery === null) return 'later';
  const decision = decideDelivery(delivery, delivery.now);
  const lateMs = delivery.now - delivery.nextAt;
  if (decision.do === 'nothing' || decision.do === 'wait') return 'later';
  if (decision.do === 'postpone') {
    await deliveries.postpone(delivery, decision.until);
    return 'later';
  }
  if (decision.do === 'end') {
    await deliveries.end(delivery, decision.state, decision.error);
    return { lateMs };
  }
  const claim = await (delivery.kind === 'smtp'
    ? deliveries.claimMail(delivery, decision.fingerprint)
    : deliveries.claim(delivery, decision.fingerprint));
  if (claim === null) return 'later';
  const error = await attempt(runtime, deps, delivery, claim, decision.destination, signal);
  if (error === 'delivery_failed' && delivery.kind === 'smtp') {
    await deliveries.giveBackMail(delivery, claim);
  }
  // The directory as it is now, and the time that it is after the attempt.
  const after = error === null ? delivery : ((await deliveries.load(item)) ?? delivery);
  const changed = fingerprintOf(after) !== decision.fingerprint;
  const { attempts } = claim;
  const settlement = settle(after, { attempts, error, changed }, after.now);
  await deliveries.settle(delivery, claim, settlement);
  if (settlement.state !== 'pending') return { lateMs };
  runtime.metrics.failed();
  return 'later';
}

/** Null when it was accepted. */
async function attempt(
  { log }: WorkerRuntime,
  deps: DeliveryDeps,
  delivery: LoadedDelivery,
  claim: Claim,
  destination: string,
  signal: AbortSignal,
): Promise<DeliveryError | null> {
  const { tenant, id, kind } = delivery;
  const parent = await traceOf(deps, delivery);
  try {
    if (kind === 'smtp') {
      await inSpan('mail', { kind: 'client', parent }, () =>
        mail(deps, delivery, claim, destination, signal),
      );
    } else {
      const attributes = { 'server.address': new URL(destination).hostname };
      await inSpan('webhook', { kind: 'client', parent, attributes }, ({ traceparent }) =>
        post(deps, delivery, claim, { destination, traceparent }, signal),
      );
    }
    return null;
  } catch (error) {
    const { attempts } = claim;
    log.warn({ tenant, delivery: id, kind, attempts, fault: faultOf(error) }, 'not delivered');
    return error instanceof MailTimeout ? 'smtp_timeout' : 'delivery_failed';
  }
}

/** A job that a sweep enqueued carries no trace: a later attempt belongs to that of the delivery. */
async function traceOf(
  { traces }: DeliveryDeps,
  { tenant, event }: LoadedDelivery,
): Promise<string | undefined> {
  if (traces === null || event === null || recordedTraceparent() !== null) return undefined;
  const id = event.payload.event_id;
  return (await traces.of(tenant, [id])).get(id);
}

async function post(
  { notary, sendWebhook }: DeliveryDeps,
  delivery: LoadedDelivery,
  claim: Claim,
  { destination, traceparent }: { destination: string; traceparent: string | null },
  signal: AbortSignal,
): Promise<void> {
  const { headers, body } = await webhookMessage(notary, delivery, delivery.secret, claim.now);
  const traced = traceparent === null ? headers : { ...headers, traceparent };
  await sendWebhook(destination, traced, body, signal);
}

async function mail(
  { notary, sendMail }: DeliveryDeps,
  delivery: LoadedDelivery,
  claim: Claim,
  to: string,
  signal: AbortSignal,
): Promise<void> {
  if (sendMail === null) throw new Error('mail is not configured');
  const messageId = `<${delivery.id}@${new URL(notary.origin).hostname}>`;
  const message = mailMessage(delivery, notary.origin);
  await sendMail({ ...message, to, messageId, date: new Date(claim.now) }, signal);
}
