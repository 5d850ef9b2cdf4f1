import { payments } from './payments.js';
import { connect } from '@countersign/client/node';
import { guard } from '@countersign/guard/node';
const refund = guard(await connect(), { name: 'refund', route: 'payments', occurrence: (a) => `refund:${a.charge}` },
  (a: { charge: string; amount: number }, run) => payments.refund(a, { signal: run.signal, idempotencyKey: run.key }));
await refund({ charge: 'ch_1', amount: 2000 });   // asks, waits, claims, is admitted, runs once, reports how it ended
