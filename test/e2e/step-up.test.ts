import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { valueDigest } from '@countersign/protocol';
import pg from 'pg';
import { Client, operatorOf, personOf, producerOf } from '../support/client.js';
import { startInstance } from '../support/instance.js';
import type { Instance } from '../support/instance.js';
import { executionInput, reviewInput } from '../support/requests.js';

let instance: Instance;
let database: pg.Client;

beforeAll(async () => {
  const rules = [{ tenant: 'demo', route: 'execution', max_age: 120 }];
  instance = await startInstance({ env: { STEP_UP: JSON.stringify(rules) } });
  const stores = JSON.parse(readFileSync(join(instance.dataDirectory, 'stores.json'), 'utf8'));
  database = new pg.Client({ connectionString: stores.urls.DATABASE_URL });
  await database.connect();
});

afterAll(async () => {
  await database?.end();
  await instance?.stop();
});

/** Says in place of the provider when every session's person proved who they are. */
const proved = (ago: string | null) =>
  database.query('UPDATE session SET proved_at = clock_timestamp() - $1::interval', [ago]);

/** The parameters of a login at the identity provider. */
async function maxAge(caller: Client, query: string): Promise<string | null> {
  const { headers } = await caller.get(`/auth/login?${query}`);
  return new URL(headers.get('location') as string).searchParams.get('max_age');
}

describe('a confirmation on a route with step-up', () => {
  test('is refused until the login is fresh enough; the frozen answer stays', async () => {
    const { demo, dataDirectory } = instance;
    const ruth = await personOf(demo, dataDirectory, 'reviewer-1');
    const { body: status } = await producerOf(demo).post('/v2/requests', executionInput(demo));
    const path = `/v2/requests/${status.request.id}`;
    const { body: candidate } = await ruth.post(`${path}/candidates`, {
      response: { note: 'seen' },
      decision: 'authorise',
    });
    const confirm = () =>
      ruth.post(
        `${path}/confirm`,
        { candidate_id: candidate.id, candidate_digest: valueDigest(candidate) },
        { key: 'the-one' },
      );
    for (const ago of [null, '121 seconds']) {
      await proved(ago);
      const { status: code, body, headers } = await confirm();
      expect([code, body.error]).toEqual([401, 'fresh_login_required']);
      expect(headers.get('www-authenticate')).toBe(
        'Bearer error="insufficient_user_authentication", max_age="120"',
      );
    }
    expect((await ruth.get(path)).body.decision_state).toBe('pending');
    await proved('60 seconds');
    expect((await confirm()).status).toBe(200);
    // Authentication comes before a stored answer too.
    await proved('200 seconds');
    expect((await confirm()).body.error).toBe('fresh_login_required');
    await proved('1 second');
    expect((await confirm()).status).toBe(200);
  });

  test('reveals no requests of others, and asks nothing on other routes', async () => {
    const { demo, dataDirectory } = instance;
    const ravi = await personOf(demo, dataDirectory, 'reviewer-2');
    const olivia = await personOf(demo, dataDirectory, 'owner-1');
    const { body: status } = await producerOf(demo).post('/v2/requests', executionInput(demo));
    const confirmation = { candidate_id: status.request.id, candidate_digest: valueDigest('') };
    const path = `/v2/requests/${status.request.id}/confirm`;
    expect((await olivia.post(path, confirmation)).body.error).toBe('not_found');
    const text = await producerOf(demo).post('/v2/requests', reviewInput(demo));
    const other = `/v2/requests/${text.body.request.id}/confirm`;
    expect((await ravi.post(other, confirmation)).body.error).toBe('candidate_changed');
    expect((await operatorOf(demo).post(other, confirmation)).body.error).toBe('human_required');
  });

  test('leads to a login with the configured strength, and no other', async () => {
    const { demo, dataDirectory } = instance;
    const ruth = await personOf(demo, dataDirectory, 'reviewer-1');
    expect(await maxAge(ruth, 'step_up=execution')).toBe('120');
    expect(await maxAge(ruth, 'step_up=review&max_age=1')).toBeNull();
    expect(await maxAge(ruth, '')).toBeNull();
    // As adding a key wants it (protocol §19.6).
    expect(await maxAge(ruth, 'fresh=true&max_age=1')).toBe('300');
    expect(await maxAge(ruth, 'step_up=execution&fresh=true')).toBe('120');
  });

  test('is known to people of its tenant only: a stranger cannot ask which routes have a rule', async () => {
    const { demo } = instance;
    expect(await maxAge(new Client(demo.origin, null), 'step_up=execution')).toBeNull();
    expect(await maxAge(new Client(demo.origin, null), 'fresh=true')).toBeNull();
    const forged = { cookie: `__Host-countersign-session=${'a'.repeat(43)}`, csrf: '' };
    expect(await maxAge(new Client(demo.origin, forged), 'step_up=execution')).toBeNull();
  });
});
