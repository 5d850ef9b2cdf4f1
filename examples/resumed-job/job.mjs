// `node job.mjs CHARGE…` refunds those charges. However often it is killed and started again, each refund happens at most once.
import { connect } from '@countersign/client/node';
import { AlreadyDone, fileJournal, guard } from '@countersign/guard/node';

const { PAYMENTS } = process.env;

const refund = guard(
  await connect(),
  {
    name: 'refund',
    route: 'payments',
    occurrence: ({ charge }) => `refund:${charge}`,
    journal: fileJournal('out/journal'),
    // Asked when a start before this one did not see the end of its refund.
    async probe(_, { key }) {
      const { status } = await fetch(`${PAYMENTS}/refunds/${key}`);
      return status === 200 ? 'done' : status === 404 ? 'not done' : 'unknown';
    },
    onAsked: ({ reviewLink }) => console.log(`Asked: ${reviewLink}`),
  },
  async (args, { key, signal }) => {
    const response = await fetch(`${PAYMENTS}/refunds`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(args),
      signal,
    });
    if (!response.ok) throw new Error(`the payment service answered ${response.status}`);
    return response.json();
  },
);

for (const charge of process.argv.slice(2))
  try {
    const { id } = await refund({ charge, amount: 2000 });
    console.log(`${charge}: refunded as ${id}`);
  } catch (error) {
    if (!(error instanceof AlreadyDone)) throw error;
    console.log(`${charge}: was refunded by an earlier start`);
  }
