import { randomUUID } from 'node:crypto';
import { authorisedRequest, claimInput } from '../../support/requests.js';
import type { OwnRoute } from '../../support/own-route.js';
import type { RefusalOrder, RefusalCase } from './refusal-order.js';
import { Draft } from './refusal-order.js';
import type { ReviewerName, Fixture } from './fixture.js';
import { eligibilityCases, integrityCases, visibilityCase } from './stored-request.js';

async function granted(fixture: Fixture, reviewer: ReviewerName) {
  // The second one reviews nothing: a reviewer who sees the request when the first is out.
  const own = await fixture.newRoute(reviewer, 'emil');
  const status = await authorisedRequest(own.demo, own.producer, fixture.reviewers[reviewer]);
  return { own, status, id: status.body.request.id as string };
}

async function claimed(fixture: Fixture, reviewer: ReviewerName) {
  const request = await granted(fixture, reviewer);
  const input = claimInput(request.status);
  const claim = await request.own.producer.post(`/v2/requests/${request.id}/claims`, input);
  if (claim.status !== 201) throw new Error(claim.text);
  return {
    ...request,
    claimId: claim.body.payload.id as string,
    identity: input.execution_identity,
  };
}

/** VIS → whose it is (R26) → AUTHORITY of protocol §6.4; `unusable` is a grant state that does not serve. */
function authorityCases(
  fixture: Fixture,
  draft: Draft,
  { own, id, reviewer }: { own: OwnRoute; id: string; reviewer: ReviewerName },
  unusable: 'consumed' | 'available',
): RefusalCase[] {
  const { tampering } = fixture;
  const set = (columns: object) => () => tampering.set('lifecycle', id, { ...columns });
  return [
    visibilityCase(draft),
    { answer: '403 forbidden', apply: () => (draft.client = fixture.reviewers.emil) },
    ...integrityCases(tampering, id),
    {
      answer: '409 execution_purpose_required',
      apply: () => tampering.set('request', id, { purpose: 'review' }),
    },
    { answer: '503 admission_fenced', apply: () => tampering.fence('ledger_behind_anchor') },
    {
      answer: '409 namespace_retired',
      apply: () =>
        tampering.rewriteRequest(id, { path: ['authority_namespace'], value: randomUUID() }),
    },
    { answer: '409 authority_revoked', apply: set({ invalidated: 'revoked' }) },
    { answer: '409 pending_anchor', apply: set({ audit: 'pending' }) },
    { answer: '409 grant_expired', apply: set({ grant_deadline: new Date(Date.now() - 1000) }) },
    { answer: '409 grant_unavailable', apply: set({ grant_state: unusable }) },
    {
      answer: '409 reviewer_ineligible',
      apply: () => tampering.principal(reviewer, { columns: { enabled: false } }),
    },
    ...eligibilityCases(tampering, reviewer, own),
  ];
}

/** `execution-authority.claim` */
export async function claim(fixture: Fixture): Promise<RefusalOrder> {
  const { own, id, status } = await granted(fixture, 'anna');
  const draft = new Draft(own.producer, 'POST', `/v2/requests/${id}/claims`, claimInput(status));
  const { tampering } = fixture;
  return {
    call: () => draft.send(),
    cases: [
      ...authorityCases(fixture, draft, { own, id, reviewer: 'anna' }, 'consumed'),
      {
        answer: '409 execution_binding_changed',
        apply: () => (draft.body.execution_binding_digest = `sha256:${'0'.repeat(64)}`),
      },
      {
        answer: '409 occurrence_consumed',
        apply: () =>
          tampering.run(
            'UPDATE occurrence SET consumed_by = $3 WHERE tenant = $1 AND request_id = $2',
            id,
            randomUUID(),
          ),
      },
      {
        answer: '409 identity_conflict',
        apply: () =>
          tampering.run(
            'INSERT INTO execution_identity (tenant, owner, identity, request_id) VALUES ($1, $2, $3, $4)',
            own.producerId,
            draft.body.execution_identity,
            randomUUID(),
          ),
      },
    ],
  };
}

/** `execution-authority.admit` */
export async function admission(fixture: Fixture): Promise<RefusalOrder> {
  const { own, id, claimId, identity } = await claimed(fixture, 'bert');
  const draft = new Draft(own.producer, 'POST', `/v2/requests/${id}/admission`, {
    claim_id: claimId,
    nonce: 'n'.repeat(16),
    execution_identity: identity,
  });
  draft.key = null;
  return {
    call: () => draft.send(),
    cases: [
      ...authorityCases(fixture, draft, { own, id, reviewer: 'bert' }, 'available'),
      {
        answer: '409 claim_unavailable',
        apply: () => (draft.body.execution_identity = 'somebody else'),
      },
      {
        answer: '429 admission_check_limit',
        apply: () => fixture.tampering.set('lifecycle', id, { admissions: 64 }),
      },
      { answer: '409 nonce_reused', apply: () => own.producer.post(draft.path, draft.body) },
    ],
  };
}

/** `execution-authority.report-outcome` */
export async function outcome(fixture: Fixture): Promise<RefusalOrder> {
  const { own, id, identity } = await claimed(fixture, 'cleo');
  const draft = new Draft(own.producer, 'POST', `/v2/requests/${id}/outcomes`, {
    execution_identity: identity,
    status: 'abandoned',
    details: {},
  });
  return {
    call: () => draft.send(),
    cases: [
      visibilityCase(draft),
      { answer: '403 forbidden', apply: () => (draft.client = fixture.reviewers.emil) },
      ...integrityCases(fixture.tampering, id),
      {
        answer: '409 claim_unavailable',
        apply: () => (draft.body.execution_identity = 'somebody-else'),
      },
      {
        answer: '409 outcome_conflict',
        apply: () => own.producer.post(draft.path, { ...draft.body, status: 'uncertain' }),
      },
      { answer: '403 operator_reconciliation_required', apply: () => {} },
    ],
  };
}

/** `execution-authority.reconcile` */
export async function reconciliation(fixture: Fixture): Promise<RefusalOrder> {
  const { own, id, identity } = await claimed(fixture, 'dora');
  const draft = new Draft(fixture.operator, 'POST', `/v2/requests/${id}/reconcile`, {
    execution_identity: identity,
    status: 'abandoned',
    details: { reason: 'gone', evidence: '' },
  });
  return {
    call: () => draft.send(),
    cases: [
      { answer: '403 operator_required', apply: () => (draft.client = own.producer) },
      visibilityCase(draft),
      ...integrityCases(fixture.tampering, id),
      { answer: '400 reconciliation_evidence_required', apply: () => {} },
    ],
  };
}
