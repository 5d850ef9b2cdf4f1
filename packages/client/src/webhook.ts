import { readStrictJson } from '@countersign/protocol/strict-reader';
import { checkWebhook, readTrustManifest } from '@countersign/protocol/verifier/parts';
import type { SignedRecord as AnyRecord } from '@countersign/protocol/verifier/parts';

import { AnswerInvalid, ConfigurationInvalid } from './errors.js';
import { failing } from './failing.js';
import type {
  RequestChangedEvent,
  SignedRecord,
  TrustManifest,
  WebhookDelivery,
} from './generated/records.js';

export { AnswerInvalid, ConfigurationInvalid, VerificationFailed } from './errors.js';

export interface WebhookOptions {
  /** The pinned trust manifest. */
  readonly trust: TrustManifest;
  readonly tenant: string;
  /** Id of the producer whose webhook this is. */
  readonly producer: string;
  /** Epoch milliseconds; the clock's when not given. */
  readonly now?: number;
}

export interface VerifiedDelivery {
  /** The same in every attempt of a delivery: a receiver that has seen it answers 200 and does nothing. */
  readonly deliveryId: string;
  readonly event: RequestChangedEvent;
  /** The signed event, as the feed has it. */
  readonly record: SignedRecord;
}

/**
 * Verifies the body of a webhook call (docs/deliveries.md): its signature, its receiver, its age and the event in it.
 *
 * @param body exactly as it came in
 * @throws AnswerInvalid for a body that is no strict JSON, VerificationFailed, and ConfigurationInvalid for the manifest
 */
export function verifyWebhook(
  body: Uint8Array | string,
  { trust: manifest, tenant, producer, now = Date.now() }: WebhookOptions,
): VerifiedDelivery {
  const { trust, faults } = readTrustManifest(manifest);
  if (trust === null)
    throw new ConfigurationInvalid(
      'trust',
      `cannot be used: ${faults.map(({ message }) => message).join(' ')}`,
    );
  let value: unknown;
  try {
    value = readStrictJson(typeof body === 'string' ? new TextEncoder().encode(body) : body);
  } catch {
    throw new AnswerInvalid('not_json');
  }
  const findings = failing('WebhookDelivery');
  checkWebhook(
    {
      trust,
      expected: { tenant, audience: producer, now, receivedAt: now },
      copies: null,
      memory: { verified: new Map(), canonical: new Set(), schemas: null as never },
      findings,
    },
    value as AnyRecord,
  );
  const { delivery_id: deliveryId, event: record } = (value as { payload: WebhookDelivery })
    .payload;
  return { deliveryId, record, event: record.payload as unknown as RequestChangedEvent };
}
