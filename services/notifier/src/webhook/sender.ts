import { request } from 'node:https';
import { isIP } from 'node:net';
import { SECONDS, webhookDestination } from '@countersign/protocol';
import type { WebhookRules } from '@countersign/protocol';
import type { Resolve } from './resolver.js';

export interface SenderOptions {
  readonly rules: WebhookRules;
  readonly resolve: Resolve;
  /** Whether a resolved address may be connected to; all of a name's must be. */
  readonly isAllowed: (address: string) => boolean;
  /** Over everything from the look-up to the answer's headers; 10 s when not given. */
  readonly deadlineMs?: number;
  /** Certificate authorities beside those of Node, in PEM form. */
  readonly ca?: string | readonly string[];
}

/** Posts a body to a webhook; rejects with the fault, for the log. `signal` ends it before its deadline. */
export type SendWebhook = (
  destination: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal?: AbortSignal,
) => Promise<void>;

/**
 * Protocol §11.5: looks the name up itself, refuses it unless all of its addresses are allowed, connects to the first of
 * them under the original name, follows no redirect and reads no body. Nothing is asked of anybody after the deadline.
 */
export function webhookSender(options: SenderOptions): SendWebhook {
  const { rules, deadlineMs = SECONDS.deliveryAttempt * 1000 } = options;
  return async (destination, headers, body, stop) => {
    const url = webhookDestination(destination, rules);
    if (url === null) throw new WebhookFailure('the destination is not allowed');
    const end = new AbortController();
    const endBecause = (why: string) => (): void => end.abort(new WebhookFailure(why));
    const timer = setTimeout(endBecause('the deadline has passed'), deadlineMs);
    const stopped = endBecause('the sender stops');
    stop?.addEventListener('abort', stopped, { once: true });
    if (stop?.aborted === true) stopped();
    try {
      const address = await pinnedAddress(url, options, end.signal);
      const { status, retryAfter } = await post(
        url,
        address,
        headers,
        body,
        options.ca,
        end.signal,
      );
      if (status < 200 || status > 299) {
        throw new WebhookFailure(`the answer was ${status}`, retryAfterMs(retryAfter, Date.now()));
      }
    } finally {
      clearTimeout(timer);
      stop?.removeEventListener('abort', stopped);
    }
  };
}

export class WebhookFailure extends Error {
  override readonly name = 'WebhookFailure';

  /** `retryAfterMs`: how long the receiver wants to be left alone; null when it did not say. */
  constructor(
    message: string,
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** RFC 9110 §10.2.3: seconds, or a date. */
export function retryAfterMs(text: string | undefined, now: number): number | null {
  if (text === undefined) return null;
  const until = /^\d{1,9}$/.test(text) ? now + Number(text) * 1000 : Date.parse(text);
  return Number.isNaN(until) ? null : Math.max(0, until - now);
}

async function pinnedAddress(
  url: URL,
  { resolve, isAllowed }: SenderOptions,
  signal: AbortSignal,
): Promise<string> {
  const addresses = await untilAborted(resolve(url.hostname, signal), signal);
  const [first] = addresses;
  if (first === undefined || !addresses.every(isAllowed)) {
    throw new WebhookFailure('the name leads to addresses that are not allowed');
  }
  return first;
}

/** The head of the answer. The connection is this one request's, and ends with the answer's headers. */
function post(
  url: URL,
  address: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  ca: SenderOptions['ca'],
  signal: AbortSignal,
): Promise<Answer> {
  signal.throwIfAborted();
  const named = isIP(address) !== 0 && isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0;
  return new Promise((resolve, reject) => {
    const outgoing = request({
      host: address,
      port: url.port === '' ? 443 : url.port,
      path: url.pathname + url.search,
      method: 'POST',
      headers: {
        Host: url.host,
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        ...headers,
      },
      agent: false,
      // The certificate must be the name's; an environment that switches checking off does not switch off this.
      servername: named ? url.hostname : '',
      rejectUnauthorized: true,
      ...(ca === undefined ? {} : { ca: ca as string | string[] }),
      signal,
    });
    outgoing.once('response', (response) => {
      resolve({
        status: response.statusCode ?? 0,
        retryAfter: response.headers['retry-after'],
      });
      response.on('error', () => {});
      response.destroy();
    });
    outgoing.on('error', (error) => {
      reject(signal.aborted ? (signal.reason as Error) : error);
    });
    outgoing.once('close', () => reject(new WebhookFailure('the connection ended unanswered')));
    outgoing.end(body);
  });
}

/** The result of the work, or the signal's reason as soon as it aborts; a later result is dropped. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => {});
  signal.throwIfAborted();
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  aborted.catch(() => {});
  return Promise.race([work, aborted]);
}
