import type pg from 'pg';
import { codeOf } from '../../support/answers.js';
import { runCommand, startInstance, workersOnly } from '../../support/instance.js';
import type { Instance } from '../../support/instance.js';
import type { OwnRoute } from '../../support/own-route.js';
import { reviewInput } from '../../support/requests.js';
import { connectTo, untilChained } from '../../support/truths.js';
import {
  APPROVAL_PROFILES,
  EXTENDED,
  Voters,
  newExecution,
  newReview,
  policyWith,
  stagesOf,
  statusOf,
} from '../../support/voting.js';

// Votes at the same time, at two replicas of the service (protocol §18.4: each moves the request's one version), and changes of the
// directory beside them (§18.7).

const PEOPLE = Array.from({ length: 8 }, (_, at) => `voter-${at}`);
const TWO = { stages: stagesOf({ finance: 2 }), distinct_by: 'person' } as const;
const ROUNDS = Number(process.env['APPROVAL_ROUNDS'] ?? 10);
/** Of a vote and a change of the directory. */
const CHANGES = Math.max(20, ROUNDS);
/** Only to end a test that hangs: a round takes a tenth of a second on a machine that does nothing else. */
const LIMIT_MS = 120_000 + CHANGES * 5_000;

let instance: Instance;
let database: pg.Client;
let voters: Voters;
let own: OwnRoute;

beforeAll(async () => {
  instance = await startInstance({
    people: PEOPLE,
    split: true,
    replicas: { review: 2, request: 2, ...workersOnly('anchor') },
    env: { CAPABILITIES: 'proto.approval' },
  });
  database = await connectTo(instance);
  voters = new Voters(instance, PEOPLE);
  for (const id of PEOPLE) {
    await voters.putHuman(id);
    await voters.putMembership(id, ['finance']);
  }
  own = await voters.routeWith(policyWith(TWO));
});
afterAll(async () => {
  await database?.end();
  await instance?.stop();
});

const rounds = Array.from({ length: ROUNDS }, (_, round) => round);

/** What is kept of a request: its votes by state, and how many receipts it has. */
async function keptOf(request: string) {
  const { rows } = await database.query<{ live: number; counted: number; receipts: number }>(
    `SELECT count(*) FILTER (WHERE state = 'live')::integer AS live,
       count(*) FILTER (WHERE state = 'counted')::integer AS counted, (SELECT count(*)::integer FROM record r
         WHERE r.request_id = $1 AND r.type = 'DecisionReceipt') AS receipts,
       array_agg(number ORDER BY number) AS numbers
     FROM approval WHERE request_id = $1`,
    [request],
  );
  return rows[0];
}

it('of more votes than seats at once two count, one of them decides, and the others are refused', async () => {
  for (const _ of rounds) {
    const request = await newReview(own);
    const candidate = await voters.freeze(PEOPLE[0] as string, request);
    const answers = await Promise.all(PEOPLE.map((id) => voters.vote(id, request, candidate)));
    const codes = answers.map(codeOf).sort();
    expect(codes).toEqual([201, 201, ...Array(6).fill('409 request_not_pending')]);
    const receipts = answers.filter(({ body }) => body.receipt);
    expect(receipts).toHaveLength(1);
    expect(await keptOf(request)).toEqual({
      ...{ live: 0, counted: 2, receipts: 1, numbers: [1, 2] },
    });
  }
});

it('two votes that would both complete the quorum: one does, the other meets the decision', async () => {
  for (const _ of rounds) {
    const request = await newReview(own);
    const [first, second, third] = PEOPLE as [string, string, string];
    const candidate = await voters.freeze(first, request);
    await voters.vote(first, request, candidate);
    const answers = await Promise.all([
      voters.vote(second, request, candidate),
      voters.vote(third, request, candidate),
    ]);
    expect(answers.map(codeOf).sort()).toEqual([201, '409 request_not_pending']);
    expect(await keptOf(request)).toMatchObject({ counted: 2, live: 0, receipts: 1 });
  }
});

it('a refusal and the completing vote: the first to be saved decides, and no vote is lost', async () => {
  const outcomes = new Set<string>();
  for (const _ of rounds) {
    const request = await newReview(own);
    const [first, second, third] = PEOPLE as [string, string, string];
    const candidate = await voters.freeze(first, request);
    const no = await voters.freeze(third, request, 'reject', 'no');
    await voters.vote(first, request, candidate);
    const answers = await Promise.all([
      voters.vote(second, request, candidate),
      voters.vote(third, request, no),
    ]);
    expect(answers.map(codeOf).sort()).toEqual([201, '409 request_not_pending']);
    const receipt = answers.find(({ body }) => body.receipt)?.body.receipt;
    const { outcome } = receipt.payload.quorum;
    outcomes.add(outcome);
    expect(await keptOf(request)).toMatchObject(
      outcome === 'reached'
        ? { counted: 2, live: 0, receipts: 1 }
        : { counted: 1, live: 1, receipts: 1 },
    );
  }
  for (const outcome of outcomes) expect(['reached', 'rejected']).toContain(outcome);
});

it('the completing vote and the withdrawal of the other: never both', async () => {
  for (const _ of rounds) {
    const request = await newReview(own);
    const [first, second] = PEOPLE as [string, string];
    const candidate = await voters.freeze(first, request);
    await voters.vote(first, request, candidate);
    const [vote, withdrawal] = await Promise.all([
      voters.vote(second, request, candidate),
      voters.withdraw(first, request),
    ]);
    expect(vote.status).toBe(201);
    const kept = await keptOf(request);
    // A review has no grant that could be taken back once it is decided.
    if (vote.body.receipt === null) {
      expect([withdrawal.status, kept]).toMatchObject([200, { live: 1, counted: 0, receipts: 0 }]);
    } else {
      expect(codeOf(withdrawal)).toBe('409 approval_unavailable');
      expect(kept).toMatchObject({ live: 0, counted: 2, receipts: 1 });
    }
  }
});

it('the completing vote and a cancellation: the vote decides, or the request is cancelled', async () => {
  for (const _ of rounds) {
    const request = await newReview(own);
    const [first, second] = PEOPLE as [string, string];
    const candidate = await voters.freeze(first, request);
    await voters.vote(first, request, candidate);
    const [vote] = await Promise.all([
      voters.vote(second, request, candidate),
      own.producer.post(`/v2/requests/${request}/cancel`, {}, EXTENDED),
    ]);
    const { body } = await statusOf(own, request);
    expect([codeOf(vote), body.decision_state]).toEqual(
      vote.status === 201 ? [201, 'confirmed'] : ['409 request_not_pending', 'cancelled'],
    );
  }
});

/** A request that one more vote decides, and the candidate that it is for. */
async function oneShort(first: string) {
  const request = await newReview(own);
  const candidate = await voters.freeze(first, request);
  await voters.vote(first, request, candidate);
  return { request, candidate };
}

it("the completing vote and its author's new answer: the vote decides, or it has no candidate any more", async () => {
  for (const _ of rounds) {
    const [first, second] = PEOPLE as [string, string];
    const { request, candidate } = await oneShort(first);
    const author = await voters.by(first);
    const answer = { decision: 'answer', response: { note: 'better' } };
    const [vote, frozen] = await Promise.all([
      voters.vote(second, request, candidate),
      author.post(`/v2/requests/${request}/candidates`, answer, EXTENDED),
    ]);
    const kept = await keptOf(request);
    if (vote.status === 201) {
      expect([codeOf(frozen), kept]).toMatchObject([
        '409 request_not_pending',
        { live: 0, counted: 2, receipts: 1 },
      ]);
    } else {
      expect([codeOf(vote), codeOf(frozen)]).toEqual(['409 candidate_changed', 201]);
      expect(kept).toMatchObject({ live: 0, counted: 0, receipts: 0, numbers: [1] });
    }
  }
});

it('the completing vote and a supersession: the vote decides, or the request is superseded', async () => {
  for (const _ of rounds) {
    const [first, second] = PEOPLE as [string, string];
    const { request, candidate } = await oneShort(first);
    const input = reviewInput(own.demo, { profiles: APPROVAL_PROFILES });
    const [vote] = await Promise.all([
      voters.vote(second, request, candidate),
      own.producer.post(`/v2/requests/${request}/supersede`, input, EXTENDED),
    ]);
    const { body } = await statusOf(own, request);
    expect([codeOf(vote), body.decision_state]).toEqual(
      vote.status === 201 ? [201, 'confirmed'] : ['409 request_not_pending', 'superseded'],
    );
  }
});

it('the completing vote and the deadline: the vote decides before it, or the review has expired', async () => {
  const outcomes = new Set<string>();
  for (const round of rounds) {
    const [first, second] = PEOPLE as [string, string];
    const { request, candidate } = await oneShort(first);
    const { rows } = await database.query<{ deadline: Date }>(
      `UPDATE lifecycle SET review_deadline = date_trunc('milliseconds', clock_timestamp()) + make_interval(secs => $2::float8 / 1000)
       WHERE request_id = $1 RETURNING review_deadline AS deadline`,
      [request, (round * 4) % 40],
    );
    const vote = await voters.vote(second, request, candidate);
    const { decision_state: state } = (await statusOf(own, request)).body;
    outcomes.add(state);
    if (vote.status === 201) {
      const { approved_at: at } = vote.body.approval.payload;
      expect(Date.parse(at)).toBeLessThan(rows[0]!.deadline.getTime());
      expect([vote.body.receipt.payload.confirmed_at, state]).toEqual([at, 'confirmed']);
    } else {
      expect([codeOf(vote), state]).toEqual(['409 request_not_pending', 'expired']);
      expect(await keptOf(request)).toMatchObject({ live: 1, counted: 0, receipts: 0 });
    }
  }
  expect(outcomes.has('expired')).toBe(true);
});

it('the same person by two calls at once: one vote', async () => {
  for (const _ of rounds) {
    const request = await newReview(own);
    const [first] = PEOPLE as [string];
    const candidate = await voters.freeze(first, request);
    const answers = await Promise.all([1, 2].map(() => voters.vote(first, request, candidate)));
    expect(answers.map(codeOf).sort()).toEqual([201, '409 approval_exists']);
  }
});

describe('the completing vote and a change of the directory', () => {
  const [first, second, third] = PEOPLE as [string, string, string];

  /** Of the rounds half begin with the vote, which takes longer than most changes. */
  const meanwhile = async (round: number, request: string, change: () => Promise<void>) => {
    if (round % 2 === 1) await statusOf(own, request);
    await change();
  };

  /** An execution with a vote of the first, and what the second votes for. */
  async function oneOfTwo(on: OwnRoute) {
    const request = await newExecution(on);
    const candidate = await voters.freeze(third, request, 'authorise');
    expect((await voters.vote(first, request, candidate)).status).toBe(201);
    return { request, candidate };
  }

  const reviewers = PEOPLE.filter((id) => id !== first);
  const removals: readonly [string, () => Promise<void>, () => Promise<void>][] = [
    [
      'out of the group',
      () => voters.putMembership(first, []),
      () => voters.putMembership(first, ['finance']),
    ],
    ['out of the route', () => own.putRoute({ reviewers }), () => own.putRoute()],
    [
      'into another person',
      () => voters.putMembership(first, ['finance'], { same_person_as: third }),
      () => voters.putMembership(first, ['finance']),
    ],
  ];

  it.each(removals)(
    'that takes the other voter %s: a decision loses its grant, or its vote',
    async (_, remove, restore) => {
      for (let round = 0; round < CHANGES; round += 1) {
        const { request, candidate } = await oneOfTwo(own);
        const [vote] = await Promise.all([
          voters.vote(second, request, candidate),
          meanwhile(round, request, remove),
        ]);
        expect(codeOf(vote)).toBe(201);
        const { body } = await statusOf(own, request);
        if (vote.body.receipt === null) {
          expect(body).toMatchObject({ decision_state: 'pending', grant_state: 'none' });
          expect(await keptOf(request)).toMatchObject({ live: 1, counted: 0, receipts: 0 });
        } else {
          expect(body).toMatchObject({ decision_state: 'confirmed', grant_state: 'revoked' });
          expect(await keptOf(request)).toMatchObject({ live: 0, counted: 2, receipts: 1 });
        }
        await restore();
        // A change reads all requests that wait: those of earlier rounds are not its subject.
        await own.producer.post(`/v2/requests/${request}/cancel`, {}, EXTENDED);
      }
    },
    LIMIT_MS,
  );

  it(
    'of the policy: a decision loses its grant, or there is none',
    async () => {
      for (let round = 0; round < CHANGES; round += 1) {
        const { request, candidate } = await oneOfTwo(own);
        const rejection = { count: 1 + ((round + 1) % 2) };
        const [vote] = await Promise.all([
          voters.vote(second, request, candidate),
          meanwhile(round, request, () => voters.putPolicy(own, policyWith({ ...TWO, rejection }))),
        ]);
        const { body } = await statusOf(own, request);
        if (vote.status === 201) {
          expect(vote.body.receipt).not.toBeNull();
          expect(body).toMatchObject({ decision_state: 'confirmed', grant_state: 'revoked' });
          expect(await keptOf(request)).toMatchObject({ live: 0, counted: 2, receipts: 1 });
        } else {
          expect(['409 reviewer_ineligible', '409 request_not_pending']).toContain(codeOf(vote));
          expect(body.decision_state).toBe('cancelled');
          expect(await keptOf(request)).toMatchObject({ live: 1, counted: 0, receipts: 0 });
        }
      }
    },
    LIMIT_MS,
  );
});

it('votes on several requests while voters leave and come back: each has its number, and no number is left out', async () => {
  const all = await voters.routeWith(policyWith({ ...TWO, stages: stagesOf({ finance: 7 }) }));
  const requests = await Promise.all(Array.from({ length: 4 }, () => newReview(all)));
  const asked = await Promise.all(
    requests.map(async (request) => ({
      request,
      candidate: await voters.freeze(PEOPLE[7] as string, request),
    })),
  );
  const leaving = PEOPLE.slice(0, 3);
  await Promise.all([
    ...asked.flatMap(({ request, candidate }) =>
      PEOPLE.slice(0, 6).map((id) => voters.vote(id, request, candidate)),
    ),
    (async () => {
      for (let round = 0; round < CHANGES; round += 1) {
        const id = leaving[round % leaving.length] as string;
        await voters.putMembership(id, []);
        await voters.putMembership(id, ['finance']);
      }
    })(),
  ]);
  for (const request of requests) {
    const { rows } = await database.query<{ number: number; last: number }>(
      `SELECT number, (SELECT q.number FROM quorum_state q WHERE q.request_id = $1) AS last FROM (
         SELECT number FROM approval WHERE request_id = $1 UNION SELECT ended_number FROM approval WHERE request_id = $1
       ) n WHERE number IS NOT NULL ORDER BY number`,
      [request],
    );
    const last = rows.at(-1)?.last ?? 0;
    expect(rows.map(({ number }) => number)).toEqual(
      Array.from({ length: last }, (_, at) => at + 1),
    );
    const people = await database.query(
      `SELECT person FROM approval WHERE request_id = $1 AND state = 'live' ORDER BY person`,
      [request],
    );
    const used = await database.query(
      'SELECT person FROM approval_person WHERE request_id = $1 ORDER BY person',
      [request],
    );
    expect(used.rows).toEqual(people.rows);
  }
});

it('leaves tables that fsck finds in order', async () => {
  await untilChained(database);
  const { code, stdout } = await runCommand(['fsck', '--data', instance.dataDirectory, '--json']);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { consistent: true, findings: [] }]);
});
