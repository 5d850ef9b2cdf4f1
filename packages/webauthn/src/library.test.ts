import { challengeOf } from '@countersign/protocol';
import { ORIGIN, RP_ID, softAuthenticator } from '@countersign/protocol/testing/authenticator';
import { verifyAssertion } from './assertion.js';

// No answer is known that the protocol's judge takes and the library refuses, so a library that refuses stands in.

let verdict: () => Promise<{ verified: boolean }>;
jest.mock('@simplewebauthn/server', () => ({ verifyAuthenticationResponse: () => verdict() }));

const STATEMENT = { statement: 'of a test' };
const device = softAuthenticator('one', 'ES256');
const answer = device.answer({ challenge: challengeOf(STATEMENT), counter: 7 });
const bound = {
  ...{ public_key: device.key, algorithm: device.algorithm, rp_id: RP_ID, origin: ORIGIN },
  device_bound: true,
};

it.each<[string, () => Promise<{ verified: boolean }>, number | null]>([
  ['agrees', () => Promise.resolve({ verified: true }), 7],
  ['says no', () => Promise.resolve({ verified: false }), null],
  ['throws', () => Promise.reject(new Error('it cannot be read')), null],
])('a signature where the library %s counts as it should', async (_, says, counter) => {
  verdict = says;
  expect(await verifyAssertion(STATEMENT, answer, bound)).toBe(counter);
});
