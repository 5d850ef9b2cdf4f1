import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROLES, createPool } from '@countersign/database';
import type { Pool } from '@countersign/database';
import { commonConfig, databaseUrl } from '@countersign/deploy';
import { until } from '@countersign/dev-servers/testing';
import { createLogger } from '@countersign/platform';
import { newFolder } from '../support/folder.js';
import { loginOf, startTestServer } from './server.js';
import type { TestServer } from './server.js';

const files = newFolder('login');
const username = join(files, 'username');
const password = join(files, 'password');

let server: TestServer;
let url: URL;
let pool: Pool;

beforeAll(async () => {
  server = await startTestServer();
  url = new URL(await server.migratedDatabase());
  const owner = server.pool(url.href);
  await owner.query(`ALTER ROLE "${loginOf('ledger')}" PASSWORD 'the first'`);
  writeFileSync(username, loginOf('ledger'));
  writeFileSync(password, 'the first');
  const env = {
    MODE: 'development',
    ORIGIN: 'https://review.example',
    TRUST: '{}',
    DATABASE_URL: `postgres://${url.host}${url.pathname}`,
    DATABASE_USERNAME_LEDGER_FILE: username,
    DATABASE_PASSWORD_LEDGER_FILE: password,
  };
  const log = createLogger({ name: 'test', level: 'silent' });
  pool = createPool({
    url: databaseUrl('ledger', { config: commonConfig(env), env, log }),
    role: ROLES.ledger,
    application: 'test',
    max: 2,
  });
});
afterAll(async () => {
  await pool?.end();
  await server?.stop();
});

async function whoIsIt(): Promise<unknown> {
  const connection = await pool.ofNoTenant.connect();
  try {
    const { rows } = await connection.query<{ who: string }>('SELECT session_user AS who');
    return rows[0]?.who;
  } finally {
    // The next one needs a new connection.
    connection.release(true);
  }
}

describe('a service whose user name and password are in files', () => {
  it('logs in with them', async () => {
    expect(await whoIsIt()).toBe(loginOf('ledger'));
  });

  it('takes a password that was changed for its next connection', async () => {
    await server
      .pool(url.href)
      .query(`ALTER ROLE "${loginOf('ledger')}" PASSWORD 'the/second one'`);
    await expect(whoIsIt()).rejects.toThrow(/password authentication failed/);
    writeFileSync(password, 'the/second one');
    await until(async () => (await whoIsIt().catch(() => null)) === loginOf('ledger'));
  });

  it('goes on with the last one while the file is away', async () => {
    rmSync(password);
    expect(await whoIsIt()).toBe(loginOf('ledger'));
  });
});
