import {
  LOCAL_SEALER,
  LOCAL_VERIFIER,
  changing,
  createMessageSealer,
  createMessageVerifier,
  readCallerKey,
  readCallerKeys,
  readMessageKeys,
} from '@countersign/platform';
import type {
  AskedService,
  Bus,
  Changing,
  ConfigurationShape,
  DatabaseClock,
  Logger,
  MessageKey,
  MessageSealer,
  MessageVerifier,
} from '@countersign/platform';
import { loadConfig } from '@countersign/platform';
import { SERVICES } from '@countersign/protocol';
import { z } from 'zod';

/**
 * The keys by which the gateway and the services authenticate each other (protocol R40). Files of keys are read again while
 * they run.
 */
interface Ground {
  /** That the messages travel on. */
  readonly bus: Bus;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: DatabaseClock;
  readonly log: Logger;
}

/** The services that the gateway asks, and so shares a key with. */
export const ASKED = Object.keys(SERVICES).filter(
  (name) => name !== 'gateway',
) as readonly AskedService[];

/** For the gateway. Keys are read for any kind of bus, so that a wrong setting is noticed in every way to run. */
export function messageSealer({ bus, env, clock, log }: Ground): MessageSealer {
  const keys = ASKED.map((service) => [service, messageKeysOf(service, env, log)] as const);
  const sealer = createMessageSealer({
    callerKey: setting('CALLER_PRIVATE_KEY', CALLER_PRIVATE_KEY.CALLER_PRIVATE_KEY, env, log),
    messageKeys: Object.fromEntries(keys) as Record<AskedService, (typeof keys)[number][1]>,
    clock,
    compatible: isCompatible(env),
  });
  return bus.local === true ? LOCAL_SEALER : sealer;
}

/** For the one service; keys as for {@link messageSealer}. */
export function messageVerifier(
  service: AskedService,
  { bus, env, clock, log }: Ground,
): MessageVerifier {
  const verifier = createMessageVerifier({
    service,
    callerKeys: setting('CALLER_PUBLIC_KEY', CALLER_PUBLIC_KEY.CALLER_PUBLIC_KEY, env, log),
    messageKeys: messageKeysOf(service, env, log),
    clock,
    log,
    compatible: isCompatible(env),
  });
  return bus.local === true ? LOCAL_VERIFIER : verifier;
}

/** `REVIEW_MESSAGE_KEYS` for `review`. */
export function messageKeysVariable(service: AskedService): string {
  return `${service.toUpperCase().replaceAll('-', '_')}_MESSAGE_KEYS`;
}

export const CALLER_PRIVATE_KEY = {
  CALLER_PRIVATE_KEY: readWith(
    readCallerKey,
    'the private key that signs caller tokens, in PEM form',
  ),
};
export const CALLER_PUBLIC_KEY = {
  CALLER_PUBLIC_KEY: readWith(
    readCallerKeys,
    'the public keys that verify caller tokens, concatenated in PEM form',
  ),
};
/** Read at both ends of a message. */
export const CALLER_TOKENS = {
  CALLER_TOKENS: z
    .enum(['bound', 'compatible'])
    .default('bound')
    .describe(
      'bound, or compatible, which also sends and accepts tokens of the previous version, for one rollout (docs/upgrades.md)',
    ),
} as const;

export function messageKeysShape(service: AskedService): ConfigurationShape {
  return { [messageKeysVariable(service)]: messageKeysType(service) };
}

function messageKeysType(service: AskedService) {
  return readWith(
    readMessageKeys,
    `the keys that the gateway and the ${service} service share, one a line: the first is used, all are accepted`,
  );
}

function messageKeysOf(
  service: AskedService,
  env: NodeJS.ProcessEnv,
  log: Logger,
): Changing<readonly [MessageKey, ...MessageKey[]]> {
  return setting(messageKeysVariable(service), messageKeysType(service), env, log);
}

/** A text that `read` takes; its errors name the fault, and not the text. */
function readWith<T>(read: (text: string) => T, description: string) {
  return z
    .string()
    .transform((text, context): T => {
      try {
        return read(text);
      } catch (error) {
        const why = error instanceof TypeError ? error.message : 'expected a key in PEM form';
        context.addIssue({ code: 'custom', message: why });
        return z.NEVER;
      }
    })
    .describe(description);
}

function setting<T>(
  name: string,
  type: z.ZodType<T>,
  env: NodeJS.ProcessEnv,
  log: Logger,
): Changing<T> {
  return changing(() => loadConfig({ [name]: type }, env)[name] as T, name, log);
}

function isCompatible(env: NodeJS.ProcessEnv): boolean {
  return loadConfig(CALLER_TOKENS, env).CALLER_TOKENS === 'compatible';
}
