import { verifyAuthenticationResponse } from '@simplewebauthn/server';
import { assertionFault, challengeOf, expectedOf, judgeAssertion } from '@countersign/protocol';
import type { Assertion, BoundKey } from '@countersign/protocol';
import { coseKey } from './cose-key.js';

/**
 * The counter of an assertion over that statement by that key (protocol §19.2), or null for one that is not good. Both the
 * library and the judge that verifiers run say so: an assertion that is accepted here can be proved from a file later. The
 * caller compares the counter with the last one.
 */
export async function verifyAssertion(
  statement: object,
  assertion: Assertion,
  key: BoundKey,
): Promise<number | null> {
  const challenge = challengeOf(statement);
  const judged = judgeAssertion(assertion, { challenge, ...expectedOf(key) });
  if (assertionFault(judged) !== null || judged.counter === null) return null;
  return (await isGoodToLibrary(challenge, assertion, key)) ? judged.counter : null;
}

/** The library compares ids of credentials, which say nothing here: the key was chosen by the caller. */
const ID = 'AA';

export async function isGoodToLibrary(
  challenge: string,
  { client_data_json, authenticator_data, signature }: Assertion,
  { public_key, origin, rp_id }: BoundKey,
): Promise<boolean> {
  try {
    const { verified } = await verifyAuthenticationResponse({
      response: {
        ...{ id: ID, rawId: ID, type: 'public-key', clientExtensionResults: {} },
        response: {
          clientDataJSON: client_data_json,
          authenticatorData: authenticator_data,
          signature,
        },
      },
      ...{ expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: rp_id },
      requireUserVerification: true,
      // The counter is compared where it is stored.
      credential: { id: ID, publicKey: coseKey(public_key), counter: 0 },
    });
    return verified;
  } catch {
    return false;
  }
}
