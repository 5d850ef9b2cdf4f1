import pg from 'pg';
import { migrate } from '@countersign/database';
import { startTestServer } from './server.js';
import type { TestServer } from './server.js';
import { runCommand } from '../support/instance.js';

let server: TestServer;
let url: string;

beforeAll(async () => {
  server = await startTestServer({ fresh: true });
  url = await server.emptyDatabase();
});
afterAll(() => server.stop());

async function query(as: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: as });
  await client.connect();
  try {
    return (await client.query(text)).rows as unknown[];
  } finally {
    await client.end();
  }
}

function loginUrl(name: string): string {
  const login = new URL(url);
  login.username = name;
  login.password = 'secret';
  return login.href;
}

it('prints what a migration by an owner without rights over roles needs, and may run again', async () => {
  const { code, stdout } = await runCommand(['database-roles', '--queues']);
  expect(code).toBe(0);
  await query(url, stdout);
  await query(url, stdout);
  await query(
    url,
    `CREATE ROLE plain_owner LOGIN PASSWORD 'secret' NOCREATEROLE;
     DO $$ BEGIN EXECUTE format('ALTER DATABASE %I OWNER TO plain_owner', current_database()); END $$;
     ALTER SCHEMA public OWNER TO plain_owner`,
  );
  expect((await migrate(loginUrl('plain_owner'))).length).toBeGreaterThan(0);
});

it('gives each login one group, and the gateway the queues when it is asked to', async () => {
  const members = await query(
    url,
    `SELECT member.rolname AS login, array_agg(grouped.rolname::text ORDER BY grouped.rolname) AS groups
       FROM pg_auth_members m JOIN pg_roles member ON member.oid = m.member
       JOIN pg_roles grouped ON grouped.oid = m.roleid
      WHERE grouped.rolname LIKE 'countersign%' AND NOT member.rolsuper GROUP BY 1 ORDER BY 1`,
  );
  expect(members).toEqual([
    { login: 'deletion', groups: ['countersign_deletion'] },
    { login: 'execution', groups: ['countersign_execution'] },
    { login: 'gateway', groups: ['countersign_gateway', 'countersign_queues'] },
    { login: 'ledger', groups: ['countersign_ledger'] },
    { login: 'notifier', groups: ['countersign_notifier'] },
    { login: 'request', groups: ['countersign_request'] },
    { login: 'review', groups: ['countersign_review'] },
    { login: 'security_log', groups: ['countersign_security_log'] },
  ]);
  await query(url, `ALTER ROLE request PASSWORD 'secret'`);
  await query(loginUrl('request'), 'SET ROLE countersign_request');
  await expect(query(loginUrl('request'), 'SET ROLE countersign_ledger')).rejects.toMatchObject({
    code: '42501',
  });
});
