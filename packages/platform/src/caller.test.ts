import { generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { createCallerMinter, createCallerVerifier } from './caller.js';
import type { Caller } from './caller.js';

function keyPair(): { privatePem: string; publicPem: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

const ours = keyPair();
const theirs = keyPair();
const caller: Caller = {
  id: 'agent:1',
  tenant: 'acme',
  kind: 'producer',
  credential: 'sha256:ab',
  session: false,
};
const minter = createCallerMinter('gateway-1', ours.privatePem);
const verifier = createCallerVerifier({ 'gateway-1': ours.publicPem });
const unauthenticated = expect.objectContaining({ code: 'unauthenticated' });

afterEach(() => jest.useRealTimers());

it('brings a caller to the other side', async () => {
  for (const one of [
    caller,
    { ...caller, kind: 'human' as const, credential: null, session: true },
  ]) {
    expect(await verifier.verify(await minter.mint(one))).toEqual(one);
  }
});

it('reuses a token for ten seconds, per caller', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  const fresh = createCallerMinter('gateway-1', ours.privatePem);
  const first = await fresh.mint(caller);
  expect(await fresh.mint({ ...caller })).toBe(first);
  for (const other of [
    { ...caller, tenant: 'acme2' },
    { ...caller, credential: null },
    { ...caller, session: true },
    { ...caller, kind: 'operator' as const },
  ]) {
    expect(await fresh.mint(other)).not.toBe(first);
  }
  jest.advanceTimersByTime(9_000);
  expect(await fresh.mint(caller)).toBe(first);
  jest.advanceTimersByTime(2_000);
  expect(await fresh.mint(caller)).not.toBe(first);
});

it('mints anew after the clock was set back', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  const fresh = createCallerMinter('gateway-1', ours.privatePem);
  const first = await fresh.mint(caller);
  jest.setSystemTime(Date.now() - 3_600_000);
  expect(await fresh.mint(caller)).not.toBe(first);
});

it('verifies once and remembers, also for calls that come together', async () => {
  const token = await minter.mint(caller);
  const fresh = createCallerVerifier({ 'gateway-1': ours.publicPem });
  const [a, b] = await Promise.all([fresh.verify(token), fresh.verify(token)]);
  expect(a).toBe(b);
  expect(await fresh.verify(token)).toBe(a);
});

it('refuses an altered token, also when the right one is known', async () => {
  const token = await minter.mint(caller);
  await verifier.verify(token);
  const [head, , signature] = token.split('.');
  const claims = Buffer.from(JSON.stringify({ sub: 'root', tenant: 'acme' })).toString('base64url');
  for (const forged of [
    `${head}.${claims}.${signature}`,
    token.slice(0, -4),
    `${token}x`,
    'a.b.c',
    '',
  ]) {
    await expect(verifier.verify(forged)).rejects.toEqual(unauthenticated);
  }
});

async function signed(
  change: Record<string, unknown>,
  { pem = ours.privatePem, kid = 'gateway-1', audience = 'countersign', exp = '30s' } = {},
): Promise<string> {
  const { createPrivateKey } = await import('node:crypto');
  const { id, tenant, kind, credential } = caller;
  return new SignJWT({ tenant, kind, credential, sub: id, ...change })
    .setProtectedHeader({ alg: 'EdDSA', kid })
    .setAudience(audience)
    .setExpirationTime(exp)
    .sign(createPrivateKey(pem));
}

it('refuses a token of another key, audience, age or content', async () => {
  expect(await verifier.verify(await signed({}))).toEqual(caller);
  const wrong = await Promise.all([
    signed({}, { pem: theirs.privatePem }),
    signed({}, { kid: 'gateway-2' }),
    signed({}, { audience: 'elsewhere' }),
    signed({}, { exp: '-10 minutes' }),
    signed({ kind: 'root' }),
    signed({ tenant: 7 }),
    signed({ sub: undefined }),
    signed({ credential: undefined }),
  ]);
  for (const token of wrong) {
    await expect(verifier.verify(token)).rejects.toEqual(unauthenticated);
    await expect(verifier.verify(token)).rejects.toEqual(unauthenticated);
  }
});

it('lets clocks differ by five minutes and no more', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  const fresh = createCallerVerifier({ 'gateway-1': ours.publicPem });
  const token = await minter.mint(caller);
  const begin = Date.now();
  jest.setSystemTime(begin + 300_000);
  expect(await fresh.verify(token)).toEqual(caller);
  jest.setSystemTime(begin - 300_000);
  expect(await createCallerVerifier({ 'gateway-1': ours.publicPem }).verify(token)).toEqual(caller);
  jest.setSystemTime(begin + 345_000);
  await expect(fresh.verify(token)).rejects.toEqual(unauthenticated);
});
