import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadTrust, valueDigest, verifyRecord } from '@countersign/protocol';
import type { TrustManifest } from '@countersign/protocol';
import { freePort } from '@countersign/dev-servers';
import { personOf, producerOf } from '../../support/client.js';
import type { Answer, Client } from '../../support/client.js';
import { runCommand, startInstance } from '../../support/instance.js';
import type { Instance } from '../../support/instance.js';
import { authorisedRequest, executionInput, until } from '../../support/requests.js';
import { BUILD_MS } from '../../support/programs/obtained.js';
import { startTcpProxy } from '../../support/servers/tcp-proxy.js';
import type { TcpProxy } from '../../support/servers/tcp-proxy.js';
import { startVault } from '../../support/servers/vault.js';
import type { VaultServer } from '../../support/servers/vault.js';
import { newDataFolder } from '../../support/folder.js';
import { keyFilesOf } from '../../support/key-files.js';

const ROOT = resolve(__dirname, '../../..');

/**
 * Invariant I16: a record verifies under the key of its time, with any later state of that key, and under no other. The key
 * of one service is rotated twice, the second time into a key service.
 */
describe('the signing key of a service', () => {
  const dataDirectory = newDataFolder('keys-e2e');
  const at = (name: string): string => join(dataDirectory, name);
  let instance: Instance | null = null;
  let producer: Client;
  let reviewer: Client;
  let vault: VaultServer;
  let proxy: TcpProxy;
  let vaultEnv: Record<string, string>;
  let health: string;
  /** A receipt of each time, with the file of its export. */
  const receipts: { keyId: string; file: string; record: { protected: { issued_at: string } } }[] =
    [];

  beforeAll(async () => {
    vault = await startVault();
    proxy = await startTcpProxy(vault.port);
    await vault.ask('POST', 'transit/keys/review', { type: 'ed25519' });
    writeFileSync(at('vault-token'), `${vault.token}\n`);
    const port = await freePort();
    health = `http://127.0.0.1:${port}/readyz`;
    vaultEnv = {
      REVIEW_SIGNING_KEY: 'vault:review',
      VAULT_ADDR: proxy.url,
      VAULT_TOKEN_FILE: at('vault-token'),
      SIGNER_TIMEOUT_MS: '1000',
      HEALTH_PORT: String(port),
    };
  }, BUILD_MS);
  afterAll(async () => {
    await stop();
    await proxy?.stop();
    await vault?.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  async function start(env: Record<string, string> = {}): Promise<void> {
    instance = await startInstance({ dataDirectory, env });
    producer = producerOf(instance.demo);
    reviewer = await personOf(instance.demo, dataDirectory, instance.demo.people[1]!.id);
  }
  async function stop(): Promise<void> {
    await instance?.stop();
    instance = null;
  }
  const restart = async (env?: Record<string, string>) => {
    await stop();
    await start(env);
  };
  const rotate = (step: string, ...more: string[]) =>
    runCommand([
      'rotate',
      step,
      'review',
      '--dir',
      at('keys'),
      '--trust',
      at('trust.json'),
      ...more,
    ]);
  const trust = (...args: string[]) =>
    runCommand(['trust', ...args, '--trust', at('trust.json')], vaultEnv);
  const manifest = (): TrustManifest => JSON.parse(readFileSync(at('trust.json'), 'utf8'));
  const verify = async (file: string, by = 'trust.json') =>
    (await runCommand(['verify', file, '--trust', at(by), '--store', at('anchor')])).code;

  /** Decides something, exports it, and gives the id of the key that signed the receipt. */
  async function decideAndKeep(): Promise<string> {
    const { body } = await authorisedRequest(instance!.demo, producer, reviewer);
    const exported = await producer.get(`/v2/requests/${body.request.id}/export`);
    const file = at(`${body.request.id}.json`);
    writeFileSync(file, exported.text);
    const keyId = body.receipt.protected.key_id;
    receipts.push({ keyId, file, record: body.receipt });
    return keyId;
  }
  const verdictOfAll = (by?: string) => Promise.all(receipts.map(({ file }) => verify(file, by)));

  /** Freezes an answer; each call tries to confirm it. */
  async function confirming(id: string): Promise<() => Promise<Answer>> {
    const { body } = await reviewer.post(`/v2/requests/${id}/candidates`, {
      response: { note: 'seen' },
      decision: 'authorise',
    });
    const confirmation = { candidate_id: body.id, candidate_digest: valueDigest(body) };
    return () => reviewer.post(`/v2/requests/${id}/confirm`, confirmation);
  }

  it('signs from its first day on', async () => {
    await start();
    expect(await decideAndKeep()).toMatch(/^review-/);
  });

  it('is not replaced before the running service serves the next one', async () => {
    copyFileSync(at('trust.json'), at('trust-before.json'));
    expect((await rotate('activate')).stderr).toMatch(/first `countersign rotate prepare review`/);
    expect((await rotate('prepare')).code).toBe(0);
    // Twice is once.
    expect((await rotate('prepare')).code).toBe(0);
    expect(manifest().keys.filter(({ key_id }) => key_id.startsWith('review-'))).toHaveLength(2);
    const early = await rotate('activate');
    expect([early.code, early.stderr]).toEqual([1, expect.stringMatching(/may not sign yet/)]);
    await restart();
    expect(await decideAndKeep()).toBe(receipts[0]!.keyId);
    expect((await rotate('retire')).code).toBe(1);
    expect((await rotate('activate')).code).toBe(0);
    // The processes that run go on with the old one, which counts still.
    expect(await decideAndKeep()).toBe(receipts[0]!.keyId);
  });

  it('is the next one from the next start on, and all records verify under the key of their time', async () => {
    await restart();
    const next = await decideAndKeep();
    expect(next).not.toBe(receipts[0]!.keyId);
    expect((await rotate('retire')).code).toBe(0);
    expect(existsSync(at('keys/review.old.pem'))).toBe(false);
    const old = manifest().keys.find(({ key_id }) => key_id === receipts[0]!.keyId);
    expect(Date.parse(old!.not_after)).toBeLessThan(Date.now() + 10 * 60_000);
    expect(await verdictOfAll()).toEqual([0, 0, 0, 0]);
    // Who has not heard of the new key does not believe it.
    expect(await verdictOfAll('trust-before.json')).toEqual([0, 0, 0, 1]);
    const { stdout } = await trust('print', '--dir', at('keys'));
    expect(stdout).toMatch(new RegExp(`${next} .* valid, signs for review`));
  });

  it('counts for nothing from its revocation on, for the command and the function alike', async () => {
    const [first, second, third] = receipts.map(({ record }) => record.protected.issued_at);
    copyFileSync(at('trust.json'), at('trust-revoked.json'));
    const revoke = await runCommand([
      ...['trust', 'revoke', receipts[0]!.keyId, '--trust', at('trust-revoked.json')],
      ...['--at', second!],
    ]);
    expect(revoke.code).toBe(0);
    expect(await verdictOfAll('trust-revoked.json')).toEqual([0, 1, 1, 0]);
    const revoked = loadTrust(JSON.parse(readFileSync(at('trust-revoked.json'), 'utf8')));
    const reasons = receipts.map(({ record }) => {
      const verified = verifyRecord(record, revoked, { type: 'DecisionReceipt', audience: null });
      return verified.ok ? 'ok' : verified.reason;
    });
    expect(reasons).toEqual(['ok', 'key_revoked', 'key_revoked', 'ok']);
    expect([first! < second!, second! < third!]).toEqual([true, true]);
    // A service does not start with a revoked key.
    copyFileSync(at('trust.json'), at('trust-none.json'));
    const active = receipts.at(-1)!.keyId;
    await runCommand(['trust', 'revoke', active, '--trust', at('trust-none.json')]);
    expect(
      await target({
        REVIEW_SIGNING_KEY_FILE: at('keys/review.pem'),
        TRUST_FILE: at('trust-none.json'),
      }),
    ).toMatch(new RegExp(`The signing key of review cannot be used: Our key ${active} is revoked`));
  });

  /** The output of the target `review` when it does not start. */
  async function target(env: Record<string, string>): Promise<string> {
    const child = spawn(process.execPath, ['deploy/dist/main.js', '--target=review'], {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        ...process.env,
        NATS_URL: '',
        REDIS_URL: '',
        MODE: 'development',
        ORIGIN: manifest().issuer,
        DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
        ...keyFilesOf(at('keys'), 'review'),
        ...env,
      },
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const code = await new Promise((settle) => child.once('close', settle));
    expect(code).toBe(1);
    return said;
  }

  it('may move into a key service, which has to hold a key that the manifest lists', async () => {
    const vaultOnly = { ...vaultEnv, HEALTH_PORT: '', TRUST_FILE: at('trust.json') };
    expect(await target(vaultOnly)).toMatch(/does not list our key review version 1\./);
    const added = await trust('add', 'review-in-vault', '--vault', 'review');
    expect([added.code, added.stderr]).toEqual([0, '']);
    expect((await trust('add', 'again', '--vault', 'review')).code).toBe(1);
    // A newer version that no verifier knows yet signs nothing.
    await vault.ask('POST', 'transit/keys/review/rotate');
    await restart(vaultEnv);
    expect(await decideAndKeep()).toBe('review-in-vault');
    expect((await fetch(health)).status).toBe(200);
  });

  it('is the newest version that is listed, and all records verify still', async () => {
    await trust('add', 'review-in-vault-2', '--vault', 'review');
    await restart(vaultEnv);
    expect(await decideAndKeep()).toBe('review-in-vault-2');
    expect(await verdictOfAll()).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it.each<[string, () => Promise<void>, () => Promise<void>]>([
    ['hangs', async () => proxy.mode('hang'), async () => proxy.mode('pass')],
    ['cannot be reached', async () => proxy.mode('reset'), async () => proxy.mode('pass')],
    ['is sealed', () => vault.seal(), () => vault.unseal()],
    [
      'does not know our token',
      async () => writeFileSync(at('vault-token'), 'wrong'),
      async () => writeFileSync(at('vault-token'), vault.token),
    ],
  ])(
    'signs nothing while the key service %s: 503, unready, no effect, and again afterwards',
    async (_, breaks, mends) => {
      const created = await producer.post('/v2/requests', executionInput(instance!.demo));
      const path = `/v2/requests/${created.body.request.id}`;
      const confirm = await confirming(created.body.request.id);
      await breaks();
      try {
        const refused = await confirm();
        expect([refused.status, refused.body.error]).toEqual([503, 'service_unavailable']);
        expect((await fetch(health)).status).toBe(503);
        expect((await producer.get(path)).body.decision_state).toBe('pending');
      } finally {
        await mends();
      }
      await until(confirm, ({ status }) => status === 200);
      expect((await fetch(health)).status).toBe(200);
      expect(instance!.output()).not.toContain(vault.token);
    },
  );

  it('is waited for when the key service is down at the start', async () => {
    await stop();
    proxy.mode('hang');
    await start(vaultEnv);
    const created = await producer.post('/v2/requests', executionInput(instance!.demo));
    expect(created.status).toBe(201);
    const confirm = await confirming(created.body.request.id);
    expect((await confirm()).status).toBe(503);
    proxy.mode('pass');
    await until(confirm, ({ status }) => status === 200);
  });
});
