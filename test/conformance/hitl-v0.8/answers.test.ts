import {
  EXAMPLES,
  create,
  hitlPollText,
  humanInputRequired,
  validate,
  textDigest,
} from '@countersign/protocol';
import type { DecisionRequest, HitlCase, JsonValue, Lifecycle } from '@countersign/protocol';
import { publicFaults } from './public-schemas.js';

const accepted = Date.parse('2026-05-01T09:00:00.000Z');
const deadline = accepted + 3_600_500;
const { execution: _, ...example } = EXAMPLES.DecisionRequest;
const request: DecisionRequest = {
  ...example,
  purpose: 'review',
  review_deadline: new Date(deadline).toISOString(),
  private_delete_at: new Date(accepted + 86_400_000).toISOString(),
};
const { next: pending } = create(request, null);

function caseOf(changes: Partial<Lifecycle>, more: Partial<HitlCase> = {}): HitlCase {
  return {
    id: EXAMPLES.DecisionRequest.id,
    origin: 'https://review.example',
    summary: 'ä'.repeat(300),
    acceptedAt: accepted,
    now: accepted + 1000,
    lifecycle: { ...pending, ...changes },
    audit: 'pending',
    cancelledAt: null,
    receipt: null,
    candidate: null,
    ...more,
  };
}

const receipt = JSON.stringify({
  ...EXAMPLES.SignedRecord,
  payload: {
    ...EXAMPLES.DecisionReceipt,
    response_digest: textDigest(EXAMPLES.DecisionCandidate.response_canonical),
  },
});
const confirmed = { receipt, candidate: JSON.stringify(EXAMPLES.DecisionCandidate) };

test.each<[string, HitlCase]>([
  ['pending', caseOf({})],
  ['expired', caseOf({}, { now: deadline })],
  ['cancelled', caseOf({ decision: 'cancelled', invalidated: 'requester_removed' })],
  ['cancelled', caseOf({ decision: 'superseded' }, { cancelledAt: accepted + 7 })],
  ['completed', caseOf({ decision: 'confirmed' }, confirmed)],
  ['completed', caseOf({ decision: 'confirmed', materialDeleted: true }, { receipt })],
])('a poll of a case that is %s fits the public schema and ours', (status, found) => {
  const poll = JSON.parse(hitlPollText(found)) as { status: string };
  expect(poll.status).toBe(status);
  expect(publicFaults('poll-response', poll)).toEqual([]);
  expect([validate('HitlPoll', poll), validate('HitlStatus', poll)]).toEqual([true, true]);
});

const long = 'x'.repeat(5000);
test.each<[string, JsonValue]>([
  ['a closed object without properties', { type: 'object', additionalProperties: false }],
  ['nothing', {}],
  ['a text', { type: 'string', minLength: 1, maxLength: 10, default: 'a' }],
  ['texts', { enum: ['a', 'b'] }],
  ['a list', { type: 'array', items: { enum: ['a'] }, title: long }],
  [
    'properties of every kind',
    {
      type: 'object',
      required: ['a', '1 2', ''],
      properties: {
        a: true,
        b: false,
        '1 2': { type: ['string', 'null'], title: '', description: long },
        '': { type: 'integer', minimum: 0.5, exclusiveMaximum: 3 },
        ['ü'.repeat(300)]: { type: 'boolean', default: false },
        toString: { oneOf: [{ const: 'x', title: 'X' }, { const: 'y' }] },
        list: { type: 'array', items: { $ref: '#/$defs/one%20' } },
        tree: { type: 'object', properties: {} },
        numbers: { enum: [1, null, { a: 1 }] },
        decimal: { type: 'number', minimum: -1.5, maximum: 1e300 },
        loose: { minLength: 3 },
      },
      $defs: { 'one ': { const: 'only' } },
    },
  ],
])('a handover that asks for %s fits the public schema and ours', (_what, schema) => {
  const answer = humanInputRequired(caseOf({}), schema);
  expect(publicFaults('hitl-object', answer.hitl)).toEqual([]);
  expect([validate('HumanInputRequired', answer), validate('HitlStatus', answer)]).toEqual([
    true,
    true,
  ]);
  expect(answer.hitl.timeout).toBe('PT3601S');
});
