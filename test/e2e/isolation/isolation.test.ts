import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { Client } from '../../support/client.js';
import type { Answer } from '../../support/client.js';
import type { Instance } from '../../support/instance.js';
import { startInstance } from '../../support/instance.js';
import { MORE_PEOPLE, gatherNeighbours } from '../../support/neighbours.js';
import type { Neighbours } from '../../support/neighbours.js';
import { executionBinding, executionInput, reviewInput, until } from '../../support/requests.js';
import { changesBetween, connectTo, readTruths } from '../../support/truths.js';
import { claimOf } from '../matrix/building.js';
import { BUNDLE, gatherScenarios } from '../matrix/scenarios.js';
import type { Scenario } from '../matrix/scenarios.js';
import type { House } from './house.js';
import { gatherHouse } from './house.js';
import { leakFindings } from './leaks.js';
import { referenceFindings } from './references.js';
import {
  missingId,
  sweepConfiguration,
  sweepOperations,
  sweepPages,
  sweepShapes,
  sweepStoredAnswers,
} from './sweep.js';
import { buildTargets, targetIn } from './targets.js';
import type { Target } from './targets.js';
import { timePairs } from './timing.js';

// Resources of others answer as if they did not exist: the same bytes, no effect, no difference in time (protocol §1).

let instance: Instance;
let database: pg.Client;
let who: Neighbours;
let house: House;
let scenarios: readonly Scenario[];
let targets: readonly Target[];

const say = (line: string) => process.stdout.write(`isolation: ${line}\n`);

beforeAll(async () => {
  instance = await startInstance({ people: MORE_PEOPLE });
  database = await connectTo(instance);
  who = await gatherNeighbours(instance);
  house = await gatherHouse(who);
  scenarios = (await gatherScenarios(who)).map((scenario) =>
    scenario.fenced ? { ...scenario, fenced: false, name: 'elsewhere' } : scenario,
  );
  targets = await buildTargets(scenarios);
});
afterAll(async () => {
  await database?.end();
  await instance?.stop();
});

/** Does something that must leave everything as it is. */
async function withoutEffect<T>(work: () => Promise<T>): Promise<T> {
  const before = await readTruths(database);
  const result = await work();
  expect(changesBetween(before, await readTruths(database))).toEqual([]);
  return result;
}

describe('resources of others answer like missing ones', () => {
  it.each([
    ['every operation on a request', () => sweepOperations(targets)],
    ['the very call of its owner, key and body and all', () => sweepStoredAnswers(targets)],
    ['ids of every wrong shape', () => sweepShapes(targets)],
    ['pages', () => sweepPages(targets)],
    [
      'configuration',
      () =>
        sweepConfiguration((scenarios[0] as Scenario).callers, {
          principals: [who.demo.producer.id, who.demo.operator.id, who.requesterId],
          routes: ['another', house.foreignRoute],
        }),
    ],
  ])('%s', async (name, sweep) => {
    const { findings, pairs } = await withoutEffect(sweep);
    say(`${pairs} pairs of ${name}`);
    expect(findings.slice(0, 20)).toEqual([]);
    expect(pairs).toBeGreaterThan(0);
  });

  it('named in bodies and queries', async () => {
    const { findings, pairs } = await withoutEffect(() => referenceFindings(who, house, targets));
    say(`${pairs} pairs of ids in bodies and queries`);
    expect(findings).toEqual([]);
  });

  it('in everything that can be read without naming it', async () => {
    const { findings, marks } = await withoutEffect(() => leakFindings(targets));
    say(`${marks} marks looked for in lists, feeds, chains and figures`);
    expect(findings.slice(0, 20)).toEqual([]);
  });
});

describe('names are their owner’s own', () => {
  it('keys, occurrences, identities and nonces that others use already', async () => {
    const input = executionInput(who.demo, {
      route: await who.route(),
      execution: executionBinding(),
    });
    const key = randomUUID();
    const owners = [who.producer, who.otherProducer, who.requester, who.elsewhere.producer];
    const create = () => owners.map((client) => client.post('/v2/requests', input, { key }));
    const first = await Promise.all(create());
    const again = await Promise.all(create());
    expect(first.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(new Set(first.map(({ body }) => body.request.id)).size).toBe(owners.length);
    expect(again.map(({ text }) => text)).toEqual(first.map(({ text }) => text));

    const execution_identity = `executor/${randomUUID()}`;
    const nonce = randomUUID();
    for (const { name, owner } of scenarios) {
      const { id, input: own } = targetIn(targets, name, 'available');
      const claim = await owner.post(`/v2/requests/${id}/claims`, claimOf(own, execution_identity));
      expect([name, claim.status]).toEqual([name, 201]);
      const admission = { claim_id: claim.body.payload.id, execution_identity, nonce };
      const admitted = await owner.post(`/v2/requests/${id}/admission`, admission, { key: null });
      expect([name, admitted.status]).toEqual([name, 200]);
    }
  });

  it('a session’s token, which serves no other session', async () => {
    const [one, other] = who.reviewers.map(
      ({ credentials }) => credentials as { cookie: string; csrf: string },
    ) as [{ cookie: string; csrf: string }, { cookie: string; csrf: string }];
    const { id } = targetIn(targets, 'of a producer', 'pending, answered');
    const mixed = new Client(who.demo.origin, { cookie: one.cookie, csrf: other.csrf });
    const answer = await withoutEffect(() => mixed.post(`/v2/requests/${id}/assignment`));
    expect([answer.status, answer.body.error]).toEqual([403, 'csrf']);
  });
});

describe('time reveals nothing either', () => {
  it.each(['another producer of the tenant', 'a producer of the other tenant'])(
    'to %s',
    async (name) => {
      const stranger = name.startsWith('another') ? who.otherProducer : who.elsewhere.producer;
      const { id, input } = targetIn(targets, 'of a producer', 'claimed');
      await expectNoHint(name, id, {
        status: (of) => stranger.get(`/v2/requests/${of}`),
        material: (of) => stranger.get(`/v2/requests/${of}/material`),
        export: (of) => stranger.get(`/v2/requests/${of}/export`),
        poll: (of) => stranger.get(`/v2/hitl/${of}/poll`),
        claims: (of) => stranger.post(`/v2/requests/${of}/claims`, claimOf(input, randomUUID())),
        cancel: (of) => stranger.post(`/v2/requests/${of}/cancel`),
      });
    },
  );

  it.each(['a reviewer of another route', 'a reviewer of the other tenant'])(
    'to %s',
    async (name) => {
      const stranger = name.includes('route') ? who.strangeReviewer : who.elsewhere.reviewer;
      const { id } = targetIn(targets, 'of a producer', 'review: pending, answered');
      const proposal = { response: { note: 'mine' }, decision: 'approve' };
      await expectNoHint(name, id, {
        material: (of) => stranger.get(`/v2/requests/${of}/material`),
        app: (of) => stranger.get(`/v2/requests/${of}/app`),
        candidates: (of) => stranger.post(`/v2/requests/${of}/candidates`, proposal),
      });
    },
  );

  it('of a request with all the material that there may be', async () => {
    const bundle = await who.publisher.post('/v2/bundles', {
      ...BUNDLE,
      html: 'z'.repeat(5_000_000),
    });
    expect(bundle.status).toBe(201);
    const input = reviewInput(who.demo, {
      route: await who.route(),
      profiles: { 'proto.agent-ui': '2' },
      bundle_id: bundle.body.id,
      review_document: 'x'.repeat(10_000_000),
      payload: { text: 'y'.repeat(10_000_000) },
    });
    const created = await who.producer.post('/v2/requests', input);
    expect(created.status).toBe(201);
    const { id } = created.body.request;
    const { otherProducer, strangeReviewer } = who;
    const byProducer = {
      status: (of: string) => otherProducer.get(`/v2/requests/${of}`),
      material: (of: string) => otherProducer.get(`/v2/requests/${of}/material`),
      export: (of: string) => otherProducer.get(`/v2/requests/${of}/export`),
      poll: (of: string) => otherProducer.get(`/v2/hitl/${of}/poll`),
      claims: (of: string) => otherProducer.post(`/v2/requests/${of}/claims`, claimOf(input, 'x')),
      remind: (of: string) => otherProducer.post(`/v2/requests/${of}/remind`),
    };
    await expectNoHint('another producer, of 25 MB', id, byProducer, 20);
    const byReviewer = {
      app: (of: string) => strangeReviewer.get(`/v2/requests/${of}/app`),
      assignment: (of: string) => strangeReviewer.post(`/v2/requests/${of}/assignment`),
    };
    await expectNoHint('a reviewer of another route, of 25 MB', id, byReviewer, 20);
  });
});

async function expectNoHint(
  name: string,
  id: string,
  calls: Readonly<Record<string, (id: string) => Promise<Answer>>>,
  pairs = 200,
): Promise<void> {
  const hints: string[] = [];
  for (const [operation, call] of Object.entries(calls)) {
    const timing = await timePairs(`${operation} by ${name}`, pairs, async (existing, turn) => {
      const answer = await call(existing ? id : missingId(Math.abs(turn)));
      if (answer.status !== 404) throw new Error(`${operation}: ${answer.status}`);
      return answer;
    });
    say(timing.text);
    if (timing.hint) hints.push(timing.text);
  }
  expect(hints).toEqual([]);
}

// They change what they read.
describe('the checks notice a service that takes', () => {
  const taken = (name: string, client: Client, situation: string): Target[] => {
    const target = targets.find(
      (one) => one.scenario.name === 'of a producer' && one.built.situation.name === situation,
    ) as Target;
    return [{ ...target, strangers: [{ name, client }] }];
  };

  it.each([
    ['operations', 'available', sweepOperations],
    ['stored answers', 'claimed', sweepStoredAnswers],
    ['lists', 'admitted', leakFindings],
  ] as const)('a stranger for the owner, in %s', async (_, situation, check) => {
    const { findings } = await check(taken('a stranger', who.producer, situation));
    expect(findings.length).toBeGreaterThan(0);
  });

  it('a stranger for a reviewer, on pages', async () => {
    const [reviewer] = who.reviewers;
    const situation = 'review: pending, answered';
    const { findings } = await sweepPages(taken('a stranger', reviewer, situation));
    expect(findings).toHaveLength(2);
  });

  it('longer for a request that is there', async () => {
    const { id } = targetIn(targets, 'of a producer', 'completed');
    const { hint } = await timePairs('planted', 40, async (existing, turn) => {
      const read = () =>
        who.otherProducer.get(`/v2/requests/${existing ? id : missingId(Math.abs(turn))}`);
      for (let more = existing ? 3 : 0; more > 0; more -= 1) await read();
      return read();
    });
    expect(hint).toBe(true);
  });
});

// Last: it changes the directory of the other tenant.
describe('a directory is of its tenant', () => {
  it('and its configuration changes nothing here, with any ids', async () => {
    const { elsewhere, demo, reviewerIds } = who;
    const before = await readTruths(database);
    const put = async (what: string, id: string, body: object) => {
      const answer = await elsewhere.operator.put(`/v2/admin/${what}/${id}`, body);
      expect([id, answer.status]).toEqual([id, 200]);
    };
    const { rows } = await database.query<{ id: string; kind: string; config: object }>(
      `SELECT id, kind, config FROM principal WHERE tenant = $1 AND kind = 'publisher'`,
      [demo.tenant],
    );
    for (const { id, kind, config } of rows) {
      await put('principals', id, { id, kind, config: { ...config, enabled: false } });
    }
    const [twin] = reviewerIds;
    const known = await database.query<{ id: string; kind: string; config: object }>(
      `SELECT id, kind, config FROM principal WHERE tenant = $1 AND id = ANY ($2)`,
      [demo.other.tenant, [twin, demo.producer.id]],
    );
    expect(known.rows).toHaveLength(2);
    for (const { id, kind, config } of known.rows) {
      await put('principals', id, { id, kind, config: { ...config, enabled: false } });
    }
    const routes = await database.query<{ id: string; config: object }>(
      `SELECT id, config FROM route WHERE tenant = $1`,
      [demo.tenant],
    );
    for (const { id, config } of routes.rows) {
      await put('routes', id, { ...config, reviewers: [], allowed_producers: [], modes: [] });
    }
    await until(
      () => elsewhere.producer.get('/v2/requests'),
      ({ status }) => status === 401,
    );
    const changed = changesBetween(before, await readTruths(database));
    expect(changed.filter((about) => about.startsWith(`${demo.tenant} `))).toEqual([]);
    expect(changed.some((about) => about.startsWith(`${demo.other.tenant} `))).toBe(true);
    expect((await who.producer.get('/v2/requests')).status).toBe(200);
  });
});
