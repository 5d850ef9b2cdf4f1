import { Directory } from '@countersign/database';
import {
  DeliveryStore,
  FeedStore,
  NotifierStore,
  ReminderSource,
  deliveryWorker,
  follower,
  followerFigures,
  isPublicAddress,
  nameServerResolve,
  notifierModule,
  reminderWorker,
  smtpMailer,
  systemResolve,
  webhookSender,
} from '@countersign/notifier';
import type { SendMail, SendWebhook } from '@countersign/notifier';
import { HINTS } from '@countersign/platform';
import type { Module } from '@countersign/platform';
import { automaticReminderOf, smtpUrlOf, webhookRulesOf } from '../configuration.js';
import type { Shared } from '../shared.js';

export function notifierModules(shared: Shared): Module[] {
  const pool = shared.pool('notifier');
  return [
    notifierModule(shared.runtime('notifier'), {
      store: new NotifierStore(pool),
      directory: new Directory(pool),
      notary: shared.notary('notifier'),
      notification: shared.config.MAIL_FROM === undefined ? 'polling-only' : 'queued',
      chained: shared.hint('outbox'),
    }),
  ];
}

export async function deliveryModules(shared: Shared): Promise<Module[]> {
  const pool = shared.pool('notifier');
  const runtime = await shared.worker('worker-delivery');
  const feed = new FeedStore(pool);
  followerFigures(shared.metrics, shared.log, feed);
  const sendMail = mailSenderOf(shared);
  return [
    deliveryWorker(
      runtime,
      {
        deliveries: new DeliveryStore(pool),
        notary: shared.notary('notifier'),
        traces: shared.traces('notifier'),
        sendWebhook: webhookSenderOf(shared),
        sendMail,
        follower: follower(runtime, {
          feed,
          directory: new Directory(pool),
          traces: shared.traces('notifier'),
          mails: sendMail !== null,
        }),
      },
      (handler) => shared.bus.subscribe(HINTS.grown, 'worker-delivery', handler),
    ),
  ];
}

/** Off unless it is configured. */
export async function reminderModules(shared: Shared): Promise<Module[]> {
  const seconds = automaticReminderOf(shared.env);
  if (seconds === 0) {
    shared.log.info('AUTO_REMINDER_SECONDS is not set: nobody is reminded unless somebody asks');
    return [];
  }
  const pool = shared.pool('notifier');
  return [
    reminderWorker(await shared.worker('worker-reminder'), {
      source: new ReminderSource(pool, seconds),
      store: new NotifierStore(pool),
      notary: shared.notary('notifier'),
      chained: shared.hint('outbox'),
    }),
  ];
}

function webhookSenderOf({ config }: Shared): SendWebhook {
  const open = config.WEBHOOK_ALLOW_PRIVATE;
  return webhookSender({
    rules: webhookRulesOf(config),
    resolve: open ? systemResolve : nameServerResolve(),
    isAllowed: open ? () => true : isPublicAddress,
  });
}

function mailSenderOf({ config, env }: Shared): SendMail | null {
  if (config.MAIL_FROM === undefined) return null;
  return smtpMailer({
    url: smtpUrlOf(env),
    from: config.MAIL_FROM,
    requireTls: config.MODE === 'production',
  });
}
