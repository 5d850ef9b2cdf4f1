import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrapTenant } from '@countersign/database';
import { EXAMPLES, canonicalText, fingerprintWords, textDigest } from '@countersign/protocol';
import { newFolder } from '../support/folder.js';
import { runCommand } from '../support/instance.js';
import { startTestServer } from './server.js';
import type { TestServer } from './server.js';

const manifest = EXAMPLES.TrustManifest;
const fingerprint = textDigest(canonicalText(manifest));
const printed = `${fingerprint}\n${fingerprintWords(fingerprint)}\n`;

let server: TestServer;
let url: string;
let folder: string;
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  server = await startTestServer();
  url = await server.migratedDatabase();
  folder = newFolder('connection');
  writeFileSync(at('trust.json'), JSON.stringify(manifest));
  const pool = server.pool(url);
  for (const tenant of ['acme', 'globex']) {
    await bootstrapTenant(pool, { tenant, operator: 'op', token: newToken(), active: true });
  }
  await pool.query(
    `INSERT INTO principal (tenant, id, kind, enabled, config, updated_at) VALUES
      ('acme', 'bot', 'producer', true, '{"owner": "ada"}', now()),
      ('acme', 'shared', 'producer', true, '{"owner": "ada"}', now()),
      ('globex', 'shared', 'producer', true, '{"owner": "bob"}', now()),
      ('acme', 'gone', 'producer', false, '{"owner": "ada"}', now())`,
  );
});
afterAll(() => server.stop());

function newToken(): string {
  return randomBytes(32).toString('base64url');
}

function connection(...args: string[]) {
  const out = at('countersign.json');
  const trust = ['--trust', at('trust.json')];
  return runCommand(['connection', '--out', out, ...trust, ...args], { DATABASE_URL: url });
}
const written = () => JSON.parse(readFileSync(at('countersign.json'), 'utf8')) as unknown;

it('writes all that a program needs but its token', async () => {
  const { code, stdout } = await connection('--producer', 'bot');
  expect(code).toBe(0);
  expect(stdout).toContain(`bot of acme at ${manifest.issuer}, owned by ada`);
  expect(stdout).toContain(`trust ${fingerprint}`);
  expect(written()).toEqual({
    origin: manifest.issuer,
    tenant: 'acme',
    producer: 'bot',
    trust: manifest,
    token_env: 'COUNTERSIGN_TOKEN',
  });
});

it('says where the program finds its token and the copy of the anchor store', async () => {
  const more = ['--token-file', '/run/secrets/token', '--anchor-store', '/var/anchor'];
  expect((await connection('--producer', 'bot', ...more)).code).toBe(0);
  expect(written()).toMatchObject({
    token_file: '/run/secrets/token',
    anchor_store: '/var/anchor',
  });
  expect(written()).not.toHaveProperty('token_env');
  expect((await connection('--producer', 'bot', '--token-env', 'MY_TOKEN')).code).toBe(0);
  expect(written()).toMatchObject({ token_env: 'MY_TOKEN' });
});

it('takes the tenant where several have such a producer', async () => {
  const unclear = await connection('--producer', 'shared');
  expect([unclear.code, unclear.stderr]).toEqual([1, expect.stringContaining('acme, globex')]);
  expect((await connection('--producer', 'shared', '--tenant', 'globex')).code).toBe(0);
  expect(written()).toMatchObject({ tenant: 'globex', producer: 'shared' });
});

it.each([
  [['--producer', 'gone'], 'No tenant has an enabled producer gone'],
  [['--producer', 'op'], 'No tenant has an enabled producer op'],
  [['--producer', 'bot', '--tenant', 'globex'], 'globex has no enabled producer bot'],
  [['--producer', 'a b'], '--producer takes the id'],
  [['--producer', 'bot', '--token-env', 'a-secret-token'], 'not the token'],
  [['--producer', 'bot', '--out', '/nowhere/countersign.json'], 'cannot be written'],
  [['--producer', 'bot', '--trust', '/nowhere.json'], 'there is no such file'],
])('refuses %j, and says why', async (args, why) => {
  const { code, stderr } = await connection(...args);
  expect(code).toBe(1);
  expect(stderr).toContain(why);
  expect(stderr).not.toContain('a-secret-token');
});

it('prints the fingerprint of a manifest, whatever its layout', async () => {
  const turned = Object.fromEntries(Object.entries(manifest).reverse());
  writeFileSync(at('turned.json'), JSON.stringify(turned, null, 4));
  for (const file of ['trust.json', 'turned.json']) {
    const { code, stdout } = await runCommand(['trust', 'fingerprint', '--trust', at(file)]);
    expect([code, stdout]).toEqual([0, printed]);
  }
});

it('prints the fingerprint of the manifest that a connection file pins', async () => {
  await connection('--producer', 'bot');
  const file = at('countersign.json');
  const { code, stdout } = await runCommand(['trust', 'fingerprint', '--connection', file]);
  expect([code, stdout]).toEqual([0, printed]);
  const none = await runCommand(['trust', 'fingerprint', '--connection', at('trust.json')]);
  expect([none.code, none.stdout]).toEqual([1, '']);
});
