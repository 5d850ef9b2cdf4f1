import type { BusBody, BusHeaders } from '../bus/types.js';
import { createCallerMinter } from '../caller.js';
import type { Caller, CallerKey } from '../caller.js';
import type { Changing } from '../changing.js';
import type { DatabaseClock } from '../database-clock.js';
import { serviceOf } from '../subjects.js';
import type { AskedService } from '../subjects.js';
import { COMPATIBLE } from './compatible.js';
import { digestOf, isShort } from './digest.js';
import { createMessageIds } from './ids.js';
import type { MessageKey } from './keys.js';
import { macOf } from './mac.js';

/** A message to a service. */
export interface Message {
  readonly subject: string;
  /** JSON text of path and query parameters. */
  readonly params?: string | undefined;
  /** `Idempotency-Key`. */
  readonly key?: string | undefined;
  readonly body: BusBody;
}

/** Binds a caller to one message for one service (protocol R40). */
export interface MessageSealer {
  /** The headers of the message; without a caller for public reads. */
  seal(caller: Caller | null, message: Message): Promise<Omit<BusHeaders, 'timeoutMs'>>;
}

export interface MessageSealerOptions {
  readonly callerKey: Changing<CallerKey>;
  /** By service; the first key of each list is used. */
  readonly messageKeys: Readonly<
    Record<AskedService, Changing<readonly [MessageKey, ...unknown[]]>>
  >;
  readonly clock: DatabaseClock;
  /** Sends messages that services of the previous version understand as well. */
  readonly compatible: boolean;
}

export function createMessageSealer(options: MessageSealerOptions): MessageSealer {
  const { callerKey, messageKeys, clock, compatible } = options;
  const minter = createCallerMinter(callerKey, clock);
  const previous = compatible ? createCallerMinter(COMPATIBLE.minting(callerKey), clock) : null;
  const nextId = createMessageIds();

  return {
    async seal(caller, { subject, params, key, body }) {
      const service = serviceOf(subject);
      const token = caller === null ? '' : await minter.mint(caller, service);
      const short = isShort(body);
      const message = nextId(clock.now());
      const [messageKey] = messageKeys[service].current();
      const digest = short ? undefined : await digestOf(body);
      const content = { subject, token, message, params, key, digest, body: short ? body : '' };
      const mac = macOf(messageKey, content);
      return {
        token,
        message,
        mac: `${messageKey.id}.${mac.toString('base64url')}`,
        digest,
        params,
        key,
        ...(previous !== null && caller !== null
          ? { caller: await previous.mint(caller, COMPATIBLE.audience) }
          : {}),
      };
    },
  };
}
