import { randomUUID } from 'node:crypto';
import type { Client } from '../../support/client.js';
import type { OwnRoute } from '../../support/own-route.js';
import {
  authorisedRequest,
  claimInput,
  executionBinding,
  executionInput,
  reviewInput,
} from '../../support/requests.js';
import type { RefusalOrder, RefusalCase } from './refusal-order.js';
import { Draft, bodyCases } from './refusal-order.js';
import type { Fixture } from './fixture.js';
import { integrityCases, visibilityCase } from './stored-request.js';

/** More than any limit of the routes of these sequences. */
const LARGE = 'x'.repeat(2100);

function unauthenticated(draft: Draft, anybody: Client): RefusalCase {
  return { answer: '401 unauthenticated', apply: () => (draft.client = anybody) };
}

function keyless(draft: Draft): RefusalCase {
  return { answer: '400 idempotency_key_required', apply: () => (draft.key = 'a b') };
}

/** Protocol §9.2 in its order; the caller undoes the fault. */
function quotaCases({ tampering }: Fixture, { producerId }: OwnRoute): RefusalCase[] {
  const amounts: Record<string, number> = {};
  const none = (name: string) => () => {
    amounts[name] = 0;
    return tampering.quotas(amounts);
  };
  return [
    { answer: '429 daily_quota', apply: none('daily_owner') },
    { answer: '429 outstanding_quota', apply: none('outstanding_owner') },
    { answer: '429 creation_rate', apply: none('owner_burst') },
    {
      answer: '429 retained_quota',
      apply: () =>
        tampering.run(
          `INSERT INTO retained AS r (tenant, scope, subject, bytes) VALUES ($1, 'owner', $2, 1073741824)
           ON CONFLICT (tenant, scope, subject, slot) DO UPDATE SET bytes = EXCLUDED.bytes`,
          producerId,
        ),
    },
  ];
}

/** The route, the sizes (R27), the record and its schema: protocol §7 request.create, unlocked. */
function contentCases(draft: Draft, own: OwnRoute): RefusalCase[] {
  const set = (name: string, value: unknown) => () => (draft.body[name] = value);
  return [
    { answer: '400 invalid_RequestInput', apply: set('route', 7) },
    { answer: '404 not_found', apply: set('route', 'nowhere') },
    { answer: '403 route_not_authorised', apply: () => own.putProducer({ routes: [] }) },
    { answer: '413 payload_too_large', apply: set('payload', LARGE) },
    { answer: '413 document_too_large', apply: set('review_document', LARGE) },
    { answer: '413 schema_too_large', apply: set('response_schema', { title: LARGE }) },
    { answer: '413 metadata_too_large', apply: set('metadata', { text: LARGE }) },
    {
      answer: '413 provenance_too_large',
      apply: () => (draft.body.execution.provenance.references = { text: LARGE }),
    },
    { answer: '400 invalid_RequestInput', apply: set('summary', '') },
    {
      answer: '400 unsupported_schema_keyword',
      apply: set('response_schema', { type: 'string', pattern: 'x' }),
    },
  ];
}

/** `request.create`, whole. */
export async function creation(fixture: Fixture): Promise<RefusalOrder> {
  const own = await fixture.newRoute('anna');
  const taken = executionBinding();
  const first = await own.producer.post(
    '/v2/requests',
    executionInput(own.demo, { execution: taken }),
  );
  if (first.status !== 201) throw new Error(first.text);
  const draft = new Draft(
    own.producer,
    'POST',
    '/v2/requests',
    executionInput(own.demo, {
      profiles: { 'proto.execution': '1-draft.1', 'proto.agent-ui': '2' },
      bundle_id: randomUUID(),
      execution: executionBinding(),
    }),
  );
  const execution = (changes: object) => () => Object.assign(draft.body.execution, changes);
  return {
    call: () => draft.send(),
    cases: [
      unauthenticated(draft, fixture.anybody),
      { answer: '403 producer_required', apply: () => (draft.client = fixture.operator) },
      keyless(draft),
      ...quotaCases(fixture, own),
      ...bodyCases(draft, null),
      ...contentCases(draft, own),
      {
        answer: '422 unsupported_profile',
        apply: () => (draft.body.profiles['proto.unheard-of'] = '1'),
      },
      {
        answer: '422 route_profile_required',
        apply: () => own.putRoute({ required_profiles: { 'proto.needed': '1' } }),
      },
      {
        answer: '409 requester_identity_unavailable',
        apply: () => fixture.tampering.principal(own.ownerId, { columns: { enabled: false } }),
      },
      { answer: '422 unsupported_approval_mode', apply: execution({ mode: 'live_window' }) },
      {
        answer: '400 invalid_execution_limits',
        apply: execution({ valid_until: new Date(Date.now() - 1000).toISOString() }),
      },
      {
        answer: '422 unsupported_execution_provenance',
        apply: execution({ provenance: { profile: 'other', version: '1', references: {} } }),
      },
      {
        answer: '409 occurrence_unavailable',
        apply: execution({ action_occurrence_id: taken.action_occurrence_id }),
      },
      { answer: '404 not_found', apply: () => {} },
    ],
  };
}

/** `request.create` with a key that is known: its answer comes before quotas and any fault of the body (R5, R28). */
export async function knownKey(fixture: Fixture): Promise<RefusalOrder> {
  const own = await fixture.newRoute('anna');
  const draft = new Draft(own.producer, 'POST', '/v2/requests', reviewInput(own.demo));
  const created = await draft.send();
  if (created.status !== 201) throw new Error(created.text);
  draft.body.execution = executionBinding();
  return {
    call: () => draft.send(),
    cases: [
      unauthenticated(draft, fixture.anybody),
      { answer: '403 producer_required', apply: () => (draft.client = fixture.operator) },
      ...bodyCases(draft, null),
      {
        answer: '409 idempotency_conflict',
        // Everything is wrong with it, and nothing of that is looked at.
        apply: async () => {
          for (const { apply } of [...quotaCases(fixture, own), ...contentCases(draft, own)]) {
            await apply();
          }
        },
      },
    ],
  };
}

/**
 * `request.create`: the day of the route is a quota like the others, though it is known only with the body
 * (protocol §7 request.create).
 */
export async function routeQuota(fixture: Fixture): Promise<RefusalOrder> {
  const own = await fixture.newRoute('anna');
  await own.producer.post('/v2/requests', reviewInput(own.demo));
  const draft = new Draft(own.producer, 'POST', '/v2/requests', executionInput(own.demo));
  const [type, missing, stranger, ...content] = contentCases(draft, own);
  return {
    call: () => draft.send(),
    cases: [
      type as RefusalCase,
      missing as RefusalCase,
      stranger as RefusalCase,
      {
        answer: '429 daily_quota',
        apply: async () => {
          for (const { apply } of content) await apply();
          await fixture.tampering.quotas({ daily_route: 1 });
        },
      },
    ],
  };
}

/** `request.supersede`: as `request.create`, with the replaced request before the body and its state behind the content. */
export async function supersession(fixture: Fixture): Promise<RefusalOrder> {
  const own = await fixture.newRoute('anna');
  const granted = await authorisedRequest(own.demo, own.producer, fixture.reviewers.anna);
  const { id, execution } = granted.body.request;
  const draft = new Draft(
    own.producer,
    'POST',
    `/v2/requests/${id}/supersede`,
    executionInput(own.demo, { execution: structuredClone(execution) }),
  );
  return {
    call: () => draft.send(),
    cases: [
      unauthenticated(draft, fixture.anybody),
      { answer: '403 producer_required', apply: () => (draft.client = fixture.operator) },
      keyless(draft),
      visibilityCase(draft),
      { answer: '403 forbidden', apply: () => (draft.client = fixture.reviewers.anna) },
      ...quotaCases(fixture, own),
      ...bodyCases(draft, null),
      ...contentCases(draft, own),
      ...integrityCases(fixture.tampering, id),
      {
        answer: '409 purpose_immutable',
        // Whole, so that earlier checks still have a faulty execution.
        apply: () => fixture.tampering.rewriteRequest(id, { path: ['purpose'], value: 'review' }),
      },
      {
        answer: '409 occurrence_consumed',
        apply: () => own.producer.post(`/v2/requests/${id}/claims`, claimInput(granted)),
      },
      {
        answer: '409 occurrence_changed',
        apply: () => (draft.body.execution.action_occurrence_id = `pay/${randomUUID()}`),
      },
    ],
  };
}

/** `request.register-bundle` */
export async function bundle(fixture: Fixture): Promise<RefusalOrder> {
  const draft = new Draft(fixture.publisher, 'POST', '/v2/bundles', {
    html: '<p>hi</p>',
    compatibility: { agent_ui: '2' },
    author: 'A',
    licence: 'MIT',
  });
  await fixture.publisher.post(draft.path, draft.body);
  const amounts: Record<string, number> = {};
  const only = (name: string, amount: number) => () => {
    amounts[name] = amount;
    return fixture.tampering.quotas(amounts);
  };
  return {
    call: () => draft.send(),
    cases: [
      unauthenticated(draft, fixture.anybody),
      { answer: '403 publisher_required', apply: () => (draft.client = fixture.operator) },
      keyless(draft),
      { answer: '429 bundle_daily_quota', apply: only('bundle_daily_publisher', 1) },
      { answer: '429 bundle_rate', apply: only('bundle_publisher_burst', 0) },
      ...bodyCases(draft, null),
      { answer: '413 bundle_too_large', apply: () => (draft.body.html = 'x'.repeat(5_242_881)) },
      { answer: '400 invalid_BundleRegistration', apply: () => (draft.body.author = '') },
      { answer: '429 retained_quota', apply: only('bundle_retained', 0) },
    ],
  };
}
