import { verifyAuthenticationResponse } from '@simplewebauthn/server';
import { assertionFault, judgeAssertion } from '@countersign/protocol';
import type { Assertion, ExpectedAssertion } from '@countersign/protocol';
import {
  FLAGS,
  ORIGIN,
  RP_ID,
  coseKeyOf,
  softAuthenticator,
} from '@countersign/protocol/testing/authenticator';
import type { Answer } from '@countersign/protocol/testing/authenticator';

/** Changed assertions for each algorithm; `AGREEMENT=10000` tries more. */
const ROUNDS = Number(process.env['AGREEMENT'] ?? 500);
const CHALLENGE = Buffer.alloc(32, 7).toString('base64url');
const UP_UV = FLAGS.present | FLAGS.verified;
const EXTENSION = Buffer.from('a1646e616d65f5', 'hex');

const text = (members: string): string =>
  `{"type":"webauthn.get","challenge":"${CHALLENGE}","origin":"${ORIGIN}"${members}}`;

const ANSWERS: readonly [string, Partial<Answer>][] = [
  ['as it should be', {}],
  ['with a counter', { counter: 9 }],
  ['with an unknown member', { members: { other_keys: 'ignored' } }],
  ['without crossOrigin', { clientData: text('') }],
  ['with extensions', { flags: UP_UV | 0x80, more: EXTENSION }],
  ['with reserved flags', { flags: UP_UV | 0x22 }],
  ['of another challenge', { challenge: 'AAAA' }],
  ['of another origin', { origin: 'https://evil.example' }],
  ['that makes a key', { type: 'webauthn.create' }],
  ['in a frame of another site', { members: { crossOrigin: true } }],
  ['below another site', { members: { crossOrigin: true, topOrigin: 'https://evil.example' } }],
  ['bound to a connection', { members: { tokenBinding: { status: 'present', id: 'a' } } }],
  ['with a member twice', { clientData: text(`,"origin":"${ORIGIN}"`) }],
  ['with client data that is no JSON', { clientData: '{' }],
  ['of another relying party', { rpId: 'evil.example' }],
  ['without a touch', { flags: FLAGS.verified }],
  ['without verification', { flags: FLAGS.present }],
  ['backed up, but not eligible', { flags: UP_UV | FLAGS.backedUp }],
  ['with a byte too many', { more: Buffer.of(0) }],
  ['with extensions missing', { flags: UP_UV | 0x80 }],
  ['over the authenticator data alone', { signs: (data) => data }],
];

describe.each([softAuthenticator('one', 'ES256'), softAuthenticator('one', 'EdDSA')])(
  'our judge and @simplewebauthn/server on $algorithm',
  (person) => {
    const expected: ExpectedAssertion = {
      ...{ challenge: CHALLENGE, origin: ORIGIN, rpId: RP_ID },
      ...{ key: person.key, algorithm: person.algorithm, deviceBound: true },
    };
    const ours = (assertion: Assertion): boolean =>
      assertionFault(judgeAssertion(assertion, expected)) === null;
    const good = person.answer({ challenge: CHALLENGE });

    async function theirs(assertion: Assertion): Promise<boolean> {
      try {
        const { verified } = await verifyAuthenticationResponse({
          response: {
            ...{
              id: 'AAAA',
              rawId: 'AAAA',
              type: 'public-key' as const,
              clientExtensionResults: {},
            },
            response: {
              clientDataJSON: assertion.client_data_json,
              authenticatorData: assertion.authenticator_data,
              signature: assertion.signature,
            },
          },
          expectedChallenge: CHALLENGE,
          expectedOrigin: ORIGIN,
          expectedRPID: RP_ID,
          requireUserVerification: true,
          credential: { id: 'AAAA', publicKey: new Uint8Array(coseKeyOf(person)), counter: 0 },
        });
        return verified;
      } catch {
        return false;
      }
    }

    it('agree on every good answer', async () => {
      for (const [name, answer] of ANSWERS.slice(0, 6)) {
        const assertion = person.answer({ challenge: CHALLENGE, ...answer });
        expect([name, ours(assertion), await theirs(assertion)]).toEqual([name, true, true]);
      }
    });

    it.each(ANSWERS.slice(6))('ours is not looser on one %s', async (_, answer) => {
      const assertion = person.answer({ challenge: CHALLENGE, ...answer });
      expect(ours(assertion)).toBe(false);
      // Where the library accepts it, ours is the stricter one.
      await theirs(assertion);
    });

    it('ours accepts nothing that the library refuses, of answers with one bit changed', async () => {
      const members = ['client_data_json', 'authenticator_data', 'signature'] as const;
      const random = generator(14);
      let [looser, stricter] = [0, 0];
      for (let round = 0; round < ROUNDS; round += 1) {
        const member = members[random(3)] as keyof Assertion;
        const bytes = Buffer.from(good[member], 'base64url');
        const at = random(bytes.length);
        bytes[at] = (bytes[at] as number) ^ (1 << random(8));
        const altered = { ...good, [member]: bytes.toString('base64url') };
        const [mine, other] = [ours(altered), await theirs(altered)];
        if (mine && !other) looser += 1;
        if (!mine && other) stricter += 1;
      }
      console.log(`${person.algorithm}: of ${ROUNDS}, ours stricter on ${stricter}`);
      expect(looser).toBe(0);
    });
  },
);

/** Numbers below a limit that are the same every time (a linear congruential generator). */
function generator(seed: number): (limit: number) => number {
  let state = BigInt(seed);
  return (limit) => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & ((1n << 64n) - 1n);
    return Number((state >> 33n) % BigInt(limit));
  };
}
