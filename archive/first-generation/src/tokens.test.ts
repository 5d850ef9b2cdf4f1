import { SignJWT } from 'jose';
import { bearerOf, issueToken, secondsOf, verifyToken } from './tokens.js';

const RULES = { secret: 'thirty-two bytes and a few more of them', expiresIn: '24h' };
const NOW = 1_700_000_000_000;
const HOUR = 3_600_000;

function signed(claims: Record<string, unknown>, secret = RULES.secret, alg = 'HS256') {
  return new SignJWT(claims).setProtectedHeader({ alg }).sign(new TextEncoder().encode(secret));
}

describe('a token', () => {
  const good = { userId: 'ada', iat: NOW / 1000, exp: NOW / 1000 + 60 };

  it('says who is calling and until when', async () => {
    const token = await issueToken('ada', RULES, NOW);
    expect(await verifyToken(token, RULES, NOW)).toMatchObject({
      userId: 'ada',
      expiresAt: NOW + 24 * HOUR,
    });
  });

  it('is recognised without being kept', async () => {
    const token = await issueToken('ada', RULES, NOW);
    const caller = await verifyToken(token, RULES, NOW);
    expect(JSON.stringify(caller)).not.toContain(token.split('.')[2]);
    expect((await verifyToken(token, RULES, NOW)).tokenDigest).toBe(caller.tokenDigest);
  });

  it.each([[undefined], [null], ['']])('is missing as %j', async (token) => {
    await expect(verifyToken(token, RULES, NOW)).rejects.toMatchObject({ code: 'MISSING_TOKEN' });
  });

  it.each<[string, () => Promise<string>]>([
    ['no JWT', async () => 'nonsense'],
    ['an endless one', async () => 'a'.repeat(5000)],
    ['another secret', () => signed(good, 'another secret of thirty-two bytes!')],
    ['another algorithm', () => signed(good, RULES.secret, 'HS512')],
    ['expired', () => signed({ ...good, exp: NOW / 1000 - 1 })],
    ['without expiry', () => signed({ userId: 'ada', iat: NOW / 1000 })],
    ['without issue time', () => signed({ userId: 'ada', exp: good.exp })],
    [
      'issued in the future',
      () => signed({ ...good, iat: NOW / 1000 + 3600, exp: NOW / 1000 + 7200 }),
    ],
    ['without a user', () => signed({ iat: good.iat, exp: good.exp })],
    ['with a user that is no name', () => signed({ ...good, userId: { $ne: '' } })],
    ['older than the lifetime', () => signed({ ...good, iat: NOW / 1000 - 25 * 3600 })],
  ])('is INVALID_TOKEN: %s', async (_what, make) => {
    await expect(verifyToken(await make(), RULES, NOW)).rejects.toMatchObject({
      code: 'INVALID_TOKEN',
    });
  });

  it('is INVALID_TOKEN when it says that it needs no signature', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const token = `${part({ alg: 'none' })}.${part(good)}.`;
    await expect(verifyToken(token, RULES, NOW)).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
  });

  it('is refused without a word about its claims', async () => {
    const token = await signed({ ...good, userId: 'someone-private', exp: NOW / 1000 - 1 });
    const error = (await verifyToken(token, RULES, NOW).catch((cause: unknown) => cause)) as Error;
    expect(error.cause).toBeUndefined();
    expect(error.stack).not.toContain('someone-private');
  });

  it.each([
    ['24h', 86_400],
    ['30m', 1800],
    ['45s', 45],
    ['45', 45],
    ['7d', 604_800],
  ])('lives for %s', (duration, seconds) => {
    expect(secondsOf(duration)).toBe(seconds);
  });

  it.each(['', '0h', 'soon', '-1h', '1w', '1.5h'])('does not live for %j', (duration) => {
    expect(() => secondsOf(duration)).toThrow(RangeError);
  });

  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['Basic abc', undefined],
    ['Bearer ', undefined],
    [undefined, undefined],
  ])('stands in the header %j as %j', (header, token) => {
    expect(bearerOf(header)).toBe(token);
  });
});
