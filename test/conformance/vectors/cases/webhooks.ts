import type { Signed, SignedRecord } from '@countersign/protocol';
import { copyOf, forged } from '../../evidence/forging.js';
import { clock } from '../../evidence/ledger.js';
import { buildEvidence, deliver } from '../../evidence/build-evidence.js';
import { accepted, refused } from '../vector.js';
import type { Vector } from '../vector.js';

const evidence = buildEvidence();

export function webhooks(): Vector[] {
  const body = deliver(evidence, clock('09:11:00.000')).record;
  const mine = { tenant: 'acme', audience: 'bot-7', received: '2026-05-01T09:11:01.000Z' };
  const failing = (
    name: string,
    what: string,
    check: Omit<Vector['check'], 'status'>,
    document: SignedRecord,
    expected: Record<string, string> = {},
  ): Vector =>
    refused(`webhook-${name}`, what, document, check, { expected: { ...mine, ...expected } });
  const event = (body.payload as unknown as { event: SignedRecord }).event;
  const carrying = (inner: SignedRecord, more = {}): SignedRecord =>
    forged(body, { payload: { event: inner as never, ...more } });
  const altered = copyOf(body) as unknown as {
    payload: { event: { payload: { reason: string } } };
  };
  altered.payload.event.payload.reason = 'expiry';
  return [
    accepted(
      'webhook',
      'A body that came in fresh.',
      body,
      { code: 'delivery_event', status: 'holds' },
      { expected: mine },
      'incomplete',
    ),
    failing(
      'stale',
      'It came in five minutes after it was signed.',
      { code: 'delivery_fresh' },
      body,
      { received: '2026-05-01T09:16:00.000Z' },
    ),
    failing(
      'altered',
      'The event was changed on the way.',
      { code: 'record_signature', path: '', reason: 'wrong_signature' },
      altered as unknown as SignedRecord,
    ),
    failing(
      'event-unsigned',
      'An event that was changed before the delivery was signed.',
      { code: 'record_signature', path: '/payload/event', reason: 'wrong_signature' },
      carrying((altered as any).payload.event),
    ),
    failing(
      'other-event',
      'Another event than the delivery names.',
      { code: 'delivery_event' },
      carrying(event, { event_id: '11111111-1111-4111-8111-111111111111' }),
    ),
    failing(
      'event-of-another',
      'The event of another producer.',
      { code: 'record_signature', path: '/payload/event', reason: 'audience_mismatch' },
      carrying(forged(event, { protected: { audience: 'bot-8' } })),
    ),
    failing(
      'not-an-event',
      'Another record instead of an event.',
      { code: 'record_signature', path: '/payload/event', reason: 'type_mismatch' },
      carrying((evidence.records['receipt'] as Signed).record),
    ),
    failing('wrong-audience', 'For another producer.', { code: 'expected_audience' }, body, {
      audience: 'bot-8',
    }),
  ];
}
