import { faultOf } from '@countersign/protocol';
import { codeOf } from '../../support/answers.js';
import { startInstance } from '../../support/instance.js';
import type { Instance } from '../../support/instance.js';
import type { OwnRoute } from '../../support/own-route.js';
import { until } from '../../support/requests.js';
import {
  EXTENDED,
  Voters,
  newExecution,
  newReview,
  policyWith,
  stagesOf,
  statusOf,
} from '../../support/voting.js';

// Votes that are taken back, and the board that shows them (protocol §18.4, §18.11).

const PEOPLE = ['fin-1', 'fin-2', 'plat-1', 'plat-2', 'legal-1'] as const;
const [FIN, OTHER, PLAT, SECOND, LEGAL] = PEOPLE;
const STAGES = {
  stages: stagesOf({ finance: 1 }, { platform: 2 }),
  distinct_by: 'person',
} as const;

let instance: Instance;
let voters: Voters;

beforeAll(async () => {
  instance = await startInstance({ people: PEOPLE, env: { CAPABILITIES: 'proto.approval' } });
  voters = new Voters(instance, PEOPLE);
  for (const id of PEOPLE) await voters.putHuman(id);
  await voters.putMembership(FIN, ['finance']);
  await voters.putMembership(OTHER, ['finance']);
  await voters.putMembership(PLAT, ['platform']);
  await voters.putMembership(SECOND, ['platform']);
  await voters.putMembership(LEGAL, ['legal']);
});
afterAll(async () => instance?.stop());

async function boardFor(id: string, request: string) {
  const answer = await (await voters.by(id)).get(`/v2/requests/${request}/approvals`, EXTENDED);
  expect([answer.status, faultOf('ApprovalBoard', answer.body)]).toEqual([200, null]);
  return answer.body;
}

describe('while the request is pending', () => {
  let own: OwnRoute;
  beforeAll(async () => {
    own = await voters.routeWith(policyWith(STAGES));
  });

  it('a vote ends, with those for later stages, and may be given again', async () => {
    const request = await newReview(own);
    const candidate = await voters.freeze(FIN, request);
    await voters.vote(FIN, request, candidate);
    await voters.vote(PLAT, request, candidate);
    const key = { key: `withdraw-${request}` };
    const ended = await voters.withdraw(FIN, request, key);
    expect([ended.status, ended.body.protected.type]).toEqual([200, 'ApprovalEnded']);
    expect(ended.body.payload).toMatchObject({
      ...{ number: 3, reason: 'withdrawn', recorded_by: { kind: 'human', subject: FIN } },
    });
    expect((await voters.withdraw(FIN, request, key)).text).toBe(ended.text);
    const board = await boardFor(PLAT, request);
    expect(board.votes).toMatchObject([
      { reviewer: FIN, state: 'ended', ended_reason: 'withdrawn' },
      { reviewer: PLAT, state: 'ended', ended_reason: 'earlier_stage_reopened' },
    ]);
    const again = await voters.vote(FIN, request, candidate);
    expect([again.status, again.body.approval.payload.number]).toEqual([201, 5]);
    await voters.vote(SECOND, request, candidate);
    const last = await voters.vote(PLAT, request, candidate);
    expect(last.body.receipt.payload.quorum.approvals).toHaveLength(3);
  });

  it('is refused to people without a vote, and to those who do not see the request', async () => {
    const request = await newReview(own);
    const candidate = await voters.freeze(FIN, request);
    await voters.vote(FIN, request, candidate);
    expect(codeOf(await voters.withdraw(PLAT, request))).toBe('409 approval_unavailable');
    const missing = '01a00000-0000-7000-8000-000000000000';
    expect(codeOf(await voters.withdraw(FIN, missing))).toBe('404 not_found');
    await own.producer.post(`/v2/requests/${request}/cancel`, {}, EXTENDED);
    expect(codeOf(await voters.withdraw(FIN, request))).toBe('409 request_not_pending');
  });

  it('votes take back at most 16 times', async () => {
    const request = await newReview(own);
    const candidate = await voters.freeze(FIN, request);
    for (let vote = 0; vote < 16; vote += 1) {
      expect((await voters.vote(FIN, request, candidate)).status).toBe(201);
      expect((await voters.withdraw(FIN, request)).status).toBe(200);
    }
    const refused = await voters.vote(FIN, request, candidate);
    expect(codeOf(refused)).toBe('429 proposal_revision_limit');
  });

  it('the board shows seats, candidates and what the caller may do', async () => {
    const request = await newReview(own);
    const candidate = await voters.freeze(FIN, request);
    expect((await boardFor(FIN, request)).mine).toEqual({
      ...{ can: ['approve', 'reject'], why_not: null, groups: ['finance'] },
    });
    expect((await boardFor(PLAT, request)).mine).toMatchObject({
      ...{ can: ['reject'], why_not: 'stage_not_open' },
    });
    expect((await boardFor(LEGAL, request)).mine).toMatchObject({
      ...{ can: [], why_not: 'reviewer_ineligible' },
    });
    await voters.vote(FIN, request, candidate);
    const board = await boardFor(PLAT, request);
    expect(board).toMatchObject({
      ...{ phase: 'collecting', reachable: true, short_of: [], rejections: 0 },
      candidates: [
        {
          ...{ ...candidate, author: FIN, decision: 'answer', open_stage: 2 },
          candidate: { response: { note: 'yes' } },
          seats: [
            { stage: 1, group: 'finance', filled_by: FIN },
            { stage: 2, group: 'platform', filled_by: null },
            { stage: 2, group: 'platform', filled_by: null },
          ],
        },
      ],
      votes: [{ reviewer: FIN, state: 'live', stage: 1, decision: 'answer' }],
      mine: { can: ['approve', 'reject'], why_not: null },
    });
    expect((await boardFor(FIN, request)).mine).toMatchObject({
      ...{ can: ['withdraw'], why_not: 'approval_exists' },
    });
    // The owner sees no answer before it is decided (R39), and is no reviewer.
    const path = `/v2/requests/${request}/approvals`;
    const owners = await own.producer.get(path, EXTENDED);
    expect(owners.body).toMatchObject({ candidates: [{ candidate: null }], mine: null });
    await own.producer.post(`/v2/requests/${request}/cancel`, {}, EXTENDED);
    expect(await boardFor(PLAT, request)).toMatchObject({
      ...{ phase: 'ended', votes: [{ state: 'lapsed' }] },
      mine: { can: [], why_not: 'request_not_pending' },
    });
  });

  it('the board says when people are too few, and is not there for other requests', async () => {
    const request = await newReview(own);
    await voters.putMembership(SECOND, []);
    expect(await boardFor(PLAT, request)).toMatchObject({
      reachable: false,
      short_of: [{ stage: 2, group: 'platform', needed: 2, eligible: 1 }],
    });
    await voters.putMembership(SECOND, ['platform']);
    expect(await boardFor(PLAT, request)).toMatchObject({ reachable: true });
    await voters.putPolicy(own, null);
    const plain = await newReview(own, { profiles: {} });
    const path = `/v2/requests/${plain}/approvals`;
    expect(codeOf(await own.producer.get(path, EXTENDED))).toBe('404 not_found');
    expect(codeOf(await voters.withdraw(FIN, plain))).toBe('404 not_found');
    await voters.putPolicy(own, policyWith(STAGES));
  });
});

describe('after the decision', () => {
  const decided = async (changes: object) => {
    const two = { stages: stagesOf({ finance: 2 }), distinct_by: 'person', ...changes } as const;
    const own = await voters.routeWith(policyWith(two));
    const request = await newExecution(own);
    const candidate = await voters.freeze(FIN, request, 'authorise');
    await voters.vote(FIN, request, candidate);
    expect((await voters.vote(OTHER, request, candidate)).body.receipt).not.toBeNull();
    return { own, request };
  };

  it('a counted vote takes the unused grant away, where the policy says so', async () => {
    const { own, request } = await decided({ withdraw_after_completion: true });
    expect(codeOf(await voters.withdraw(PLAT, request))).toBe('409 approval_unavailable');
    await until(
      () => statusOf(own, request),
      ({ body }) => body.grant_state === 'available',
    );
    const event = await voters.withdraw(FIN, request);
    expect([event.status, event.body.payload.reason]).toEqual([200, 'approval_withdrawn']);
    expect((await statusOf(own, request)).body).toMatchObject({
      ...{ decision_state: 'confirmed', grant_state: 'revoked' },
    });
    expect(codeOf(await voters.withdraw(OTHER, request))).toBe('409 request_not_pending');
  });

  it('it stays otherwise', async () => {
    const { own, request } = await decided({ withdraw_after_completion: false });
    expect(codeOf(await voters.withdraw(FIN, request))).toBe('409 approval_unavailable');
    expect((await statusOf(own, request)).body.decision_state).toBe('confirmed');
  });
});
