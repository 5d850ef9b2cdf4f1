import { createPublicKey, verify } from 'node:crypto';
import { SignerUnavailable, TransitEngine } from '@countersign/platform';
import type { TransitSettings } from '@countersign/platform';
import { freePort } from '@countersign/dev-servers';
import { BUILD_MS } from '../support/programs/obtained.js';
import { startTcpProxy } from '../support/servers/tcp-proxy.js';
import type { ProxyMode, TcpProxy } from '../support/servers/tcp-proxy.js';
import { startVault } from '../support/servers/vault.js';
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
