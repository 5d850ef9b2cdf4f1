import { verify } from 'node:crypto';
import { createPublicKey } from 'node:crypto';
import type { Assertion, CredentialKey } from '../records/index.js';
import { assertionFault, judgeAssertion } from './assertion.js';
import type { ExpectedAssertion } from './assertion.js';
import { counterMayFollow } from './counter.js';
import { importKey } from './public-key.js';
import type { KeyAlgorithm } from './public-key.js';
import type { AssertionReason } from './reasons.js';
import { ASSERTION_REASONS } from './reasons.js';
import {
  EXTENSIONS,
  FLAGS,
  ORIGIN,
  P256_ORDER,
  RP_ID,
  derOf,
  numbersOf,
  softAuthenticator,
} from './testing/authenticator.js';
import type { Answer, SoftAuthenticator } from './testing/authenticator.js';

const CHALLENGE = Buffer.alloc(32, 7).toString('base64url');
const GOOD: Answer = { challenge: CHALLENGE };
const UP_UV = FLAGS.present | FLAGS.verified;
const people = {
  ES256: softAuthenticator('one', 'ES256'),
  EdDSA: softAuthenticator('one', 'EdDSA'),
} as const;
const ALGORITHMS = Object.keys(people) as KeyAlgorithm[];

function expectedOf(person: SoftAuthenticator): ExpectedAssertion {
  const { key, algorithm } = person;
  return { challenge: CHALLENGE, origin: ORIGIN, rpId: RP_ID, key, algorithm, deviceBound: true };
}

function faultOf(assertion: Assertion, expected: ExpectedAssertion): AssertionReason | null {
  return assertionFault(judgeAssertion(assertion, expected));
}

const text = (members: string): string =>
  `{"type":"webauthn.get","challenge":"${CHALLENGE}","origin":"${ORIGIN}"${members}}`;
/** A CBOR map of one member, as extensions answer. */
const ONE_EXTENSION = Buffer.from('a1646e616d65f5', 'hex');

describe.each(ALGORITHMS)('an assertion by %s', (algorithm) => {
  const person = people[algorithm];
  const expected = expectedOf(person);

  it.each<[string, Partial<Answer>, Partial<ExpectedAssertion>]>([
    ['as browsers give it', {}, {}],
    ['with a counter', { counter: 0xffffffff }, {}],
    ['with a member that this release does not know', { members: { other_keys: 'ignored' } }, {}],
    ['without crossOrigin, as older browsers answer', { clientData: text('') }, {}],
    ['with extensions', { flags: UP_UV | EXTENSIONS, more: ONE_EXTENSION }, {}],
    ['by a key that may be copied', { flags: UP_UV | FLAGS.eligible }, { deviceBound: false }],
    [
      'by a key that was copied',
      { flags: UP_UV | FLAGS.eligible | FLAGS.backedUp },
      { deviceBound: false },
    ],
    ['with reserved flags', { flags: UP_UV | 0x02 | 0x20 }, {}],
  ])('is good %s', (_, answer, changes) => {
    const assertion = person.answer({ ...GOOD, ...answer });
    expect(judgeAssertion(assertion, { ...expected, ...changes })).toEqual({
      challenge: null,
      flags: null,
      signature: null,
      counter: answer.counter ?? 0,
    });
  });

  it.each<[string, Partial<Answer>, AssertionReason]>([
    [
      'of another challenge',
      { challenge: Buffer.alloc(32, 8).toString('base64url') },
      'wrong_challenge',
    ],
    ['of a padded challenge', { challenge: `${CHALLENGE}=` }, 'wrong_challenge'],
    ['of another origin', { origin: 'https://review.example.evil' }, 'wrong_origin'],
    ['of an origin with a path', { origin: `${ORIGIN}/` }, 'wrong_origin'],
    ['of another port', { origin: `${ORIGIN}:8443` }, 'wrong_origin'],
    ['of a plain connection', { origin: 'http://review.example' }, 'wrong_origin'],
    ['that makes a key', { type: 'webauthn.create' }, 'wrong_type'],
    ['of a payment', { type: 'payment.get' }, 'wrong_type'],
    ['in a frame of another site', { members: { crossOrigin: true } }, 'cross_origin'],
    ['in a frame, told as a text', { members: { crossOrigin: 'false' } }, 'cross_origin'],
    ['below another site', { members: { topOrigin: 'https://evil.example' } }, 'cross_origin'],
    [
      'bound to a connection',
      { members: { tokenBinding: { status: 'present', id: 'AA' } } },
      'token_binding',
    ],
    [
      'with a challenge twice',
      { clientData: text(`,"challenge":"${CHALLENGE}"`) },
      'client_data_malformed',
    ],
    ['with an unknown member twice', { clientData: text(',"a":1,"a":1') }, 'client_data_malformed'],
    [
      'with an escaped member twice',
      { clientData: text(',"\\u0074ype":"x"') },
      'client_data_malformed',
    ],
    ['with a byte-order mark', { clientData: `\ufeff${text('')}` }, 'client_data_malformed'],
    ['with a comment', { clientData: text('/**/') }, 'client_data_malformed'],
    ['with text behind its client data', { clientData: `${text('')}{}` }, 'client_data_malformed'],
    ['whose client data is a list', { clientData: `[${text('')}]` }, 'client_data_malformed'],
    ['whose client data is empty', { clientData: '' }, 'client_data_malformed'],
    [
      'whose client data is no UTF-8',
      {
        clientData: Buffer.concat([
          Buffer.from(text(',"a":"').slice(0, -1)),
          Buffer.of(0xff),
          Buffer.from('"}'),
        ]),
      },
      'client_data_malformed',
    ],
    [
      'whose client data is huge',
      { clientData: text(`,"a":"${'a'.repeat(4096)}"`) },
      'client_data_malformed',
    ],
    ['for another site', { rpId: 'other.example' }, 'wrong_relying_party'],
    ['without a touch', { flags: FLAGS.verified }, 'user_not_present'],
    ['without verification', { flags: FLAGS.present }, 'user_not_verified'],
    ['by a key that may be copied', { flags: UP_UV | FLAGS.eligible }, 'wrong_backup'],
    [
      'backed up, but not eligible',
      { flags: UP_UV | FLAGS.backedUp },
      'authenticator_data_malformed',
    ],
    ['with a byte too many', { more: Buffer.of(0) }, 'authenticator_data_malformed'],
    ['with extensions unannounced', { more: ONE_EXTENSION }, 'authenticator_data_malformed'],
    ['with extensions missing', { flags: UP_UV | EXTENSIONS }, 'authenticator_data_malformed'],
    [
      'with something behind its extensions',
      { flags: UP_UV | EXTENSIONS, more: Buffer.concat([ONE_EXTENSION, Buffer.of(0)]) },
      'authenticator_data_malformed',
    ],
    [
      'with extensions that are no map',
      { flags: UP_UV | EXTENSIONS, more: Buffer.of(0x80) },
      'authenticator_data_malformed',
    ],
    [
      'with an extension twice',
      { flags: UP_UV | EXTENSIONS, more: Buffer.from('a26161f56161f5', 'hex') },
      'authenticator_data_malformed',
    ],
    [
      'that brings a key',
      {
        flags: UP_UV | 0x40,
        more: Buffer.concat([Buffer.alloc(16), Buffer.from('000141a0', 'hex')]),
      },
      'authenticator_data_malformed',
    ],
    [
      'whose authenticator data is huge',
      { flags: UP_UV | EXTENSIONS, more: Buffer.alloc(5000) },
      'authenticator_data_malformed',
    ],
    ['over the authenticator data alone', { signs: (data) => data }, 'wrong_signature'],
    ['over the client data alone', { signs: (_, hash) => hash }, 'wrong_signature'],
    [
      'over both the other way round',
      { signs: (data, hash) => Buffer.concat([hash, data]) },
      'wrong_signature',
    ],
  ])('is refused %s', (_, answer, reason) => {
    expect(faultOf(person.answer({ ...GOOD, ...answer }), expected)).toBe(reason);
  });

  const good = person.answer({ ...GOOD, counter: 5 });
  const bytesOf = (member: keyof Assertion): Buffer => Buffer.from(good[member], 'base64url');
  const withBytes = (member: keyof Assertion, bytes: Uint8Array): Assertion => ({
    ...good,
    [member]: Buffer.from(bytes).toString('base64url'),
  });

  it.each<[string, Assertion, AssertionReason]>([
    [
      'altered client data',
      withBytes('client_data_json', Buffer.from(text(',"a":1'))),
      'wrong_signature',
    ],
    [
      'another counter',
      withBytes('authenticator_data', changed(bytesOf('authenticator_data'), 36)),
      'wrong_signature',
    ],
    [
      'truncated authenticator data',
      withBytes('authenticator_data', bytesOf('authenticator_data').subarray(0, 36)),
      'authenticator_data_malformed',
    ],
    ['no authenticator data', { ...good, authenticator_data: '' }, 'authenticator_data_malformed'],
    ['no signature', { ...good, signature: '' }, 'malformed_signature'],
    ['padding in base64url', { ...good, signature: `${good.signature}=` }, 'malformed_signature'],
    [
      'plain base64',
      { ...good, authenticator_data: `${good.authenticator_data.slice(0, -1)}+` },
      'authenticator_data_malformed',
    ],
    [
      'white space in base64url',
      { ...good, client_data_json: `${good.client_data_json}\n` },
      'client_data_malformed',
    ],
    [
      'a byte behind the signature',
      withBytes('signature', Buffer.concat([bytesOf('signature'), Buffer.of(0)])),
      'malformed_signature',
    ],
    [
      'the signature of another algorithm',
      { ...good, signature: people[otherThan(algorithm)].answer(GOOD).signature },
      'malformed_signature',
    ],
  ])('is refused with %s', (_, assertion, reason) => {
    expect(faultOf(assertion, expected)).toBe(reason);
  });

  it('is refused under the key of another person', () => {
    const { key } = softAuthenticator('two', algorithm);
    expect(faultOf(good, { ...expected, key })).toBe('wrong_signature');
  });

  it('is refused under a key of another type, and under another algorithm', () => {
    const other = otherThan(algorithm);
    expect(faultOf(good, { ...expected, algorithm: other })).toBe('unusable_key');
    expect(faultOf(good, { ...expected, key: people[other].key })).toBe('unusable_key');
  });

  it('tells every check that fails, not only the first', () => {
    const answer = { ...GOOD, origin: 'https://other.example', flags: FLAGS.present };
    const judged = judgeAssertion(person.answer(answer), expected);
    expect(judged).toEqual({
      ...{ challenge: 'wrong_origin', flags: 'user_not_verified' },
      ...{ signature: null, counter: 0 },
    });
  });

  it('is refused after any change of a single bit', () => {
    const random = generator(20_261_126);
    const members: (keyof Assertion)[] = ['client_data_json', 'authenticator_data', 'signature'];
    let accepted = 0;
    for (let round = 0; round < FLIPS; round += 1) {
      const member = members[random(members.length)] as keyof Assertion;
      const bytes = Buffer.from(bytesOf(member));
      const at = random(bytes.length);
      bytes[at] = (bytes[at] as number) ^ (1 << random(8));
      if (faultOf(withBytes(member, bytes), expected) === null) accepted += 1;
    }
    expect(accepted).toBe(0);
  });

  it('is refused after any change of a letter of its texts', () => {
    const random = generator(7);
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/= ';
    for (let round = 0; round < 500; round += 1) {
      const member = (['client_data_json', 'authenticator_data', 'signature'] as const)[random(3)];
      const at = random(good[member as keyof Assertion].length);
      const was = good[member as keyof Assertion];
      const letter = letters[random(letters.length)] as string;
      if (letter === was[at]) continue;
      const altered = {
        ...good,
        [member as string]: was.slice(0, at) + letter + was.slice(at + 1),
      };
      expect(faultOf(altered, expected)).not.toBeNull();
    }
  });
});

/** For each algorithm; `ASSERTION_FLIPS=100000` tries more. */
const FLIPS = Number(process.env['ASSERTION_FLIPS'] ?? 2000);

describe('the DER form of an ES256 signature', () => {
  const person = people.ES256;
  const expected = expectedOf(person);
  const good = person.answer(GOOD);
  const der = Buffer.from(good.signature, 'base64url');
  const [r, s] = numbersOf(der);
  const padded = (value: bigint): Buffer =>
    Buffer.concat([Buffer.of(0), Buffer.from(value.toString(16).padStart(64, '0'), 'hex')]);
  const judged = (bytes: Uint8Array) =>
    faultOf({ ...good, signature: Buffer.from(bytes).toString('base64url') }, expected);

  it('is good with a low s and with a high one', () => {
    expect([judged(derOf(r, s)), judged(derOf(r, P256_ORDER - s))]).toEqual([null, null]);
  });

  it.each<[string, Uint8Array]>([
    ['r of 0', derOf(0n, s)],
    ['s of 0', derOf(r, 0n)],
    ['r of the order', derOf(P256_ORDER, s)],
    ['r beyond the order', derOf(r + P256_ORDER, s)],
    ['s beyond the order', derOf(r, s + P256_ORDER)],
    ['a padded r', derOf(Buffer.concat([Buffer.of(0), padded(r)]), s)],
    ['a padded s', derOf(r, Buffer.concat([Buffer.of(0, 0), padded(s)]))],
    ['an empty r', derOf(Buffer.alloc(0), s)],
    ['a negative r', derOf(Buffer.concat([Buffer.of(0x80), padded(r).subarray(2)]), s)],
    ['a negative s', derOf(r, Buffer.of(0xff))],
    ['a long length', Buffer.concat([Buffer.of(0x30, 0x81), der.subarray(1)])],
    [
      'an indefinite length',
      Buffer.concat([Buffer.of(0x30, 0x80), der.subarray(2), Buffer.of(0, 0)]),
    ],
    ['a sequence that is too short', changed(der, 1, -1)],
    ['a sequence that is too long', changed(der, 1, 1)],
    [
      'a third integer',
      (() => {
        const longer = Buffer.concat([der, Buffer.of(2, 1, 1)]);
        return changed(longer, 1, 3);
      })(),
    ],
    ['another tag', changed(der, 0)],
    ['another tag of r', changed(der, 2)],
    ['one integer alone', Buffer.concat([Buffer.of(0x30, 3), Buffer.of(2, 1, 1)])],
    ['r ‖ s without DER', Buffer.concat([padded(r).subarray(1), padded(s).subarray(1)])],
  ])('is refused with %s', (_, bytes) => {
    expect(judged(bytes)).toBe('malformed_signature');
  });
});

describe('a public key', () => {
  const { x, y } = people.ES256.key as { x: string; y: string };
  const ec = (changes: object) => ({ kty: 'EC', crv: 'P-256', x, y, ...changes }) as CredentialKey;
  const okp = (bytes: Uint8Array) =>
    ({ kty: 'OKP', crv: 'Ed25519', x: Buffer.from(bytes).toString('base64url') }) as CredentialKey;
  const P256_PRIME = Buffer.from(`ffffffff00000001${'0'.repeat(24)}${'f'.repeat(24)}`, 'hex');

  it.each<[string, CredentialKey]>([
    ['off the curve', ec({ y: x })],
    ['at infinity', ec({ x: zeroes(32), y: zeroes(32) })],
    ['with a coordinate that is too large', ec({ x: P256_PRIME.toString('base64url') })],
    ['with a coordinate that is too short', ec({ x: zeroes(31) })],
    ['with padding', ec({ x: `${x}=` })],
    ['of another curve', ec({ crv: 'P-384' })],
    ['that is a secret one', ec({ x: `${x.slice(0, -1)}*` })],
    ['of 31 bytes on Ed25519', okp(Buffer.alloc(31, 5))],
    [
      'beyond the prime of Ed25519',
      okp(Buffer.concat([Buffer.of(0xee), Buffer.alloc(30, 0xff), Buffer.of(0x7f)])),
    ],
  ])('%s is unusable', (_, key) => {
    expect(importKey(key)).toBeNull();
  });

  // Everybody can sign under these: Node does not refuse them.
  const SMALL = [
    `01${'00'.repeat(31)}`,
    `01${'00'.repeat(30)}80`,
    `ec${'ff'.repeat(30)}7f`,
    `ec${'ff'.repeat(30)}ff`,
    '00'.repeat(32),
    `${'00'.repeat(31)}80`,
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  ];

  it.each(SMALL)('%s of small order is unusable', (hex) => {
    expect(importKey(okp(Buffer.from(hex, 'hex')))).toBeNull();
  });

  it('of small order would verify a signature that was never made', () => {
    const [identity = ''] = SMALL;
    const jwk = okp(Buffer.from(identity, 'hex'));
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const forged = Buffer.concat([Buffer.from(identity, 'hex'), Buffer.alloc(32)]);
    expect(verify(null, Buffer.from('any text'), key, forged)).toBe(true);
  });
});

it.each<[number, number, boolean]>([
  [0, 0, true],
  [0, 1, true],
  [1, 2, true],
  [1, 0xffffffff, true],
  [1, 1, false],
  [2, 1, false],
  [1, 0, false],
])('after a counter of %d one of %d may follow: %s', (before, after, may) => {
  expect(counterMayFollow(before, after)).toBe(may);
});

it('has a sentence for every reason', () => {
  for (const says of Object.values(ASSERTION_REASONS)) expect(says).toMatch(/^[A-Z].*\.$/);
});

function otherThan(algorithm: KeyAlgorithm): KeyAlgorithm {
  return algorithm === 'ES256' ? 'EdDSA' : 'ES256';
}

function changed(bytes: Uint8Array, at: number, by = 1): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] as number) + by;
  return copy;
}

function zeroes(length: number): string {
  return Buffer.alloc(length).toString('base64url');
}

/** Numbers below a limit that are the same every time (a linear congruential generator). */
function generator(seed: number): (limit: number) => number {
  let state = BigInt(seed);
  return (limit) => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & ((1n << 64n) - 1n);
    return Number((state >> 33n) % BigInt(limit));
  };
}
