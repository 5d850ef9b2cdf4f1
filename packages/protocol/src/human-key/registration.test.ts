import { readRegistration } from './registration.js';
import type { ExpectedRegistration } from './registration.js';
import { coseKeyOf, registrationOf, softAuthenticator } from './testing/authenticator.js';
import type { Making } from './testing/authenticator.js';
import { ORIGIN, RP_ID } from './testing/authenticator.js';
import type { AssertionReason } from './reasons.js';

const CHALLENGE = Buffer.alloc(32, 9).toString('base64url');
const expected: ExpectedRegistration = { challenge: CHALLENGE, origin: ORIGIN, rpId: RP_ID };
const people = [softAuthenticator('one', 'ES256'), softAuthenticator('one', 'EdDSA')] as const;

describe.each(people)('a registration of $algorithm', (person) => {
  const read = (making: Partial<Making>) =>
    readRegistration(registrationOf(person, { challenge: CHALLENGE, ...making }), expected);

  it('gives the key, its id and its model', () => {
    expect(read({})).toEqual({
      ok: true,
      key: {
        credential_id: Buffer.alloc(16, 3).toString('base64url'),
        public_key: person.key,
        algorithm: person.algorithm,
        aaguid: '01020304-0506-0708-090a-0b0c0d0e0f10',
        device_bound: true,
      },
    });
  });

  it('tells a key that can be copied', () => {
    expect(read({ flags: 0x45 | 0x08 })).toMatchObject({ key: { device_bound: false } });
  });

  it.each<[string, Partial<Making>, AssertionReason]>([
    ['for a signature', { type: 'webauthn.get' }, 'wrong_type'],
    [
      'of another challenge',
      { challenge: Buffer.alloc(32).toString('base64url') },
      'wrong_challenge',
    ],
    ['of another origin', { origin: 'https://evil.example' }, 'wrong_origin'],
    ['in a frame of another site', { members: { crossOrigin: true } }, 'cross_origin'],
    ['of another site', { rpId: 'evil.example' }, 'wrong_relying_party'],
    ['without a touch', { flags: 0x44 }, 'user_not_present'],
    ['without verification', { flags: 0x41 }, 'user_not_verified'],
    ['without a key', { flags: 0x05, attested: Buffer.alloc(0) }, 'authenticator_data_malformed'],
    ['with a key that is cut off', { attested: Buffer.alloc(17) }, 'authenticator_data_malformed'],
    ['with an id of no bytes', { credentialId: Buffer.alloc(0) }, 'authenticator_data_malformed'],
    [
      'with an id of 1024 bytes',
      { credentialId: Buffer.alloc(1024) },
      'authenticator_data_malformed',
    ],
    ['with a byte behind its key', { more: Buffer.of(0) }, 'authenticator_data_malformed'],
    ['with another format', { format: 'packed' }, 'attestation_malformed'],
    [
      'with a statement',
      { statement: Buffer.from('a163616c6726', 'hex') },
      'attestation_malformed',
    ],
    ['with a fourth member', { members4: true }, 'attestation_malformed'],
    ['with a byte behind it', { behind: Buffer.of(0) }, 'attestation_malformed'],
    [
      'with a key of RSA',
      { cose: Buffer.from('a301030339010020590100', 'hex') },
      'authenticator_data_malformed',
    ],
    ['with a key that is a list', { cose: Buffer.from('80', 'hex') }, 'unusable_key'],
    [
      'with a key of a curve that is not asked for',
      { cose: Buffer.concat([Buffer.from('a4010103272007215820', 'hex'), Buffer.alloc(32, 5)]) },
      'unusable_key',
    ],
    [
      'with a key off its curve',
      {
        cose: Buffer.concat([
          Buffer.from('a5010203262001215820', 'hex'),
          Buffer.alloc(32, 5),
          Buffer.from('225820', 'hex'),
          Buffer.alloc(32, 5),
        ]),
      },
      'unusable_key',
    ],
  ])('is refused %s', (_, making, reason) => {
    expect(read(making)).toEqual({ ok: false, reason });
  });

  it('is refused with its key under another algorithm', () => {
    const other = person.algorithm === 'ES256' ? people[1] : people[0];
    const mixed = Buffer.from(coseKeyOf(person));
    const swapped = Buffer.from(coseKeyOf(other));
    // The label 3 (algorithm) of the other key's type.
    const [from, to] = person.algorithm === 'ES256' ? [0x26, 0x27] : [0x27, 0x26];
    mixed[mixed.indexOf(Buffer.of(3, from)) + 1] = to;
    expect(swapped.includes(Buffer.of(3, to))).toBe(true);
    expect(read({ cose: mixed })).toEqual({ ok: false, reason: 'unusable_key' });
  });

  it('is refused after any truncation of its attestation object', () => {
    const whole = registrationOf(person, { challenge: CHALLENGE });
    const bytes = Buffer.from(whole.attestation_object, 'base64url');
    for (let length = 0; length < bytes.length; length += 1) {
      const attestation_object = bytes.subarray(0, length).toString('base64url');
      expect(readRegistration({ ...whole, attestation_object }, expected).ok).toBe(false);
    }
  });
});
