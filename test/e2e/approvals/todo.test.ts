import type pg from 'pg';
import { faultOf } from '@countersign/protocol';
import { codeOf } from '../../support/answers.js';
import { Client, personOf } from '../../support/client.js';
import { startInstance } from '../../support/instance.js';
import type { Instance } from '../../support/instance.js';
import { newRoute } from '../../support/own-route.js';
import type { OwnRoute } from '../../support/own-route.js';
import { connectTo } from '../../support/truths.js';
import { EXTENDED, Voters, newReview, policyWith, stagesOf } from '../../support/voting.js';

// The requests that wait for a person and others (protocol §18.11).

const PEOPLE = ['fin-1', 'fin-2', 'twin-1', 'plat-1', 'legal-1', 'chief-1'] as const;
const [FIN, OTHER, TWIN, PLAT, LEGAL, CHIEF] = PEOPLE;
const POLICY = policyWith({
  stages: stagesOf({ finance: 2 }, { platform: 1 }),
  distinct_by: 'person',
  rejection: { count: 2 },
  exclude: { publisher_people: false, operators: true },
});
const PATH = '/v2/approvals';

let instance: Instance;
let database: pg.Client;
let voters: Voters;
let own: OwnRoute;

beforeAll(async () => {
  instance = await startInstance({ people: PEOPLE, env: { CAPABILITIES: 'proto.approval' } });
  database = await connectTo(instance);
  voters = new Voters(instance, PEOPLE);
  for (const id of PEOPLE) await voters.putHuman(id, id === CHIEF ? { operator: true } : {});
  for (const id of [FIN, OTHER, CHIEF]) await voters.putMembership(id, ['finance']);
  await voters.putMembership(TWIN, ['finance'], { same_person_as: FIN });
  await voters.putMembership(PLAT, ['platform']);
  await voters.putMembership(LEGAL, ['legal']);
  own = await voters.routeWith(POLICY);
});
afterAll(async () => {
  await database?.end();
  await instance?.stop();
});

async function todoOf(client: Client) {
  const answer = await client.get(PATH, EXTENDED);
  expect([answer.status, faultOf('ApprovalTodo', answer.body)]).toEqual([200, null]);
  return answer.body.items as Record<string, any>[];
}

/** What the list says of a request to a person; undefined where it is not in it. */
async function itemFor(id: string, request: string) {
  const items = await todoOf(await voters.by(id));
  return items.find(({ request_id }) => request_id === request);
}

it('says of each request where it stands, and what the caller may do', async () => {
  const request = await newReview(own);
  const untouched = { stage: 1, filled: 0, needed: 2, mine: null, tier: null };
  const asked = (await (await voters.by(FIN)).get(`/v2/requests/${request}`, EXTENDED)).body;
  expect(await itemFor(FIN, request)).toEqual({
    ...{ ...untouched, request_id: request, can_act: true },
    ...{ summary: asked.request.summary, deadline: asked.request.review_deadline },
  });
  // A seat in a later stage, no seat, and a person whom the request excludes.
  for (const id of [PLAT, LEGAL, CHIEF]) {
    expect(await itemFor(id, request)).toMatchObject({ ...untouched, can_act: false });
  }
  const candidate = await voters.freeze(FIN, request);
  await voters.vote(FIN, request, candidate);
  const once = { stage: 1, filled: 1, needed: 2 };
  for (const id of [FIN, TWIN]) {
    expect(await itemFor(id, request)).toMatchObject({ ...once, mine: 'answer', can_act: false });
  }
  expect(await itemFor(OTHER, request)).toMatchObject({ ...once, mine: null, can_act: true });
  const other = await voters.freeze(PLAT, request, 'reject', 'no');
  await voters.vote(PLAT, request, other);
  expect(await itemFor(PLAT, request)).toMatchObject({ ...once, mine: 'reject', can_act: false });
  await voters.withdraw(PLAT, request);
  await voters.vote(OTHER, request, candidate);
  const second = { stage: 2, filled: 0, needed: 1 };
  expect(await itemFor(PLAT, request)).toMatchObject({ ...second, mine: null, can_act: true });
  expect(await itemFor(CHIEF, request)).toMatchObject({ ...second, can_act: false });
  const last = await voters.vote(PLAT, request, candidate);
  expect(last.body.receipt).not.toBeNull();
  for (const id of PEOPLE) expect(await itemFor(id, request)).toBeUndefined();
});

it('lets an author act where authors may not vote as soon as another person has an answer', async () => {
  const strict = await voters.routeWith({
    quorum: { ...POLICY.quorum, author_may_approve: false },
  });
  const request = await newReview(strict);
  await voters.freeze(FIN, request);
  expect(await itemFor(FIN, request)).toMatchObject({ can_act: false });
  await voters.freeze(PLAT, request, 'answer', 'other');
  expect(await itemFor(FIN, request)).toMatchObject({ can_act: true });
});

it('has the requests of the own routes alone, by deadline, and none that one person decides', async () => {
  const mine = await voters.routeWith(POLICY);
  const [later, sooner] = [await newReview(mine), await newReview(mine)];
  await database.query(
    `UPDATE lifecycle SET review_deadline = review_deadline - interval '1 minute' WHERE request_id = $1`,
    [sooner],
  );
  const plain = await newRoute(instance.demo, voters.operator, PEOPLE);
  const alone = await newReview(plain, { profiles: {} });
  const idsOf = async (id: string) =>
    (await todoOf(await voters.by(id))).map(({ request_id }) => request_id);
  const found = await idsOf(FIN);
  expect(found.filter((id) => [later, sooner, alone].includes(id as string))).toEqual([
    sooner,
    later,
  ]);
  // Members of the route keep their groups: what counts is who reviews the route.
  await mine.putRoute({ reviewers: [FIN, OTHER, PLAT] });
  const again = await newReview(mine);
  expect(await idsOf(FIN)).toContain(again);
  expect(await idsOf(CHIEF)).not.toContain(again);
  await mine.producer.post(`/v2/requests/${again}/cancel`, {}, EXTENDED);
  expect(await idsOf(FIN)).not.toContain(again);
});

it('is for people, of their own tenant', async () => {
  const request = await newReview(own);
  const { demo, dataDirectory } = instance;
  for (const client of [own.producer, voters.operator]) {
    expect(codeOf(await client.get(PATH, EXTENDED))).toBe('403 human_required');
  }
  expect(codeOf(await new Client(demo.origin, null).get(PATH, EXTENDED))).toBe(
    '401 unauthenticated',
  );
  const stranger = await personOf(demo, dataDirectory, demo.other.people[1]!.id);
  expect(await todoOf(stranger)).toEqual([]);
  expect(await itemFor(FIN, request)).toBeDefined();
});

it('leaves out a request whose text was changed', async () => {
  const request = await newReview(own);
  expect(await itemFor(FIN, request)).toBeDefined();
  const rename = (from: string, to: string) =>
    database.query(`UPDATE request SET canonical = replace(canonical, $2, $3) WHERE id = $1`, [
      ...[request, `"summary":"${from}`, `"summary":"${to}`],
    ]);
  await rename('', 'other ');
  expect(await itemFor(FIN, request)).toBeUndefined();
  await rename('other ', '');
  expect(await itemFor(FIN, request)).toBeDefined();
});

it('has 100 requests at most', async () => {
  const many = await voters.routeWith(POLICY);
  for (let count = 0; count < 101; count += 1) await newReview(many);
  expect(await todoOf(await voters.by(FIN))).toHaveLength(100);
});
