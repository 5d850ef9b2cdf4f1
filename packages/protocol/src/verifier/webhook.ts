import { SECONDS } from '../constants.js';
import type { SignedRecord } from '../records/index.js';
import type { VerifierContext } from './context.js';
import { expecting, checkRecord, isOf } from './record.js';
import { checkParties, notInLedger } from './single-record.js';
import { addToTimeline } from './timeline.js';

/** A webhook body and the event inside it (protocol §11.5, "Receiver"). */
export function checkWebhook(context: VerifierContext, value: SignedRecord): void {
  const { findings, expected } = context;
  const { now, receivedAt } = expected;
  const common = { audience: null, ...(now === undefined ? {} : { now }) };
  const outer = checkRecord(context, value, '', expecting({ type: 'WebhookDelivery', ...common }));
  if (outer === null || !isOf(outer, 'WebhookDelivery')) return;
  checkParties(context, outer);
  const { payload, header, issuedAt } = outer;
  const event = checkRecord(
    context,
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
  findings.check('delivery_event', '/payload/event_id', carried);
  if (receivedAt === undefined) {
    findings.unknown('delivery_fresh', '/payload/timestamp', {
      says: 'When it came in is not known, so whether it was fresh then cannot be known: an old body sent again looks the same.',
      decisive: false,
    });
  } else {
    const off = Math.abs(receivedAt - issuedAt);
    findings.check('delivery_fresh', '/payload/timestamp', off < SECONDS.webhookTolerance * 1000);
  }
  notInLedger(context);
  if (event !== null) addToTimeline(context, event);
  addToTimeline(context, outer);
}
