import { challengeOf } from '@countersign/protocol';
import {
  EXTENSIONS,
  FLAGS,
  ORIGIN,
  RP_ID,
  registrationOf,
  softAuthenticator,
} from '@countersign/protocol/testing/authenticator';
import { isGoodToLibrary, verifyAssertion } from './assertion.js';
import { verifyRegistration } from './registration.js';

const STATEMENT = { statement: 'of a test' };
const challenge = challengeOf(STATEMENT);
const KEYS = [softAuthenticator('one', 'ES256'), softAuthenticator('one', 'EdDSA')];

describe.each(KEYS)('a key of $algorithm', (device) => {
  const { key, algorithm } = device;
  const bound = {
    ...{ public_key: key, algorithm, rp_id: RP_ID, origin: ORIGIN },
    device_bound: true,
  };

  it('signs a statement, and its counter is told', async () => {
    const answer = device.answer({ challenge, counter: 7 });
    expect(await verifyAssertion(STATEMENT, answer, bound)).toBe(7);
  });

  it.each([
    ['another statement', { challenge: challengeOf({}) }],
    ['another origin', { origin: 'https://other.example' }],
    ['another relying party', { rpId: 'other.example' }],
    ['a registration', { type: 'webauthn.create' }],
    ['no touch', { flags: FLAGS.verified }],
    ['no verified user', { flags: FLAGS.present }],
    ['another signature', { signs: () => Buffer.from('other') }],
  ])('and not for %s: library and judge both refuse', async (_, wrong) => {
    const answer = device.answer({ challenge, ...wrong });
    expect(await verifyAssertion(STATEMENT, answer, bound)).toBeNull();
    expect(await isGoodToLibrary(challenge, answer, bound)).toBe(false);
  });

  // The library is content with these.
  it.each([
    ['a frame of another site', { members: { crossOrigin: true } }],
    ['a key that became a copy', { flags: FLAGS.present | FLAGS.verified | FLAGS.eligible }],
  ])('and not for %s, which the judge alone refuses', async (_, wrong) => {
    const answer = device.answer({ challenge, ...wrong });
    expect(await isGoodToLibrary(challenge, answer, bound)).toBe(true);
    expect(await verifyAssertion(STATEMENT, answer, bound)).toBeNull();
  });

  it('is told by its registration', async () => {
    const expected = { challenge, origin: ORIGIN, rpId: RP_ID };
    const read = await verifyRegistration(registrationOf(device, { challenge }), expected);
    expect(read).toMatchObject({ public_key: key, algorithm, device_bound: true });
  });

  it.each([
    ['another challenge', { challenge: challengeOf({}) }],
    ['another origin', { origin: 'https://other.example' }],
    ['another relying party', { rpId: 'other.example' }],
    ['an assertion', { type: 'webauthn.get' }],
    ['no verified user', { flags: 0x41 }],
    ['extensions that are not there', { flags: 0x45 | EXTENSIONS }],
  ])('and not by one for %s', async (_, wrong) => {
    const expected = { challenge, origin: ORIGIN, rpId: RP_ID };
    const made = registrationOf(device, { challenge, ...wrong });
    expect(await verifyRegistration(made, expected)).toBeNull();
  });
});
