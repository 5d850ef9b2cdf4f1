import { randomUUID } from 'node:crypto';
import { reviewInput } from '../../support/requests.js';
import type { RefusalOrder } from './refusal-order.js';
import { Draft } from './refusal-order.js';
import type { ReviewerName, Fixture } from './fixture.js';
import { eligibilityCases, integrityCases, visibilityCase } from './stored-request.js';

/** A pending review on a route of its own. */
async function pendingReview(fixture: Fixture, ...reviewers: ReviewerName[]) {
  const own = await fixture.newRoute(...reviewers);
  const created = await own.producer.post('/v2/requests', reviewInput(own.demo));
  if (created.status !== 201) throw new Error(created.text);
  return { own, id: created.body.request.id as string };
}

/** VIS → ELIG → PEND, which `review.assign`, `review.propose` and `review.confirm` share. */
function reviewerCases(
  { tampering, operator }: Fixture,
  draft: Draft,
  { own, id }: Awaited<ReturnType<typeof pendingReview>>,
  reviewer: ReviewerName,
): RefusalOrder['cases'] {
  return [
    visibilityCase(draft),
    ...integrityCases(tampering, id),
    ...eligibilityCases(tampering, reviewer, own),
    {
      answer: '409 request_not_pending',
      apply: () => operator.post(`/v2/requests/${id}/cancel`),
    },
  ];
}

/** `review.assign` */
export async function assignment(fixture: Fixture): Promise<RefusalOrder> {
  const review = await pendingReview(fixture, 'anna', 'bert');
  const draft = new Draft(
    fixture.reviewers.anna,
    'POST',
    `/v2/requests/${review.id}/assignment`,
    {},
  );
  return {
    call: () => draft.send(),
    cases: [
      ...reviewerCases(fixture, draft, review, 'anna'),
      { answer: '409 review_assigned', apply: () => fixture.reviewers.bert.post(draft.path) },
    ],
  };
}

/** `review.propose` */
export async function candidate(fixture: Fixture): Promise<RefusalOrder> {
  const review = await pendingReview(fixture, 'cleo');
  const path = `/v2/requests/${review.id}/candidates`;
  const draft = new Draft(fixture.reviewers.cleo, 'POST', path, {
    response: { note: 'seen' },
    decision: 'approve',
  });
  return {
    call: () => draft.send(),
    cases: [
      ...reviewerCases(fixture, draft, review, 'cleo'),
      {
        answer: '400 purpose_decision_mismatch',
        apply: () => (draft.body.decision = 'authorise'),
      },
      {
        answer: '413 response_too_large',
        apply: () => (draft.body.response = { other: 'x'.repeat(1000) }),
      },
      { answer: '400 response_schema_mismatch', apply: () => (draft.body.response = { other: 1 }) },
      {
        answer: '429 proposal_revision_limit',
        apply: async () => {
          for (let revision = 1; revision <= 32; revision += 1) {
            const { status } = await fixture.reviewers.cleo.post(path, draft.body);
            if (status !== 201) throw new Error(`revision ${revision} answered ${status}`);
          }
        },
      },
    ],
  };
}

/** `review.confirm` */
export async function confirmation(fixture: Fixture): Promise<RefusalOrder> {
  const review = await pendingReview(fixture, 'dora');
  const path = `/v2/requests/${review.id}/confirm`;
  const draft = new Draft(fixture.reviewers.dora, 'POST', path, {
    candidate_id: randomUUID(),
    candidate_digest: `sha256:${'0'.repeat(64)}`,
  });
  return {
    call: () => draft.send(),
    cases: [
      ...reviewerCases(fixture, draft, review, 'dora'),
      { answer: '409 candidate_changed', apply: () => {} },
    ],
  };
}

/** `notifier.remind` */
export async function reminder(fixture: Fixture): Promise<RefusalOrder> {
  const { own, id } = await pendingReview(fixture, 'emil');
  const draft = new Draft(own.producer, 'POST', `/v2/requests/${id}/remind`, {});
  return {
    call: () => draft.send(),
    cases: [
      visibilityCase(draft),
      { answer: '403 forbidden', apply: () => (draft.client = fixture.reviewers.emil) },
      ...integrityCases(fixture.tampering, id),
      {
        answer: '409 request_not_pending',
        apply: () => own.producer.post(`/v2/requests/${id}/cancel`),
      },
      { answer: '429 reminder_limit', apply: () => own.producer.post(draft.path) },
    ],
  };
}
