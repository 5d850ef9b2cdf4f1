import type pg from 'pg';
import { faultOf, textDigest, valueDigest } from '@countersign/protocol';
import { codeOf } from '../../support/answers.js';
import { startInstance, runCommand } from '../../support/instance.js';
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
  wordOf,
} from '../../support/voting.js';

// Votes of several people on one request (protocol §18.4, §18.5). Teams are as the policy's example has them: `both-1` is of
// two groups, and `plat-1` and `plat-2` are of one team.

const PEOPLE = ['both-1', 'plat-1', 'plat-2', 'fin-1', 'legal-1', 'twin-1', 'guest-1'] as const;
const [BOTH, PLAT, SECOND, FIN, LEGAL, TWIN, GUEST] = PEOPLE;
const TWO = { stages: stagesOf({ finance: 2 }), distinct_by: 'person' } as const;

let instance: Instance;
let database: pg.Client;
let voters: Voters;

beforeAll(async () => {
  instance = await startInstance({ people: PEOPLE, env: { CAPABILITIES: 'proto.approval' } });
  database = await connectTo(instance);
  voters = new Voters(instance, PEOPLE);
  for (const id of PEOPLE) await voters.putHuman(id);
  await voters.putMembership(BOTH, ['finance', 'platform'], { team: 'red' });
  await voters.putMembership(PLAT, ['platform'], { team: 'blue' });
  await voters.putMembership(SECOND, ['platform'], { team: 'blue' });
  await voters.putMembership(FIN, ['finance'], { team: 'green' });
  await voters.putMembership(LEGAL, ['legal'], { team: 'black' });
  await voters.putMembership(TWIN, ['finance'], { team: 'grey', same_person_as: FIN });
});
afterAll(async () => {
  await database?.end();
  await instance?.stop();
});

/** Types and reasons of the records of a request, in the order of the ledger. */
async function ledgerOf(request: string, count: number): Promise<string[]> {
  return until(
    async () => {
      const { rows } = await database.query<{ record: string }>(
        `SELECT r.record FROM ledger_entry e JOIN record r ON r.tenant = e.tenant AND r.id = e.record_id
         WHERE r.request_id = $1 ORDER BY e.sequence`,
        [request],
      );
      return rows.map(({ record }) => wordOf(record));
    },
    (found) => found.length >= count,
  );
}

const kept = async (request: string) => {
  const { rows } = await database.query(
    `SELECT number, reviewer, state, seat_group, stage FROM approval WHERE request_id = $1 ORDER BY number`,
    [request],
  );
  return rows.map(({ number, reviewer, state, seat_group, stage }) =>
    [number, reviewer, state, seat_group, stage].join(' '),
  );
};

describe('a review that three people decide', () => {
  let own: OwnRoute;
  beforeAll(async () => {
    own = await voters.routeWith(policyWith());
  });

  it('is decided by the vote that fills the last seat, whose receipt names the counted ones', async () => {
    const request = await newReview(own);
    const candidate = await voters.freeze(BOTH, request);
    const first = await voters.vote(BOTH, request, candidate);
    expect([first.status, first.body.receipt]).toEqual([201, null]);
    const { payload, protected: head } = first.body.approval;
    expect([head.type, faultOf('ApprovalRecord', payload)]).toEqual(['ApprovalRecord', null]);
    expect(payload).toMatchObject({
      ...{ ...candidate, decision: 'answer', number: 1, reviewer: BOTH, stage: 1, team: 'red' },
      ...{ groups: ['finance', 'platform'], mode: 'normal', acting_for: null, human: null },
      request_id: request,
    });
    const digests = [valueDigest(first.body.approval)];
    for (const id of [PLAT, SECOND]) {
      const vote = await voters.vote(id, request, candidate);
      expect([vote.status, vote.body.receipt]).toEqual([201, null]);
      digests.push(valueDigest(vote.body.approval));
    }
    expect((await statusOf(own, request)).body).toMatchObject({
      decision_state: 'pending',
      revision: 4,
    });
    const last = await voters.vote(FIN, request, candidate);
    expect(last.status).toBe(201);
    digests.push(valueDigest(last.body.approval));
    const receipt = last.body.receipt;
    expect(faultOf('ExtendedDecisionReceipt', receipt.payload)).toBeNull();
    expect(receipt.payload).toMatchObject({
      ...{ ...candidate, decision: 'answer', reviewer: FIN, request_id: request },
      confirmed_at: last.body.approval.payload.approved_at,
      quorum: {
        outcome: 'reached',
        approvals: [
          { reviewer: BOTH, group: 'platform', record: digests[0], stage: 1 },
          { reviewer: PLAT, group: 'platform', record: digests[1], stage: 1 },
          { reviewer: FIN, group: 'finance', record: digests[3], stage: 1 },
        ],
      },
    });
    expect((await statusOf(own, request)).body.decision_state).toBe('confirmed');
    expect(await kept(request)).toEqual([
      `1 ${BOTH} counted platform 1`,
      `2 ${PLAT} counted platform 1`,
      `3 ${SECOND} live  1`,
      `4 ${FIN} counted finance 1`,
    ]);
    expect((await ledgerOf(request, 10)).slice(0, 10)).toEqual([
      ...['+created', 'ApprovalRecord', '+approval', 'ApprovalRecord', '+approval'],
      ...['ApprovalRecord', '+approval', 'ApprovalRecord', 'DecisionReceipt', '+decision'],
    ]);
    const { rows } = await database.query(
      'SELECT digest, record FROM request_evidence WHERE request_id = $1',
      [request],
    );
    expect(rows).toHaveLength(4);
    for (const { digest, record } of rows) expect(textDigest(record)).toBe(digest);
  });

  it('answers a vote again under its key, and refuses another body under it', async () => {
    const request = await newReview(own);
    const candidate = await voters.freeze(BOTH, request);
    const key = { key: `vote-${request}` };
    const first = await voters.vote(BOTH, request, candidate, key);
    const again = await voters.vote(BOTH, request, candidate, key);
    expect([again.status, again.text]).toEqual([201, first.text]);
    const other = { ...candidate, candidate_digest: textDigest('other') };
    const conflict = await voters.vote(BOTH, request, other, key);
    expect(codeOf(conflict)).toBe('409 idempotency_conflict');
    expect(await kept(request)).toHaveLength(1);
  });

  it('is refused by one person, whatever candidate the no is about', async () => {
    const request = await newReview(own);
    const candidate = await voters.freeze(BOTH, request);
    expect((await voters.vote(BOTH, request, candidate)).status).toBe(201);
    const no = await voters.freeze(PLAT, request, 'reject', 'no');
    const { body } = await voters.vote(PLAT, request, no);
    expect(body.approval.payload).toMatchObject({ decision: 'reject', stage: 0 });
    expect(body.receipt.payload).toMatchObject({
      decision: 'reject',
      quorum: { outcome: 'rejected', approvals: [{ reviewer: PLAT, group: null, stage: 0 }] },
    });
    expect((await statusOf(own, request)).body.decision_state).toBe('confirmed');
  });

  it.each<[string, string, (request: string) => Promise<object>, string]>([
    ['without a seat', LEGAL, (id) => voters.freeze(BOTH, id), '409 reviewer_ineligible'],
    ['without a membership', GUEST, (id) => voters.freeze(BOTH, id), '409 reviewer_ineligible'],
    [
      'for a candidate that does not exist',
      BOTH,
      async () => ({
        ...{ candidate_id: '00000000-0000-4000-8000-000000000000' },
        candidate_digest: textDigest('none'),
      }),
      '409 candidate_changed',
    ],
    [
      'for another digest',
      BOTH,
      async (id) => ({
        ...(await voters.freeze(BOTH, id)),
        candidate_digest: textDigest('other'),
      }),
      '409 candidate_changed',
    ],
    [
      'for a candidate that its author replaced',
      BOTH,
      async (id) => {
        const first = await voters.freeze(PLAT, id);
        await voters.freeze(PLAT, id, 'answer', 'better');
        return first;
      },
      '409 candidate_changed',
    ],
    ['of another shape', BOTH, async () => ({}), '400 invalid_ApprovalInput'],
    [
      'in a mode of another release',
      BOTH,
      async (id) => ({ ...(await voters.freeze(BOTH, id)), mode: 'break_glass' }),
      '400 invalid_ApprovalInput',
    ],
  ])('takes no vote %s', async (_, id, candidateOf, code) => {
    const request = await newReview(own);
    const candidate = await candidateOf(request);
    expect(codeOf(await voters.vote(id, request, candidate))).toBe(code);
    expect(await kept(request)).toEqual([]);
  });

  it('takes no second vote of a person, by whatever principal', async () => {
    const request = await newReview(own);
    const candidate = await voters.freeze(FIN, request);
    expect((await voters.vote(FIN, request, candidate)).status).toBe(201);
    for (const id of [FIN, TWIN]) {
      expect(codeOf(await voters.vote(id, request, candidate))).toBe('409 approval_exists');
    }
  });

  it('takes no vote after it was cancelled', async () => {
    const request = await newReview(own);
    const candidate = await voters.freeze(FIN, request);
    expect((await voters.vote(FIN, request, candidate)).status).toBe(201);
    await own.producer.post(`/v2/requests/${request}/cancel`, {}, EXTENDED);
    expect(codeOf(await voters.vote(BOTH, request, candidate))).toBe('409 request_not_pending');
    expect(await kept(request)).toEqual([`1 ${FIN} live  1`]);
  });

  it('ends the votes for an answer that its author replaces', async () => {
    const request = await newReview(own);
    const candidate = await voters.freeze(FIN, request);
    await voters.vote(FIN, request, candidate);
    await voters.vote(PLAT, request, candidate);
    const better = await voters.freeze(FIN, request, 'answer', 'better');
    expect(await kept(request)).toEqual([`1 ${FIN} ended  1`, `2 ${PLAT} ended  1`]);
    expect(await ledgerOf(request, 7)).toEqual([
      ...['+created', 'ApprovalRecord', '+approval', 'ApprovalRecord', '+approval'],
      ...['ApprovalEnded', '+approval_ended'],
    ]);
    const again = await voters.vote(PLAT, request, better);
    expect([again.status, again.body.approval.payload.number]).toEqual([201, 4]);
  });
});

it('takes no votes on a request that one person decides, and hides others', async () => {
  const own = await voters.routeWith(policyWith());
  const request = await newReview(own);
  const candidate = await voters.freeze(FIN, request);
  await voters.putPolicy(own, null);
  const plain = await newReview(own, { profiles: {} });
  expect(codeOf(await voters.vote(FIN, plain, candidate))).toBe('404 not_found');
  await own.putRoute({ reviewers: [BOTH] });
  expect(codeOf(await voters.vote(FIN, request, candidate))).toBe('404 not_found');
});

it('takes votes of authors where the policy says so, and their no in any case', async () => {
  const own = await voters.routeWith(policyWith({ ...TWO, author_may_approve: false }));
  const request = await newReview(own);
  const candidate = await voters.freeze(FIN, request);
  for (const id of [FIN, TWIN]) {
    expect(codeOf(await voters.vote(id, request, candidate))).toBe('403 separation_of_duties');
  }
  const no = await voters.freeze(FIN, request, 'reject', 'no');
  expect((await voters.vote(FIN, request, no)).body.receipt).not.toBeNull();
});

it('opens one stage after the other', async () => {
  const stages = stagesOf({ finance: 1 }, { platform: 1 });
  const own = await voters.routeWith(policyWith({ stages, distinct_by: 'person' }));
  const request = await newExecution(own);
  const candidate = await voters.freeze(PLAT, request, 'authorise');
  expect(codeOf(await voters.vote(PLAT, request, candidate))).toBe('409 stage_not_open');
  expect((await voters.vote(FIN, request, candidate)).body.receipt).toBeNull();
  const last = await voters.vote(PLAT, request, candidate);
  expect(last.body.receipt.payload.quorum.approvals).toMatchObject([
    { reviewer: FIN, stage: 1, group: 'finance' },
    { reviewer: PLAT, stage: 2, group: 'platform' },
  ]);
  expect(last.body.receipt.payload.grant_deadline).toEqual(expect.any(String));
  await until(
    () => statusOf(own, request),
    ({ body }) => body.grant_state === 'available',
  );
});

it('is not completed while a person whose vote would count is not certain', async () => {
  const own = await voters.routeWith(policyWith(TWO));
  const request = await newReview(own);
  const candidate = await voters.freeze(FIN, request);
  await voters.vote(FIN, request, candidate);
  await voters.putHuman(FIN, { identity_certain: false });
  expect(codeOf(await voters.vote(BOTH, request, candidate))).toBe('503 identity_uncertain');
  expect((await statusOf(own, request)).body.decision_state).toBe('pending');
  await voters.putHuman(FIN);
  expect((await voters.vote(BOTH, request, candidate)).body.receipt).not.toBeNull();
});

it('leaves tables that fsck finds in order', async () => {
  await untilChained(database);
  const { code, stdout } = await runCommand(['fsck', '--data', instance.dataDirectory, '--json']);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { consistent: true, findings: [] }]);
});
