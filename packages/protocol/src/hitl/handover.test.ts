import { textDigest } from '../json/canonical.js';
import { cancel, confirm, create, deleteMaterial, supersede } from '../lifecycle/index.js';
import type { Lifecycle, RequestFacts } from '../lifecycle/index.js';
import { EXAMPLES } from '../records/examples.js';
import type { HitlCase } from './handover.js';
import { hitlPollText, hitlRetryAfter, humanInputRequired, isHitlPending } from './handover.js';

const accepted = Date.parse('2026-05-01T09:00:00.000Z');
const deadline = accepted + 3_600_000;
const day = 86_400_000;
const iso = (milliseconds: number) => new Date(milliseconds).toISOString();
const { execution: _, ...example } = EXAMPLES.DecisionRequest;
const about: RequestFacts = {
  id: example.id,
  digest: textDigest('the request'),
  request: {
    ...example,
    purpose: 'review',
    review_deadline: iso(deadline),
    private_delete_at: iso(accepted + day),
  },
};
const { next: pending } = create(about.request, null);

function caseOf(lifecycle: Lifecycle, now: number, more: Partial<HitlCase> = {}): HitlCase {
  return {
    id: '0198c1de-0000-7000-8000-000000000001',
    origin: 'https://review.example',
    summary: 'Is this right?',
    acceptedAt: accepted,
    now,
    lifecycle,
    audit: 'anchored',
    cancelledAt: null,
    receipt: null,
    candidate: null,
    ...more,
  };
}

const pollOf = (found: HitlCase) => JSON.parse(hitlPollText(found)) as Record<string, never>;

const canonical = '{"10":1,"9":"é","__proto__":2}';
const receipt = JSON.stringify({
  payload: {
    decision: 'approve',
    confirmed_at: iso(accepted + 5),
    response_digest: textDigest(canonical),
  },
  protected: {},
});
const candidate = JSON.stringify({ response_canonical: canonical });
const { next: confirmed } = confirm(
  pending,
  about,
  {
    input: EXAMPLES.Confirmation,
    candidate: { ...EXAMPLES.DecisionCandidate, decision: 'approve' },
    candidateDigest: EXAMPLES.Confirmation.candidate_digest,
    reviewer: 'rev-2',
  },
  accepted + 5,
);

describe('a pending review', () => {
  test('is handed over with its deadline', () => {
    const { hitl, ...rest } = humanInputRequired(caseOf(pending, accepted), {});
    expect(rest).toMatchObject({ status: 'human_input_required' });
    expect(hitl).toMatchObject({
      timeout: 'PT3600S',
      default_action: 'abort',
      type: 'input',
      created_at: iso(accepted),
      expires_at: iso(deadline),
      review_url: 'https://review.example/review/0198c1de-0000-7000-8000-000000000001',
      poll_url: 'https://review.example/v2/hitl/0198c1de-0000-7000-8000-000000000001/poll',
    });
  });

  test('is an approval when there is nothing to fill in', () => {
    const schema = { type: 'object', additionalProperties: false };
    const { hitl } = humanInputRequired(caseOf(pending, accepted), schema);
    expect([hitl.type, 'context' in hitl]).toEqual(['approval', false]);
  });

  test('rounds its time-out up', () => {
    const short = { ...pending, reviewDeadline: accepted + 1 };
    expect(humanInputRequired(caseOf(short, accepted), {}).hitl.timeout).toBe('PT1S');
  });

  test('is to be asked for again no later than it ends', () => {
    expect(hitlRetryAfter(caseOf(pending, accepted))).toBe(30);
    expect(hitlRetryAfter(caseOf(pending, deadline - 1500))).toBe(2);
    expect(hitlRetryAfter(caseOf(pending, deadline - 1))).toBe(1);
  });
});

describe('an ended review', () => {
  test('expires at its deadline, noticed or not', () => {
    expect(isHitlPending(caseOf(pending, deadline - 1))).toBe(true);
    expect(isHitlPending(caseOf(pending, deadline))).toBe(false);
    for (const lifecycle of [
      pending,
      deleteMaterial(pending, about, EXAMPLES.Recorder, deadline + 60_000).next,
      { ...pending, decision: 'expired' } as const,
    ]) {
      expect(pollOf(caseOf(lifecycle, deadline + day))).toMatchObject({
        status: 'expired',
        expired_at: iso(deadline),
        default_action: 'abort',
      });
    }
  });

  test('expires when its material is deleted before', () => {
    const { next } = deleteMaterial(pending, about, EXAMPLES.Recorder, accepted + 7);
    expect(pollOf(caseOf(next, accepted + 8))).toMatchObject({
      status: 'expired',
      expired_at: iso(accepted + 7),
    });
  });

  test.each([
    ['cancelled', cancel],
    [
      'superseded',
      (state: Lifecycle, now: number) =>
        supersede(state, about, { input: about.request, occurrenceRequest: null }, now),
    ],
  ])('is cancelled when it was %s', (reason, command) => {
    const { next } = command(pending, accepted + 9);
    const found = caseOf(next, deadline + day, { cancelledAt: accepted + 9 });
    expect(pollOf(found)).toMatchObject({
      status: 'cancelled',
      cancelled_at: iso(accepted + 9),
      reason,
    });
  });

  test('is cancelled by its deadline at the latest when no event says when', () => {
    const found = caseOf({ ...pending, decision: 'cancelled' }, deadline);
    expect(pollOf(found)).toMatchObject({ cancelled_at: iso(deadline), reason: 'cancelled' });
  });
});

describe('a completed review', () => {
  test('gives receipt and response word for word', () => {
    const text = hitlPollText(caseOf(confirmed, accepted + 6, { receipt, candidate }));
    expect(text).toContain(`"response":${canonical},"proto_receipt":${receipt}`);
    expect(pollOf(caseOf(confirmed, accepted + 6, { receipt, candidate }))).toMatchObject({
      status: 'completed',
      completed_at: iso(accepted + 5),
      result: { action: 'approve', data: { audit_state: 'anchored', material_available: true } },
    });
  });

  test('keeps its decision when the material is deleted, or due for deletion', () => {
    const { next: deleted } = deleteMaterial(confirmed, about, EXAMPLES.Recorder, accepted + 10);
    for (const found of [
      caseOf(deleted, accepted + 11, { receipt }),
      caseOf(confirmed, accepted + day, { receipt, candidate }),
    ]) {
      expect(pollOf(found)).toMatchObject({
        status: 'completed',
        result: { action: 'approve', data: { response: null, material_available: false } },
      });
    }
  });

  test.each([
    ['missing', null],
    ['another', JSON.stringify({ response_canonical: '{}' })],
    ['damaged', '{}'],
  ])('refuses a response that is %s', (_what, other) => {
    const found = caseOf(confirmed, accepted + 6, { receipt, candidate: other });
    expect(() => hitlPollText(found)).toThrow(
      expect.objectContaining({ code: 'material_integrity_mismatch' }),
    );
  });
});
