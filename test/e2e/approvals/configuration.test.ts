import type pg from 'pg';
import { EXAMPLES, personDigest, valueDigest } from '@countersign/protocol';
import type { RoutePolicy } from '@countersign/protocol';
import { operatorOf, personOf } from '../../support/client.js';
import { codeOf } from '../../support/answers.js';
import type { Client } from '../../support/client.js';
import type { Instance } from '../../support/instance.js';
import { runCommand, startInstance } from '../../support/instance.js';
import { newRoute } from '../../support/own-route.js';
import { identityOf } from '../../support/people.js';
import { reviewInput, until } from '../../support/requests.js';
import { connectTo } from '../../support/truths.js';

// Policies of routes and memberships of people, and the second operator for a change that weakens them (protocol §18.2,
// §18.11). Olga, Oscar and Ute operate; `bearer` does so with a token.

const [OLGA, OSCAR, UTE] = ['olga', 'oscar', 'ute'] as const;
const MEMBERS = Array.from({ length: 12 }, (_, at) => `member-${at}`);

let instance: Instance;
let database: pg.Client;
let bearer: Client;
let [olga, oscar, ute]: Client[] = [];
let taken = 0;

beforeAll(async () => {
  instance = await startInstance({
    people: [OLGA, OSCAR, UTE, ...MEMBERS],
    env: { CAPABILITIES: 'proto.approval' },
  });
  database = await connectTo(instance);
  bearer = operatorOf(instance.demo);
  for (const id of [OLGA, OSCAR, UTE]) await putHuman(id, { operator: true });
  for (const id of MEMBERS) await putHuman(id);
  const { demo, dataDirectory } = instance;
  [olga, oscar, ute] = await Promise.all(
    [OLGA, OSCAR, UTE].map((id) => personOf(demo, dataDirectory, id)),
  );
});
afterAll(async () => {
  await database?.end();
  await instance?.stop();
});

async function putHuman(id: string, changes: object = {}) {
  const config = { enabled: true, ...identityOf(instance.dataDirectory, id), ...changes };
  const answer = await bearer.put(`/v2/admin/principals/${id}`, { id, kind: 'human', config });
  expect(answer.status).toBe(200);
}

const by = (client: Client | undefined) => client as Client;
const newMember = () => MEMBERS[taken++] as string;
const newGroup = () => `group-${taken}-${Math.random().toString(36).slice(2)}`;
const personOfPrincipal = (id: string) => {
  const { oidc_issuer, oidc_subject } = identityOf(instance.dataDirectory, id);
  return personDigest({
    issuer: oidc_issuer,
    subject: oidc_subject,
    tenant: instance.demo.tenant,
  });
};

/** Two seats of a group; `changes` are of the quorum. */
const policyOf = (group: string, changes: Partial<RoutePolicy['quorum']> = {}): RoutePolicy => ({
  quorum: {
    ...EXAMPLES.RoutePolicy.quorum,
    stages: [{ name: 'all', seats: [{ group, count: 2 }] }],
    ...changes,
  },
});

const ownRoute = () => newRoute(instance.demo, bearer, [MEMBERS[0] as string]);
const policyPath = (route: string) => `/v2/admin/routes/${route}/policy`;
const putPolicy = (client: Client | undefined, route: string, policy: unknown) =>
  by(client).put(policyPath(route), { policy });
const putMembership = (client: Client | undefined, id: string, changes: object) =>
  by(client).put(`/v2/admin/principals/${id}/membership`, {
    ...{ groups: [], team: null, same_person_as: null },
    ...changes,
  });

/** A route with a guarded policy, whose one group is new. */
async function guardedRoute() {
  const own = await ownRoute();
  const group = newGroup();
  const policy = policyOf(group);
  expect((await putPolicy(olga, own.route, policy)).status).toBe(200);
  return { ...own, group, policy, weaker: policyOf(group, { rejection: { count: 2 } }) };
}

/** The entries of the security log about a principal or route, in their order. */
const noted = (subject: string, count: number) =>
  until(
    async () => {
      const { rows } = await database.query<{ entry: string }>(
        'SELECT entry FROM security_entry ORDER BY sequence',
      );
      return rows
        .map(({ entry }) => JSON.parse(entry) as { kind: string; subject: string; actor: object })
        .filter((entry) => entry.subject === subject && !/^(route|principal)\./.test(entry.kind));
    },
    (found) => found.length === count,
  );

/** The records of a type about a principal or route in the ledger. */
const chained = (type: string, named: string, count: number) =>
  until(
    async () => {
      const { rows } = await database.query<{ record: string }>(
        `SELECT r.record FROM ledger_entry e JOIN record r ON r.tenant = e.tenant AND r.id = e.record_id
         WHERE r.type = $1 ORDER BY e.sequence`,
        [type],
      );
      return rows
        .map(({ record }) => JSON.parse(record) as { payload: any; protected: any })
        .filter(({ payload }) => [payload.route, payload.principal].includes(named));
    },
    (found) => found.length === count,
  );

describe('a policy', () => {
  it('is set by one operator, ends the requests of its route, and is in the ledger', async () => {
    const { route, producer, demo } = await ownRoute();
    const pending = await producer.post('/v2/requests', reviewInput(demo));
    const policy = policyOf(newGroup());
    const answer = await putPolicy(olga, route, policy);
    const configured = {
      route,
      revision: 2,
      policy,
      policy_digest: valueDigest(policy),
      configured_by: [OLGA],
    };
    expect([answer.status, answer.body]).toEqual([200, { ...configured, proposed: null }]);
    expect((await bearer.get(policyPath(route))).body).toEqual(answer.body);
    const { body } = await producer.get(`/v2/requests/${pending.body.request.id}`);
    expect(body.decision_state).toBe('cancelled');
    const [record] = await chained('RoutePolicyConfigured', route, 1);
    expect(record?.payload).toEqual(configured);
    expect(record?.protected.audience).toBe(OLGA);
  });

  it('is read and set for routes that exist, by operators', async () => {
    const { route, producer } = await ownRoute();
    expect(codeOf(await bearer.get(policyPath('no-such-route')))).toBe('404 not_found');
    expect(codeOf(await putPolicy(olga, 'no-such-route', null))).toBe('404 not_found');
    expect(codeOf(await putPolicy(producer, route, null))).toBe('403 operator_required');
    expect(codeOf(await producer.get(policyPath(route)))).toBe('403 operator_required');
    const none = { revision: 1, policy: null, policy_digest: null, configured_by: [] };
    expect((await bearer.get(policyPath(route))).body).toEqual({ route, ...none, proposed: null });
  });

  it.each<[string, (policy: RoutePolicy) => unknown]>([
    ['another shape', (policy) => ({ ...policy, more: 1 })],
    [
      'one seat',
      () => policyOf('g', { stages: [{ name: 'a', seats: [{ group: 'g', count: 1 }] }] }),
    ],
    ['a part that no release enforces', (policy) => ({ ...policy, human_key: KEY })],
    [
      'a value that is typed twice',
      (policy) => ({ ...policy, attention: { ...ATTENTION, typed: [AMOUNT, AMOUNT] } }),
    ],
  ])('is refused with %s', async (_, changed) => {
    const { route } = await ownRoute();
    const refused = await putPolicy(olga, route, changed(policyOf('g')));
    expect(codeOf(refused)).toBe('400 invalid_policy');
  });

  it('needs a route that separates duties, now and as long as it stands', async () => {
    const { route, putRoute, producerId } = await ownRoute();
    const policy = policyOf('g');
    await putRoute({ separation_of_duties: false });
    expect(codeOf(await putPolicy(olga, route, policy))).toBe('400 separation_of_duties_required');
    await putRoute();
    expect((await putPolicy(olga, route, policy)).status).toBe(200);
    await expect(putRoute({ separation_of_duties: false })).rejects.toThrow(
      'separation_of_duties_required',
    );
    // An old tool that sends the whole route keeps the policy.
    await putRoute({ allowed_producers: [producerId, 'other'] });
    expect((await bearer.get(policyPath(route))).body.policy).toEqual(policy);
  });

  it('that is set again as it is changes nothing', async () => {
    const { route, policy } = await guardedRoute();
    const answer = await putPolicy(oscar, route, policy);
    expect(answer.body).toMatchObject({ revision: 2, configured_by: [OLGA], proposed: null });
  });

  it('bars the people who set it from deciding on the route', async () => {
    const { route, weaker, putRoute } = await guardedRoute();
    await putPolicy(oscar, route, weaker);
    await putPolicy(ute, route, weaker);
    await putRoute();
    const { rows } = await database.query<{ by: Record<string, string> }>(
      'SELECT configured_by AS by FROM route WHERE id = $1',
      [route],
    );
    expect(Object.values(rows[0]?.by ?? {}).sort()).toEqual([OSCAR, UTE]);
  });

  const KEY = { attestation: 'none', aaguids: [], device: 'any', enrolment: 'countersigned' };
  const AMOUNT = { label: 'Amount', pointer: '/amount' };
  const ATTENTION = {
    ...{ tier: 'low', read_seconds: 0, reading_rate: 0, cool_down_seconds: 0 },
    ...{ typed: [], open: [], per_hour: 0, per_day: 0 },
  };
});

describe('a change that weakens a guarded policy', () => {
  it('is carried out by a second person with the same body', async () => {
    const { route, policy, weaker } = await guardedRoute();
    const proposed = await putPolicy(oscar, route, weaker);
    expect(proposed.body).toMatchObject({
      policy,
      revision: 2,
      configured_by: [OLGA],
      proposed: { policy_digest: valueDigest(weaker), by: OSCAR },
    });
    expect((await bearer.get(policyPath(route))).body).toEqual(proposed.body);
    const done = await putPolicy(ute, route, weaker);
    expect(done.body).toMatchObject({
      policy: weaker,
      revision: 3,
      configured_by: [OSCAR, UTE],
      proposed: null,
    });
    const records = await chained('RoutePolicyConfigured', route, 2);
    expect(records[1]?.payload.configured_by).toEqual([OSCAR, UTE]);
    const entries = await noted(route, 3);
    expect(entries.map(({ kind }) => kind)).toEqual([
      'policy.changed',
      'change.proposed',
      'policy.changed',
    ]);
  });

  it('is carried out by one person once the command on the server has confirmed it', async () => {
    const { route, policy, weaker } = await guardedRoute();
    const digest = valueDigest(weaker);
    await putPolicy(oscar, route, weaker);
    const command = (...args: string[]) =>
      runCommand([
        ...['policy', '--tenant', instance.demo.tenant, '--data', instance.dataDirectory],
        ...args,
      ]);
    const listed = await command();
    expect(listed.stdout.split('\n').filter((line) => line.includes(route))).toEqual([
      expect.stringContaining(`"digest":"${digest}","by":"${OSCAR}"`),
    ]);
    const of = ['--route', route] as const;
    expect((await command('--confirm', digest)).stderr).toContain('together with --route');
    // The same change of another route has the same digest.
    const another = await guardedRoute();
    await putPolicy(oscar, another.route, weaker);
    const unknown = await command('--confirm', valueDigest('other'), ...of);
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining(`No change of that digest waits for the policy of ${route}`),
    ]);
    expect((await command('--confirm', digest, ...of)).code).toBe(0);
    expect((await putPolicy(oscar, another.route, weaker)).body).toMatchObject({
      proposed: { by: OSCAR },
    });
    // The command changes nothing by itself, and a bearer token is of no person.
    expect((await putPolicy(bearer, route, weaker)).body).toMatchObject({ policy });
    const done = await putPolicy(oscar, route, weaker);
    expect(done.body).toMatchObject({
      policy: weaker,
      configured_by: ['proto.local', OSCAR],
      proposed: null,
    });
    const entries = await noted(route, 4);
    expect(entries.map(({ kind }) => kind)).toEqual([
      'policy.changed',
      'change.proposed',
      'change.confirmed',
      'policy.changed',
    ]);
  });

  it('is not carried out by one person, however often they ask', async () => {
    const { route, policy } = await guardedRoute();
    const first = await putPolicy(oscar, route, null);
    expect(first.body.proposed).toMatchObject({ policy_digest: null, by: OSCAR });
    const again = await putPolicy(oscar, route, null);
    expect(again.body).toEqual(first.body);
    expect(again.body.policy).toEqual(policy);
  });

  it('is not carried out by a bearer token, before or after a person', async () => {
    const { route, policy, weaker } = await guardedRoute();
    await putPolicy(bearer, route, weaker);
    expect((await putPolicy(oscar, route, weaker)).body).toMatchObject({
      policy,
      proposed: { by: OSCAR },
    });
    expect((await putPolicy(bearer, route, weaker)).body).toMatchObject({
      policy,
      proposed: { by: OSCAR },
    });
    expect((await putPolicy(ute, route, weaker)).body).toMatchObject({ policy: weaker });
  });

  it('is not carried out by two principals of one person', async () => {
    const { route, policy, weaker } = await guardedRoute();
    expect((await putMembership(olga, UTE, { same_person_as: OSCAR })).status).toBe(200);
    await putPolicy(oscar, route, weaker);
    expect((await putPolicy(ute, route, weaker)).body.policy).toEqual(policy);
    // One operator does not part them again.
    const parted = await putMembership(ute, UTE, {});
    expect(parted.body).toMatchObject({ same_person_as: OSCAR, proposed: { by: UTE } });
    const alone = await putMembership(oscar, UTE, {});
    expect(alone.body).toMatchObject({ same_person_as: OSCAR, proposed: { by: UTE } });
    const done = await putMembership(olga, UTE, {});
    expect(done.body).toMatchObject({ same_person_as: null, configured_by: [UTE, OLGA] });
  });

  it('needs the same body: another one is another proposal', async () => {
    const { route, policy, weaker } = await guardedRoute();
    await putPolicy(oscar, route, weaker);
    const other = await putPolicy(ute, route, null);
    expect(other.body).toMatchObject({ policy, proposed: { policy_digest: null, by: UTE } });
  });

  it('is taken back by the policy that stands, and by a change that one operator carries out', async () => {
    const { route, policy, weaker, group } = await guardedRoute();
    await putPolicy(oscar, route, weaker);
    expect((await putPolicy(olga, route, policy)).body.proposed).toBeNull();
    await putPolicy(oscar, route, weaker);
    const stronger = policyOf(group, { author_may_approve: false });
    expect((await putPolicy(olga, route, stronger)).body).toMatchObject({
      policy: stronger,
      proposed: null,
    });
  });

  it('has to be confirmed within a day', async () => {
    const { route, policy, weaker } = await guardedRoute();
    const { body } = await putPolicy(oscar, route, weaker);
    await database.query(
      `UPDATE proposed_change SET at = at - interval '1 day' WHERE kind = 'policy' AND id = $1`,
      [route],
    );
    expect((await bearer.get(policyPath(route))).body.proposed).toBeNull();
    const late = await putPolicy(ute, route, weaker);
    expect(late.body).toMatchObject({ policy, proposed: { by: UTE } });
    expect(Date.parse(late.body.proposed.until)).toBeGreaterThan(
      Date.parse(body.proposed.until) - 86_400_000,
    );
  });

  it('is not carried out once its author operates no more', async () => {
    const { route, policy, weaker } = await guardedRoute();
    await putPolicy(oscar, route, weaker);
    await putHuman(OSCAR);
    expect((await putPolicy(ute, route, weaker)).body).toMatchObject({
      policy,
      proposed: { by: UTE },
    });
    await putHuman(OSCAR, { operator: true });
  });

  it('is not carried out once both operators are one person', async () => {
    const { route, policy, weaker } = await guardedRoute();
    await putPolicy(oscar, route, weaker);
    await putMembership(olga, OSCAR, { same_person_as: UTE });
    expect((await putPolicy(ute, route, weaker)).body).toMatchObject({
      policy,
      proposed: { by: UTE },
    });
    await putMembership(olga, OSCAR, {});
    expect((await putMembership(ute, OSCAR, {})).body.configured_by).toEqual([OLGA, UTE]);
  });

  it('is not needed where the policy has no guard', async () => {
    const { route } = await ownRoute();
    expect((await putPolicy(olga, route, policyOf('g', { guard: false }))).status).toBe(200);
    expect((await putPolicy(olga, route, null)).body).toMatchObject({ policy: null, revision: 3 });
  });
});

describe('a membership', () => {
  it('is signed, and its groups are sorted', async () => {
    const id = newMember();
    const answer = await putMembership(olga, id, { groups: ['oncall', 'dev'], team: 'blue' });
    const configured = {
      ...{ principal: id, person: personOfPrincipal(id), groups: ['dev', 'oncall'] },
      ...{ team: 'blue', same_person_as: null, revision: 1, configured_by: [OLGA] },
    };
    expect([answer.status, answer.body]).toEqual([
      200,
      { ...configured, configured_at: expect.any(String), proposed: null },
    ]);
    const [record] = await chained('MembershipConfigured', id, 1);
    expect(record?.payload).toMatchObject(configured);
    expect(record?.protected.audience).toBe('proto.directory');
    const entries = await noted(id, 1);
    expect(entries[0]).toMatchObject({
      kind: 'membership.changed',
      actor: { id: OLGA, kind: 'human' },
      detail: { changed: ['groups', 'team'], revision: 1 },
    });
    // Set again as it is, in another order: nothing changes.
    const again = await putMembership(oscar, id, { groups: ['dev', 'oncall'], team: 'blue' });
    expect(again.body).toEqual(answer.body);
  });

  it('in the group of a guarded policy needs a second person', async () => {
    const { group } = await guardedRoute();
    const id = newMember();
    const proposed = await putMembership(olga, id, { groups: [group] });
    expect(proposed.body).toEqual({
      ...{ principal: id, person: personOfPrincipal(id), groups: [], team: null },
      ...{ same_person_as: null, revision: 0, configured_by: [], configured_at: null },
      proposed: {
        membership_digest: valueDigest({ groups: [group], team: null, same_person_as: null }),
        by: OLGA,
        until: expect.any(String),
      },
    });
    expect((await putMembership(olga, id, { groups: [group] })).body).toEqual(proposed.body);
    const done = await putMembership(oscar, id, { groups: [group] });
    expect(done.body).toMatchObject({ groups: [group], configured_by: [OLGA, OSCAR] });
    // Another team would count as another vote; leaving is up to one operator.
    const team = await putMembership(olga, id, { groups: [group], team: 'red' });
    expect(team.body).toMatchObject({ team: null, proposed: { by: OLGA } });
    expect((await putMembership(olga, id, {})).body).toMatchObject({ groups: [], revision: 2 });
  });

  it('is read by operators, with a change that waits for the second of them', async () => {
    const { group } = await guardedRoute();
    const id = newMember();
    const path = `/operator/data/memberships?id=${id}`;
    expect((await by(olga).get(path)).body).toEqual({
      items: [
        {
          ...{ principal: id, person: personOfPrincipal(id), groups: [], team: null },
          ...{ same_person_as: null, revision: 0, configured_by: [], configured_at: null },
          proposed: null,
        },
      ],
      next: null,
    });
    const proposed = await putMembership(olga, id, { groups: [group] });
    expect((await by(oscar).get(path)).body.items).toEqual([proposed.body]);
    expect(proposed.body.proposed).toMatchObject({ by: OLGA });
    const done = await putMembership(oscar, id, { groups: [group] });
    expect((await by(oscar).get(path)).body.items).toEqual([done.body]);
    for (const other of ['producer-1', 'nobody']) {
      const answer = await by(olga).get(`/operator/data/memberships?id=${other}`);
      expect(answer.body).toEqual({ items: [], next: null });
    }
  });

  it('makes a second principal the person of the first', async () => {
    const [first, second, third] = [newMember(), newMember(), newMember()];
    const answer = await putMembership(olga, second, { same_person_as: first });
    expect(answer.body.person).toBe(personOfPrincipal(first));
    const refused = [
      await putMembership(olga, third, { same_person_as: second }),
      await putMembership(olga, first, { same_person_as: third }),
      await putMembership(olga, third, { same_person_as: third }),
      await putMembership(olga, third, { same_person_as: 'nobody' }),
      await putMembership(olga, third, { same_person_as: instance.demo.producer.id }),
    ];
    expect(new Set(refused.map(codeOf))).toEqual(new Set(['400 invalid_membership']));
  });

  it('is of people, and in groups that this release has', async () => {
    const id = newMember();
    expect(codeOf(await putMembership(olga, 'nobody', {}))).toBe('404 not_found');
    const producer = await putMembership(olga, instance.demo.producer.id, { groups: ['g'] });
    expect(codeOf(producer)).toBe('400 invalid_membership');
    const reserved = await putMembership(olga, id, { groups: ['proto.custodians'] });
    expect(codeOf(reserved)).toBe('400 invalid_membership');
    expect(codeOf(await putMembership(olga, id, { more: 1 }))).toBe('400 invalid_membership');
  });

  it('is refused where the group is full, and where the tenant has all the groups it can have', async () => {
    const id = newMember();
    const fill = `INSERT INTO membership (tenant, principal, person, groups, revision, record_id, record)
      SELECT $1, $2, 'p', $3::text[], 1, gen_random_uuid(), '' FROM principal WHERE tenant = $1 AND id = $2`;
    const others = Array.from({ length: 100 }, (_, at) => `other-${at}`);
    const { tenant } = instance.demo;
    const crowd = newMember();
    await database.query(fill, [tenant, crowd, others]);
    const many = await putMembership(olga, id, { groups: ['one-more'] });
    expect(codeOf(many)).toBe('400 invalid_membership');
    expect(many.body.detail).toBe('A tenant has 100 groups at most.');
    await database.query('UPDATE membership SET groups = $2 WHERE principal = $1', [
      crowd,
      Array.from({ length: 500 }, () => 'crowded'),
    ]);
    const full = await putMembership(olga, id, { groups: ['crowded'] });
    expect(full.body.detail).toBe('A group has 500 members at most.');
    await database.query('DELETE FROM membership WHERE principal = $1', [crowd]);
  });

  it('is what its signature says, and not what a table says', async () => {
    const { group } = await guardedRoute();
    const id = newMember();
    const answer = await putMembership(olga, id, { groups: ['dev'] });
    await database.query('UPDATE membership SET groups = $2 WHERE principal = $1', [id, [group]]);
    expect((await putMembership(olga, id, { groups: ['dev'] })).body).toEqual(answer.body);
    expect((await putMembership(olga, id, { groups: [group] })).body.groups).toEqual(['dev']);
    await database.query(
      `UPDATE membership SET record = replace(record, '["dev"]', $2) WHERE principal = $1`,
      [id, JSON.stringify([group])],
    );
    const refused = await putMembership(olga, id, { groups: [group] });
    expect(codeOf(refused)).toBe('503 identity_uncertain');
  });
});
