import {
  followerMetrics,
  isPublicAddress,
  nameServerResolve,
  notifierModule,
  smtpMailer,
  systemResolve,
  webhookSender,
} from '@countersign/notifier';
import type { SendMail, SendWebhook } from '@countersign/notifier';
import { deliveryWorker } from '@countersign/notifier/workers/delivery';
import { reminderWorker } from '@countersign/notifier/workers/reminder';
import { HINTS, loadConfig } from '@countersign/platform';
import { loadTrust } from '@countersign/protocol';
import type { WebhookRules } from '@countersign/protocol';
import type { Assembly } from '../assembly.js';
import { offeredProfiles } from '../configuration.js';
import {
  CHAT,
  MAIL,
  REMINDER,
  SMTP,
  WEBHOOKS,
  chatChannelsOf,
  webhookRulesOf,
} from '../service-settings.js';
import type { ProcessContext } from '../process-context.js';
import { WORKER } from '../worker-settings.js';

export const notifier: Assembly<ProcessContext> = {
  settings: [MAIL],
  async build(context) {
    return [
      notifierModule(context.runtime('notifier'), {
        pool: context.pool('notifier'),
        notary: context.notary('notifier'),
        offered: offeredProfiles(context.config),
        notification:
          loadConfig(MAIL, context.env).MAIL_FROM === undefined ? 'polling-only' : 'queued',
        chained: context.hint('outbox'),
      }),
    ];
  },
};

export const delivery: Assembly<ProcessContext> = {
  settings: [WORKER, WEBHOOKS, CHAT, MAIL, SMTP],
  async build(context) {
    const pool = context.pool('notifier');
    followerMetrics(context.metrics, context.log, pool);
    const rules = webhookRulesOf(context.env, context.config.MODE);
    const channels = chatChannelsOf(context.env, rules);
    return [
      deliveryWorker(
        await context.worker('worker-delivery'),
        {
          pool,
          notary: context.notary('notifier'),
          trust: loadTrust(context.trust),
          traces: context.traces('notifier'),
          sendWebhook: senderOf(rules),
          channels,
          sendChat: senderOf({ ...rules, hosts: channels.map(({ url }) => new URL(url).hostname) }),
          sendMail: mailerOf(context),
        },
        (handler) => context.bus.subscribe(HINTS.grown, 'worker-delivery', handler),
      ),
    ];
  },
};

/** Off unless it is configured. */
export const reminder: Assembly<ProcessContext> = {
  settings: [WORKER, REMINDER],
  async build(context) {
    const { AUTO_REMINDER_SECONDS: seconds } = loadConfig(REMINDER, context.env);
    if (seconds === 0) {
      context.log.info('AUTO_REMINDER_SECONDS is not set: reviewers are reminded only on request');
      return [];
    }
    const deps = {
      pool: context.pool('notifier'),
      notary: context.notary('notifier'),
      offered: offeredProfiles(context.config),
      chained: context.hint('outbox'),
    };
    return [reminderWorker(await context.worker('worker-reminder'), deps, seconds)];
  },
};

/** To these hosts and nowhere else. */
function senderOf(rules: WebhookRules): SendWebhook {
  // In development alone: to private addresses, and by the machine's own names.
  const open = rules.anyPort;
  return webhookSender({
    rules,
    resolve: open ? systemResolve : nameServerResolve(),
    isAllowed: open ? () => true : isPublicAddress,
  });
}

function mailerOf({ config, env }: ProcessContext): SendMail | null {
  const { MAIL_FROM: from } = loadConfig(MAIL, env);
  if (from === undefined) return null;
  const { SMTP_URL: url } = loadConfig(SMTP, env);
  return smtpMailer({ url, from, requireTls: config.MODE === 'production' });
}
