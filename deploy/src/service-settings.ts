import { flag, list, loadConfig, wholeNumber } from '@countersign/platform';
import type { ChatChannel } from '@countersign/notifier';
import { MAIL_LANGUAGES, SCOPE, validate, webhookDestination } from '@countersign/protocol';
import type { WebhookRules } from '@countersign/protocol';
import { z } from 'zod';

// Variables that only some targets read. Each may also be given as `<name>_FILE`.

type Mode = 'development' | 'production';

export const QUOTAS = {
  QUOTAS: z
    .enum(['on', 'off'])
    .default('on')
    .describe('on; off lifts the quotas of protocol §9.2 and is for development only'),
} as const;

/** Whether creations count against quotas. */
export function hasQuotas(env: NodeJS.ProcessEnv, mode: Mode): boolean {
  const { QUOTAS: given } = loadConfig(QUOTAS, env, (read) =>
    mode === 'production' && read.QUOTAS === 'off'
      ? [
          {
            variable: 'QUOTAS',
            wrong: 'is off in production',
            remedy: 'Quotas can only be lifted in development; remove it.',
          },
        ]
      : [],
  );
  return given === 'on';
}

export const WEBHOOKS = {
  WEBHOOK_HOSTS: list()
    .default([])
    .describe('host names that webhooks may use, separated by commas'),
  WEBHOOK_ALLOW_PRIVATE: flag()
    .default(false)
    .describe('true lets webhooks reach private addresses and any port; for development only'),
} as const;

/** Where webhooks may go (protocol §11.5): `request.configure-principal` refuses others, and so does the sender. */
export function webhookRulesOf(env: NodeJS.ProcessEnv, mode: Mode): WebhookRules {
  const read = loadConfig(WEBHOOKS, env, ({ WEBHOOK_ALLOW_PRIVATE: open }) =>
    mode === 'production' && open
      ? [
          {
            variable: 'WEBHOOK_ALLOW_PRIVATE',
            wrong: 'is true in production',
            remedy: 'Webhooks reach private addresses only in development; remove it.',
          },
        ]
      : [],
  );
  return { hosts: read.WEBHOOK_HOSTS, anyPort: read.WEBHOOK_ALLOW_PRIVATE };
}

const chatChannel = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/),
  kind: z.enum(['slack', 'teams']),
  tenant: z.string().min(1),
  routes: z.array(z.string().min(1)).min(1).optional(),
  url: z.url({ protocol: /^https$/ }),
  language: z.enum(MAIL_LANGUAGES).default('en'),
});

/** Errors name the member and quote no value: addresses of incoming webhooks are secrets. */
const chatChannels = z.string().transform((text, context): ChatChannel[] => {
  const fail = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return fail('expected JSON');
  }
  const read = z.array(chatChannel).safeParse(given);
  if (!read.success) {
    const [issue] = read.error.issues;
    return fail(`${issue?.path.join('.') || 'the list'} is missing or wrong`);
  }
  const names = read.data.map(({ tenant, name }) => JSON.stringify([tenant, name]));
  if (new Set(names).size < names.length) return fail('a tenant has a name twice');
  return read.data.map(({ routes = null, ...channel }) => ({ ...channel, routes }));
});

export const CHAT = {
  CHAT_WEBHOOKS: chatChannels
    .optional()
    .describe(
      'a JSON list of channels of Slack and Teams that are notified of reviews (docs/deliveries.md); secret',
    ),
} as const;

/** The channels of Slack and Teams; their addresses are under the rules of webhooks, but for the list of hosts. */
export function chatChannelsOf(
  env: NodeJS.ProcessEnv,
  { anyPort }: Pick<WebhookRules, 'anyPort'>,
): readonly ChatChannel[] {
  const isAllowed = ({ url }: ChatChannel) =>
    webhookDestination(url, { anyPort, hosts: [new URL(url).hostname] }) !== null;
  const { CHAT_WEBHOOKS: channels = [] } = loadConfig(CHAT, env, ({ CHAT_WEBHOOKS: given = [] }) =>
    given
      .filter((channel) => !isAllowed(channel))
      .map(({ tenant, name }) => ({
        variable: 'CHAT_WEBHOOKS',
        wrong: `has an address for ${name} of ${tenant} that no webhook may have`,
        remedy: 'Give the https address on port 443 as Slack or Teams shows it.',
      })),
  );
  return channels;
}

export const MAIL = {
  MAIL_FROM: z
    .string()
    .optional()
    .describe('the sender of mails, such as reviews@example.org; without it no mail is sent'),
} as const;

export const SMTP = {
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, 'expected an smtp:// or smtps:// URL')
    .describe('smtps://user:password@host:port, or smtp:// for STARTTLS'),
} as const;

export const REMINDER = {
  AUTO_REMINDER_SECONDS: wholeNumber(0, 86_400)
    .default(0)
    .describe('seconds before its deadline at which reviewers are reminded; 0: never'),
} as const;

/** Where all people log in; `request.configure-principal` takes no human of another issuer (protocol R37). */
export const ISSUER = {
  OIDC_ISSUER: z.string().describe('the issuer address of your identity provider'),
} as const;

/** Where apps run; the gateway, which listens there, checks it against ORIGIN as well. */
export const SANDBOX = {
  SANDBOX_ORIGIN: z
    .string()
    .refine((given) => validate('AgentUiOrigin', given.replace(SCOPE, 'z')), {
      error: 'expected an origin',
    })
    .describe('the origin of apps on another site: https://{scope}.name'),
} as const;
