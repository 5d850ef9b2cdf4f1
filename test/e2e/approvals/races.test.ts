import type pg from 'pg';
import { codeOf } from '../../support/answers.js';
import { runCommand, startInstance, workersOnly } from '../../support/instance.js';
import type { Instance } from '../../support/instance.js';
import type { OwnRoute } from '../../support/own-route.js';
import { connectTo, untilChained } from '../../support/truths.js';
import {
  EXTENDED,
  Voters,
  newReview,
  policyWith,
  stagesOf,
  statusOf,
} from '../../support/voting.js';

// Votes at the same time, at two replicas of the service (protocol §18.4: each moves the request's one version).

const PEOPLE = Array.from({ length: 8 }, (_, at) => `voter-${at}`);
const TWO = { stages: stagesOf({ finance: 2 }), distinct_by: 'person' } as const;
const ROUNDS = Number(process.env['APPROVAL_ROUNDS'] ?? 10);

let instance: Instance;
let database: pg.Client;
let voters: Voters;
let own: OwnRoute;

beforeAll(async () => {
  instance = await startInstance({
    people: PEOPLE,
    split: true,
    replicas: { review: 2, ...workersOnly('anchor') },
    env: { CAPABILITIES: 'proto.approval' },
  });
  database = await connectTo(instance);
  voters = new Voters(instance, PEOPLE);
  for (const id of PEOPLE) {
    await voters.putHuman(id);
    await voters.putMembership(id, ['finance']);
  }
  own = await voters.routeWith(policyWith(TWO));
}, 180_000);
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

it('the same person by two calls at once: one vote', async () => {
  for (const _ of rounds) {
    const request = await newReview(own);
    const [first] = PEOPLE as [string];
    const candidate = await voters.freeze(first, request);
    const answers = await Promise.all([1, 2].map(() => voters.vote(first, request, candidate)));
    expect(answers.map(codeOf).sort()).toEqual([201, '409 approval_exists']);
  }
});

it('leaves tables that fsck finds in order', async () => {
  await untilChained(database);
  const { code, stdout } = await runCommand(['fsck', '--data', instance.dataDirectory, '--json']);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { consistent: true, findings: [] }]);
});
