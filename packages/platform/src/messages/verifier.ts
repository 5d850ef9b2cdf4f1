import { Refusal } from '@countersign/protocol';
import type { BusRequest, LargeBody } from '../bus/types.js';
import { createCallerVerifier } from '../caller.js';
import type { Caller, CallerKeys } from '../caller.js';
import type { Changing } from '../changing.js';
import type { DatabaseClock } from '../database-clock.js';
import type { Logger } from '../log.js';
import type { AskedService } from '../subjects.js';
import { COMPATIBLE } from './compatible.js';
import { digestOf } from './digest.js';
import { createSeen, isTimely } from './ids.js';
import type { MessageKey } from './keys.js';
import { isMacOf } from './mac.js';

/** Returns the caller, after it has verified that the gateway sent just this message, now, to this service. */
export interface MessageVerifier {
  /** Throws `unauthenticated` for every other message. */
  verify(request: BusRequest): Promise<VerifiedMessage>;
}

export interface VerifiedMessage {
  /** Null for a message of a public read, which has no caller. */
  readonly caller: Caller | null;
  /** Instead of the request's own: `take` throws `unauthenticated` for another body than was sent. */
  readonly large: LargeBody | null;
}

export interface MessageVerifierOptions {
  readonly service: AskedService;
  readonly callerKeys: Changing<CallerKeys>;
  /** That the gateway shares with this service alone; all of them count. */
  readonly messageKeys: Changing<readonly MessageKey[]>;
  readonly clock: DatabaseClock;
  readonly log: Logger;
  /** Also accepts messages of a gateway of the previous version. */
  readonly compatible: boolean;
}

/** A message that is refused is a mistake in the configuration or an attack: worth a line, not one for each. */
const SAY_EVERY_MS = 10_000;

export function createMessageVerifier(options: MessageVerifierOptions): MessageVerifier {
  const { service, callerKeys, messageKeys, clock, log, compatible } = options;
  const tokens = createCallerVerifier({ audience: service, keys: callerKeys, clock });
  const previous = compatible
    ? createCallerVerifier({ ...COMPATIBLE.verifying(callerKeys), clock })
    : null;
  const seen = createSeen();
  const said = new Map<string, number>();

  function refusal(subject: string, reason: string): Refusal {
    const now = performance.now();
    if (now - (said.get(reason) ?? -Infinity) > SAY_EVERY_MS) {
      said.set(reason, now);
      log.warn(
        { subject, reason },
        'message refused: not a current message of the gateway to this service',
      );
    }
    return new Refusal('unauthenticated');
  }

  async function takeChecked(
    large: LargeBody,
    subject: string,
    digest: string | undefined,
  ): Promise<Uint8Array> {
    const bytes = await large.take();
    if ((await digestOf(bytes)) !== digest) throw refusal(subject, 'content');
    return bytes;
  }

  function keyOf(id: string): MessageKey | undefined {
    const withId = (keys: readonly MessageKey[]) => keys.find((key) => key.id === id);
    return withId(messageKeys.current()) ?? withId(messageKeys.again());
  }

  return {
    async verify({ subject, headers, body, large }) {
      const { token = '', message = '', mac = '', params, key, digest } = headers as Headers;
      if (mac === '' && previous !== null) {
        const { caller } = headers;
        return { caller: caller === undefined ? null : await previous.verify(caller), large };
      }
      const now = clock.now();
      if (!isTimely(message, now)) throw refusal(subject, 'time');
      const [keyId = '', code = ''] = mac.split('.');
      const messageKey = keyOf(keyId);
      if (messageKey === undefined) throw refusal(subject, 'key');
      const text = digest === undefined ? body : '';
      const content = { subject, token, message, params, key, digest, body: text };
      if (!isMacOf(messageKey, content, code)) throw refusal(subject, 'content');
      // A large body has a digest; without one nothing would be known of it.
      if (large !== null && digest === undefined) throw refusal(subject, 'content');
      if (large === null && digest !== undefined && (await digestOf(body)) !== digest) {
        throw refusal(subject, 'content');
      }
      // Under its idempotency key a message that comes again gets the stored answer (decisions/0021).
      if (key === undefined && !seen.isNew(message, now)) throw refusal(subject, 'repeated');
      return {
        caller: token === '' ? null : await tokens.verify(token),
        large: large && { bytes: large.bytes, take: () => takeChecked(large, subject, digest) },
      };
    },
  };
}

interface Headers {
  readonly token?: string;
  readonly message?: string;
  readonly mac?: string;
  readonly digest?: string;
  readonly params?: string;
  readonly key?: string;
}
