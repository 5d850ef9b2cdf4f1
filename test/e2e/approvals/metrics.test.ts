import { freePort } from '@countersign/dev-servers';
import type { RoutePolicy } from '@countersign/protocol';
import { startInstance } from '../../support/instance.js';
import type { Instance } from '../../support/instance.js';
import { until } from '../../support/requests.js';
import { EXTENDED, Voters, newReview, policyWith, stagesOf } from '../../support/voting.js';

// What Prometheus reads of requests that several people decide (architecture, "Monitoring").

const PEOPLE = ['fin-1', 'fin-2', 'plat-1'] as const;
const [FIN, OTHER, PLAT] = PEOPLE;
const POLICY = policyWith({
  stages: stagesOf({ finance: 1 }, { platform: 1 }),
  distinct_by: 'person',
});

let instance: Instance;
let port: number;
let voters: Voters;

beforeAll(async () => {
  port = await freePort();
  const env = { CAPABILITIES: 'proto.approval', HEALTH_PORT: String(port) };
  instance = await startInstance({ people: PEOPLE, env });
  voters = new Voters(instance, PEOPLE);
  for (const id of PEOPLE) await voters.putHuman(id);
  await voters.putMembership(FIN, ['finance']);
  await voters.putMembership(OTHER, ['finance']);
  await voters.putMembership(PLAT, ['platform']);
});
afterAll(async () => instance?.stop());

/** The samples of `countersign_approval…` and `countersign_quorum…`, by name and labels; `target` is that of every series. */
async function samples(): Promise<Record<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const found = text.matchAll(/^countersign_((?:approvals?|quorum)\w*)(?:\{(.*)\})? (\S+)$/gm);
  return Object.fromEntries(
    [...found].map(([, name, labels = '', value]) => {
      const own = labels.split(',').filter((label) => label !== '' && !label.startsWith('target='));
      return [[name, ...own].join(' '), Number(value)];
    }),
  );
}

it('counts votes, endings and decisions, and shows what waits', async () => {
  expect(await samples()).toMatchObject({
    'approvals_total decision="answer" mode="normal"': 0,
    'approvals_ended_total reason="withdrawn"': 0,
    quorum_seconds_count: 0,
    'quorum_pending stage="1"': 0,
    quorum_unreachable: 0,
  });
  const own = await voters.routeWith(POLICY);
  const [first, second, third] = [
    await newReview(own),
    await newReview(own),
    await newReview(own),
  ] as const;
  const candidate = await voters.freeze(FIN, first);
  await voters.vote(FIN, first, candidate);
  await voters.withdraw(FIN, first);
  await voters.vote(FIN, first, candidate);
  await voters.vote(PLAT, first, candidate);
  const no = await voters.freeze(PLAT, second, 'reject', 'no');
  await voters.vote(PLAT, second, no);
  const replaced = await voters.freeze(FIN, third);
  await voters.vote(FIN, third, replaced);
  await voters.freeze(FIN, third, 'answer', 'better');
  const left = await newReview(own);
  await voters.vote(OTHER, left, await voters.freeze(OTHER, left));
  await voters.putMembership(PLAT, []);
  const counted = {
    'approvals_total decision="answer" mode="normal"': 5,
    'approvals_total decision="reject" mode="normal"': 1,
    'approvals_ended_total reason="withdrawn"': 1,
    'approvals_ended_total reason="candidate_replaced"': 1,
    'approvals_ended_total reason="member_removed"': 0,
    quorum_seconds_count: 2,
  };
  expect(await samples()).toMatchObject(counted);
  await until(samples, (found) => found['quorum_unreachable'] === 2);
  expect(await samples()).toMatchObject({
    'quorum_pending stage="1"': 1,
    'quorum_pending stage="2"': 1,
    'quorum_pending stage="3"': 0,
  });
  // People join the group again: the mark of the requests stays, and they are reachable.
  await voters.putMembership(PLAT, ['platform']);
  await until(samples, (found) => found['quorum_unreachable'] === 0);
  await voters.putMembership(OTHER, []);
  expect(await samples()).toMatchObject({ 'approvals_ended_total reason="member_removed"': 1 });
});

it('counts how long people read before a yes, and who cannot have read', async () => {
  const attention: RoutePolicy['attention'] = {
    ...{ tier: 'critical', read_seconds: 0, reading_rate: 0, cool_down_seconds: 0 },
    ...{ typed: [], open: [], per_hour: 0, per_day: 0 },
  };
  const own = await voters.routeWith({ ...POLICY, attention });
  // An hour and more at 50 characters a second.
  const request = await newReview(own, { review_document: 'x'.repeat(200_000) });
  const candidate = await voters.freeze(FIN, request);
  const client = await voters.by(FIN);
  await client.get(`/v2/requests/${request}/material`, EXTENDED);
  const offers = `/v2/requests/${request}/approvals/offer`;
  const { body } = await client.post(offers, candidate, EXTENDED);
  const vote = await voters.vote(FIN, request, { ...candidate, offer: body.offer });
  expect(vote.status).toBe(201);
  expect(await samples()).toMatchObject({
    'approval_read_seconds_count tier="critical"': 1,
    'approvals_fast_total tier="critical"': 1,
    'approvals_fast_total tier="high"': 0,
  });
});
