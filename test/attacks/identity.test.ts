import type pg from 'pg';
import { randomUUID } from 'node:crypto';
import { Client, operatorOf } from '../support/client.js';
import { newVisitor, startIdentityProvider } from '../support/identity-provider.js';
import type { IdentityProvider, Visitor } from '../support/identity-provider.js';
import { startInstance } from '../support/instance.js';
import type { Demo, Instance } from '../support/instance.js';
import { identityOf } from '../support/people.js';
import { until } from '../support/requests.js';
import { connectTo } from '../support/truths.js';

// Attacks on identity: a second spelling of a person, and a registration in another tenant.

let provider: IdentityProvider;
let instance: Instance;
let demo: Demo;
let operator: Client;
let database: pg.Client;

beforeAll(async () => {
  provider = await startIdentityProvider();
  const rules = [{ tenant: 'demo', route: 'execution', max_age: 60 }];
  instance = await startInstance({ env: { ...provider.env, STEP_UP: JSON.stringify(rules) } });
  demo = instance.demo;
  operator = operatorOf(demo);
  database = await connectTo(instance);
});

afterAll(async () => {
  await database?.end();
  await instance?.stop();
  await provider?.stop();
});

function putHuman(by: Client, id: string, config: object) {
  const human = { id, kind: 'human', config: { enabled: true, ...config } };
  return by.put(`/v2/admin/principals/${id}`, human);
}

describe('a person has one spelling', () => {
  it.each([
    ['a slash more', (issuer: string) => `${issuer}/`],
    ['capitals', (issuer: string) => issuer.replace('http', 'HTTP')],
    ['another name of the host', (issuer: string) => issuer.replace('localhost', '127.0.0.1')],
    ['another provider', () => 'https://issuer.example'],
  ])(
    'an issuer with %s makes no second person who owns what the first reviews',
    async (_, spell) => {
      const ruth = identityOf(instance.dataDirectory, 'reviewer-1');
      const config = { ...ruth, oidc_issuer: spell(ruth.oidc_issuer) };
      const refused = await putHuman(operator, 'owner-x', config);
      expect([refused.status, refused.body.error]).toEqual([400, 'invalid_human']);
    },
  );

  it('one that an earlier release took can be disabled, and nothing else', async () => {
    const id = 'owner-spelled-otherwise';
    const config = { oidc_issuer: `${demo.issuer}/`, oidc_subject: 'ruth' };
    await database.query(
      `INSERT INTO principal (tenant, id, kind, enabled, config, oidc_issuer, oidc_subject, updated_at)
       VALUES ($1, $2, 'human', true, $3, $4, $5, clock_timestamp())`,
      [demo.tenant, id, { enabled: true, ...config }, ...[config.oidc_issuer, config.oidc_subject]],
    );
    expect((await putHuman(operator, id, config)).body.error).toBe('invalid_human');
    expect((await putHuman(operator, id, { ...config, enabled: false })).status).toBe(200);
    expect((await putHuman(operator, id, config)).body.error).toBe('invalid_human');
  });
});

describe('a registration of Ruth by the operator of another tenant', () => {
  const intruder = () => new Client(demo.origin, { token: demo.other.operator.token });
  const register = async (config: object = {}, id = 'twin') => {
    const identity = identityOf(instance.dataDirectory, 'reviewer-1');
    const { status } = await putHuman(intruder(), id, { ...identity, ...config });
    expect(status).toBe(200);
  };
  const html = { headers: { accept: 'text/html' } };
  const signIn = (browser?: Visitor, start?: string) =>
    provider.signIn(demo.origin, 'ruth', { browser, start });
  /** The entries that the page of the choice offers, in its order, and the secret of its form. */
  async function offered(browser: Visitor) {
    const { text } = await browser.open('/auth/tenant', html);
    const values = [...text.matchAll(/value="(\[[^"]*\])"/g)].map(([, value = '']) =>
      value.replaceAll('&quot;', '"'),
    );
    const token = /name="token" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const words = text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
    return { values, token, words };
  }
  const own = JSON.stringify(['demo', 'reviewer-1']);
  const foreign = JSON.stringify(['other', 'twin']);
  async function choose(browser: Visitor, tenant: string) {
    const { token } = await offered(browser);
    return browser.submit('/auth/tenant', { token, tenant });
  }

  it('changes nothing while it is not enabled', async () => {
    expect((await signIn()).page.location).toBe('/inbox');
    await register({ enabled: false });
    expect((await signIn()).page.location).toBe('/inbox');
  });

  it('does not lock Ruth out: she chooses, and entries new to her are marked', async () => {
    await register();
    const { browser, page } = await signIn();
    expect([page.status, page.location]).toEqual([302, '/auth/tenant']);
    expect((await browser.open('/auth/session')).status).toBe(401);
    const { values, words } = await offered(browser);
    expect(values).toEqual([own, foreign]);
    expect(words).toMatch(/demo as reviewer-1 Your last choice other as twin New to you/);
    const chosen = await choose(browser, own);
    expect([chosen.status, chosen.location]).toEqual([302, '/inbox']);
    expect(await browser.session()).toMatchObject({ tenant: 'demo', subject: 'reviewer-1' });
    expect((await choose(browser, own)).code).toBe('invalid_login');
  });

  it('gives no other person a session of hers: the one that she chooses there is of that tenant only', async () => {
    const { browser } = await signIn(undefined, `/auth/login?return_to=/review/${randomUUID()}`);
    const chosen = await choose(browser, foreign);
    expect(chosen.location).toMatch(/^\/review\//);
    expect(await browser.session()).toMatchObject({ tenant: 'other', subject: 'twin' });
    expect(JSON.parse((await browser.open('/v2/requests')).text).items).toEqual([]);
    const missing = await browser.open(chosen.location, html);
    expect(missing.status).toBe(404);
    expect(missing.text.replace(/<[^>]*>|\s+/g, ' ')).toMatch(
      /signed in to the tenant\s+other\s+as\s+twin.*Sign in to another tenant/,
    );
    const inbox = await browser.open('/inbox', html);
    expect(inbox.text).toMatch(/data-tenant="other"/);
    // Her last choice comes first from now on, and she goes on from a live session.
    await signIn(browser);
    expect((await offered(browser)).values).toEqual([foreign, own]);
    await choose(browser, own);
    expect(await browser.session()).toMatchObject({ tenant: 'demo' });
  });

  it('keeps no session of the tenant that she left: its cookie and its token end, and its log says so', async () => {
    const { browser } = await signIn();
    await choose(browser, own);
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const { csrf } = await browser.session();
    const left = new Client(demo.origin, { cookie, csrf });
    expect((await left.get('/v2/requests')).status).toBe(200);
    await signIn(browser);
    expect((await left.get('/v2/requests')).status).toBe(200);
    await choose(browser, foreign);
    for (const path of ['/v2/requests', '/auth/session', '/operator/data/security-log']) {
      expect([path, (await left.get(path)).status]).toEqual([path, 401]);
    }
    const now = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const mixed = new Client(demo.origin, { cookie: now, csrf });
    expect((await mixed.post('/auth/sessions/end-others')).body.error).toBe('csrf');
    const ended = await until(
      async () => (await operator.get('/operator/data/security-log?kind=session.ended')).text,
      (text) => text.includes('replaced'),
    );
    expect(ended).toContain(String.raw`\"actor\":{\"id\":\"reviewer-1\"`);
    const log = (await intruder().get('/operator/data/security-log')).text;
    expect(log).toContain('twin');
    expect(log).not.toContain('reviewer-1');
  });

  it('cannot be chosen for her by another page or browser, nor can she choose another person’s entry', async () => {
    const { browser } = await signIn();
    const stranger = (await signIn()).browser;
    const { token } = await offered(browser);
    const send = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
      browser.open('/auth/tenant', { method: 'POST', body: new URLSearchParams(fields), headers });
    const other = (await offered(stranger)).token;
    expect((await send({ tenant: foreign })).code).toBe('csrf');
    expect((await send({ tenant: foreign, token: other })).code).toBe('csrf');
    const evil = { origin: 'https://evil.example' };
    expect((await send({ tenant: foreign, token }, evil)).code).toBe('csrf');
    const crossing = { 'sec-fetch-site': 'cross-site' };
    expect((await send({ tenant: foreign, token }, crossing)).code).toBe('csrf');
    const unknown = newVisitor(demo.origin);
    const blind = await unknown.submit('/auth/tenant', { tenant: own, token });
    expect([blind.status, blind.code]).toEqual([401, 'invalid_login']);
    for (const tenant of [['demo', 'reviewer-2'], ['other', 'reviewer-3'], ['demo']]) {
      const refused = await send({ tenant: JSON.stringify(tenant), token });
      expect([refused.status, refused.code]).toEqual([403, 'directory_identity_unavailable']);
    }
    expect((await browser.open('/auth/session')).status).toBe(401);
    expect((await send({ tenant: own, token })).status).toBe(302);
  });

  it('is uncertain or disabled only there', async () => {
    await register({ identity_certain: false });
    const { browser } = await signIn();
    const { values, token, words } = await offered(browser);
    expect(values).toEqual([own]);
    expect(words).toMatch(/other as twin Not available/);
    const uncertain = await browser.submit('/auth/tenant', { token, tenant: foreign });
    expect([uncertain.status, uncertain.code]).toEqual([503, 'identity_uncertain']);
    expect((await browser.submit('/auth/tenant', { token, tenant: own })).status).toBe(302);
    await register({ enabled: false });
    expect((await signIn()).page.location).toBe('/inbox');
    await register();
  });

  it('does not fill her choice with entries', async () => {
    for (let n = 0; n < 8; n += 1) await register({}, `twin-${n}`);
    const { browser } = await signIn();
    const { values } = await offered(browser);
    expect(values).toContain(own);
    expect(values.filter((value) => value.startsWith('["other"'))).toHaveLength(5);
  });

  it('does not come between her and a confirmation that wants a fresh login', async () => {
    const { browser } = await signIn();
    await choose(browser, own);
    const start = `/auth/login?step_up=execution&return_to=/review/${randomUUID()}`;
    const { page } = await signIn(browser, start);
    expect(page.location).toMatch(/^\/review\//);
    expect(await browser.session()).toMatchObject({ tenant: 'demo', subject: 'reviewer-1' });
  });

  it('begins no session after she signed out meanwhile', async () => {
    const { browser } = await signIn();
    await choose(browser, own);
    await signIn(browser);
    const { token } = await offered(browser);
    await browser.post('/auth/logout');
    const late = await browser.submit('/auth/tenant', { token, tenant: own });
    expect([late.status, late.code]).toEqual([401, 'login_session_changed']);
  });
});
