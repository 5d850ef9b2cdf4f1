import { SECONDS } from '../constants.js';
import type { SignedRecord } from '../records/index.js';
import type { Hearing } from './hearing.js';
import { expecting, hearRecord, isOf } from './record.js';
import { hearParties, notInLedger } from './single-record.js';
import { tellRecord } from './story.js';

/** A webhook body and the event inside it (protocol §11.5, "Receiver"). */
export function hearWebhook(hearing: Hearing, value: SignedRecord): void {
  const { findings, expected } = hearing;
  const { now, receivedAt } = expected;
  const common = { audience: null, ...(now === undefined ? {} : { now }) };
  const outer = hearRecord(hearing, value, '', expecting({ type: 'WebhookDelivery', ...common }));
  if (outer === null || !isOf(outer, 'WebhookDelivery')) return;
  hearParties(hearing, outer);
  const { payload, header, issuedAt } = outer;
  const event = hearRecord(
    hearing,
    payload.event,
    '/payload/event',
    expecting({
      ...common,
      type: 'RequestChangedEvent',
      audience: header.audience,
      tenant: header.tenant,
    }),
  );
  const carried =
    event !== null &&
    isOf(event, 'RequestChangedEvent') &&
    event.payload.event_id === payload.event_id &&
    event.issuedAt <= issuedAt;
  findings.judge('delivery_event', '/payload/event_id', carried);
  if (receivedAt === undefined) {
    findings.unknown('delivery_fresh', '/payload/timestamp', {
      says: 'When it came in is not known, so whether it was fresh then cannot be known: an old body sent again looks the same.',
      decisive: false,
    });
  } else {
    const off = Math.abs(receivedAt - issuedAt);
    findings.judge('delivery_fresh', '/payload/timestamp', off < SECONDS.webhookTolerance * 1000);
  }
  notInLedger(hearing);
  if (event !== null) tellRecord(hearing, event);
  tellRecord(hearing, outer);
}
