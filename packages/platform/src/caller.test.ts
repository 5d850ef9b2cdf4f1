import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import {
  createCallerMinter,
  createCallerVerifier,
  readCallerKey,
  readCallerKeys,
} from './caller.js';
import type { Caller, CallerKeys } from './caller.js';
import type { Changing } from './changing.js';

function keyPair(): { privatePem: string; publicPem: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

const fixed = <T>(value: T): Changing<T> => ({ current: () => value, again: () => value });

const ours = keyPair();
const theirs = keyPair();
const key = readCallerKey(ours.privatePem);
const keys = readCallerKeys(ours.publicPem);
const caller: Caller = {
  id: 'agent:1',
  tenant: 'acme',
  kind: 'producer',
  credential: 'sha256:ab',
  session: false,
};
const unauthenticated = expect.objectContaining({ code: 'unauthenticated' });

let now: number;
const clock = { now: () => now };
const newMinter = () => createCallerMinter(fixed(key), clock);
const newVerifier = (audience = 'review', of: Changing<CallerKeys> = fixed(keys)) =>
  createCallerVerifier({ audience, keys: of, clock });

beforeEach(() => {
  now = Date.UTC(2026, 10, 22);
});

it('brings a caller to the other side', async () => {
  for (const one of [
    caller,
    { ...caller, kind: 'human' as const, credential: null, session: true },
  ]) {
    expect(await newVerifier().verify(await newMinter().mint(one, 'review'))).toEqual(one);
  }
});

it('makes tokens for one service, which no other accepts', async () => {
  const token = await newMinter().mint(caller, 'ledger');
  await expect(newVerifier('request').verify(token)).rejects.toEqual(unauthenticated);
  expect(await newVerifier('ledger').verify(token)).toEqual(caller);
});

it('reuses a token for ten seconds, per caller and service', async () => {
  const minter = newMinter();
  const first = await minter.mint(caller, 'review');
  expect(await minter.mint({ ...caller }, 'review')).toBe(first);
  expect(await minter.mint(caller, 'request')).not.toBe(first);
  for (const other of [
    { ...caller, tenant: 'acme2' },
    { ...caller, credential: null },
    { ...caller, session: true },
    { ...caller, kind: 'operator' as const },
  ]) {
    expect(await minter.mint(other, 'review')).not.toBe(first);
  }
  now += 9_000;
  expect(await minter.mint(caller, 'review')).toBe(first);
  now += 2_000;
  expect(await minter.mint(caller, 'review')).not.toBe(first);
});

it('mints anew after the clock was set back, and with another key', async () => {
  let current = key;
  const minter = createCallerMinter({ current: () => current, again: () => current }, clock);
  const first = await minter.mint(caller, 'review');
  now -= 3_600_000;
  const second = await minter.mint(caller, 'review');
  expect(second).not.toBe(first);
  current = readCallerKey(theirs.privatePem);
  const third = await minter.mint(caller, 'review');
  const both = readCallerKeys(ours.publicPem + theirs.publicPem);
  for (const token of [second, third]) {
    expect(await newVerifier('review', fixed(both)).verify(token)).toEqual(caller);
  }
});

it('reads its keys again for a token of a key that it does not know', async () => {
  const again = jest.fn(() => keys);
  const verifier = newVerifier('review', { current: () => new Map(), again });
  expect(await verifier.verify(await newMinter().mint(caller, 'review'))).toEqual(caller);
  expect(again).toHaveBeenCalledTimes(1);
});

it('verifies once and remembers, also for calls that come together', async () => {
  const token = await newMinter().mint(caller, 'review');
  const verifier = newVerifier();
  const [a, b] = await Promise.all([verifier.verify(token), verifier.verify(token)]);
  expect(a).toBe(b);
  expect(await verifier.verify(token)).toBe(a);
});

it('refuses an altered token, also when the right one is known', async () => {
  const verifier = newVerifier();
  const token = await newMinter().mint(caller, 'review');
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

function signed(
  change: Record<string, unknown>,
  { pem = ours.privatePem, kid = key.id, audience = 'review', life = 30 } = {},
): Promise<string> {
  const { id, tenant, kind, credential } = caller;
  const issued = Math.floor(now / 1000);
  return new SignJWT({ tenant, kind, credential, sub: id, iat: issued, ...change })
    .setProtectedHeader({ alg: 'EdDSA', kid })
    .setAudience(audience)
    .setExpirationTime(issued + life)
    .sign(createPrivateKey(pem));
}

it('refuses a token of another key, audience, age or content', async () => {
  const verifier = newVerifier();
  expect(await verifier.verify(await signed({}))).toEqual(caller);
  const wrong = await Promise.all([
    signed({}, { pem: theirs.privatePem }),
    signed({}, { kid: 'caller' }),
    signed({}, { audience: 'countersign' }),
    signed({}, { life: -40 }),
    signed({ iat: undefined }),
    signed({ iat: Math.floor(now / 1000) - 3600 }, { life: 3600 }),
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

it('takes a token for 30 s, 30 s more, and not 30 s before its time', async () => {
  const token = await newMinter().mint(caller, 'review');
  const remembering = newVerifier();
  await remembering.verify(token);
  const minted = now;
  for (const [after, good] of [
    [59_000, true],
    [61_000, false],
    [-29_000, true],
    [-32_000, false],
  ] as const) {
    now = minted + after;
    const verified = newVerifier().verify(token);
    if (good) expect(await verified).toEqual(caller);
    else await expect(verified).rejects.toEqual(unauthenticated);
  }
  now = minted + 61_000;
  await expect(remembering.verify(token)).rejects.toEqual(unauthenticated);
});

it('reads public keys one after the other, Ed25519 only', () => {
  expect([...readCallerKeys(`${ours.publicPem}\n${theirs.publicPem}`).keys()]).toEqual([
    key.id,
    readCallerKey(theirs.privatePem).id,
  ]);
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const elliptic = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  for (const pems of ['', 'x', elliptic]) expect(() => readCallerKeys(pems)).toThrow(TypeError);
});
