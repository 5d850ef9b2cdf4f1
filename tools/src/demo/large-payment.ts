import { randomUUID } from 'node:crypto';
import {
  EXTENSION_PROFILES,
  PROTOCOL_REVISION,
  SUPPORTED_PROFILES,
  textDigest,
  valueDigest,
} from '@countersign/protocol';
import type { RequestInput } from '@countersign/protocol';

const HOUR_MS = 3_600_000;

export const PAYMENT_SUMMARY = 'Pay EUR 48,200.00 to Northwind Logistics';

const PAYMENT = {
  payee: 'Northwind Logistics',
  iban: 'DE02 1203 0000 0000 2020 51',
  amount: '48200.00',
  currency: 'EUR',
  invoice: 'NL-2291',
  approved_order: 'PO-7713',
};

const PAYMENT_DOCUMENT = `# Pay an invoice of Northwind Logistics

| Field | Value |
| --- | --- |
| Amount | EUR 48,200.00 |
| Account | DE02 1203 0000 0000 2020 51 |
| Invoice | NL-2291, of order PO-7713 |

The account is the one of the last six payments. Payments above EUR 25,000 need one person of finance and two of platform.
`;

/** A payment that several people authorise (protocol §18). `now` in epoch milliseconds. */
export function largePaymentRequest(route: string, now: number): RequestInput {
  return {
    protocol_revision: PROTOCOL_REVISION,
    purpose: 'authorise_execution',
    profiles: {
      'proto.approval': EXTENSION_PROFILES['proto.approval'],
      'proto.execution': SUPPORTED_PROFILES['proto.execution'],
    },
    route,
    summary: PAYMENT_SUMMARY,
    artefact: {
      digest: valueDigest(PAYMENT),
      representation: 'application/json',
      digest_rules: 'canonical-json-sha256',
    },
    payload: PAYMENT,
    response_schema: {
      type: 'object',
      additionalProperties: false,
      required: ['reason'],
      properties: { reason: { type: 'string', minLength: 1, maxLength: 500 } },
    },
    review_document: PAYMENT_DOCUMENT,
    execution: {
      action_occurrence_id: `pay/${PAYMENT.invoice}/${randomUUID()}`,
      proposal_digest: valueDigest(PAYMENT),
      proposal_format: 'application/json',
      context_digest: textDigest(PAYMENT_DOCUMENT),
      context_format: 'text/markdown',
      policy: {
        source: 'payment-policy',
        revision: '3',
        digest: textDigest('one of finance and two of platform'),
      },
      mode: 'live_window',
      valid_until: new Date(now + HOUR_MS).toISOString(),
      execution_seconds: 600,
      provenance: {
        profile: 'proto.execution',
        version: SUPPORTED_PROFILES['proto.execution'],
        references: { ledger: 'https://erp.example/invoices/NL-2291' },
      },
    },
    metadata: { demonstration: true },
  };
}
