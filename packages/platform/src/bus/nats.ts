import { randomBytes } from 'node:crypto';
import { headers as noHeaders } from '@nats-io/transport-node';
import type { Msg, MsgHdrs } from '@nats-io/transport-node';
import { bounded } from '../bounded.js';
import {
  PARCEL,
  PARCEL_BYTES,
  arrivedBody,
  checkSubject,
  encodeHeaders,
  isLarge,
  textOf,
} from './envelope.js';
import type { EncodedMessage, WireHeaders } from './envelope.js';
import { busRefusal } from './fault.js';
import { createNatsLink } from './nats-link.js';
import type { NatsLinkOptions } from './nats-link.js';
import { NO_PARCELS } from './parcels.js';
import type { ParcelStore } from './parcels.js';
import { createPendingCalls } from './pending-calls.js';
import { SMALL_BODY_BYTES, createResponder } from './responder.js';
import type { Responder } from './responder.js';
import { watchStalls } from './stall.js';
import type { Bus, BusBody, BusReply, LargeBody } from './types.js';

/** Of a body whose sender does not say how many it has, as an older version does: as many as any operation takes. */
const MOST_BYTES = 22 * 1024 * 1024;

export interface NatsBusOptions extends NatsLinkOptions {
  /** Letters, digits, - and _. Answers come to subjects below `_INBOX.<name>`, which its permissions must allow. */
  name: string;
  /** Carries bodies of more than 256 KiB; null where nothing as large is sent or served. */
  parcels: ParcelStore | null;
  /**
   * Subjects that are asked with bodies up to the server's `max_payload` as they are, because those who serve them have no
   * parcels.
   */
  whole?: readonly string[] | undefined;
  /** The longest that `close` waits for requests under way; 10 s when not given. */
  drainMs?: number | undefined;
}

/** The bus over NATS. Resolves when connected, or after `firstConnectMs` without: it keeps trying. */
export async function createNatsBus(options: NatsBusOptions): Promise<Bus> {
  const { name, log, parcels: given, whole = [], drainMs = 10_000 } = options;
  const parcels = given ?? NO_PARCELS;
  checkSubject(name);
  const inbox = `_INBOX.${name}.${randomBytes(12).toString('hex')}.`;
  const responders: Responder[] = [];
  const calls = createPendingCalls();
  const stalls = watchStalls();
  let state: 'open' | 'draining' | 'closed' = 'open';
  // Answers come back on the connection that asked; once it is lost none will.
  const link = await createNatsLink(options, () => calls.failAll('disconnected'));
  await link.subscribe(`${inbox}*`, null, receiveAnswer);

  function receiveAnswer(message: Msg): void {
    const token = message.subject.slice(inbox.length);
    if (message.headers?.code === 503) {
      calls.fail(token, 'no_responder');
      return;
    }
    const headers = fromNats(message.headers);
    const parcel = parcelOf(headers);
    if (parcel === null) {
      const body = arrivedBody(headers, message.data);
      // A copy: the buffer around it belongs to the connection.
      calls.settle(token, {
        headers,
        body: typeof body === 'string' ? body : Uint8Array.from(body),
      });
      return;
    }
    parcels.take(parcel, null).then(
      (body) => calls.settle(token, { headers, body: arrivedBody(headers, body) }),
      (error: unknown) => calls.fail(token, 'body_lost', error),
    );
  }

  function callWithParcel(
    subject: string,
    lines: WireHeaders,
    body: BusBody,
    timeoutMs: number,
  ): Promise<BusReply> {
    const bytes = String(Buffer.byteLength(body));
    const begin = performance.now();
    // Open while its parcel is packed, so that this counts too.
    return calls.open(subject, timeoutMs, (token) => {
      parcels.put(body, subject).then(
        (parcel) => {
          if (!calls.isWaiting(token)) return;
          const left = Math.max(1, Math.floor(timeoutMs - (performance.now() - begin)));
          const headers: WireHeaders = [
            ...lines.filter(([header]) => header !== 'timeoutMs'),
            ['timeoutMs', String(left)],
            [PARCEL, parcel],
            [PARCEL_BYTES, bytes],
          ];
          try {
            link.publish(subject, '', { reply: inbox + token, headers: toNats(headers) });
          } catch (error) {
            calls.fail(token, 'unconnected', error);
          }
        },
        (error: unknown) => calls.fail(token, 'body_lost', error),
      );
    });
  }

  function bodyOf({ data, subject }: Msg, headers: WireHeaders): string | LargeBody {
    const parcel = parcelOf(headers);
    if (parcel === null) {
      if (data.length <= SMALL_BODY_BYTES) return textOf(data);
      // A copy: the buffer around it belongs to the connection.
      return { bytes: data.length, take: async () => new Uint8Array(data) };
    }
    const bytes = Number(headers.find(([name]) => name === PARCEL_BYTES)?.[1] ?? MOST_BYTES);
    return { bytes, take: () => parcels.take(parcel, subject) };
  }

  async function answer(message: Msg, { headers, body }: EncodedMessage): Promise<void> {
    if (!isLarge(body)) {
      respond(message, headers, body);
      return;
    }
    try {
      respond(message, [...headers, [PARCEL, await parcels.put(body, null)]], '');
    } catch (error) {
      log.error({ err: error, subject: message.subject }, 'parcel of an answer was not stored');
      const lost: WireHeaders = [
        ['error', 'service_unavailable'],
        ['fault', 'body_lost'],
      ];
      respond(message, lost, '');
    }
  }

  function respond(message: Msg, headers: WireHeaders, body: BusBody): void {
    try {
      message.respond(body, { headers: toNats(headers) });
    } catch (error) {
      // The connection of the caller is gone, and the caller knows it.
      log.debug({ err: error, subject: message.subject }, 'answer could not be sent');
    }
  }

  async function drain(): Promise<void> {
    state = 'draining';
    const left = link
      .leave(`${inbox}*`)
      .then(() => Promise.all(responders.map((responder) => responder.idle())));
    await bounded(left, drainMs);
  }

  async function end(): Promise<void> {
    await leave();
    await bounded(calls.idle(), drainMs);
    state = 'closed';
    calls.failAll('closed');
    stalls.stop();
    await link.close();
  }

  let leaving: Promise<void> | null = null;
  let closing: Promise<void> | null = null;

  function leave(): Promise<void> {
    leaving ??= drain();
    return leaving;
  }

  return {
    async call(subject, headers, body) {
      checkSubject(subject);
      const lines = encodeHeaders(headers);
      const { timeoutMs } = headers;
      if (state === 'closed') throw busRefusal('closed', subject);
      if (!link.connected()) throw busRefusal('unconnected', subject);
      if (!(timeoutMs > 0)) throw busRefusal('timeout', subject);
      if (isLarge(body) && !whole.includes(subject))
        return callWithParcel(subject, lines, body, timeoutMs);
      return calls.open(subject, timeoutMs, (token) =>
        link.publish(subject, body, { reply: inbox + token, headers: toNats(lines) }),
      );
    },

    async serve(subject, queue, handler, serving = {}) {
      checkSubject(subject);
      checkSubject(queue);
      if (state !== 'open') throw busRefusal('closed', subject);
      const responder = createResponder(subject, handler, serving, log);
      responders.push(responder);
      await link.subscribe(subject, queue, (message) => {
        const headers = fromNats(message.headers);
        responder.deliver({
          headers,
          body: bodyOf(message, headers),
          lateMs: stalls.lateMs(),
          answer: (envelope) => answer(message, envelope),
        });
      });
    },

    publish(subject, body) {
      checkSubject(subject);
      if (isLarge(body)) log.error({ subject }, 'hint is too large and was not sent');
      else if (link.connected()) link.publish(subject, body);
    },

    async subscribe(subject, queue, handler) {
      checkSubject(subject);
      if (queue !== null) checkSubject(queue);
      if (state !== 'open') throw busRefusal('closed', subject);
      await link.subscribe(subject, queue, (message) => handler(textOf(message.data)));
    },

    leave,

    close() {
      closing ??= end();
      return closing;
    },

    ready: () => state === 'open' && link.connected(),
  };
}

function toNats(lines: WireHeaders): MsgHdrs {
  const headers = noHeaders();
  for (const [name, value] of lines) headers.append(name, value);
  return headers;
}

function fromNats(headers: MsgHdrs | undefined): WireHeaders {
  const lines: WireHeaders = [];
  if (headers === undefined) return lines;
  for (const [name, values] of headers) lines.push([name, values[0] ?? '']);
  return lines;
}

function parcelOf(lines: WireHeaders): string | null {
  return lines.find(([name]) => name === PARCEL)?.[1] ?? null;
}
