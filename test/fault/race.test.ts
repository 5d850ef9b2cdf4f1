import { randomUUID } from 'node:crypto';
import { valueDigest } from '@countersign/protocol';
import type { RequestStatus } from '@countersign/protocol';
import type { Answer } from '../support/client.js';
import { Client } from '../support/client.js';
import type { Instance } from '../support/instance.js';
import {
  authorisedRequest,
  claimInput,
  executionInput,
  untilAvailable,
} from '../support/requests.js';
import { findingsIn } from './support/checks.js';
import { gather } from './support/evidence.js';
import { followFeed } from './support/feed.js';
import type { Feed } from './support/feed.js';
import { insist, newAttempts } from './support/insist.js';
import type { Journal } from './support/lifecycles.js';
import { expectAnswer, expectRefusal, inParallel } from './support/lifecycles.js';
import { kill9, processorTime, replicasOf, untilServing } from './support/processes.js';
import { amount, count, counted, report, seconds } from './support/report.js';
import type { Cast } from './support/fixture.js';
import { startFaultFixture } from './support/fixture.js';

const RACES = amount('FAULT_RACES', 200);
const CLIENTS = 32;
const AT_ONCE = 8;

/** The call of each racing client, and the protocol's refusals for late ones. */
const RACE_KINDS = [
  {
    name: 'each with an identity and a key of its own',
    input: (status: Answer) => claimInput(status),
    key: () => randomUUID(),
    refusals: ['grant_unavailable', 'occurrence_consumed'],
  },
  {
    name: 'all with one identity, each with a key of its own',
    input: (status: Answer) => claimInput(status, `executor/${status.body.request.id}`),
    key: () => randomUUID(),
    refusals: ['grant_unavailable', 'occurrence_consumed', 'identity_conflict'],
  },
  {
    name: 'each with an identity of its own, all with one key',
    input: (status: Answer) => claimInput(status),
    key: (status: Answer) => `race/${status.body.request.id}`,
    refusals: ['idempotency_conflict'],
  },
] as const;

describe('races in split mode with two replicas of each service', () => {
  const attempts = newAttempts();
  const journals: Journal[] = [];
  let instance: Instance;
  let cast: Cast;
  let feed: Feed;

  beforeAll(async () => {
    ({ instance, cast } = await startFaultFixture('race'));
    feed = followFeed(cast.producer, attempts);
  });
  afterAll(async () => {
    attempts.end();
    await feed?.stop();
    await instance?.stop();
  });

  /** Closes a claimed request, so that the checks at the end see whole lifecycles. */
  async function close(status: RequestStatus, claim: Answer): Promise<void> {
    const { id, execution } = status.request;
    const identity: string = claim.body.payload.execution_identity;
    const outcome = { execution_identity: identity, status: 'completed', details: {} };
    const closed = await cast.producer.post(`/v2/requests/${id}/outcomes`, outcome);
    expect([closed.status, closed.text]).toEqual([200, closed.text]);
    journals.push({
      requestId: id,
      occurrence: execution?.action_occurrence_id as string,
      identity,
      answers: [
        { step: 'claim', text: claim.text },
        { step: 'report', text: closed.text },
      ],
    });
  }

  it(`${RACES} times, ${CLIENTS} clients race for one occurrence and one of them has it`, async () => {
    const racers = replicasOf(instance, 'gateway', 'execution-authority');
    const timeBefore = racers.map(({ pid }) => processorTime(pid));
    const clients = Array.from({ length: CLIENTS }, () => copyOf(cast.producer));
    const preparing = performance.now();
    const ready = await inParallel(RACES, AT_ONCE, () =>
      authorisedRequest(cast.demo, cast.producer, cast.reviewer),
    );
    report(`race: ${RACES} requests authorised in ${seconds(preparing)}`);

    const racing = performance.now();
    const codes = new Map<string, number>();
    const won: { status: Answer; claim: Answer }[] = [];
    for (const [round, status] of ready.entries()) {
      const kind = RACE_KINDS[round % RACE_KINDS.length] as (typeof RACE_KINDS)[number];
      const path = `/v2/requests/${status.body.request.id}/claims`;
      const answers = await Promise.all(
        clients.map((client) => client.post(path, kind.input(status), { key: kind.key(status) })),
      );
      const winners = answers.filter((answer) => answer.status === 201);
      const losers = answers.filter((answer) => answer.status !== 201);
      for (const { status: code, body } of losers) count(codes, `${code} ${body?.error}`);
      expect([kind.name, winners.length]).toEqual([kind.name, 1]);
      for (const loser of losers) {
        expect([loser.status, kind.refusals]).toEqual([
          409,
          expect.arrayContaining([loser.body.error]),
        ]);
      }
      won.push({ status, claim: winners[0] as Answer });
    }
    report(`race: ${RACES} races of ${CLIENTS} in ${seconds(racing)}; losers: ${counted(codes)}`);
    for (const [at, before] of timeBefore.entries()) {
      const { pid, target } = racers[at] as { pid: number; target: string };
      const spent = before === null ? null : (processorTime(pid) as number) - before;
      report(`race: ${target} ${pid} spent ${spent === null ? '?' : spent / 100} s of processor`);
      // Both replicas took part, or it was no race between them.
      if (spent !== null) expect(spent).toBeGreaterThan(RACES / 10);
    }
    await inParallel(RACES, AT_ONCE, (round) => {
      const { status, claim } = won[round] as (typeof won)[number];
      return close(status.body, claim);
    });
  });

  it('a claim and a supersession race, and one of them has it', async () => {
    const results = new Map<string, number>();
    for (let round = 0; round < 20; round += 1) {
      const status = await authorisedRequest(cast.demo, cast.producer, cast.reviewer);
      const { id, execution } = status.body.request;
      const superseding = executionInput(cast.demo, { execution });
      const [superseded, ...claims] = await Promise.all([
        cast.producer.post(`/v2/requests/${id}/supersede`, superseding),
        ...Array.from({ length: 4 }, () =>
          cast.producer.post(`/v2/requests/${id}/claims`, claimInput(status)),
        ),
      ]);
      const claimed = claims.filter((answer) => answer.status === 201);
      count(results, claimed.length === 1 ? 'claimed' : 'superseded');
      const expected =
        claimed.length === 1 ? ['occurrence_consumed', 'grant_unavailable'] : ['authority_revoked'];
      expect([superseded?.status, claimed.length]).toEqual(
        claimed.length === 1 ? [409, 1] : [201, 0],
      );
      for (const refused of [superseded as Answer, ...claims]) {
        if (refused.status >= 300) expect(expected).toContain(refused.body.error);
      }
      if (claimed[0] !== undefined) await close(status.body, claimed[0]);
    }
    report(`race: claim against supersession, 20 times: ${counted(results)}`);
  });

  it('one key and one body from 8 clients at once have one effect and one answer', async () => {
    const { producer, reviewer, demo } = cast;
    /** The one answer that all of them got; the same key with other members is refused. */
    async function together(
      client: Client,
      path: string,
      body: object,
      others: object,
      status: number,
    ): Promise<Answer> {
      const key = randomUUID();
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => copyOf(client).post(path, body, { key })),
      );
      expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => status));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      const changed = { ...body, ...others };
      expectRefusal(await client.post(path, changed, { key }), 'idempotency_conflict');
      return answers[0] as Answer;
    }

    for (let round = 0; round < 10; round += 1) {
      const summary = { summary: 'Pay invoice 18' };
      const created = await together(producer, '/v2/requests', executionInput(demo), summary, 201);
      const { id, execution } = created.body.request;
      const path = `/v2/requests/${id}`;
      const proposal = { decision: 'authorise', response: { note: 'seen' } };
      const refusal = { decision: 'refuse' };
      const candidate = await together(reviewer, `${path}/candidates`, proposal, refusal, 201);
      expect(candidate.body.revision).toBe(1);
      const confirmation = {
        candidate_id: candidate.body.id,
        candidate_digest: valueDigest(candidate.body),
      };
      const elsewhere = { candidate_id: randomUUID() };
      const receipt = await together(reviewer, `${path}/confirm`, confirmation, elsewhere, 200);
      const status = await untilAvailable(producer, id);
      expect(status.body.receipt).toEqual(receipt.body);
      const another = { execution_identity: 'executor/another' };
      const claim = await together(producer, `${path}/claims`, claimInput(status), another, 201);
      const identity = claim.body.payload.execution_identity;
      const outcome = { execution_identity: identity, status: 'completed', details: {} };
      const failed = { status: 'failed' };
      const closed = await together(producer, `${path}/outcomes`, outcome, failed, 200);
      journals.push({
        requestId: id,
        occurrence: execution.action_occurrence_id,
        identity,
        answers: [
          { step: 'create', text: created.text },
          { step: 'propose', text: candidate.text },
          { step: 'confirm', text: receipt.text },
          { step: 'claim', text: claim.text },
          { step: 'report', text: closed.text },
        ],
      });
      // Five effects, five events: created, decision, anchor_accepted, claimed, outcome.
      expect((await producer.get(path)).body.revision).toBe(5);
    }
  });

  it('a nonce is admitted once, through every replica and after their restarts', async () => {
    const { producer } = cast;
    const status = await authorisedRequest(cast.demo, cast.producer, cast.reviewer);
    const path = `/v2/requests/${status.body.request.id}`;
    const claim = await producer.post(`${path}/claims`, claimInput(status));
    const permit = {
      claim_id: claim.body.payload.id,
      execution_identity: claim.body.payload.execution_identity,
    };
    const nonces = Array.from({ length: 10 }, () => randomUUID());
    for (const nonce of nonces) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => {
          return copyOf(producer).post(`${path}/admission`, { ...permit, nonce }, { key: null });
        }),
      );
      const refused = answers.filter((answer) => answer.status !== 200);
      expect(refused.map(({ status: code, body }) => `${code} ${body.error}`)).toEqual(
        Array.from({ length: 7 }, () => '409 nonce_reused'),
      );
    }
    // With one replica dead, the other one answers; then the other way round, with the first one restarted.
    for (const first of await untilServing(instance, 'execution-authority', 2)) {
      expect(kill9(first)).toBe(true);
      for (const nonce of nonces) {
        const replay = { body: { ...permit, nonce }, key: null };
        expectRefusal(
          await insist(producer, attempts, `${path}/admission`, replay),
          'nonce_reused',
        );
      }
      const serving = await untilServing(instance, 'execution-authority', 2);
      expect(serving.map(({ pid }) => pid)).not.toContain(first.pid);
    }
    expectAnswer(
      await insist(producer, attempts, `${path}/admission`, {
        body: { ...permit, nonce: randomUUID() },
        key: null,
      }),
      200,
    );
    await close(status.body, claim);
  });

  it('leaves a ledger, a feed and exports that agree', async () => {
    const evidence = await gather(cast, attempts, journals, feed);
    const findings = findingsIn(evidence);
    report(
      `race: ${evidence.ledger.length} ledger entries of ${journals.length} lifecycles checked: ` +
        `${findings.length} violations`,
    );
    expect(findings).toEqual([]);
  });
});

/** Another caller with the same credentials. */
function copyOf({ origin, credentials }: Client): Client {
  return new Client(origin, credentials);
}
