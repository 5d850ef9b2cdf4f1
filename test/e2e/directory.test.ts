import { randomUUID } from 'node:crypto';
import { DEFAULT_LIMITS } from '@countersign/protocol';
import { Client, operatorOf, personOf } from '../support/client.js';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import {
  authorisedRequest,
  claimInput,
  decide,
  executionInput,
  reviewInput,
  until,
} from '../support/requests.js';

// The effects of changes of principals and routes on requests (protocol §7 request.configure-principal,
// request.configure-route; R1, R2, R10). Each test has a route and people of its own, so that they do not disturb one
// another.

let instance: Instance;
let operator: Client;
let owner: Client;
let ruth: Client;
let ravi: Client;
let people: [string, string, string];

beforeAll(async () => {
  instance = await startInstance();
  const { demo, dataDirectory } = instance;
  operator = operatorOf(demo);
  people = demo.people.map((person) => person.id) as [string, string, string];
  [owner, ruth, ravi] = (await Promise.all(
    people.map((id) => personOf(demo, dataDirectory, id)),
  )) as [Client, Client, Client];
});
afterAll(async () => {
  await instance?.stop();
});

interface Scenario {
  readonly route: string;
  readonly producer: Client;
  readonly producerId: string;
  putRoute(changes?: Record<string, unknown>): Promise<any>;
  putProducer(changes?: Record<string, unknown>): Promise<void>;
  demo: Instance['demo'];
}

async function scenario(): Promise<Scenario> {
  const { demo } = instance;
  const route = `route-${randomUUID()}`;
  const producerId = `bot-${randomUUID()}`;
  const token = randomUUID().replaceAll('-', '') + randomUUID().replaceAll('-', '');
  const putRoute = async (changes: Record<string, unknown> = {}) => {
    const answer = await operator.put(`/v2/admin/routes/${route}`, {
      reviewers: [people[1], people[2]],
      separation_of_duties: true,
      limits: DEFAULT_LIMITS,
      required_profiles: {},
      allowed_producers: [producerId, people[0]],
      modes: ['durable'],
      ...changes,
    });
    expect(answer.status).toBe(200);
    return answer.body;
  };
  const putProducer = async (changes: Record<string, unknown> = {}) => {
    const config = {
      enabled: true,
      publisher: demo.publisher.id,
      owner: people[0],
      routes: [route],
      ...changes,
    };
    const answer = await operator.put(`/v2/admin/principals/${producerId}`, {
      id: producerId,
      kind: 'producer',
      config,
      token,
    });
    expect(answer.status).toBe(200);
  };
  await putRoute();
  await putProducer();
  return {
    route,
    producerId,
    producer: new Client(demo.origin, { token }),
    putRoute,
    putProducer,
    demo: { ...demo, routes: { review: route, execution: route } },
  };
}

async function statusOf(id: string) {
  const { body } = await operator.get(`/v2/requests/${id}`);
  return [body.decision_state, body.grant_state, body.execution_state];
}

async function reasonsOf(client: Client, id: string): Promise<string[]> {
  const reasons = async () => {
    const { body } = await client.get('/v2/events');
    return body.items
      .filter((item: any) => item.payload.request_id === id)
      .map((item: any) => item.payload.reason);
  };
  const { body } = await operator.get(`/v2/requests/${id}`);
  return until(reasons, (found) => found.length === body.revision);
}

it('moves a route’s revision with its rules and not with its members', async () => {
  const { putRoute } = await scenario();
  expect((await putRoute({ reviewers: [people[1]] })).revision).toBe(1);
  expect((await putRoute({ modes: ['durable', 'live_window'] })).revision).toBe(2);
  expect((await putRoute({ modes: ['durable', 'live_window'] })).revision).toBe(2);
  expect((await putRoute({ separation_of_duties: false })).revision).toBe(3);
});

it('cancels pending requests and revokes unused grants when the rules of a route change', async () => {
  const { producer, putRoute, demo } = await scenario();
  const pending = await producer.post('/v2/requests', reviewInput(demo));
  const granted = await authorisedRequest(demo, producer, ruth);
  await putRoute({ modes: ['durable', 'fixed_mock'] });
  const [first, second] = [pending.body.request.id, granted.body.request.id];
  expect(await statusOf(first)).toEqual(['cancelled', 'not_applicable', 'not_applicable']);
  expect(await statusOf(second)).toEqual(['confirmed', 'revoked', 'unclaimed']);
  expect(await reasonsOf(producer, first)).toEqual(['created', 'authorisation_changed']);
  const claimed = await producer.post(`/v2/requests/${second}/claims`, claimInput(granted));
  expect([claimed.status, claimed.body.error]).toEqual([409, 'authority_revoked']);
});

it('revokes decisions of a removed reviewer, and hides the rest from them', async () => {
  const { producer, putRoute, demo } = await scenario();
  const granted = await authorisedRequest(demo, producer, ruth);
  const other = await authorisedRequest(demo, producer, ravi);
  const pending = await producer.post('/v2/requests', reviewInput(demo));
  await ruth.post(`/v2/requests/${pending.body.request.id}/assignment`);
  await putRoute({ reviewers: [people[2]] });
  expect(await statusOf(granted.body.request.id)).toEqual(['confirmed', 'revoked', 'unclaimed']);
  expect(await reasonsOf(producer, granted.body.request.id)).toContain('reviewer_removed');
  expect(await statusOf(other.body.request.id)).toEqual(['confirmed', 'available', 'unclaimed']);
  expect((await statusOf(pending.body.request.id))[0]).toBe('pending');
  expect((await ruth.get(`/v2/requests/${pending.body.request.id}`)).status).toBe(404);
  // The removed reviewer's lease is gone: the other takes the review at once.
  expect((await ravi.post(`/v2/requests/${pending.body.request.id}/assignment`)).status).toBe(200);
});

it('ends the requests of a producer that a route no longer takes', async () => {
  const { producer, putRoute, demo } = await scenario();
  const pending = await producer.post('/v2/requests', reviewInput(demo));
  await putRoute({ allowed_producers: [] });
  expect((await statusOf(pending.body.request.id))[0]).toBe('cancelled');
  expect(await reasonsOf(producer, pending.body.request.id)).toEqual([
    'created',
    'producer_removed',
  ]);
  const refused = await producer.post('/v2/requests', reviewInput(demo));
  expect([refused.status, refused.body.error]).toEqual([403, 'route_not_authorised']);
});

it('ends the requests of a producer that is disabled, rebound or loses the route', async () => {
  for (const change of [{ enabled: false }, { owner: people[1] }, { routes: [] }]) {
    const { producer, putProducer, demo } = await scenario();
    const pending = await producer.post('/v2/requests', reviewInput(demo));
    await putProducer(change);
    expect((await statusOf(pending.body.request.id))[0]).toBe('cancelled');
    await putProducer();
    expect(await reasonsOf(producer, pending.body.request.id)).toEqual([
      'created',
      'producer_authorisation_changed',
    ]);
  }
});

it('does not change requests when a producer gets a route or another token', async () => {
  const { producer, putProducer, route, demo } = await scenario();
  const pending = await producer.post('/v2/requests', reviewInput(demo));
  await putProducer({ routes: [route, 'another'] });
  expect((await statusOf(pending.body.request.id))[0]).toBe('pending');
});

it('cancels at once the requests of a disabled requester (R10), and revokes decisions of a disabled reviewer', async () => {
  const { producer, putProducer, putRoute, demo } = await scenario();
  const humans = [`human-${randomUUID()}`, `human-${randomUUID()}`] as const;
  const putHuman = (id: string, enabled: boolean) =>
    operator.put(`/v2/admin/principals/${id}`, {
      id,
      kind: 'human',
      config: { enabled, oidc_issuer: demo.issuer, oidc_subject: id },
    });
  for (const id of humans) expect((await putHuman(id, true)).status).toBe(200);
  await putProducer({ owner: humans[0] });
  await putRoute({ reviewers: [people[1], humans[1]] });
  const pending = await producer.post('/v2/requests', reviewInput(demo));
  expect(pending.status).toBe(201);
  await putHuman(humans[0], false);
  expect((await statusOf(pending.body.request.id))[0]).toBe('cancelled');
  expect(await reasonsOf(producer, pending.body.request.id)).toEqual([
    'created',
    'requester_removed',
  ]);
  const refused = await producer.post('/v2/requests', reviewInput(demo));
  expect([refused.status, refused.body.error]).toEqual([409, 'requester_identity_unavailable']);
});

it('answers 503 while the identity of requester or reviewer is uncertain, and stores nothing of it', async () => {
  const { producer, putProducer, demo } = await scenario();
  const requester = `human-${randomUUID()}`;
  const put = (certain: boolean) =>
    operator.put(`/v2/admin/principals/${requester}`, {
      id: requester,
      kind: 'human',
      config: {
        enabled: true,
        identity_certain: certain,
        oidc_issuer: demo.issuer,
        oidc_subject: requester,
      },
    });
  await put(true);
  await putProducer({ owner: requester });
  const granted = await authorisedRequest(demo, producer, ruth);
  await put(false);
  const claim = () =>
    producer.post(`/v2/requests/${granted.body.request.id}/claims`, claimInput(granted));
  const uncertain = await claim();
  expect([uncertain.status, uncertain.body.error]).toEqual([503, 'requester_identity_uncertain']);
  await put(true);
  expect((await claim()).status).toBe(201);
});

it('lets a human own requests (R1), from asking to the outcome, but never review them', async () => {
  const { route, putRoute, demo } = await scenario();
  await putRoute({ reviewers: people });
  const created = await owner.post('/v2/requests', executionInput(demo));
  expect(created.status).toBe(201);
  const { id, requester, producer: ownerId } = created.body.request;
  expect(ownerId).toBe(people[0]);
  expect(requester).toEqual({ subject: people[0], source: 'human_session' });
  const own = await decide(owner, id, 'authorise');
  expect([own.status, own.body.error]).toEqual([403, 'separation_of_duties']);
  expect((await decide(ruth, id, 'authorise')).status).toBe(200);
  const granted = await until(
    () => owner.get(`/v2/requests/${id}`),
    (answer) => answer.body.grant_state === 'available',
  );
  const input = claimInput(granted);
  const claim = await owner.post(`/v2/requests/${id}/claims`, input);
  expect(claim.status).toBe(201);
  const outcome = {
    execution_identity: input.execution_identity,
    status: 'uncertain',
    details: {},
  };
  const reported = await owner.post(`/v2/requests/${id}/outcomes`, outcome);
  expect(reported.body.payload.recorded_by).toEqual({ kind: 'human', subject: people[0] });
  expect(await reasonsOf(owner, id)).toEqual([
    'created',
    'decision',
    'anchor_accepted',
    'claimed',
    'outcome',
  ]);
  const foreign = await ravi.post(`/v2/requests/${id}/claims`, claimInput(granted));
  expect([foreign.status, foreign.body.error]).toEqual([403, 'forbidden']);
  expect(route).toBe(created.body.request.route);
});

it('lets a human with the power operate (R2), with CSRF proof, and takes it away again', async () => {
  const { demo } = instance;
  const put = (power: boolean) =>
    operator.get('/v2/requests').then(async () => {
      const issuer = await issuerOf(people[2]);
      return operator.put(`/v2/admin/principals/${people[2]}`, {
        id: people[2],
        kind: 'human',
        config: { enabled: true, operator: power, ...issuer },
      });
    });
  expect((await ravi.get('/v2/admin/ledger')).body.error).toBe('operator_required');
  expect((await put(true)).status).toBe(200);
  expect((await ravi.get('/v2/admin/ledger')).status).toBe(200);
  const list = await ravi.get('/v2/requests');
  expect(list.status).toBe(200);
  const text = await ravi.get('/v2/admin/metrics.prom');
  expect([text.status, text.body.error]).toEqual([403, 'operator_required']);
  expect((await put(false)).status).toBe(200);
  expect((await ravi.get('/v2/admin/ledger')).body.error).toBe('operator_required');
  expect(demo.people).toHaveLength(3);

  /** Issuer and subject never change, so they are read from where they were configured. */
  async function issuerOf(id: string) {
    const { readFileSync } = await import('node:fs');
    const { join } = await import('node:path');
    const tenants = JSON.parse(readFileSync(join(instance.dataDirectory, 'tenants.json'), 'utf8'));
    const person = tenants[0].people.find((candidate: any) => candidate.id === id);
    const { issuer } = JSON.parse(
      readFileSync(join(instance.dataDirectory, 'configured.json'), 'utf8'),
    );
    return { oidc_issuer: issuer, oidc_subject: person.subject };
  }
});

it('reconciles as an operator only, with a reason and evidence, and keeps every record', async () => {
  const { producer, demo } = await scenario();
  const granted = await authorisedRequest(demo, producer, ruth);
  const { id } = granted.body.request;
  const input = claimInput(granted);
  await producer.post(`/v2/requests/${id}/claims`, input);
  const uncertain = {
    execution_identity: input.execution_identity,
    status: 'uncertain',
    details: {},
  };
  await producer.post(`/v2/requests/${id}/outcomes`, uncertain);
  const settle = (details: object) =>
    operator.post(`/v2/requests/${id}/reconcile`, { ...uncertain, status: 'abandoned', details });
  expect((await settle({ reason: 'gone' })).body.error).toBe('reconciliation_evidence_required');
  const own = await producer.post(`/v2/requests/${id}/reconcile`, uncertain);
  expect([own.status, own.body.error]).toEqual([403, 'operator_required']);
  const abandoned = await producer.post(`/v2/requests/${id}/outcomes`, {
    ...uncertain,
    status: 'abandoned',
  });
  expect([abandoned.status, abandoned.body.error]).toEqual([409, 'outcome_conflict']);
  const settled = await settle({ reason: 'the machine is gone', evidence: 'ticket 17' });
  expect([settled.status, settled.body.protected.type]).toEqual([200, 'ExecutionReconciliation']);
  expect(await statusOf(id)).toEqual(['confirmed', 'consumed', 'abandoned']);
  const { body } = await producer.get(`/v2/requests/${id}/export`);
  expect(body.records.map((record: any) => record.protected.type)).toEqual([
    'DecisionReceipt',
    'ExecutionClaim',
    'ExecutionOutcome',
    'ExecutionReconciliation',
  ]);
});

it('replaces unconsumed work atomically, and never consumed work', async () => {
  const { producer, demo } = await scenario();
  const granted = await authorisedRequest(demo, producer, ruth);
  const { id, execution } = granted.body.request;
  const supersede = (of: string, changes: object = {}) =>
    producer.post(`/v2/requests/${of}/supersede`, executionInput(demo, { execution, ...changes }));
  const renamed = { execution: { ...execution, action_occurrence_id: 'pay/other' } };
  expect((await supersede(id, renamed)).body.error).toBe('occurrence_changed');
  const review = await producer.post(`/v2/requests/${id}/supersede`, reviewInput(demo));
  expect([review.status, review.body.error]).toEqual([409, 'purpose_immutable']);
  const next = await supersede(id, { summary: 'Pay invoice 17, corrected' });
  expect([next.status, next.body.request.supersedes]).toEqual([201, id]);
  expect(await statusOf(id)).toEqual(['confirmed', 'revoked', 'unclaimed']);
  expect((await supersede(id)).body.error).toBe('occurrence_unavailable');
  expect(await reasonsOf(producer, id)).toEqual([
    'created',
    'decision',
    'anchor_accepted',
    'supersession',
  ]);

  const nextId = next.body.request.id;
  await decide(ravi, nextId, 'authorise');
  const again = await until(
    () => producer.get(`/v2/requests/${nextId}`),
    (answer) => answer.body.grant_state === 'available',
  );
  expect((await producer.post(`/v2/requests/${nextId}/claims`, claimInput(again))).status).toBe(
    201,
  );
  expect((await supersede(nextId)).body.error).toBe('occurrence_consumed');
});

it('deletes private material early, keeps the proof, and blocks new admission', async () => {
  const { producer, demo } = await scenario();
  const granted = await authorisedRequest(demo, producer, ruth);
  const { id } = granted.body.request;
  const discarded = await producer.post(`/v2/requests/${id}/discard`);
  expect([discarded.status, discarded.body.grant_state]).toEqual([200, 'revoked']);
  const material = await producer.get(`/v2/requests/${id}/material`);
  expect([material.status, material.body.error]).toEqual([410, 'material_deleted']);
  const { body } = await until(
    () => producer.get(`/v2/requests/${id}/export`),
    (answer) => answer.body.audit.length === 6,
  );
  expect(body.material).toBeNull();
  expect(body.audit.map((entry: any) => JSON.parse(entry.record).protected.type).slice(-2)).toEqual(
    ['MaterialDiscarded', 'RequestChangedEvent'],
  );
  const claimed = await producer.post(`/v2/requests/${id}/claims`, claimInput(granted));
  expect([claimed.status, claimed.body.error]).toEqual([409, 'authority_revoked']);
});
