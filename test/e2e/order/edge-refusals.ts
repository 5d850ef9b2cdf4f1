import { DEFAULT_LIMITS } from '@countersign/protocol';
import { Client } from '../../support/client.js';
import { executionInput, reviewInput } from '../../support/requests.js';
import type { RefusalOrder } from './refusal-order.js';
import { Draft, bodyCases } from './refusal-order.js';
import type { Fixture } from './fixture.js';
import { integrityCases, visibilityCase } from './stored-request.js';

const MiB = 1024 * 1024;

/** A session's call on a request, all the way to the service: protocol §6.1 on `review.propose`. */
export async function session(fixture: Fixture): Promise<RefusalOrder> {
  const own = await fixture.newRoute('emil');
  const created = await own.producer.post('/v2/requests', reviewInput(own.demo));
  const path = `/v2/requests/${created.body.request.id}/candidates`;
  const draft = new Draft(fixture.reviewers.emil, 'POST', path, {
    response: { note: 'seen' },
    decision: 'approve',
  });
  const { cookie, csrf } = fixture.reviewers.emil.credentials as { cookie: string; csrf: string };
  const withSession = (changes: { cookie?: string; csrf?: string }) => () => {
    draft.client = new Client(fixture.demo.origin, { cookie, csrf, ...changes });
  };
  return {
    call: () => draft.send(),
    cases: [
      {
        answer: '401 unauthenticated',
        apply: withSession({ cookie: `${cookie.split('=')[0]}=${'x'.repeat(43)}`, csrf: 'wrong' }),
      },
      { answer: '403 csrf', apply: withSession({ csrf: 'wrong' }) },
      ...bodyCases(draft, 2 * MiB),
      {
        answer: '413 response_too_large',
        apply: () => (draft.body.response = 'x'.repeat(DEFAULT_LIMITS.response_bytes)),
      },
      { answer: '400 invalid_DecisionProposal', apply: () => (draft.body.decision = 'perhaps') },
      { answer: '400 idempotency_key_required', apply: () => (draft.key = 'a b') },
      visibilityCase(draft),
    ],
  };
}

/** That a path is not served is told only to callers who are known and mean it (protocol §6.1 steps 3 and 4). */
export async function unknownPath(fixture: Fixture): Promise<RefusalOrder> {
  const draft = new Draft(fixture.reviewers.emil, 'POST', '/v2/nothing', {});
  const { cookie } = fixture.reviewers.emil.credentials as { cookie: string };
  return {
    call: () => draft.send(),
    cases: [
      { answer: '401 unauthenticated', apply: () => (draft.client = fixture.anybody) },
      {
        answer: '403 csrf',
        apply: () => (draft.client = new Client(fixture.demo.origin, { cookie, csrf: '' })),
      },
      { answer: '404 not_found', apply: () => {} },
    ],
  };
}

/**
 * The kind of caller comes before the key, the body, and whether there is such a request (R26): `review.confirm` by a
 * producer.
 */
export async function callerKind(fixture: Fixture): Promise<RefusalOrder> {
  const own = await fixture.newRoute('emil');
  const created = await own.producer.post('/v2/requests', reviewInput(own.demo));
  const path = `/v2/requests/${created.body.request.id}/confirm`;
  const draft = new Draft(own.producer, 'POST', path, {});
  return {
    call: () => draft.send(),
    cases: [
      { answer: '401 unauthenticated', apply: () => (draft.client = fixture.anybody) },
      {
        answer: '403 human_required',
        apply: async () => {
          draft.key = null;
          for (const { apply } of [...bodyCases(draft, null), visibilityCase(draft)]) await apply();
        },
      },
    ],
  };
}

/** A key's own answer, or its conflict, comes before whether the caller may see the request (R5): `request.cancel`. */
export async function usedKey(fixture: Fixture): Promise<RefusalOrder> {
  const own = await fixture.newRoute('emil');
  const created = await own.producer.post('/v2/requests', reviewInput(own.demo));
  const { id } = created.body.request;
  const candidate = { response: { note: 'seen' }, decision: 'approve' };
  const draft = new Draft(
    fixture.reviewers.emil,
    'POST',
    `/v2/requests/${id}/candidates`,
    candidate,
  );
  return {
    call: () => draft.send(),
    cases: [
      {
        answer: '409 idempotency_conflict',
        apply: () => (draft.body = { ...candidate, decision: 'reject' }),
      },
      {
        answer: '410 idempotent_result_expired',
        apply: async () => {
          await draft.send();
          await own.producer.post(`/v2/requests/${id}/discard`);
          await own.putRoute({ reviewers: [] });
        },
      },
    ],
  };
}

/** `request.material` */
export async function material(fixture: Fixture): Promise<RefusalOrder> {
  const own = await fixture.newRoute('emil');
  const created = await own.producer.post('/v2/requests', reviewInput(own.demo));
  const { id } = created.body.request;
  const draft = new Draft(own.producer, 'GET', `/v2/requests/${id}/material`);
  return {
    call: () => draft.send(),
    cases: [
      { answer: '401 unauthenticated', apply: () => (draft.client = fixture.anybody) },
      visibilityCase(draft),
      ...integrityCases(fixture.tampering, id).slice(0, 3),
      {
        answer: '410 material_deleted',
        apply: () => own.producer.post(`/v2/requests/${id}/discard`),
      },
    ],
  };
}

/** `ledger.export` */
export async function auditExport(fixture: Fixture): Promise<RefusalOrder> {
  const own = await fixture.newRoute('emil');
  // Another sequence has filled the store of a producer of the same publisher, which counts for its bundles too.
  await fixture.tampering.run('UPDATE retained SET bytes = 0 WHERE tenant = $1');
  const registered = await fixture.publisher.post('/v2/bundles', {
    html: '<p>hi</p>',
    compatibility: { agent_ui: '2' },
    author: 'A',
    licence: 'MIT',
  });
  const bundle = registered.body.id;
  const created = await own.producer.post(
    '/v2/requests',
    reviewInput(own.demo, { profiles: { 'proto.agent-ui': '2' }, bundle_id: bundle }),
  );
  const { id } = created.body.request;
  const draft = new Draft(own.producer, 'GET', `/v2/requests/${id}/export`);
  const html = (value: string) => () =>
    fixture.tampering.run(
      `UPDATE bundle SET html = ${value} WHERE tenant = $1 AND id = $2`,
      bundle,
    );
  return {
    call: () => draft.send(),
    cases: [
      visibilityCase(draft),
      ...integrityCases(fixture.tampering, id),
      { answer: '410 bundle_deleted', apply: html('NULL') },
      { answer: '409 bundle_integrity_mismatch', apply: html(`'<p>'`) },
    ],
  };
}

/** `request.hitl` and `request.hitl-poll` */
export async function handover(fixture: Fixture): Promise<RefusalOrder> {
  const own = await fixture.newRoute('emil');
  const created = await own.producer.post('/v2/requests', executionInput(own.demo));
  const draft = new Draft(own.producer, 'GET', `/v2/hitl/${created.body.request.id}`);
  return {
    call: () => draft.send(),
    cases: [
      { answer: '401 unauthenticated', apply: () => (draft.client = fixture.anybody) },
      visibilityCase(draft),
      { answer: '409 hitl_review_only', apply: () => {} },
    ],
  };
}
