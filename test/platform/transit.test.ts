import { createPublicKey, verify } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SignerUnavailable, TransitEngine, kubernetesLogin } from '@countersign/platform';
import type { TransitSettings } from '@countersign/platform';
import { freePort } from '@countersign/dev-servers';
import { newFolder } from '../support/folder.js';
import { BUILD_MS } from '../support/programs/obtained.js';
import { startTcpProxy } from '../support/servers/tcp-proxy.js';
import type { ProxyMode, TcpProxy } from '../support/servers/tcp-proxy.js';
import { POLICY, startVault } from '../support/servers/vault.js';
import type { VaultServer } from '../support/servers/vault.js';

/** Keys in a real Vault. */
describe('a transit engine', () => {
  const TIMEOUT_MS = 500;
  const preimage = Buffer.from('{"payload":1,"protected":{}}');
  let vault: VaultServer;
  let proxy: TcpProxy;

  beforeAll(async () => {
    vault = await startVault();
    proxy = await startTcpProxy(vault.port);
    await vault.ask('POST', 'transit/keys/review', { type: 'ed25519' });
    await vault.ask('POST', 'transit/keys/other', { type: 'ed25519' });
    await vault.ask('POST', 'transit/keys/rsa', { type: 'rsa-2048' });
  }, BUILD_MS);
  afterAll(async () => {
    await proxy?.stop();
    await vault?.stop();
  });
  afterEach(() => proxy.mode('pass'));

  const engine = (changes: Partial<TransitSettings> = {}) =>
    new TransitEngine({
      url: proxy.url,
      mount: 'transit',
      token: async () => vault.token,
      timeoutMs: 5000,
      ...changes,
    });
  const keyOf = async (name: string, of = engine()) => {
    const [newest] = await of.versions(name);
    return { version: newest!.version, publicKey: createPublicKey(newest!.publicPem) };
  };

  it('signs in pure Ed25519, the same bytes always the same', async () => {
    const { version, publicKey } = await keyOf('review');
    const signature = await engine().sign('review', version, publicKey, preimage);
    expect(verify(null, preimage, publicKey, signature)).toBe(true);
    expect(await engine().sign('review', version, publicKey, preimage)).toEqual(signature);
  });

  it('goes on signing with the version that it was asked for after another was made', async () => {
    const before = await keyOf('review');
    await vault.ask('POST', 'transit/keys/review/rotate');
    const versions = await engine().versions('review');
    expect(versions.map(({ version }) => version)).toEqual([before.version + 1, before.version]);
    const signature = await engine().sign('review', before.version, before.publicKey, preimage);
    expect(verify(null, preimage, before.publicKey, signature)).toBe(true);
  });

  it('leaves versions out that may sign no longer', async () => {
    const { version } = await keyOf('review');
    await vault.ask('POST', 'transit/keys/review/config', { min_encryption_version: version });
    expect((await engine().versions('review')).map((known) => known.version)).toEqual([version]);
  });

  it('believes no signature that does not verify under the key that was meant', async () => {
    const { version } = await keyOf('review');
    const { publicKey } = await keyOf('other');
    await expect(engine().sign('review', version, publicKey, preimage)).rejects.toThrow(
      /does not verify/,
    );
  });

  it.each<[string, RegExp, () => Promise<unknown>]>([
    ['a key of another kind', /not of type ed25519/, () => engine().versions('rsa')],
    ['a key that is not there', /404/, () => engine().versions('none')],
    ['an engine that is not there', /40[34]/, () => engine({ mount: 'none' }).versions('review')],
    ['a wrong token', /403/, () => engine({ token: async () => 'wrong' }).versions('review')],
    [
      'a server that is not there',
      /ECONNREFUSED/,
      async () => engine({ url: `http://127.0.0.1:${await freePort()}` }).versions('review'),
    ],
  ])('says what is wrong with %s', async (_, words, ask) => {
    const failure = await ask().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SignerUnavailable);
    expect((failure as Error).message).toMatch(words);
    expect((failure as Error).message).not.toContain(vault.token);
  });

  it('asks for the token again when it was refused, for agents renew it', async () => {
    const tokens = ['run-out', vault.token];
    const token = async () => tokens.shift() ?? vault.token;
    await expect(engine({ token }).versions('review')).resolves.not.toEqual([]);
  });

  it.each<[ProxyMode]>([['hang'], ['drip'], ['reset'], ['page']])(
    'gives up within its time when this happens: %s',
    async (mode) => {
      const { version, publicKey } = await keyOf('review');
      proxy.mode(mode);
      const begin = performance.now();
      const signing = engine({ timeoutMs: TIMEOUT_MS }).sign(
        'review',
        version,
        publicKey,
        preimage,
      );
      await expect(signing).rejects.toThrow(SignerUnavailable);
      // Once more for a machine that is busy: a hang would be for ever.
      expect(performance.now() - begin).toBeLessThan(4 * TIMEOUT_MS);
    },
  );

  it('signs nothing while it is sealed, and again afterwards', async () => {
    const { version, publicKey } = await keyOf('review');
    const sign = () => engine().sign('review', version, publicKey, preimage);
    await vault.seal();
    await expect(sign()).rejects.toThrow(/503: it is sealed/);
    await vault.unseal();
    await expect(sign()).resolves.toHaveLength(64);
  });
});

/**
 * A real Vault logs pods in by its Kubernetes auth method, whose reviews of service accounts' tokens are answered here: of the
 * cluster only that one call is needed.
 */
describe('a login by a service account of Kubernetes', () => {
  let vault: VaultServer;
  let cluster: Server;
  let folder: string;
  let reviews: number;
  let now: number;
  const written = (name: string) => writeFileSync(join(folder, 'token'), jwtOf(name));

  beforeAll(async () => {
    folder = newFolder('service-account');
    cluster = createServer((request, answer) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        reviews += 1;
        const review = JSON.parse(Buffer.concat(chunks).toString());
        answer.setHeader('content-type', 'application/json');
        answer.statusCode = 201;
        answer.end(JSON.stringify({ ...review, status: statusOf(review.spec.token) }));
      });
    });
    await new Promise<void>((resolve) => cluster.listen(0, '127.0.0.1', resolve));
    vault = await startVault();
    await vault.ask('POST', 'transit/keys/review', { type: 'ed25519' });
    await vault.ask('POST', 'sys/auth/kubernetes', { type: 'kubernetes' });
    await vault.ask('POST', 'auth/kubernetes/config', {
      kubernetes_host: `http://127.0.0.1:${(cluster.address() as AddressInfo).port}`,
      token_reviewer_jwt: 'reviewer',
      disable_local_ca_jwt: true,
      disable_iss_validation: true,
    });
    await vault.ask('POST', 'auth/kubernetes/role/review', {
      bound_service_account_names: ['countersign-review'],
      bound_service_account_namespaces: ['countersign'],
      token_policies: ['countersign'],
      token_ttl: '60s',
    });
  }, BUILD_MS);
  afterAll(async () => {
    await vault?.stop();
    cluster?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    reviews = 0;
    now = 0;
    written('countersign-review');
  });

  const engine = () => {
    const address = { url: vault.url, timeoutMs: 5000 };
    const token = kubernetesLogin({
      ...address,
      mount: 'kubernetes',
      role: 'review',
      jwt: () => readFile(join(folder, 'token'), 'utf8'),
      monotonicMs: () => now,
    });
    return new TransitEngine({ ...address, mount: 'transit', token });
  };

  it('gives one token to all calls, and another after two thirds of its time', async () => {
    const of = engine();
    await Promise.all([of.versions('review'), of.versions('review'), of.versions('review')]);
    now = 39_000;
    await of.versions('review');
    expect(reviews).toBe(1);
    now = 41_000;
    await of.versions('review');
    expect(reviews).toBe(2);
  });

  it('replaces a token that was revoked, with the service account of that moment', async () => {
    const of = engine();
    await of.versions('review');
    await revokeLogins();
    now = 11_000;
    await of.versions('review');
    expect(reviews).toBe(2);
  });

  it('does not log in again for a call that its role may not make', async () => {
    const of = engine();
    await of.versions('review');
    await vault.ask('PUT', 'sys/policies/acl/countersign', { policy: 'path "none" {}' });
    try {
      for (let call = 0; call < 3; call += 1) {
        await expect(of.versions('review')).rejects.toThrow(/403/);
      }
    } finally {
      await vault.ask('PUT', 'sys/policies/acl/countersign', { policy: POLICY });
    }
    expect(reviews).toBe(1);
  });

  it.each<[string, RegExp, () => void]>([
    ['another service account', /login was answered with 403/, () => written('countersign-ledger')],
    ['no token of one', /cannot be read: ENOENT/, () => rmSync(join(folder, 'token'))],
  ])('says what is wrong with %s', async (_, words, before) => {
    before();
    const failure = await engine()
      .versions('review')
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SignerUnavailable);
    expect((failure as Error).message).toMatch(words);
  });

  /** Ends every token that a login gave. */
  async function revokeLogins(): Promise<void> {
    const { data } = await vault.ask('LIST', 'auth/token/accessors');
    for (const accessor of data['keys'] as string[]) {
      const { data: of } = await vault.ask('POST', 'auth/token/lookup-accessor', { accessor });
      if (of['path'] === 'auth/kubernetes/login')
        await vault.ask('POST', 'auth/token/revoke-accessor', { accessor });
    }
  }

  /** A service account's token, as far as Vault looks into it. */
  function jwtOf(name: string): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const seconds = Math.floor(Date.now() / 1000);
    const claims = {
      sub: `system:serviceaccount:countersign:${name}`,
      'kubernetes.io': { namespace: 'countersign', serviceaccount: { name, uid: name } },
      iat: seconds,
      nbf: seconds,
      exp: seconds + 600,
    };
    return `${part({ alg: 'RS256' })}.${part(claims)}.${Buffer.from('signature').toString('base64url')}`;
  }

  function statusOf(token: string): object {
    const { sub } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
    const uid = String(sub).split(':').at(-1);
    const groups = ['system:serviceaccounts', 'system:serviceaccounts:countersign'];
    return { authenticated: true, user: { username: sub, uid, groups } };
  }
});
