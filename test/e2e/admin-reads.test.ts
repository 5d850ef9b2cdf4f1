import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROLES, createPool } from '@countersign/database';
import { DEFAULT_LIMITS, ADMIN_READS } from '@countersign/protocol';
import type { AdminPage, AdminPreview } from '@countersign/protocol';
import { DirectoryStore } from '@countersign/request';
import type pg from 'pg';
import { Client } from '../support/client.js';
import type { Answer } from '../support/client.js';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import { MORE_PEOPLE, gatherNeighbours } from '../support/neighbours.js';
import type { Neighbours } from '../support/neighbours.js';
import { identityOf, newToken } from '../support/people.js';
import { authorisedRequest, claimInput, reviewInput } from '../support/requests.js';
import { changesBetween, connectTo, readTruths } from '../support/truths.js';

// The reads of the operator pages beside the 29 operations: their callers, their content, and whether the preview of a
// change shows the change's effects (decisions/0016).

let instance: Instance;
let database: pg.Client;
let who: Neighbours;
let route: string;
let humanOperator: Client;

const DATA = '/operator/data';
const SECRET = `whsec_${Buffer.from('a canary that nobody may read').toString('base64')}`;

beforeAll(async () => {
  instance = await startInstance({ people: MORE_PEOPLE });
  database = await connectTo(instance);
  who = await gatherNeighbours(instance);
  route = await who.route();
  humanOperator = who.humanOperator;
});
afterAll(async () => {
  await database?.end();
  await instance?.stop();
});

const routeConfig = (changes: object = {}) => ({
  reviewers: who.reviewerIds,
  separation_of_duties: true,
  limits: DEFAULT_LIMITS,
  required_profiles: {},
  allowed_producers: [who.demo.producer.id, who.requesterId],
  modes: ['durable'],
  ...changes,
});

async function all<Item>(client: Client, path: string): Promise<Item[]> {
  const items: Item[] = [];
  let after = '';
  for (;;) {
    const mark =
      after === '' ? '' : `${path.includes('?') ? '&' : '?'}after=${encodeURIComponent(after)}`;
    const answer: Answer<AdminPage<Item>> = await client.get(`${DATA}/${path}${mark}`);
    expect(answer.status).toBe(200);
    items.push(...answer.body.items);
    if (answer.body.next === null) return items;
    after = answer.body.next;
  }
}

/** Well formed, so that only who asks can be refused. */
function ask(client: Client, { method, path }: { method: string; path: string }): Promise<Answer> {
  if (method === 'GET') return client.get(path);
  const principal = { id: 'p', kind: 'publisher', config: { enabled: true } };
  const route = path.endsWith('/route');
  return client.call('POST', `${path}?id=p`, route ? routeConfig() : principal, { key: null });
}

describe('readers', () => {
  it.each(ADMIN_READS)('$path: only people with the power `operator`', async (read) => {
    const { anonymous, producer, publisher, operator, requester, reviewers } = who;
    const callers = [
      anonymous,
      producer,
      publisher,
      operator,
      requester,
      ...reviewers,
      humanOperator,
    ];
    const answers = await Promise.all(callers.map((client) => ask(client, read)));
    expect(answers.map(({ status, body }) => [status, body.error])).toEqual([
      [401, 'unauthenticated'],
      [403, 'human_required'],
      [403, 'human_required'],
      [403, 'human_required'],
      [403, 'operator_required'],
      [403, 'operator_required'],
      [403, 'operator_required'],
      [200, undefined],
    ]);
  });

  it('a preview needs the session’s proof like every call with a body', async () => {
    const { cookie } = humanOperator.credentials as { cookie: string };
    const forged = new Client(humanOperator.origin, { cookie, csrf: newToken() });
    const read = ADMIN_READS.find(
      ({ method }) => method === 'POST',
    ) as (typeof ADMIN_READS)[number];
    const answer = await ask(forged, read);
    expect([answer.status, answer.body.error]).toEqual([403, 'csrf']);
  });

  it('the service looks again: a power that was taken counts at once', async () => {
    const olga = identityOf(instance.dataDirectory, MORE_PEOPLE[0]);
    const put = (operator: boolean) =>
      who.operator.put(`/v2/admin/principals/${MORE_PEOPLE[0]}`, {
        id: MORE_PEOPLE[0],
        kind: 'human',
        config: { enabled: true, operator, ...olga },
      });
    await put(false);
    const refused = await humanOperator.get(`${DATA}/routes`);
    await put(true);
    expect([refused.status, refused.body.error]).toEqual([403, 'operator_required']);
    expect((await humanOperator.get(`${DATA}/routes`)).status).toBe(200);
  });
});

describe('contents', () => {
  it('only of the own tenant, in everything that is listed', async () => {
    const created = await who.producer.post('/v2/requests', reviewInput(who.demo, { route }));
    const id = created.body.request.id as string;
    const theirs = who.elsewhere.humanOperator;
    const lists = ['routes', 'principals', 'requests', 'deliveries?state=pending', 'incidents'];
    const texts = await Promise.all(
      lists.map(async (list) => JSON.stringify(await all(theirs, list))),
    );
    for (const mark of [id, '"another"', 'producer-other', MORE_PEOPLE[0]]) {
      expect(texts.join()).not.toContain(mark);
    }
    expect((await all<{ id: string }>(humanOperator, 'requests')).map((item) => item.id)).toContain(
      id,
    );
    const one = await theirs.get(`${DATA}/routes?id=another`);
    expect(one.body).toEqual({ items: [], next: null });
    // Of an id that both tenants have, only the own one's requests are affected.
    const preview = await theirs.call(
      'POST',
      `${DATA}/preview/route?id=${route}`,
      routeConfig({ modes: [] }),
      {
        key: null,
      },
    );
    expect(preview.body.affected.count).toBe(0);
  });

  it('tokens and webhook secrets never, only whether there are any', async () => {
    const id = 'secretive';
    const token = newToken();
    await who.operator.put(`/v2/admin/principals/${id}`, {
      id,
      kind: 'producer',
      token,
      config: {
        enabled: true,
        publisher: who.demo.publisher.id,
        owner: who.requesterId,
        webhook_secret: SECRET,
      },
    });
    const answer = await humanOperator.get(`${DATA}/principals?id=${id}`);
    expect(answer.body.items).toMatchObject([{ id, has_token: true, has_webhook_secret: true }]);
    const whole = JSON.stringify(await all(humanOperator, 'principals'));
    expect(whole).not.toContain(token);
    expect(whole).not.toContain(SECRET);
    expect(whole).not.toContain('sha256:');
  });

  it('requests by state, route, producer and time, each once, page by page', async () => {
    const demo = who.demo;
    const ids: string[] = [];
    for (let each = 0; each < 104; each += 1) {
      const client = each % 4 === 0 ? who.otherProducer : who.producer;
      const { body } = await client.post('/v2/requests', reviewInput(demo, { route }));
      ids.unshift(body.request.id);
    }
    const [first] = ids;
    await who.producer.post(`/v2/requests/${ids[1]}/cancel`);
    const listed = await all<{ id: string; accepted_at: string }>(
      humanOperator,
      `requests?route=${route}`,
    );
    const stamps = listed.map(({ accepted_at }) => accepted_at);
    expect(stamps).toEqual([...stamps].sort().reverse());
    expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length);
    expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
    const other = await all<{ producer: string }>(
      humanOperator,
      'requests?producer=producer-other',
    );
    expect(other).toHaveLength(26);
    const both = await all(humanOperator, `requests?producer=producer-other&route=another`);
    expect(both).toEqual([]);
    const cancelled = await all<{ id: string }>(humanOperator, 'requests?state=cancelled');
    expect(cancelled.map(({ id }) => id)).toEqual([ids[1]]);
    const newest = listed.find(({ id }) => id === first) as (typeof listed)[number];
    const since = await all<{ id: string }>(humanOperator, `requests?since=${newest.accepted_at}`);
    expect(since.map(({ id }) => id)).toEqual([first]);
    const before = await all<{ id: string }>(
      humanOperator,
      `requests?before=${newest.accepted_at}`,
    );
    expect(before.map(({ id }) => id)).not.toContain(first);
    expect(before.length).toBeGreaterThan(100);
  });

  it.each([
    ['requests?state=lost', 'invalid_state'],
    ['deliveries?state=lost', 'invalid_state'],
    ['requests?route=no%20name', 'invalid_path_parameter'],
    ['requests?after=1', 'invalid_offset'],
    ['requests?since=yesterday', 'invalid_offset'],
    ['incidents?after=2026-11-20T00:00:00.000Z/x', 'invalid_offset'],
  ])('%s is refused: %s', async (path, code) => {
    const answer = await humanOperator.get(`${DATA}/${path}`);
    expect([answer.status, answer.body.error]).toEqual([400, code]);
  });
});

describe('a preview', () => {
  const previewOf = (kind: string, id: string, body: object): Promise<Answer<AdminPreview>> =>
    humanOperator.call('POST', `${DATA}/preview/${kind}?id=${id}`, body, { key: null });
  const states = async (id: string) => {
    const { body } = await humanOperator.get(`/v2/requests/${id}`);
    return [body.decision_state, body.grant_state];
  };

  /** A route with a producer of its own: one request waits for its review, one may be claimed, one was claimed. */
  async function setUp(name: string) {
    const { demo } = who;
    const token = newToken();
    const producer = new Client(demo.origin, { token });
    const principal = (changes: object = {}, more: object = {}) => ({
      id: name,
      kind: 'producer',
      config: {
        enabled: true,
        publisher: demo.publisher.id,
        owner: who.requesterId,
        routes: [name],
        ...changes,
      },
      ...more,
    });
    const config = routeConfig({ allowed_producers: [name] });
    await who.operator.put(`/v2/admin/routes/${name}`, config);
    await who.operator.put(`/v2/admin/principals/${name}`, principal({}, { token }));
    const own = { ...demo, routes: { review: name, execution: name } };
    const [, ruth] = who.reviewers;
    const pending = await producer.post('/v2/requests', reviewInput(own));
    const granted = await authorisedRequest(own, producer, ruth);
    const claimed = await authorisedRequest(own, producer, ruth);
    const claimedId = claimed.body.request.id as string;
    await producer.post(`/v2/requests/${claimedId}/claims`, claimInput(claimed));
    return {
      name,
      config,
      principal,
      pending: pending.body.request.id as string,
      granted: granted.body.request.id as string,
      claimed: claimedId,
    };
  }

  it.each([
    ['rules', (s: any) => ['route', { ...s.config, modes: [] }] as const, 3],
    [
      'a producer who goes',
      (s: any) => ['route', { ...s.config, allowed_producers: [] }] as const,
      3,
    ],
    [
      'a reviewer who goes',
      (s: any) => ['route', { ...s.config, reviewers: [who.reviewerIds[0]] }] as const,
      2,
    ],
    ['a producer disabled', (s: any) => ['principal', s.principal({ enabled: false })] as const, 3],
    ['a route taken', (s: any) => ['principal', s.principal({ routes: [] })] as const, 3],
    ['nothing', (s: any) => ['route', s.config] as const, 0],
  ])(
    'tells what the change then does, and changes nothing itself: %s',
    async (name, changeOf, count) => {
      const made = await setUp(`preview-${name.replace(/ /g, '-')}`);
      const [kind, body] = changeOf(made);
      const before = await readTruths(database);
      const preview = await previewOf(kind, made.name, body);
      expect(preview.status).toBe(200);
      expect(changesBetween(before, await readTruths(database))).toEqual([]);
      const { affected } = preview.body;
      expect([affected.count, affected.items.length]).toEqual([count, count]);

      const path = `/v2/admin/${kind}s/${made.name}`;
      expect((await who.operator.put(path, body)).status).toBe(200);
      for (const id of [made.pending, made.granted, made.claimed]) {
        const told = affected.items.find((item) => item.id === id);
        const [decision, grant] = await states(id);
        if (told === undefined)
          expect(['pending', 'available', 'consumed']).toContain(
            id === made.pending ? decision : grant,
          );
        else expect([decision, grant]).toEqual([told.decision.after, told.grant.after]);
      }
      const counted = (of: 'decision' | 'grant') =>
        affected.items.filter((item) => item[of].before !== item[of].after).length;
      expect([affected.cancelled, affected.revoked]).toEqual([
        counted('decision'),
        counted('grant'),
      ]);
    },
  );

  it('shows the open work of a removed reviewer', async () => {
    const made = await setUp('preview-open');
    const [, ruth] = who.reviewers;
    await ruth.post(`/v2/requests/${made.pending}/assignment`);
    await ruth.post(`/v2/requests/${made.pending}/candidates`, {
      response: { note: 'seen' },
      decision: 'approve',
    });
    const { body } = await previewOf('route', made.name, {
      ...made.config,
      reviewers: [who.reviewerIds[0]],
    });
    expect(body.dropped).toEqual({ candidates: 1, assignments: 1 });
  });

  it('refuses a change that the service would refuse', async () => {
    const codes = async (kind: string, id: string, body: object) => {
      const [preview, change] = await Promise.all([
        previewOf(kind, id, body),
        who.operator.put(`/v2/admin/${kind}s/${id}`, body),
      ]);
      return [preview.body, change.body].map((answer) => (answer as { error?: string }).error);
    };
    const { id } = who.demo.producer;
    const limits = { ...DEFAULT_LIMITS, review_seconds: 0 };
    expect(await codes('route', route, routeConfig({ limits }))).toEqual([
      'invalid_route_limits',
      'invalid_route_limits',
    ]);
    const human = {
      id,
      kind: 'human',
      config: { enabled: true, oidc_issuer: who.demo.issuer, oidc_subject: 's' },
    };
    expect(await codes('principal', id, human)).toEqual([
      'principal_kind_immutable',
      'principal_kind_immutable',
    ]);
    const webhook = { enabled: true, webhook: 'http://127.0.0.1/' };
    expect(await codes('principal', 'p', { id: 'p', kind: 'publisher', config: webhook })).toEqual([
      'webhook_destination_rejected',
      'webhook_destination_rejected',
    ]);
  });

  it('runs where Postgres itself refuses to write', async () => {
    const file = join(instance.dataDirectory, 'stores.json');
    const { urls } = JSON.parse(readFileSync(file, 'utf8')) as { urls: { DATABASE_URL: string } };
    const pool = createPool({ url: urls.DATABASE_URL, role: ROLES.request, application: 'test' });
    const store = new DirectoryStore(pool, { ended: () => undefined });
    const written = store.view(who.demo.tenant, (view) =>
      // The preview's interface lacks this: a way to write through the same transaction.
      (view as unknown as { client: pg.PoolClient }).client.query(
        `UPDATE tenant SET directory_revision = directory_revision + 1 WHERE tenant = $1`,
        [who.demo.tenant],
      ),
    );
    await expect(written).rejects.toMatchObject({ code: '25006' });
    await pool.end();
  });
});
