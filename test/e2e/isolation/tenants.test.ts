import { OPERATIONS, SECURITY_READS } from '@countersign/protocol';
import type { SecurityPages } from '@countersign/protocol';
import type pg from 'pg';
import type { Client } from '../../support/client.js';
import { personOf } from '../../support/client.js';
import type { Instance } from '../../support/instance.js';
import { runCommand, startInstance } from '../../support/instance.js';
import { MORE_PEOPLE, gatherNeighbours } from '../../support/neighbours.js';
import type { Neighbours } from '../../support/neighbours.js';
import { identityOf } from '../../support/people.js';
import { reviewInput, until } from '../../support/requests.js';
import { changesBetween, connectTo, readTruths } from '../../support/truths.js';

// Who belongs to two tenants and chose one at the login sees its rows, and no others, in every read and on every page (R37).

let instance: Instance;
let database: pg.Client;
let who: Neighbours;

/** The parts of one tenant alone: a request with its words, and ids that the directory of the other has not. */
interface Own {
  readonly tenant: string;
  readonly request: string;
  readonly marks: readonly string[];
}
let here: Own;
let there: Own;

/** One person in the directories of both, by a session in each. */
interface Twofold {
  readonly name: string;
  readonly here: Client;
  readonly there: Client;
}
let reviewer: Twofold;
let operator: Twofold;
let auditor: Twofold;

beforeAll(async () => {
  instance = await startInstance({ people: MORE_PEOPLE });
  database = await connectTo(instance);
  who = await gatherNeighbours(instance);
  const { demo, elsewhere } = who;
  const route = await who.route();
  const own = async (tenant: string, producer: Client, by: Client, word: string): Promise<Own> => {
    const summary = `A request of ${word}`;
    const made = await producer.post('/v2/requests', reviewInput(demo, { route, summary }));
    expect(made.status).toBe(201);
    const request = made.body.request.id as string;
    const publisher = `publisher-of-${word}`;
    const put = await by.put(`/v2/admin/principals/${publisher}`, {
      ...{ id: publisher, kind: 'publisher', config: { enabled: true } },
    });
    expect(put.status).toBe(200);
    expect((await by.get(`/v2/requests/${request}/material`)).status).toBe(200);
    return { tenant, request, marks: [request, summary, publisher] };
  };
  here = await own(demo.tenant, who.producer, who.operator, 'here');
  there = await own(demo.other.tenant, elsewhere.producer, elsewhere.operator, 'there');

  const remy = identityOf(instance.dataDirectory, 'reviewer-4');
  const put = await who.operator.put('/v2/admin/principals/remy-here', {
    ...{ id: 'remy-here', kind: 'human' },
    config: { enabled: true, operator: true, ...remy },
  });
  expect(put.status).toBe(200);
  for (const { tenant } of [here, there]) {
    const { code } = await runCommand([
      ...['operator', 'add', '--tenant', tenant, '--id', `auditor-of-${tenant}`],
      ...['--scope', 'security-log', '--data', instance.dataDirectory],
      ...['--issuer', remy.oidc_issuer, '--subject', remy.oidc_subject],
    ]);
    expect(code).toBe(0);
  }
  const [rosa] = who.reviewerIds;
  const twofold = async (name: string, id: string, [a, b]: [string, string]): Promise<Twofold> => ({
    name,
    here: await personOf(demo, instance.dataDirectory, id, here.tenant, a),
    there: await personOf(demo, instance.dataDirectory, id, there.tenant, b),
  });
  reviewer = await twofold('reviewer', rosa, [rosa, rosa]);
  operator = await twofold('operator', 'reviewer-4', ['remy-here', 'reviewer-4']);
  auditor = await twofold('auditor', 'reviewer-4', [
    `auditor-of-${here.tenant}`,
    `auditor-of-${there.tenant}`,
  ]);
  await until(
    async () => [
      await auditor.here.get('/operator/data/security-log'),
      await auditor.there.get('/operator/data/security-log'),
    ],
    (logs) => logs.every(({ text }) => text.includes('material.read')),
  );
});
afterAll(async () => {
  await database?.end();
  await instance?.stop();
});

const LISTS = [
  '/v2/requests',
  '/v2/events?after=0',
  '/v2/admin/ledger?after=0',
  '/v2/admin/metrics',
  '/operator/data/requests',
  '/operator/data/principals',
  '/operator/data/routes',
  '/operator/data/deliveries',
  '/operator/data/incidents',
  '/operator/data/figures',
  '/inbox/data',
  '/inbox/data?tab=decided',
  '/inbox/data?tab=ended',
  ...SECURITY_READS.map(({ path }) => path),
  '/auth/session',
  '/auth/sessions',
];
const PAGES = [
  '/inbox',
  '/sessions',
  '/operator',
  '/operator/requests',
  '/security-log',
  '/auditor',
];

/** The answers, joined; refusals too. */
async function allOf(client: Client, paths: readonly string[]): Promise<string> {
  const texts: string[] = [];
  for (const path of paths) {
    const { status, text } = await client.get(path, { headers: { accept: 'text/html, */*' } });
    expect([path, [200, 302, 403].includes(status)]).toEqual([path, true]);
    texts.push(text);
  }
  return texts.join('\n');
}

describe.each([
  ['a reviewer', () => reviewer, { lists: 1, pages: 3 }],
  ['an operator', () => operator, { lists: 3, pages: 6 }],
  ['an auditor', () => auditor, { lists: 2, pages: 3 }],
] as const)('%s of two tenants', (_, of, least) => {
  it.each([
    ['here', () => [of().here, here, there] as const],
    ['there', () => [of().there, there, here] as const],
  ])('reads %s what is of the chosen tenant, in every list', async (__, chosen) => {
    const [client, own, foreign] = chosen();
    const text = await allOf(client, LISTS);
    for (const mark of foreign.marks) expect(text).not.toContain(mark);
    expect(own.marks.filter((mark) => text.includes(mark)).length).toBeGreaterThanOrEqual(
      least.lists,
    );
  });

  it('opens only pages of the chosen tenant', async () => {
    for (const [client, own] of [
      [of().here, here],
      [of().there, there],
    ] as const) {
      const tenants = [...(await allOf(client, PAGES)).matchAll(/data-tenant="([^"]*)"/g)].map(
        ([, tenant]) => tenant,
      );
      expect(tenants.length).toBeGreaterThanOrEqual(least.pages);
      expect(new Set(tenants)).toEqual(new Set([own.tenant]));
    }
  });

  it('finds nothing of the other tenant by name, in any operation, and changes nothing there', async () => {
    const before = await readTruths(database);
    for (const [client, own, foreign] of [
      [of().here, here, there],
      [of().there, there, here],
    ] as const) {
      for (const { method, path, idOf, input } of OPERATIONS) {
        if (idOf !== 'request') continue;
        const at = (id: string) => path.replace('{id}', id);
        const body = input === null ? undefined : {};
        const answer = await client.call(method, at(foreign.request), body, {});
        const missing = await client.call(
          method,
          at(own.request.replace(/.{12}$/, 'f'.repeat(12))),
          body,
          {},
        );
        expect([path, answer.status, answer.body.error]).toEqual([
          ...[path, missing.status, missing.body.error],
        ]);
        expect(answer.status).toBeGreaterThanOrEqual(400);
      }
      const page = await client.get(`/review/${foreign.request}`, {
        headers: { accept: 'text/html' },
      });
      expect(page.status).toBe(404);
    }
    expect(changesBetween(before, await readTruths(database))).toEqual([]);
  });
});

describe('the search of the log', () => {
  it.each(['operator', 'auditor'] as const)(
    'finds %s nothing of the other tenant',
    async (kind) => {
      const { here: client } = { operator, auditor }[kind];
      const log = '/operator/data/security-log';
      const [, , publisher] = there.marks;
      for (const query of [`request=${there.request}`, `subject=${publisher}`]) {
        const found = await client.get(`${log}?${query}`);
        expect([found.status, found.body.items]).toEqual([200, []]);
        const csv = await client.get(`${log}/csv?${query}`);
        expect(csv.text.trim().split('\r\n')).toHaveLength(1);
      }
      expect(
        (await client.get(`${log}?request=${here.request}`)).body.items.length,
      ).toBeGreaterThan(0);
      const pages = (await client.get(`${log}/pages`)).body as SecurityPages;
      expect(pages.security_log.tenant).toBe(here.tenant);
      for (const { entry } of pages.entries) {
        expect((JSON.parse(entry) as { tenant: string }).tenant).toBe(here.tenant);
      }
    },
  );

  it('continues behind an entry of the own chain, with any number elsewhere', async () => {
    const log = '/operator/data/security-log';
    for (const client of [auditor.here, auditor.there]) {
      const pages = (await client.get(`${log}/pages?after=1`)).body as SecurityPages;
      const all = (await client.get(`${log}/pages`)).body as SecurityPages;
      expect(pages.entries[0]).toEqual(all.entries[1]);
    }
  });
});

it('an operator ends sessions and previews changes in the chosen tenant only', async () => {
  const [, , publisher] = there.marks;
  const client = operator.here;
  const ended = await client.post(`/operator/data/end-sessions?id=${who.demo.other.people[0]?.id}`);
  expect([ended.status, ended.body.error]).toEqual([404, 'not_found']);
  expect((await client.get(`/operator/data/principals?id=${publisher}`)).body.items).toEqual([]);
  const preview = await client.post(`/operator/data/preview/principal?id=${publisher}`, {
    ...{ id: publisher, kind: 'publisher', config: { enabled: false } },
  });
  expect([preview.status, preview.body.creates]).toEqual([200, true]);
});

it('a person sees and ends sessions of the chosen tenant only', async () => {
  const sessions = async (client: Client) =>
    (await client.get('/auth/sessions')).body.items as { id: string; current: boolean }[];
  const [mine, theirs] = [await sessions(reviewer.here), await sessions(reviewer.there)];
  const ids = new Set(mine.map(({ id }) => id));
  expect(theirs.some(({ id }) => ids.has(id))).toBe(false);
  const foreign = theirs.find(({ current }) => current)?.id ?? '';
  const refused = await reviewer.here.post(`/auth/sessions/${foreign}/end`);
  expect([refused.status, refused.body.error]).toEqual([404, 'not_found']);
  expect((await reviewer.here.post('/auth/sessions/end-others')).status).toBe(200);
  expect((await reviewer.there.get('/v2/requests')).status).toBe(200);
});
