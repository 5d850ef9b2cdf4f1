import { challenge, isProved, ruleFor } from './step-up.js';

const rule = { tenant: 'acme', route: 'pay', maxAge: 300, acrValues: ['mfa', 'phr'] };

test.each([
  [{ provedAgo: 10, acr: 'mfa' }, true],
  [{ provedAgo: 300, acr: 'phr' }, true],
  [{ provedAgo: 300.1, acr: 'mfa' }, false],
  [{ provedAgo: 10, acr: 'pwd' }, false],
  [{ provedAgo: 10, acr: null }, false],
  [{ provedAgo: null, acr: 'mfa' }, false],
])('a login of %j is strong enough: %s', (proof, enough) => {
  expect(isProved(proof, rule)).toBe(enough);
});

test('any method will do where none is named', () => {
  expect(isProved({ provedAgo: 0, acr: null }, { maxAge: 60, acrValues: [] })).toBe(true);
});

test('a rule is of one tenant and route', () => {
  expect(ruleFor([rule], 'acme', 'pay')).toBe(rule);
  expect(ruleFor([rule], 'other', 'pay')).toBeNull();
  expect(ruleFor([rule], 'acme', 'text')).toBeNull();
});

test('a refusal names the required login', () => {
  expect(challenge(rule)).toBe(
    'Bearer error="insufficient_user_authentication", max_age="300", acr_values="mfa phr"',
  );
});
