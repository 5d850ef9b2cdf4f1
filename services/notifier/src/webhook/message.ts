import { createHmac } from 'node:crypto';
import type { Notary } from '@countersign/platform';
import { newId } from '@countersign/platform';
import type { Delivery } from '../deliveries/delivery.js';

export interface WebhookMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * One attempt's message: the canonical text of a WebhookDelivery (protocol §3.5), signed now, with an id of its own; for
 * producers with a secret also the headers of Standard Webhooks, whose id stays the same over all attempts.
 */
export async function webhookMessage(
  notary: Notary,
  delivery: Delivery,
  secret: string | null,
  now: number,
): Promise<WebhookMessage> {
  const { event, tenant, recipient } = delivery;
  if (event === null) throw new TypeError('the event is gone');
  const { text: body } = await notary.issue(
    'WebhookDelivery',
    { tenant, audience: recipient, purpose: 'service', profiles: {} },
    now,
    {
      delivery_id: newId(),
      event_id: event.payload.event_id,
      timestamp: new Date(now).toISOString(),
      event,
    },
  );
  return { body, headers: secret === null ? {} : standardHeaders(delivery.id, now, body, secret) };
}

/** Standard Webhooks 1.0.0, symmetric form: `secret` is `whsec_` and base64. */
export function standardHeaders(
  id: string,
  now: number,
  body: string,
  secret: string,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}
