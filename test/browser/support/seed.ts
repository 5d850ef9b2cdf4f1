import { textDigest, valueDigest } from '@countersign/protocol';
import type { Client } from '../../support/client.js';
import type { Demo } from '../../support/instance.js';
import { executionInput, reviewInput } from '../../support/requests.js';

const LINES = [
  ['Nordwind Paper GmbH', 'DE02 1203 0000 0000 2020 51', 1840.5, 'Invoice 2026-1107'],
  ['Atelier Brun', 'FR14 2004 1010 0505 0001 3M02 606', 620, 'Invoice 88'],
  ['Harbour Coffee Ltd', 'GB29 NWBK 6016 1331 9268 19', 214.75, 'Beans, October'],
  ['Studio Lumen', 'DE89 3704 0044 0532 0130 00', 3975, 'Lighting, second half'],
] as const;

/** A payment run that a person has to authorise: the example of most pictures. */
export function paymentRun(demo: Demo, changes: Record<string, unknown> = {}) {
  const payload = {
    batch: 'PR-2026-47',
    account: 'DE75 5121 0800 1245 1261 99',
    currency: 'EUR',
    payments: LINES.map(([name, iban, amount, reference]) => ({ name, iban, amount, reference })),
    total: 6650.25,
    checks: { duplicate_invoices: 0, new_beneficiaries: 1, over_limit: false },
  };
  return executionInput(demo, {
    summary: 'Pay four suppliers, 6,650.25 EUR in all',
    payload,
    artefact: {
      digest: valueDigest(payload),
      representation: 'application/json',
      digest_rules: 'rfc8785-sha256',
    },
    response_schema: {
      type: 'object',
      additionalProperties: false,
      required: ['reason'],
      properties: {
        reason: {
          type: 'string',
          minLength: 3,
          maxLength: 400,
          title: 'Reason',
          description: 'One sentence that an auditor will understand a year from now.',
        },
        checked: {
          type: 'array',
          title: 'Which lines did you check?',
          uniqueItems: true,
          items: { enum: LINES.map(([name]) => name) },
        },
        call_back: { type: 'boolean', title: 'Was the new beneficiary called back?' },
      },
    },
    review_document: `# Payment run PR-2026-47

The treasury agent wants to pay four supplier invoices from the main account
on Friday. All amounts are in euro.

  1  Nordwind Paper GmbH      1,840.50   Invoice 2026-1107
  2  Atelier Brun               620.00   Invoice 88
  3  Harbour Coffee Ltd         214.75   Beans, October
  4  Studio Lumen             3,975.00   Lighting, second half
                             ---------
     Total                    6,650.25

Nothing is paid twice: each invoice number was compared with the last
24 months. Atelier Brun is paid for the first time; its account was given
in the signed contract of 3 November.
`,
    metadata: { agent: 'treasury-agent 3.2', ticket: 'FIN-2214' },
    ...changes,
  });
}

/** A text that a person reads and answers. */
export function pressText(demo: Demo, changes: Record<string, unknown> = {}) {
  const text = 'From December on, all our parcels travel by train.';
  return reviewInput(demo, {
    summary: 'May this press text go out?',
    payload: { headline: 'Parcels by train', text, audience: 'press' },
    artefact: {
      digest: textDigest(text),
      representation: 'text/plain',
      digest_rules: 'utf-8-sha256',
    },
    response_schema: {
      type: 'object',
      additionalProperties: false,
      required: ['tone'],
      properties: {
        tone: { enum: ['right', 'too formal', 'too casual'], title: 'Tone' },
        comment: { type: 'string', maxLength: 1000, title: 'Comment for the author' },
      },
    },
    review_document: `# Parcels by train\n\n${text}\n\nMay this go out to the press list on Monday?\n`,
    ...changes,
  });
}

/** Creates one; gives its id. */
export async function file(producer: Client, input: Record<string, unknown>): Promise<string> {
  const { status, body, text } = await producer.post('/v2/requests', input);
  if (status !== 201) throw new Error(`created: ${status} ${text}`);
  return body.request.id as string;
}
