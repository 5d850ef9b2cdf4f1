import type pg from 'pg';
import { faultOf, personDigest, valueDigest } from '@countersign/protocol';
import { codeOf } from '../../support/answers.js';
import { Client, operatorOf, personOf } from '../../support/client.js';
import type { CallOptions } from '../../support/client.js';
import { runCommand, startInstance } from '../../support/instance.js';
import type { Instance } from '../../support/instance.js';
import { newRoute } from '../../support/own-route.js';
import type { OwnRoute } from '../../support/own-route.js';
import { identityOf } from '../../support/people.js';
import { executionBinding, reviewInput } from '../../support/requests.js';
import { connectTo, untilChained } from '../../support/truths.js';
import { APPROVAL_PROFILES, EXTENDED, Voters, policyWith } from '../../support/voting.js';

// Requests on a route with a policy (protocol §18.3): which profiles they select, and what they freeze.

const PEOPLE = ['fin-1', 'plat-1', 'plat-2', 'plat-3'] as const;
const [FIN, PLAT, SECOND, THIRD] = PEOPLE;
const POLICY = policyWith();
const ANSWER = { decision: 'answer', response: { note: 'yes' } };

let instance: Instance;
let plain: Instance;
let database: pg.Client;
let voters: Voters;

beforeAll(async () => {
  [instance, plain] = await Promise.all([
    startInstance({ people: PEOPLE, env: { CAPABILITIES: 'proto.approval' } }),
    startInstance(),
  ]);
  database = await connectTo(instance);
  voters = new Voters(instance, PEOPLE);
});
afterAll(async () => {
  await database?.end();
  await Promise.all([instance?.stop(), plain?.stop()]);
});

// Every test starts with one person of finance and two of platform, all of teams of their own.
beforeEach(async () => {
  for (const id of PEOPLE) await voters.putHuman(id);
  await voters.putMembership(FIN, ['finance'], { team: 'green' });
  await voters.putMembership(PLAT, ['platform'], { team: 'blue' });
  await voters.putMembership(SECOND, ['platform'], { team: 'red' });
  await voters.putMembership(THIRD, []);
});

const routeWith = (policy = POLICY) => voters.routeWith(policy);
const inputFor = ({ demo }: OwnRoute, changes: object = {}) =>
  reviewInput(demo, { profiles: APPROVAL_PROFILES, ...changes });
const createOn = (own: OwnRoute, changes: object = {}, options: CallOptions = {}) =>
  own.producer.post('/v2/requests', inputFor(own, changes), { ...EXTENDED, ...options });

const personIn = ({ demo }: Instance, subject: string, issuer = demo.issuer) =>
  personDigest({ issuer, subject, tenant: demo.tenant });

describe('a request on a route with a policy', () => {
  it('freezes the policy, and excludes the person whom its producer is bound to', async () => {
    const own = await routeWith();
    const { status, body } = await createOn(own);
    expect(status).toBe(201);
    const { request } = body;
    expect(faultOf('ExtendedDecisionRequest', request)).toBeNull();
    expect(request.approval).toEqual({
      policy: POLICY,
      policy_digest: valueDigest(POLICY),
      excluded: [personIn(instance, own.ownerId)],
    });
    expect(body.request_digest).toBe(valueDigest(request));
    const { rows } = await database.query(
      `SELECT l.approvals_needed AS needed, q.needed AS of_quorum, q.number, q.receipt_id FROM lifecycle l
       JOIN quorum_state q ON q.tenant = l.tenant AND q.request_id = l.request_id WHERE l.request_id = $1`,
      [request.id],
    );
    expect(rows).toEqual([{ needed: 3, of_quorum: 3, number: 0, receipt_id: null }]);
  });

  it('is answered again under its key, read and exported with what it froze', async () => {
    const own = await routeWith();
    const key = { key: 'the-same' };
    const first = await createOn(own, {}, key);
    expect((await createOn(own, {}, key)).text).toBe(first.text);
    const { request } = first.body;
    const path = `/v2/requests/${request.id}`;
    const status = await own.producer.get(path, EXTENDED);
    expect(status.body.request).toEqual(request);
    const exported = await own.producer.get(`${path}/export`, EXTENDED);
    expect(faultOf('ExtendedAuditExport', exported.body)).toBeNull();
    expect(exported.body).toMatchObject({ request, evidence: { records: [] } });
    const fin = await personOf(instance.demo, instance.dataDirectory, FIN);
    const material = await fin.get(`${path}/material`, EXTENDED);
    expect([material.status, material.body.request]).toEqual([200, request]);
  });

  it('lets people freeze answers, and is not confirmed by one of them', async () => {
    const own = await routeWith();
    const { body } = await createOn(own);
    const path = `/v2/requests/${body.request.id}`;
    const fin = await personOf(instance.demo, instance.dataDirectory, FIN);
    expect((await fin.post(`${path}/assignment`)).status).toBe(200);
    const frozen = await fin.post(`${path}/candidates`, ANSWER);
    expect(frozen.status).toBe(201);
    const confirmation = {
      candidate_id: frozen.body.id,
      candidate_digest: valueDigest(frozen.body),
    };
    const confirm = () => fin.post(`${path}/confirm`, confirmation, EXTENDED);
    expect(codeOf(await confirm())).toBe('409 approval_required');
    expect((await own.producer.get(path, EXTENDED)).body.decision_state).toBe('pending');
    const cancelled = await own.producer.post(`${path}/cancel`, {}, EXTENDED);
    expect(cancelled.body.decision_state).toBe('cancelled');
    expect(codeOf(await confirm())).toBe('409 request_not_pending');
  });

  it('takes no answer from a person whom it excludes, by whatever principal', async () => {
    const exclude = { publisher_people: false, operators: true };
    await voters.putHuman(THIRD, { operator: true });
    await voters.putMembership(FIN, ['finance'], { team: 'green', same_person_as: THIRD });
    await voters.putMembership(SECOND, ['finance', 'platform'], { team: 'red' });
    const own = await routeWith(
      policyWith({ stages: [{ name: 'all', seats: [{ group: 'platform', count: 2 }] }], exclude }),
    );
    const { body } = await createOn(own);
    const [fin, plat] = await Promise.all(
      [FIN, PLAT].map((id) => personOf(instance.demo, instance.dataDirectory, id)),
    );
    const path = `/v2/requests/${body.request.id}/candidates`;
    const refused = await (fin as Client).post(path, ANSWER);
    expect(codeOf(refused)).toBe('403 separation_of_duties');
    expect((await (plat as Client).post(path, ANSWER)).status).toBe(201);
    await voters.putMembership(FIN, ['finance'], { team: 'green', same_person_as: null });
    await database.query(
      `UPDATE membership SET record = replace(record, 'finance', 'finances') WHERE principal = $1`,
      [FIN],
    );
    await voters.putHuman(THIRD);
    const uncertain = await (fin as Client).post(path, ANSWER);
    expect(codeOf(uncertain)).toBe('503 identity_uncertain');
    await restoreMembership(FIN);
  });

  it('is cancelled when the policy changes, and one that follows freezes the new one', async () => {
    const own = await routeWith();
    const { body } = await createOn(own);
    const changed = policyWith({ rejection: { count: 2 } });
    await voters.putPolicy(own, changed);
    const before = await own.producer.get(`/v2/requests/${body.request.id}`, EXTENDED);
    expect(before.body.decision_state).toBe('cancelled');
    expect(before.body.request.approval.policy).toEqual(POLICY);
    expect((await createOn(own)).body.request.approval.policy).toEqual(changed);
  });

  it('is replaced by one that freezes the policy as well', async () => {
    const own = await routeWith();
    const { body } = await createOn(own);
    const path = `/v2/requests/${body.request.id}/supersede`;
    const lacking = await own.producer.post(path, inputFor(own, { profiles: {} }));
    expect(codeOf(lacking)).toBe('422 route_profile_required');
    await voters.putMembership(THIRD, ['platform']);
    const replaced = await own.producer.post(path, inputFor(own), EXTENDED);
    expect(replaced.status).toBe(201);
    expect(replaced.body.request).toMatchObject({
      supersedes: body.request.id,
      approval: { policy_digest: valueDigest(POLICY) },
    });
    await voters.putMembership(FIN, []);
    const { id } = replaced.body.request;
    const short = await own.producer.post(`/v2/requests/${id}/supersede`, inputFor(own), EXTENDED);
    expect(codeOf(short)).toBe('409 quorum_unsatisfiable');
    expect((await own.producer.get(`/v2/requests/${id}`, EXTENDED)).body.decision_state).toBe(
      'pending',
    );
  });

  it('may authorise an execution', async () => {
    const own = await routeWith();
    const { status, body } = await createOn(own, {
      purpose: 'authorise_execution',
      profiles: { ...APPROVAL_PROFILES, 'proto.execution': '1-draft.1' },
      execution: executionBinding(),
    });
    expect([status, faultOf('ExtendedDecisionRequest', body.request)]).toEqual([201, null]);
  });
});

describe('the profiles of a request', () => {
  it('have to have that of approvals on a route with a policy, and not on another one', async () => {
    const own = await routeWith();
    const lacking = await own.producer.post('/v2/requests', inputFor(own, { profiles: {} }));
    expect(codeOf(lacking)).toBe('422 route_profile_required');
    const other = await createOn(own, { profiles: { 'proto.approval': '2' } });
    expect(codeOf(other)).toBe('422 unsupported_profile');
    const simple = await newRoute(instance.demo, voters.operator, PEOPLE);
    expect(codeOf(await createOn(simple))).toBe('422 unsupported_profile');
    expect((await createOn(simple, { profiles: {} })).status).toBe(201);
  });

  it('are refused on a route with a policy while the deployment does not offer it', async () => {
    const own = await newRoute(plain.demo, operatorOf(plain.demo), [plain.demo.people[1]!.id]);
    expect((await createOn(own, { profiles: {} })).status).toBe(201);
    const stored = await connectTo(plain);
    await stored.query(
      `INSERT INTO route_policy (tenant, route, revision, policy, configured_by, updated_at) VALUES ($1, $2, 2, $3, '{}', now())`,
      [plain.demo.tenant, own.route, JSON.stringify(POLICY)],
    );
    await stored.query('UPDATE tenant SET directory_revision = directory_revision + 1');
    await stored.end();
    expect(codeOf(await createOn(own, { profiles: {} }))).toBe('422 route_profile_required');
    expect(codeOf(await createOn(own))).toBe('422 unsupported_profile');
  });
});

describe('a request that too few people could approve', () => {
  const SHORT = 'group platform: 2 needed, 1 eligible';

  it.each<[string, () => Promise<unknown>, string]>([
    ['no member', () => voters.putMembership(FIN, []), 'group finance: 1 needed, 0 eligible'],
    ['a member who is disabled', () => voters.putHuman(PLAT, { enabled: false }), SHORT],
    [
      'a member who is not certain',
      () => voters.putHuman(PLAT, { identity_certain: false }),
      SHORT,
    ],
    [
      'two members of one team',
      () => voters.putMembership(SECOND, ['platform'], { team: 'blue' }),
      SHORT,
    ],
    [
      'two members who are one person',
      () => voters.putMembership(SECOND, ['platform'], { team: 'red', same_person_as: PLAT }),
      SHORT,
    ],
    [
      'a member whose membership was altered',
      () =>
        database.query(
          `UPDATE membership SET record = replace(record, '"red"', '"rad"') WHERE principal = $1`,
          [SECOND],
        ),
      SHORT,
    ],
  ])('is refused where a group has %s', async (_, change, detail) => {
    const own = await routeWith();
    await change();
    // The database alone moves no revision.
    await own.putRoute({ reviewers: PEOPLE });
    const refused = await createOn(own);
    expect([codeOf(refused), refused.body.detail]).toEqual(['409 quorum_unsatisfiable', detail]);
    for (const id of PEOPLE) expect(refused.text).not.toContain(id);
    await restoreMembership(SECOND);
  });

  it('is refused where a member is no reviewer of the route', async () => {
    const own = await routeWith();
    await own.putRoute({ reviewers: [FIN, PLAT] });
    const refused = await createOn(own);
    expect([codeOf(refused), refused.body.detail]).toEqual(['409 quorum_unsatisfiable', SHORT]);
  });

  it('is refused where a member is the person whom the producer is bound to', async () => {
    const own = await routeWith();
    await own.putProducer({ owner: PLAT });
    const refused = await createOn(own);
    expect([codeOf(refused), refused.body.detail]).toEqual(['409 quorum_unsatisfiable', SHORT]);
  });

  it('is refused where a member operates, and the policy excludes operators', async () => {
    await voters.putHuman(PLAT, { operator: true });
    const own = await routeWith();
    expect((await createOn(own)).status).toBe(201);
    await voters.putPolicy(
      own,
      policyWith({ exclude: { publisher_people: false, operators: true } }),
    );
    const refused = await createOn(own);
    expect([codeOf(refused), refused.body.detail]).toEqual(['409 quorum_unsatisfiable', SHORT]);
    await voters.putMembership(THIRD, ['platform']);
    const { body } = await createOn(own);
    const { oidc_issuer, oidc_subject } = identityOf(instance.dataDirectory, PLAT);
    expect(body.request.approval.excluded).toContain(personIn(instance, oidc_subject, oidc_issuer));
  });

  it('is refused where a member belongs to the publisher of its bundle, and the policy excludes them', async () => {
    const { publisher } = instance.demo;
    await voters.putHuman(PLAT, { publisher: publisher.id });
    const own = await routeWith();
    const bundle = await bundleOf(instance);
    const withBundle = {
      profiles: { ...APPROVAL_PROFILES, 'proto.agent-ui': '2' },
      bundle_id: bundle,
    };
    const refused = await createOn(own, withBundle);
    expect([codeOf(refused), refused.body.detail]).toEqual(['409 quorum_unsatisfiable', SHORT]);
    expect((await createOn(own)).status).toBe(201);
    await voters.putPolicy(
      own,
      policyWith({ exclude: { publisher_people: false, operators: false } }),
    );
    expect((await createOn(own, withBundle)).status).toBe(201);
  });

  it('is not created while a person whom it has to exclude is not certain to be known', async () => {
    const own = await routeWith();
    await own.putProducer({ owner: THIRD });
    await voters.putMembership(THIRD, ['oncall']);
    await database.query(
      `UPDATE membership SET record = replace(record, 'oncall', 'on-call') WHERE principal = $1`,
      [THIRD],
    );
    await own.putRoute({ reviewers: PEOPLE });
    expect(codeOf(await createOn(own))).toBe('503 identity_uncertain');
    await restoreMembership(THIRD);
  });
});

/** An altered text could not be replaced by the operation. */
async function restoreMembership(id: string) {
  await database.query('DELETE FROM membership WHERE principal = $1', [id]);
}

async function bundleOf({ demo }: Instance): Promise<string> {
  const publisher = new Client(demo.origin, { token: demo.publisher.token });
  const { body } = await publisher.post('/v2/bundles', {
    ...{ html: '<!doctype html><title>x</title>', compatibility: { agent_ui: '2' } },
    ...{ author: 'somebody', licence: 'Apache-2.0' },
  });
  return body.id;
}

it('leaves tables that fsck finds in order', async () => {
  await untilChained(database);
  const { code, stdout } = await runCommand(['fsck', '--data', instance.dataDirectory, '--json']);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { consistent: true, findings: [] }]);
});
