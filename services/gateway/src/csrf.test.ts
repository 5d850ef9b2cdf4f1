import { checkCsrf } from './csrf.js';

const origin = 'https://review.example';
const token = 't'.repeat(43);

describe('the proof against forgery', () => {
  test('is the exact origin and the token of the session', () => {
    expect(() => checkCsrf({ method: 'POST', origin, token }, origin, token)).not.toThrow();
  });

  test.each(['GET', 'HEAD', 'OPTIONS'])('is not asked for by %s', (method) => {
    const nothing = { method, origin: undefined, token: undefined };
    expect(() => checkCsrf(nothing, origin, token)).not.toThrow();
  });

  test.each([
    ['no origin', undefined, token],
    ['a null origin', 'null', token],
    ['another origin', 'https://review.example.evil.example', token],
    ['another port', 'https://review.example:8443', token],
    ['another case', 'https://Review.example', token],
    ['a trailing slash', 'https://review.example/', token],
    ['no token', origin, undefined],
    ['an empty token', origin, ''],
    ['a shorter token', origin, token.slice(1)],
    ['a token with more bytes than characters', origin, 'é'.repeat(43)],
    ['two tokens', origin, [token, token]],
  ])('refuses %s', (_case, given, sent) => {
    const proof = { method: 'DELETE', origin: given, token: sent };
    expect(() => checkCsrf(proof, origin, token)).toThrow(
      expect.objectContaining({ code: 'csrf', status: 403 }),
    );
  });
});
