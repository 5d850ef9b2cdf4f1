import { BlockList } from 'node:net';

import type { Configuration, ConfigurationFault, RedisServers } from '@countersign/platform';
import { REDIS_SETTINGS, loadConfig, redisServers, wholeNumber } from '@countersign/platform';
import { DEFAULT_CONCURRENCY, DEFAULT_RATES } from '@countersign/protocol';
import { z } from 'zod';

import { parseNetworks } from './client-address.js';
import { IDLE_SECONDS } from './cookies.js';
import type { DemoPerson } from './development-provider/person-page.js';
import type { ConnectionLimits } from './listener.js';
import type { IdentityProviderOptions } from './login/identity-provider.js';
import type { StepUpRule } from './login/step-up.js';
import { hostOf, isLoopback, originFault } from './origins.js';
import type { PlaceLimits } from './places.js';
import type { RateName } from './rates.js';
import type { SecurityContact } from './security-txt.js';

type Mode = 'development' | 'production';
type Environment = Readonly<Record<string, string | undefined>>;

export interface GatewayConfig {
  readonly mode: Mode;
  /** The one origin of API and pages, without a trailing slash. */
  readonly origin: string;
  readonly host: string;
  readonly port: number;
  /** Pattern with `{scope}` as one DNS label. */
  readonly sandboxOrigin: string;
  readonly sandboxPort: number;
  /** The properties that a browser must prove before an app runs in it (R25). */
  readonly appConfinement: 'standard' | 'strict';
  readonly oidc: Pick<
    IdentityProviderOptions,
    'issuer' | 'clientId' | 'clientSecret' | 'clientAuthentication'
  >;
  /** Routes whose confirmations want a fresh login; none by default. */
  readonly stepUp: readonly StepUpRule[];
  /** After how long without use a session ends. */
  readonly sessionIdleSeconds: number;
  readonly quotas: boolean;
  /** Calls per minute that differ from `DEFAULT_RATES`. */
  readonly rates: Readonly<Partial<Record<RateName, number>>>;
  readonly concurrency: PlaceLimits;
  /** See {@link createTurns}. */
  readonly shared: { readonly calls: number; readonly pages: number };
  /** Where rates are shared by all processes; without it each counts for itself. */
  readonly redis: RedisServers | undefined;
  /** How long a service may take for one call, milliseconds. */
  readonly serviceTimeoutMs: number;
  /** Published as `/.well-known/security.txt`; null: there is no such file. */
  readonly securityContact: SecurityContact | null;
  /** In which a whole call must have come, milliseconds. */
  readonly requestTimeoutMs: number;
  /** How long a stopping listener still answers on open connections. */
  readonly lingerMs: number;
  /** Proxies whose `X-Forwarded-For` and sampled `traceparent` count. */
  readonly trustedProxies: BlockList;
  readonly connections: Pick<ConnectionLimits, 'most' | 'perAddress'>;
}

export interface DevelopmentProviderConfig {
  readonly mode: Mode;
  readonly host: string;
  readonly port: number;
  readonly people: readonly DemoPerson[];
  readonly clientId: string;
  readonly clientSecret: string;
  readonly origin: string;
}

/** Both ends of the development login know it; it protects only a list of demo people. */
const DEVELOPMENT_CLIENT = { id: 'countersign', secret: 'development-only' } as const;

const mode = z.enum(['development', 'production']).default('production');
const text = z.string();
const port = wholeNumber(1, 65_535);
const rate = wholeNumber(1, 100_000_000).optional();

const shared = {
  MODE: mode.describe('development or production'),
  ORIGIN: text.describe('the origin that people and programs use, such as https://review.example'),
  OIDC_CLIENT_ID: text
    .optional()
    .describe('the client id of this service at your identity provider'),
  OIDC_CLIENT_SECRET: text.optional().describe('the secret that belongs to OIDC_CLIENT_ID'),
};

/** A JSON list, as of demo people and of step-up rules. */
const jsonList = <Item extends z.ZodType>(item: Item) =>
  z
    .string()
    .transform((value, context): unknown => {
      try {
        return JSON.parse(value);
      } catch {
        context.addIssue({ code: 'custom', message: 'expected JSON' });
        return z.NEVER;
      }
    })
    .pipe(z.array(item));

const stepUp = jsonList(
  z.strictObject({
    tenant: z.string().min(1),
    route: z.string().min(1),
    max_age: z.int().min(0).max(28_800),
    // Names without spaces and quotes, as they stand in an address and a header.
    acr_values: z.array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/)).default([]),
  }),
).transform((rules) =>
  rules.map(({ tenant, route, max_age, acr_values }): StepUpRule => {
    return { tenant, route, maxAge: max_age, acrValues: acr_values };
  }),
);

/** One line of security.txt: an address without spaces and line ends. */
const reportAddress = z.string().regex(/^(mailto:|https:\/\/|tel:)[\x21-\x7e]+$/, {
  error: 'expected a mailto:, https: or tel: address',
});

const networks = z.string().transform((value, context): BlockList => {
  try {
    return parseNetworks(value);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
});

const perMinute = (what: string, amount: number) =>
  rate.describe(`${what}, in a minute; ${amount} without it`);

const rateVariables = {
  RATE_ADDRESS: perMinute('calls of one client address without a good credential', 600),
  RATE_UNAUTHENTICATED: perMinute('such calls of all client addresses together: a fuse', 60_000),
  RATE_PRINCIPAL: perMinute('calls of one principal', 1200),
  RATE_PAGE: perMinute('pages of one person', 1200),
  RATE_TENANT: perMinute('calls and pages of one tenant', 12_000),
  RATE_LOGIN: perMinute('logins and their callbacks of one client address', 120),
  RATE_LOGIN_ATTEMPT: perMinute('the same of one browser', 20),
  RATE_LOGINS: perMinute('the same of all together: a fuse', 6000),
  RATE_HEALTH: perMinute('reads of /health of one client address', 600),
  RATE_TREE: perMinute('reads of public trees of one client address', 6000),
} satisfies Record<`RATE_${Uppercase<RateName>}`, typeof rate>;

const places = (what: string, amount: number) =>
  wholeNumber(1, 100_000).default(amount).describe(`${what} at the same time, in one gateway`);

const inTurns = (what: string, amount: number) =>
  wholeNumber(1, 100_000)
    .default(amount)
    .describe(
      `${what} that one gateway has its services work on at the same time while several tenants call; tenants share them equally`,
    );

const { principal, tenant } = DEFAULT_CONCURRENCY;
const concurrencyVariables = {
  CALLS_PER_PRINCIPAL: places('calls of one principal', principal.calls),
  CALLS_PER_TENANT: places('calls of one tenant', tenant.calls),
  LARGE_CALLS_PER_PRINCIPAL: places('calls of one principal over 1 MiB', principal.large),
  LARGE_CALLS_PER_TENANT: places('calls of one tenant over 1 MiB', tenant.large),
  SHARED_CALLS: inTurns('calls for one request', 4),
  SHARED_PAGES: inTurns('calls for a page of a list', 2),
};

export const GATEWAY_SETTINGS = {
  ...shared,
  ...REDIS_SETTINGS,
  HOST: text.optional().describe('the address to listen on, such as 0.0.0.0'),
  PORT: port.default(8080).describe('the port to listen on'),
  SANDBOX_ORIGIN: text.describe('the origin of apps on another site: https://{scope}.name'),
  SANDBOX_PORT: port.default(8081).describe('the port of the sandbox origin'),
  APP_CONFINEMENT: z
    .enum(['standard', 'strict'])
    .default('standard')
    .describe('strict shows apps only in browsers that prove they block WebRTC (docs/security.md)'),
  OIDC_ISSUER: text.describe('the issuer address of your identity provider'),
  OIDC_CLIENT_AUTHENTICATION: z
    .enum(['body', 'basic'])
    .default('body')
    .describe('how the client secret is sent: body or basic'),
  STEP_UP: stepUp
    .optional()
    .describe('a JSON list of routes that require a fresh login to confirm (docs/pages.md)'),
  SESSION_IDLE_MINUTES: wholeNumber(2, 480)
    .default(IDLE_SECONDS / 60)
    .describe('minutes without use after which a session ends; it always ends after eight hours'),
  QUOTAS: z.enum(['on', 'off']).default('on').describe('on; off is for development'),
  SECURITY_CONTACT: z
    .string()
    .transform((list) => list.split(',').map((item) => item.trim()))
    .pipe(z.array(reportAddress))
    .optional()
    .describe(
      'where to report vulnerabilities: mailto:, https: or tel: addresses, separated by commas',
    ),
  SECURITY_POLICY: reportAddress.optional().describe('the address of your disclosure policy'),
  SERVICE_TIMEOUT_MS: wholeNumber(100, 60_000).default(10_000).describe('milliseconds'),
  LINGER_SECONDS: wholeNumber(0, 60)
    .default(6)
    .describe(
      'how long a gateway that stops still answers calls, each as the last of its connection, and up to 10 seconds longer while connections are open or still come; its answers ask clients to close connections that are idle for 5 seconds',
    ),
  REQUEST_TIMEOUT_MS: wholeNumber(1000, 600_000)
    .default(60_000)
    .describe('milliseconds in which a whole call must arrive; 22 MiB in a minute are 3 Mbit/s'),
  TRUSTED_PROXIES: networks
    .optional()
    .describe('addresses and networks of your proxies, separated by commas, such as 10.0.0.0/8'),
  MAX_CONNECTIONS: wholeNumber(1, 1_000_000)
    .default(5000)
    .describe(
      'connections open at the same time, on each of the two ports; further ones are closed',
    ),
  MAX_CONNECTIONS_PER_ADDRESS: wholeNumber(1, 1_000_000)
    .optional()
    .describe('the same for one client address, except trusted proxies; unlimited without it'),
  ...rateVariables,
  ...concurrencyVariables,
};

/** The gateway's configuration out of the environment. Throws ConfigurationError with every fault. */
export function gatewayConfig(env: Environment): GatewayConfig {
  const given = loadConfig(GATEWAY_SETTINGS, env, gatewayFaults);
  const development = given.MODE === 'development';
  return {
    mode: given.MODE,
    origin: given.ORIGIN,
    host: given.HOST ?? (development ? '127.0.0.1' : '0.0.0.0'),
    port: given.PORT,
    sandboxOrigin: given.SANDBOX_ORIGIN,
    sandboxPort: given.SANDBOX_PORT,
    appConfinement: given.APP_CONFINEMENT,
    oidc: {
      issuer: given.OIDC_ISSUER,
      clientId: given.OIDC_CLIENT_ID ?? DEVELOPMENT_CLIENT.id,
      clientSecret: given.OIDC_CLIENT_SECRET ?? DEVELOPMENT_CLIENT.secret,
      clientAuthentication: given.OIDC_CLIENT_AUTHENTICATION,
    },
    stepUp: given.STEP_UP ?? [],
    sessionIdleSeconds: given.SESSION_IDLE_MINUTES * 60,
    quotas: given.QUOTAS === 'on',
    rates: ratesOf(given),
    concurrency: {
      principal: { calls: given.CALLS_PER_PRINCIPAL, large: given.LARGE_CALLS_PER_PRINCIPAL },
      tenant: { calls: given.CALLS_PER_TENANT, large: given.LARGE_CALLS_PER_TENANT },
    },
    shared: { calls: given.SHARED_CALLS, pages: given.SHARED_PAGES },
    redis: redisServers(given),
    serviceTimeoutMs: given.SERVICE_TIMEOUT_MS,
    securityContact:
      given.SECURITY_CONTACT === undefined
        ? null
        : { contacts: given.SECURITY_CONTACT, policy: given.SECURITY_POLICY },
    requestTimeoutMs: given.REQUEST_TIMEOUT_MS,
    lingerMs: given.LINGER_SECONDS * 1000,
    trustedProxies: given.TRUSTED_PROXIES ?? new BlockList(),
    connections: {
      most: given.MAX_CONNECTIONS,
      perAddress: given.MAX_CONNECTIONS_PER_ADDRESS ?? Infinity,
    },
  };
}

function ratesOf(given: Configuration<typeof rateVariables>): Partial<Record<RateName, number>> {
  const rates: Partial<Record<RateName, number>> = {};
  for (const name of Object.keys(DEFAULT_RATES) as RateName[]) {
    const amount = given[`RATE_${name.toUpperCase() as Uppercase<RateName>}`];
    if (amount !== undefined) rates[name] = amount;
  }
  return rates;
}

function gatewayFaults(given: Configuration<typeof GATEWAY_SETTINGS>): ConfigurationFault[] {
  const faults = [...originFaults(given), ...issuerFaults(given)];
  if (given.MODE === 'production') {
    if (given.QUOTAS === 'off') {
      faults.push({
        variable: 'QUOTAS',
        wrong: 'is off, which is for development',
        remedy: 'Set it to on, and the RATE_… variables to what your callers need.',
      });
    }
    for (const variable of ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const) {
      if (given[variable] !== undefined) continue;
      const remedy = `Set it to ${shared[variable].description ?? ''}.`;
      faults.push({ variable, wrong: 'is missing', remedy });
    }
  }
  return faults;
}

function originFaults(given: Configuration<typeof GATEWAY_SETTINGS>): ConfigurationFault[] {
  const fault = originFault({
    mode: given.MODE,
    origin: given.ORIGIN,
    sandbox: given.SANDBOX_ORIGIN,
  });
  if (fault === null) return [];
  const remedy = 'Give service and apps two origins on different sites.';
  return [{ variable: fault.variable, wrong: fault.message, remedy }];
}

function issuerFaults({
  MODE,
  OIDC_ISSUER,
}: Configuration<typeof GATEWAY_SETTINGS>): ConfigurationFault[] {
  const local = MODE === 'development' && isLoopback(hostOf(OIDC_ISSUER.split('/', 3).join('/')));
  const usable = /^https:\/\/[^/?#]+[^?#]*$/.test(OIDC_ISSUER) && URL.canParse(OIDC_ISSUER);
  if (usable || (local && URL.canParse(OIDC_ISSUER))) return [];
  return [
    {
      variable: 'OIDC_ISSUER',
      wrong: 'is no https address',
      remedy: 'Set it to the issuer exactly as your identity provider writes it.',
    },
  ];
}

const people = jsonList(z.object({ subject: z.string().min(1), name: z.string().min(1) })).refine(
  (list) => list.length > 0,
);

export const DEVELOPMENT_PROVIDER_SETTINGS = {
  ...shared,
  HOST: text.optional().describe('the address to listen on, such as 0.0.0.0'),
  DEVELOPMENT_PROVIDER_PORT: port.describe('the port of the development identity provider'),
  DEVELOPMENT_PEOPLE: people.describe('a JSON list of people: [{"subject":"ruth","name":"Ruth"}]'),
};

/** Configuration of the development identity provider, which there is none of in production (R21). */
export function developmentProviderConfig(env: Environment): DevelopmentProviderConfig {
  const given = loadConfig(DEVELOPMENT_PROVIDER_SETTINGS, env, ({ MODE }) =>
    MODE === 'development'
      ? []
      : [
          {
            variable: 'MODE',
            wrong: 'is production, where the development identity provider does not start',
            remedy: 'Leave this target out and set OIDC_ISSUER to your own identity provider.',
          },
        ],
  );
  return {
    mode: given.MODE,
    host: given.HOST ?? '127.0.0.1',
    port: given.DEVELOPMENT_PROVIDER_PORT,
    people: given.DEVELOPMENT_PEOPLE,
    clientId: given.OIDC_CLIENT_ID ?? DEVELOPMENT_CLIENT.id,
    clientSecret: given.OIDC_CLIENT_SECRET ?? DEVELOPMENT_CLIENT.secret,
    origin: given.ORIGIN,
  };
}
