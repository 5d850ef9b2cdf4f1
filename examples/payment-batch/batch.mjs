// A producer's input for a batch of payments: the payload that the app shows, the schema of the answer, and the document
// that a reviewer reads without the app.
import { createHash, randomUUID } from 'node:crypto';

export const BATCH = {
  batch: 'PB-2026-1121',
  currency: 'EUR',
  due: '2026-11-24',
  debtor: { name: 'Shop Front GmbH', account: 'DE02 1203 0000 0000 2020 51' },
  payments: [
    payment('P-01', 'Ada Print Ltd', 'GB33 BUKB 2020 1555 5555 55', 'Invoice 4471', '1284.00'),
    payment('P-02', 'Brook Logistics', 'NL02 ABNA 0123 4567 89', 'October freight', '8120.55'),
    payment(
      'P-03',
      'Cobalt Hosting',
      'DE12 5001 0517 0648 4898 90',
      'Invoice 2026-1044',
      '649.90',
      ['The account number changed since the last payment.'],
    ),
    payment(
      'P-04',
      'Delta Foods',
      'FR76 3000 6000 0112 3456 7890 189',
      'Canteen, week 46',
      '412.30',
    ),
    payment('P-05', 'Ada Print Ltd', 'GB33 BUKB 2020 1555 5555 55', 'Invoice 4471', '1284.00', [
      'Same payee, reference and amount as P-01.',
    ]),
    payment(
      'P-06',
      'Elm Consulting',
      'AT61 1904 3002 3457 3201',
      'Retainer, November',
      '14500.00',
      ['Above the usual limit of 10 000.00 for this payee.'],
    ),
    payment('P-07', 'Fern Office Supply', 'BE71 0961 2345 6769', 'Invoice 99-310', '233.18'),
    payment('P-08', 'Grove Power', 'DE75 5121 0800 1245 1261 99', 'Meter 7741, October', '3977.41'),
  ],
};

function payment(id, payee, account, reference, amount, flags = []) {
  return { id, payee, account, reference, amount, flags };
}

export const RESPONSE_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['released_total', 'excluded', 'notes'],
  properties: {
    released_total: { type: 'string', title: 'Sum of the released payments', maxLength: 20 },
    excluded: {
      type: 'array',
      title: 'Payments that must not go out',
      maxItems: 1000,
      uniqueItems: true,
      items: { type: 'string', maxLength: 40 },
    },
    notes: {
      type: 'array',
      title: 'Notes',
      maxItems: 1000,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['payment', 'note'],
        properties: {
          payment: { type: 'string', maxLength: 40 },
          note: { type: 'string', maxLength: 300 },
        },
      },
    },
  },
};

/** The body of `request.register-bundle`. */
export function bundleRegistration(html) {
  return {
    html,
    compatibility: { agent_ui: '2' },
    author: 'Countersign examples',
    licence: 'Apache-2.0',
  };
}

/**
 * The body of `request.create`: a request to release a batch, with the app to review it in. `now` in epoch milliseconds.
 */
export function paymentRequest({ route, bundleId, now, batch = BATCH }) {
  const document = documentOf(batch);
  return {
    protocol_revision: '2.0.0-draft.3',
    purpose: 'authorise_execution',
    profiles: { 'proto.execution': '1-draft.1', 'proto.agent-ui': '2' },
    route,
    summary: `Release payment batch ${batch.batch} of ${batch.debtor.name}`,
    artefact: {
      digest: digestOf(JSON.stringify(batch)),
      representation: 'application/json',
      digest_rules: 'utf-8-sha256',
    },
    payload: batch,
    response_schema: RESPONSE_SCHEMA,
    review_document: document,
    bundle_id: bundleId,
    execution: {
      action_occurrence_id: `payments/${batch.batch}/${randomUUID()}`,
      proposal_digest: digestOf(JSON.stringify(batch)),
      proposal_format: 'application/json',
      context_digest: digestOf(document),
      context_format: 'text/markdown',
      policy: {
        source: 'payment-policy',
        revision: '3',
        digest: digestOf('four eyes on each batch'),
      },
      mode: 'durable',
      valid_until: new Date(now + 12 * 3_600_000).toISOString(),
      execution_seconds: 900,
      provenance: {
        profile: 'proto.execution',
        version: '1-draft.1',
        references: { run: batch.batch },
      },
    },
    metadata: { demonstration: true },
  };
}

function documentOf({ batch, currency, due, debtor, payments }) {
  const lines = payments.map(
    ({ id, payee, account, reference, amount, flags }) =>
      `- ${id}: ${amount} ${currency} to ${payee}, ${account}, "${reference}"` +
      flags.map((flag) => `\n  - look twice: ${flag}`).join(''),
  );
  return `# Release payment batch ${batch}\n\nFrom ${debtor.name}, ${debtor.account}, due ${due}.\n\n${lines.join('\n')}\n`;
}

function digestOf(text) {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
