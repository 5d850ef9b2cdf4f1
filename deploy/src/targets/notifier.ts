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
import type { Assembly } from '../assembly.js';
import {
  MAIL,
  REMINDER,
  SMTP,
  WEBHOOKS,
  automaticReminderOf,
  mailSenderOf,
  smtpUrlOf,
  webhookRulesOf,
} from '../service-settings.js';
import type { Shared } from '../shared.js';
import { WORKER } from '../worker-settings.js';

export const notifier: Assembly<Shared> = {
  settings: [MAIL],
  async build(shared) {
    const pool = shared.pool('notifier');
    return [
      notifierModule(shared.runtime('notifier'), {
        store: new NotifierStore(pool),
        directory: new Directory(pool),
        notary: shared.notary('notifier'),
        notification: mailSenderOf(shared.env) === undefined ? 'polling-only' : 'queued',
        chained: shared.hint('outbox'),
      }),
    ];
  },
};

export const delivery: Assembly<Shared> = {
  settings: [WORKER, WEBHOOKS, MAIL, SMTP],
  async build(shared) {
    const pool = shared.pool('notifier');
    const runtime = await shared.worker('worker-delivery');
    const feed = new FeedStore(pool);
    followerFigures(shared.metrics, shared.log, feed);
    const sendMail = mailerOf(shared);
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
  },
};

/** Off unless it is configured. */
export const reminder: Assembly<Shared> = {
  settings: [WORKER, REMINDER],
  async build(shared) {
    const seconds = automaticReminderOf(shared.env);
    if (seconds === 0) {
      shared.log.info('AUTO_REMINDER_SECONDS is not set: reviewers are reminded only on request');
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
  },
};

function webhookSenderOf({ config, env }: Shared): SendWebhook {
  const rules = webhookRulesOf(env, config.MODE);
  // In development alone: to private addresses, and by the machine's own names.
  const open = rules.anyPort;
  return webhookSender({
    rules,
    resolve: open ? systemResolve : nameServerResolve(),
    isAllowed: open ? () => true : isPublicAddress,
  });
}

function mailerOf({ config, env }: Shared): SendMail | null {
  const from = mailSenderOf(env);
  if (from === undefined) return null;
  return smtpMailer({ url: smtpUrlOf(env), from, requireTls: config.MODE === 'production' });
}
