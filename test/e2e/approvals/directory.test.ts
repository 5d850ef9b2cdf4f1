import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { faultOf, loadTrust, verifyDocument } from '@countersign/protocol';
import { codeOf } from '../../support/answers.js';
import { runCommand, startInstance } from '../../support/instance.js';
import type { Instance } from '../../support/instance.js';
import type { OwnRoute } from '../../support/own-route.js';
import { until } from '../../support/requests.js';
import { connectTo, untilChained } from '../../support/truths.js';
import {
  EXTENDED,
  Voters,
  newExecution,
  newReview,
  policyWith,
  stagesOf,
  statusOf,
} from '../../support/voting.js';

// Votes and decisions of several people when the directory changes (protocol §18.7). Each test has a route of its own, and
// leaves the people as they were.

const PEOPLE = ['fin-1', 'fin-2', 'fin-3', 'plat-1', 'plat-2', 'olga'] as const;
const [FIN, OTHER, THIRD, PLAT, SECOND, OLGA] = PEOPLE;
const TWO = { stages: stagesOf({ finance: 2 }), distinct_by: 'person' } as const;
const STAGES = {
  stages: stagesOf({ finance: 1 }, { platform: 2 }),
  distinct_by: 'person',
} as const;

let instance: Instance;
let database: pg.Client;
let voters: Voters;

beforeAll(async () => {
  instance = await startInstance({ people: PEOPLE, env: { CAPABILITIES: 'proto.approval' } });
  database = await connectTo(instance);
  voters = new Voters(instance, PEOPLE);
  for (const id of PEOPLE) await voters.putHuman(id);
  for (const id of [FIN, OTHER, THIRD]) await voters.putMembership(id, ['finance']);
  for (const id of [PLAT, SECOND]) await voters.putMembership(id, ['platform']);
  await voters.putHuman(OLGA, { operator: true });
});
afterAll(async () => {
  await database?.end();
  await instance?.stop();
});

/** Each vote in its order: giver, state and the reason of its ending. */
async function votesOn(request: string): Promise<string[]> {
  const { body } = await voters.operator.get(`/v2/requests/${request}/approvals`, EXTENDED);
  return body.votes.map((vote: any) =>
    [vote.reviewer, vote.state, vote.ended_reason].filter((word) => word !== null).join(' '),
  );
}

/** Records of a request about its votes, and reasons of its events, in the order of the ledger. */
async function ledgerOf(request: string): Promise<any[]> {
  await untilChained(database);
  const { rows } = await database.query<{ record: string }>(
    `SELECT r.record FROM ledger_entry e JOIN record r ON r.tenant = e.tenant AND r.id = e.record_id
     WHERE r.request_id = $1 ORDER BY e.sequence`,
    [request],
  );
  return rows.map(({ record }) => JSON.parse(record));
}
const wordsOf = (records: readonly any[]) =>
  records.map(({ protected: { type }, payload }) =>
    type === 'RequestChangedEvent' ? `+${payload.reason}` : (payload.reason ?? type),
  );

const incidentsOf = async (request: string) => {
  const { rows } = await database.query<{ code: string }>(
    'SELECT code FROM incident WHERE request_id = $1',
    [request],
  );
  return rows.map(({ code }) => code);
};

/** A review with a vote of each. */
async function votedOn(own: OwnRoute, ...givers: readonly string[]): Promise<string> {
  const request = await newReview(own);
  const candidate = await voters.freeze(SECOND, request);
  for (const id of givers) expect((await voters.vote(id, request, candidate)).status).toBe(201);
  return request;
}

/** An execution that two people of finance authorised, whose grant may be claimed. */
async function authorised(): Promise<{ own: OwnRoute; request: string }> {
  const own = await voters.routeWith(policyWith(TWO));
  const request = await newExecution(own);
  const candidate = await voters.freeze(THIRD, request, 'authorise');
  await voters.vote(FIN, request, candidate);
  expect((await voters.vote(OTHER, request, candidate)).body.receipt).not.toBeNull();
  await until(
    () => statusOf(own, request),
    ({ body }) => body.grant_state === 'available',
  );
  return { own, request };
}

/** Changes that take a voter away, each with its undoing. */
const REMOVALS: readonly [
  string,
  (own: OwnRoute) => Promise<void>,
  (own: OwnRoute) => Promise<void>,
][] = [
  ['is disabled', () => voters.putHuman(FIN, { enabled: false }), () => voters.putHuman(FIN)],
  [
    'leaves the route',
    (own) => own.putRoute({ reviewers: PEOPLE.filter((id) => id !== FIN) }),
    (own) => own.putRoute(),
  ],
  [
    'leaves the group',
    () => voters.putMembership(FIN, ['legal']),
    () => voters.putMembership(FIN, ['finance']),
  ],
  [
    'joins another team',
    () => voters.putMembership(FIN, ['finance'], { team: 'red' }),
    () => voters.putMembership(FIN, ['finance']),
  ],
  [
    'is another person',
    () => voters.putMembership(FIN, ['finance'], { same_person_as: PLAT }),
    () => voters.putMembership(FIN, ['finance']),
  ],
];

describe.each(REMOVALS)('when a voter %s', (_, remove, restore) => {
  it('the vote ends, with those for later stages, and is not revived', async () => {
    const own = await voters.routeWith(policyWith(STAGES));
    const request = await votedOn(own, FIN, PLAT);
    await remove(own);
    const ended = [`${FIN} ended member_removed`, `${PLAT} ended earlier_stage_reopened`];
    expect(await votesOn(request)).toEqual(ended);
    const records = await ledgerOf(request);
    expect(wordsOf(records).slice(-3)).toEqual([
      'member_removed',
      'earlier_stage_reopened',
      '+approval_ended',
    ]);
    const [first, second] = records.slice(-3);
    for (const { payload } of [first, second]) expect(faultOf('ApprovalEnded', payload)).toBeNull();
    expect([first.protected.key_id, first.payload, second.payload.number]).toMatchObject([
      expect.stringMatching(/^request-/),
      { number: 3, recorded_by: { kind: 'operator', subject: instance.demo.operator.id } },
      4,
    ]);

    await restore(own);
    expect(await votesOn(request)).toEqual(ended);
    const [candidate] = await candidatesOf(request);
    const again = await voters.vote(FIN, request, candidate!);
    expect([again.status, again.body.approval.payload.number]).toEqual([201, 5]);
    expect((await statusOf(own, request)).body.decision_state).toBe('pending');
  });

  it('what it decided loses its unused grant for good', async () => {
    const { own, request } = await authorised();
    await remove(own);
    expect((await statusOf(own, request)).body).toMatchObject({
      ...{ decision_state: 'confirmed', grant_state: 'revoked' },
    });
    expect(wordsOf(await ledgerOf(request)).at(-1)).toBe('+reviewer_removed');
    expect(await votesOn(request)).toEqual([`${FIN} counted`, `${OTHER} counted`]);
    await restore(own);
    expect((await statusOf(own, request)).body.grant_state).toBe('revoked');
  });
});

/** What votes for the live candidates of a request say. */
async function candidatesOf(request: string): Promise<object[]> {
  const { body } = await voters.operator.get(`/v2/requests/${request}/approvals`, EXTENDED);
  return body.candidates.map(({ candidate_id, candidate_digest }: any) => ({
    ...{ candidate_id, candidate_digest },
  }));
}

describe('votes', () => {
  it('stay when a person joins a group or a route, and when others leave', async () => {
    const own = await voters.routeWith(policyWith({ ...TWO, stages: stagesOf({ finance: 3 }) }));
    const request = await votedOn(own, FIN);
    const { body: before } = await statusOf(own, request);
    await voters.putMembership(FIN, ['finance', 'legal']);
    await voters.putMembership(PLAT, ['finance', 'platform']);
    await voters.putMembership(PLAT, ['platform']);
    expect(await votesOn(request)).toEqual([`${FIN} live`]);
    expect((await statusOf(own, request)).body.revision).toBe(before.revision);
    await voters.putMembership(FIN, ['finance']);
    expect(await votesOn(request)).toEqual([`${FIN} live`]);
  });

  it('for a candidate end with its author, on that candidate alone', async () => {
    const own = await voters.routeWith(policyWith({ ...TWO, stages: stagesOf({ finance: 3 }) }));
    const request = await votedOn(own, FIN);
    const other = await voters.freeze(OTHER, request, 'answer', 'another');
    await voters.vote(OTHER, request, other);
    await own.putRoute({ reviewers: PEOPLE.filter((id) => id !== SECOND) });
    const ended = [`${FIN} ended candidate_gone`, `${OTHER} live`];
    expect(await votesOn(request)).toEqual(ended);
    await own.putRoute();
    expect(await votesOn(request)).toEqual(ended);
    expect(await candidatesOf(request)).toEqual([other]);
    expect(codeOf(await voters.vote(FIN, request, other))).toBe(201);
  });

  it('for a candidate of a disabled author end as those of its voters do', async () => {
    const own = await voters.routeWith(policyWith({ ...TWO, stages: stagesOf({ finance: 3 }) }));
    const request = await newReview(own);
    const candidate = await voters.freeze(FIN, request);
    for (const id of [FIN, OTHER]) await voters.vote(id, request, candidate);
    await voters.putHuman(FIN, { enabled: false });
    expect(await votesOn(request)).toEqual([
      `${FIN} ended member_removed`,
      `${OTHER} ended candidate_gone`,
    ]);
    expect(wordsOf(await ledgerOf(request)).slice(-5)).toEqual([
      ...['member_removed', '+approval_ended', 'candidate_gone', '+approval_ended'],
      '+quorum_unreachable',
    ]);
    await voters.putHuman(FIN);
  });

  it('of two principals that become one person are one: the later ends', async () => {
    const own = await voters.routeWith(policyWith({ ...TWO, stages: stagesOf({ finance: 3 }) }));
    const request = await votedOn(own, FIN, OTHER);
    await voters.putMembership(OTHER, ['finance'], { same_person_as: FIN });
    expect(await votesOn(request)).toEqual([`${FIN} live`, `${OTHER} ended same_person`]);
    const [candidate] = await candidatesOf(request);
    expect(codeOf(await voters.vote(OTHER, request, candidate!))).toBe('409 approval_exists');
    await voters.putMembership(OTHER, ['finance']);
    expect(codeOf(await voters.vote(OTHER, request, candidate!))).toBe(201);
  });

  it('stay while their giver is not certain to be known, and decide nothing meanwhile', async () => {
    const own = await voters.routeWith(policyWith(TWO));
    const request = await votedOn(own, FIN);
    const [candidate] = await candidatesOf(request);
    await voters.putHuman(FIN, { identity_certain: false });
    expect(await votesOn(request)).toEqual([`${FIN} live`]);
    const refused = await voters.vote(OTHER, request, candidate!);
    expect(codeOf(refused)).toBe('503 identity_uncertain');
    await voters.putHuman(FIN);
    expect((await voters.vote(OTHER, request, candidate!)).body.receipt).not.toBeNull();
  });

  it('that were counted keep their grant while a giver is not certain to be known', async () => {
    const { own, request } = await authorised();
    await voters.putHuman(FIN, { identity_certain: false });
    expect((await statusOf(own, request)).body.grant_state).toBe('available');
    await voters.putHuman(FIN);
    expect((await statusOf(own, request)).body.grant_state).toBe('available');
  });

  it('lapse without a record when the policy changes, which takes unused grants away', async () => {
    const { own, request: unused } = await authorised();
    const pending = await newExecution(own);
    const candidate = await voters.freeze(FIN, pending, 'authorise');
    await voters.vote(FIN, pending, candidate);
    await voters.putPolicy(own, policyWith({ ...TWO, stages: stagesOf({ finance: 3 }) }));
    expect((await statusOf(own, pending)).body.decision_state).toBe('cancelled');
    expect(await votesOn(pending)).toEqual([`${FIN} lapsed`]);
    expect((await statusOf(own, unused)).body.grant_state).toBe('revoked');
    for (const request of [pending, unused]) {
      expect(wordsOf(await ledgerOf(request)).at(-1)).toBe('+authorisation_changed');
    }
  });

  it('lapse when the policy is removed', async () => {
    const { own, request } = await authorised();
    const pending = await newExecution(own);
    await voters.putPolicy(own, null);
    expect((await statusOf(own, pending)).body.decision_state).toBe('cancelled');
    expect((await statusOf(own, request)).body.grant_state).toBe('revoked');
  });

  it('lapse when the requester is disabled', async () => {
    const own = await voters.routeWith(policyWith(TWO));
    const request = await votedOn(own, FIN);
    const config = { enabled: false, oidc_issuer: own.demo.issuer, oidc_subject: own.ownerId };
    const owner = { id: own.ownerId, kind: 'human', config };
    await voters.operator.put(`/v2/admin/principals/${own.ownerId}`, owner);
    expect(await votesOn(request)).toEqual([`${FIN} lapsed`]);
    expect(wordsOf(await ledgerOf(request)).at(-1)).toBe('+requester_removed');
  });
});

describe('a quorum that is out of reach', () => {
  it('has one event and one incident, and may be reached again', async () => {
    const own = await voters.routeWith(policyWith(STAGES));
    const request = await votedOn(own, FIN);
    await voters.putMembership(SECOND, []);
    expect(wordsOf(await ledgerOf(request)).at(-1)).toBe('+quorum_unreachable');
    expect(await incidentsOf(request)).toEqual(['quorum_unreachable']);
    const { body } = await statusOf(own, request);
    expect(body.decision_state).toBe('pending');
    await voters.putMembership(SECOND, ['platform']);
    await voters.putHuman(PLAT, { enabled: false });
    await voters.putHuman(PLAT);
    expect((await statusOf(own, request)).body.revision).toBe(body.revision);
    expect(await incidentsOf(request)).toEqual(['quorum_unreachable']);
    const [candidate] = await candidatesOf(request);
    await voters.vote(PLAT, request, candidate!);
    expect((await voters.vote(SECOND, request, candidate!)).body.receipt).not.toBeNull();
  });

  it('has its event behind those of the votes that end, on every request of the route', async () => {
    const own = await voters.routeWith(policyWith({ ...TWO, stages: stagesOf({ finance: 3 }) }));
    const voted = await votedOn(own, FIN);
    const fresh = await newReview(own);
    const reviewers = PEOPLE.filter((id) => id !== FIN);
    await own.putRoute({ reviewers });
    expect(wordsOf(await ledgerOf(voted)).slice(-3)).toEqual([
      ...['member_removed', '+approval_ended', '+quorum_unreachable'],
    ]);
    expect(wordsOf(await ledgerOf(fresh)).at(-1)).toBe('+quorum_unreachable');
  });

  it('has its event when people are not certain to be known, too', async () => {
    const own = await voters.routeWith(policyWith({ ...TWO, stages: stagesOf({ finance: 3 }) }));
    const request = await newReview(own);
    await voters.putHuman(THIRD, { identity_certain: false });
    expect(wordsOf(await ledgerOf(request)).at(-1)).toBe('+quorum_unreachable');
    await voters.putHuman(THIRD);
  });
});

it('a preview shows the grants that a change takes away, and no request that goes on', async () => {
  const { own } = await authorised();
  await votedOn(own, FIN);
  const olga = await voters.by(OLGA);
  const path = `/operator/data/preview/route?id=${own.route}`;
  const config = (await voters.operator.get(`/v2/admin/routes/${own.route}/policy`, EXTENDED))
    .status;
  expect(config).toBe(200);
  const { rows } = await database.query('SELECT config FROM route WHERE id = $1', [own.route]);
  const reviewers = PEOPLE.filter((id) => id !== FIN);
  const preview = await olga.call('POST', path, { ...rows[0].config, reviewers }, { key: null });
  expect(preview.body.affected).toMatchObject({ count: 1, cancelled: 0, revoked: 1 });
  expect(preview.body.affected.items).toMatchObject([{ reason: 'reviewer_removed' }]);
});

it('leaves an export that verifies', async () => {
  const own = await voters.routeWith(policyWith(STAGES));
  const request = await votedOn(own, FIN, PLAT);
  await voters.putMembership(FIN, []);
  await voters.putMembership(FIN, ['finance']);
  await voters.putMembership(SECOND, []);
  await voters.putMembership(SECOND, ['platform']);
  const [candidate] = await candidatesOf(request);
  for (const id of [OTHER, PLAT, SECOND]) await voters.vote(id, request, candidate!);
  await until(
    () => statusOf(own, request),
    ({ body }) => body.audit_state === 'anchored',
  );
  const { text } = await own.producer.get(`/v2/requests/${request}/export`, EXTENDED);
  const trust = loadTrust(JSON.parse(readFileSync(instance.demo.trust, 'utf8')));
  const { checks } = verifyDocument(text, trust);
  expect(checks.filter(({ status }) => status === 'fails')).toEqual([]);
  const replayed = checks.find(({ code }) => code === 'approval_complete');
  expect(replayed?.status).toBe('holds');
});

it('leaves tables that fsck finds in order', async () => {
  await untilChained(database);
  const { code, stdout } = await runCommand(['fsck', '--data', instance.dataDirectory, '--json']);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { consistent: true, findings: [] }]);
});
