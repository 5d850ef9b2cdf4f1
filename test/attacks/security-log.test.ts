import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPERATIONS, SECURITY_READS, textDigest } from '@countersign/protocol';
import type { SecurityEvent, SecurityList, SecurityPages } from '@countersign/protocol';
import type pg from 'pg';
import { Client, personOf } from '../support/client.js';
import type { Instance } from '../support/instance.js';
import { runCommand, startInstance } from '../support/instance.js';
import { newFolder } from '../support/folder.js';
import { MORE_PEOPLE, gatherNeighbours } from '../support/neighbours.js';
import type { Neighbours } from '../support/neighbours.js';
import { identityOf, newToken } from '../support/people.js';
import { reviewInput, until } from '../support/requests.js';
import { connectTo } from '../support/truths.js';

// The security log (protocol R41): actions of insiders are visible, to permitted readers and no others.

const LOG = '/operator/data/security-log';
const SECRET = `whsec_${Buffer.from('a canary that must not be read').toString('base64')}`;
const CANARY = 'canary-of-private-material';

let instance: Instance;
let database: pg.Client;
let who: Neighbours;
let auditor: Client;
let auditorToken: string;

beforeAll(async () => {
  instance = await startInstance({
    people: MORE_PEOPLE,
    env: { SECURITY_CHECKPOINT_SECONDS: '1' },
  });
  database = await connectTo(instance);
  who = await gatherNeighbours(instance);
  const added = await runCommand([
    ...['operator', 'add', '--tenant', who.demo.tenant, '--id', 'auditor-1'],
    ...['--scope', 'security-log', '--data', instance.dataDirectory],
  ]);
  expect(JSON.parse(added.stdout)).toMatchObject({ id: 'auditor-1', scope: 'security-log' });
  auditorToken = JSON.parse(added.stdout).token as string;
  auditor = new Client(who.demo.origin, { token: auditorToken });
});
afterAll(async () => {
  await database?.end();
  await instance?.stop();
});

async function read<T>(client: Client, path: string): Promise<T> {
  const { status, body } = await client.get(path);
  expect([path, status]).toEqual([path, 200]);
  return body as T;
}

/** The newest event of that search, once there is one that fits. */
async function event(
  query: Record<string, string>,
  fits: (event: SecurityEvent) => boolean = () => true,
): Promise<SecurityEvent> {
  const found = await until(
    async () => {
      const { items } = await read<SecurityList>(auditor, `${LOG}?${new URLSearchParams(query)}`);
      return items.map(({ entry }) => JSON.parse(entry) as SecurityEvent).find(fits);
    },
    (one) => one !== undefined,
  );
  return found as SecurityEvent;
}

/** The whole log in one document, once a checkpoint covers its end. */
async function wholeLog(): Promise<SecurityPages> {
  return until(
    async () => {
      const pages = await read<SecurityPages>(auditor, `${LOG}/pages`);
      expect(pages.next).toBeNull();
      return pages;
    },
    ({ entries, checkpoints }) =>
      checkpoints.some(({ statement }) => statement.includes(`\n${entries.length}\n`)),
  );
}

async function verify(pages: unknown, store = join(instance.dataDirectory, 'anchor')) {
  const file = join(newFolder('security-log'), 'pages.json');
  writeFileSync(file, JSON.stringify(pages));
  const trust = join(instance.dataDirectory, 'trust.json');
  return runCommand(['verify', file, '--trust', trust, '--store', store, '--json']);
}

async function putPerson(config: object): Promise<void> {
  const id = who.reviewerIds[1];
  const answer = await who.operator.put(`/v2/admin/principals/${id}`, {
    id,
    kind: 'human',
    config: { enabled: true, ...identityOf(instance.dataDirectory, id), ...config },
  });
  expect(answer.status).toBe(200);
}

describe('an insider who changes the directory', () => {
  it('is seen to give a reviewer the power of an operator', async () => {
    const [, reviewer] = who.reviewerIds;
    await putPerson({});
    await putPerson({ operator: true });
    const seen = await event({ kind: 'principal.changed', subject: reviewer }, ({ detail }) =>
      (detail['changed'] as string[]).includes('operator'),
    );
    expect(seen).toMatchObject({
      actor: { id: who.demo.operator.id, kind: 'operator' },
      source: 'request',
      detail: { changed: ['operator'], created: false, token_changed: false },
    });
    expect(seen.detail['before']).not.toBe(seen.detail['after']);
    await putPerson({});
  });

  it('replaces a token, an owner and a webhook secret, and the log has the change without values', async () => {
    const { id } = who.demo.publisher;
    const token = newToken();
    const config = { enabled: true, name: CANARY, webhook_secret: SECRET };
    const path = `/v2/admin/principals/${id}`;
    const answer = await who.operator.put(path, { id, kind: 'publisher', config, token });
    expect(answer.status).toBe(200);
    const seen = await event({ subject: id }, ({ detail }) =>
      (detail['changed'] as string[]).includes('webhook_secret'),
    );
    expect(seen.detail['token_changed']).toBe(true);
    expect(seen.detail['changed']).toEqual(['name', 'webhook_secret']);
    const told = JSON.stringify(await wholeLog());
    for (const secret of [token, textDigest(token), SECRET, CANARY])
      expect(told).not.toContain(secret);
  });

  it('is seen to change the rules of a route', async () => {
    const route = await who.route();
    const before = await read<{ items: { config: { limits: object } }[] }>(
      who.humanOperator,
      `/operator/data/routes?id=${route}`,
    );
    const config = before.items[0]!.config;
    const limits = { ...config.limits, review_seconds: 77 };
    const answer = await who.operator.put(`/v2/admin/routes/${route}`, { ...config, limits });
    expect(answer.status).toBe(200);
    const seen = await event(
      { kind: 'route.changed', subject: route },
      ({ detail }) => detail['created'] === false,
    );
    expect(seen.detail['changed']).toEqual(['limits.review_seconds']);
  });
});

describe('an insider who reads private material', () => {
  let request: string;
  beforeAll(async () => {
    const input = reviewInput(who.demo, {
      route: await who.route(),
      payload: { text: CANARY, list: [] },
    });
    const made = await who.producer.post('/v2/requests', input);
    expect(made.status).toBe(201);
    request = made.body.request.id as string;
  });

  it.each([
    ['a reviewer', 'material.read', 'material', () => who.reviewers[0], 'reviewer'],
    ['an operator', 'export.read', 'export', () => who.operator, 'operator'],
    ['the owner', 'material.read', 'material', () => who.producer, 'owner'],
  ] as const)('is seen: %s', async (_, kind, path, client, as) => {
    const answer = await client().get(`/v2/requests/${request}/${path}`);
    expect(answer.status).toBe(200);
    const seen = await event({ kind, request }, ({ detail }) => detail['as'] === as);
    expect(seen.request_id).toBe(request);
    expect(seen.detail['request_digest']).toBe(answer.body.request_digest);
  });

  it('leaves no read material in the log', async () => {
    expect(JSON.stringify(await wholeLog())).not.toContain(CANARY);
    const { rows } = await database.query(
      `SELECT count(*)::integer AS n FROM security_entry e WHERE e.entry LIKE '%' || $1 || '%'`,
      [CANARY],
    );
    expect(rows).toEqual([{ n: 0 }]);
  });

  it('is not given the material when the read cannot be noted', async () => {
    await database.query('REVOKE INSERT (tenant) ON security_event FROM countersign_request');
    const answer = await who.reviewers[0].get(`/v2/requests/${request}/material`);
    await database.query('GRANT INSERT (tenant) ON security_event TO countersign_request');
    expect([answer.status, answer.body.error]).toEqual([503, 'service_unavailable']);
  });
});

describe('a person who logs in', () => {
  it('is seen, and so is the end of the session', async () => {
    const id = who.reviewerIds[1];
    const person = await personOf(who.demo, instance.dataDirectory, id);
    expect((await event({ kind: 'login.succeeded', actor: id })).source).toBe('gateway');
    expect((await person.post('/auth/logout')).status).toBe(204);
    const ended = await event({ kind: 'session.ended', actor: id });
    expect(ended.detail['how']).toBe('logout');
  });

  it('is seen to be refused while the identity is uncertain', async () => {
    const id = who.reviewerIds[1];
    await putPerson({ identity_certain: false });
    await expect(personOf(who.demo, instance.dataDirectory, id)).rejects.toThrow();
    const seen = await event({ kind: 'login.refused', subject: id });
    expect(seen.detail).toEqual({ reason: 'identity_uncertain' });
    await putPerson({});
  });

  it('a stranger leaves one count in the log of the installation, and nothing in a tenant’s', async () => {
    const kinds = async () => {
      // Events are chained in their order: all before this login are there once it is.
      const start = new Date().toISOString();
      const id = who.reviewerIds[1];
      await personOf(who.demo, instance.dataDirectory, id);
      await event({ kind: 'login.succeeded', actor: id }, ({ time }) => time >= start);
      const { entries } = await wholeLog();
      return entries.map(({ entry }) => (JSON.parse(entry) as SecurityEvent).kind);
    };
    const before = await kinds();
    for (let n = 0; n < 5; n += 1) {
      const stranger = new Client(who.demo.origin, { token: newToken() });
      expect((await stranger.get('/v2/requests')).status).toBe(401);
    }
    expect(await kinds()).toEqual([...before, 'login.succeeded']);
  });
});

describe('the log', () => {
  it('holds for countersign verify, with its checkpoints and the anchor store', async () => {
    const verified = await verify(await wholeLog());
    expect(JSON.parse(verified.stdout)).toMatchObject({ verdict: 'holds', kind: 'security log' });
    expect(verified.code).toBe(0);
  });

  it('fails for countersign verify when an owner of the database rewrote an entry and all heads after it', async () => {
    const pages = await wholeLog();
    const at = 1;
    const altered = (change: (pages: SecurityPages) => void) => {
      const copy = JSON.parse(JSON.stringify(pages)) as SecurityPages;
      change(copy);
      return copy;
    };
    const entry = pages.entries[at]!;
    for (const [reason, copy] of [
      ['head_mismatch', altered((of) => rewrite(of.entries[at]!, entry.entry))],
      ['sequence_gap', altered((of) => (of.entries as unknown[]).splice(at, 1))],
      ['wrong_signature', altered((of) => rewriteStatement(of))],
    ] as const) {
      const { code, stdout } = await verify(copy);
      expect([reason, code]).toEqual([reason, 1]);
      expect(stdout).toContain(reason);
    }
  });

  it('fails for countersign verify when it was rewritten in the tables', async () => {
    await wholeLog();
    const { rows } = await database.query<{ entry: string }>(
      `UPDATE security_entry SET entry = replace(entry, 'principal.changed', 'route.changed')
       WHERE tenant = $1 AND kind = 'principal.changed' AND sequence = (
         SELECT min(sequence) FROM security_entry WHERE tenant = $1 AND kind = 'principal.changed')
       RETURNING entry`,
      [who.demo.tenant],
    );
    expect(rows).toHaveLength(1);
    const { code, stdout } = await verify(await read(auditor, `${LOG}/pages`));
    expect(code).toBe(1);
    expect(stdout).toContain('head_mismatch');
    await database.query(
      `UPDATE security_entry SET entry = replace(entry, 'route.changed', 'principal.changed') WHERE entry = $1`,
      [rows[0]?.entry],
    );
  });

  it('is a file for a spreadsheet too, whose download is an entry itself', async () => {
    const { status, text, headers } = await auditor.get(`${LOG}/csv?kind=principal.changed`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toContain('attachment');
    expect(text.split('\r\n').length).toBeGreaterThan(3);
    const { detail } = await event({ kind: 'security_log.exported', actor: 'auditor-1' });
    expect(detail).toMatchObject({ format: 'csv', filters: ['kind'] });
  });

  it('is a file for a verifier too, whose download is one entry and which readers of pages leave none of', async () => {
    const json = async () =>
      (await wholeLog()).entries
        .map(({ entry }) => JSON.parse(entry) as SecurityEvent)
        .filter(
          ({ kind, detail }) => kind === 'security_log.exported' && detail['format'] === 'json',
        );
    // Reads of pages, of which there were many by now.
    expect(await json()).toEqual([]);
    const before = (await wholeLog()).entries.length;
    const first = await read<SecurityPages>(auditor, `${LOG}/pages?after=0&export=true`);
    const [noted, ...more] = await until(json, (found) => found.length > 0);
    expect(more).toEqual([]);
    expect(noted).toMatchObject({
      actor: { id: 'auditor-1', kind: 'auditor' },
      source: 'ledger',
      detail: { filters: [], format: 'json' },
    });
    const entries = Number(noted?.detail['entries']);
    expect(entries).toBeGreaterThanOrEqual(before);
    expect(entries).toBeLessThanOrEqual(first.entries.length);
    const verified = await verify(await wholeLog());
    expect(JSON.parse(verified.stdout)).toMatchObject({ verdict: 'holds' });
    expect((await auditor.get(`${LOG}/pages?export=yes`)).status).toBe(400);
  });

  it('is not given as a file when the download cannot be noted', async () => {
    await database.query('REVOKE INSERT (tenant) ON security_event FROM countersign_ledger');
    const [file, page] = [
      await auditor.get(`${LOG}/pages?export=true`),
      await auditor.get(`${LOG}/pages`),
    ];
    await database.query('GRANT INSERT (tenant) ON security_event TO countersign_ledger');
    expect([file.status, page.status]).toEqual([503, 200]);
  });

  it('is found by actor, request and time', async () => {
    const of = (query: string) => read<SecurityList>(auditor, `${LOG}?${query}`);
    const all = (await of('')).items;
    expect(all.map(({ sequence }) => sequence)).toEqual(
      all.map(({ sequence }) => sequence).sort((a, b) => b - a),
    );
    const mine = (await of(`actor=${who.demo.operator.id}&kind=principal.changed`)).items;
    expect(mine.length).toBeGreaterThan(0);
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    expect((await of(`since=${soon}`)).items).toEqual([]);
    expect((await of(`before=${soon}`)).items).toHaveLength(all.length);
    expect((await auditor.get(`${LOG}?since=soon`)).status).toBe(400);
  });
});

function rewrite(entry: { entry: string }, text: string): void {
  entry.entry = text.replace('"source":"', '"source":"x');
}

function rewriteStatement(pages: SecurityPages): void {
  const [first] = pages.checkpoints as unknown as { statement: string }[];
  first!.statement = first!.statement.replace(/sha256:(.)/, (_, digit: string) =>
    digit === '0' ? 'sha256:1' : 'sha256:0',
  );
}

describe('the readers of the log', () => {
  it('is an operator or an auditor of the tenant, and no other caller', async () => {
    const refused: [string, Client, number][] = [
      ['producer', who.producer, 403],
      ['publisher', who.publisher, 401],
      ['reviewer', who.reviewers[0], 403],
      ['requester', who.requester, 403],
      ['anonymous', who.anonymous, 401],
    ];
    for (const { path } of SECURITY_READS) {
      for (const [name, client, status] of refused) {
        const answer = await client.get(path);
        expect([name, path, answer.status]).toEqual([name, path, status]);
      }
      for (const client of [auditor, who.operator, who.humanOperator]) {
        expect((await client.get(path)).status).toBe(200);
      }
    }
  });

  it('sees nothing of another tenant', async () => {
    const { operator } = who.elsewhere;
    const theirs = await read<SecurityPages>(operator, `${LOG}/pages`);
    expect(theirs.security_log.tenant).toBe(who.demo.other.tenant);
    for (const { entry } of theirs.entries) {
      expect((JSON.parse(entry) as SecurityEvent).tenant).toBe(who.demo.other.tenant);
    }
    const { items } = await read<SecurityList>(operator, `${LOG}?subject=${who.reviewerIds[1]}`);
    expect(items).toEqual([]);
  });

  it('an auditor reads it and may do nothing else', () => expectNothingElse(auditor));
});

async function expectNothingElse(client: Client): Promise<void> {
  for (const { method, path, security, input } of OPERATIONS) {
    if (security === 'none') continue;
    const at = path.replace('{id}', '00000000-0000-4000-8000-000000000000');
    const answer = await client.call(method, at, input === null ? undefined : {}, {});
    expect([path, answer.status >= 400 && answer.status !== 500]).toEqual([path, true]);
    expect([401, 403, 404]).toContain(answer.status);
  }
  for (const path of ['routes', 'principals', 'requests', 'deliveries', 'incidents']) {
    expect((await client.get(`/operator/data/${path}`)).status).toBe(403);
  }
}

describe('an auditor who logs in', () => {
  const id = 'auditor-in-person';
  const command = (...args: string[]) =>
    runCommand([
      ...['operator', ...args, '--tenant', who.demo.tenant, '--id', id],
      ...['--data', instance.dataDirectory],
    ]);
  /** In the directory of the other tenant, and of none here. */
  const remy = () => identityOf(instance.dataDirectory, 'reviewer-4');
  const logIn = (principal?: string) =>
    personOf(who.demo, instance.dataDirectory, 'reviewer-4', who.demo.tenant, principal);
  let person: Client;
  beforeAll(async () => {
    // Made by operators beforehand, as many as a login offers: none may take the auditor's place.
    for (const name of ['aa', 'ab', 'ac', 'ad', 'ae']) {
      const put = await who.operator.put(`/v2/admin/principals/${name}`, {
        ...{ id: name, kind: 'human', config: { enabled: true, ...remy() } },
      });
      expect(put.status).toBe(200);
    }
    const { oidc_issuer, oidc_subject } = remy();
    const add = ['add', '--scope', 'security-log', '--subject', oidc_subject];
    expect((await command(...add)).stderr).toContain('OIDC_ISSUER');
    const added = await command(...add, '--issuer', oidc_issuer);
    expect(JSON.parse(added.stdout)).toMatchObject({
      person: { issuer: oidc_issuer, subject: oidc_subject },
      token_since: null,
    });
    person = await logIn(id);
  });

  it('continues as the auditor, with any entries that operators made of the same identity', async () => {
    const { body } = await person.get('/auth/session');
    expect(body).toMatchObject({ tenant: who.demo.tenant, subject: id });
    expect(await event({ kind: 'login.succeeded', actor: id })).toMatchObject({
      actor: { id, kind: 'auditor' },
    });
  });

  it('reads the log and may do nothing else, with the session’s token too', async () => {
    for (const { path } of SECURITY_READS) expect((await person.get(path)).status).toBe(200);
    await expectNothingElse(person);
  });

  it('is out of reach for operators: they can neither change nor disable nor sign out', async () => {
    for (const client of [who.operator, who.humanOperator]) {
      const put = (kind: string) =>
        client.put(`/v2/admin/principals/${id}`, {
          ...{ id, kind, config: { enabled: false, ...(kind === 'human' ? remy() : {}) } },
        });
      expect((await put('human')).body.error).toBe('principal_kind_immutable');
      expect((await put('publisher')).body.error).toBe('principal_kind_immutable');
      expect((await put('auditor')).body.error).toBe('invalid_principal');
    }
    const ended = await who.humanOperator.post(`/operator/data/end-sessions?id=${id}`, {});
    expect(ended.status).toBe(404);
    expect((await person.get(LOG)).status).toBe(200);
  });

  it('is disabled only by the command, which ends the session with the next call', async () => {
    expect((await command('rotate')).stderr).toContain('has no token');
    expect(JSON.parse((await command('disable')).stdout)).toMatchObject({ enabled: false });
    expect((await person.get(LOG)).status).toBe(401);
    expect((await person.get('/auth/session')).status).toBe(401);
    const again = await logIn();
    expect((await again.get('/auth/session')).body.subject).not.toBe(id);
    expect((await again.get(LOG)).status).toBe(403);
  });
});

describe('a command with the database’s own credentials', () => {
  it('is seen: a new tenant', async () => {
    const tenant = 'bootstrapped';
    const { urls } = JSON.parse(readFileSync(join(instance.dataDirectory, 'stores.json'), 'utf8'));
    const made = await runCommand(['bootstrap', '--tenant', tenant], {
      DATABASE_URL: urls.DATABASE_URL,
    });
    expect(made.code).toBe(0);
    const { operator } = JSON.parse(made.stdout) as { operator: { token: string } };
    const client = new Client(who.demo.origin, { token: operator.token });
    const { entries } = await until(
      () => read<SecurityPages>(client, `${LOG}/pages`),
      (pages) => pages.entries.length > 0,
    );
    expect(JSON.parse(entries[0]!.entry)).toMatchObject({
      kind: 'tenant.bootstrapped',
      source: 'command',
      subject: 'operator-1',
      actor: { kind: 'command' },
    });
  });
});
