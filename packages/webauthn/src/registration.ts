import { verifyRegistrationResponse } from '@simplewebauthn/server';
import { readRegistration } from '@countersign/protocol';
import type { ExpectedRegistration, RegisteredKey, Registration } from '@countersign/protocol';

/** COSE names of ES256 and EdDSA (RFC 9053 §2). */
export const ALGORITHMS = [-7, -8] as const;

/**
 * The new key of a registration with the attestation "none" (protocol §19.3), or null for one that is not good: to the library,
 * or to the reader of the protocol, which tells the key in the form that records have.
 */
export async function verifyRegistration(
  registration: Registration,
  expected: ExpectedRegistration,
): Promise<RegisteredKey | null> {
  const read = readRegistration(registration, expected);
  if (!read.ok) return null;
  return (await isGoodToLibrary(registration, expected, read.key)) ? read.key : null;
}

async function isGoodToLibrary(
  { client_data_json, attestation_object }: Registration,
  { challenge, origin, rpId }: ExpectedRegistration,
  { credential_id: id }: RegisteredKey,
): Promise<boolean> {
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
        response: { clientDataJSON: client_data_json, attestationObject: attestation_object },
      },
      ...{ expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: rpId },
      requireUserVerification: true,
      supportedAlgorithmIDs: [...ALGORITHMS],
    });
    return verified && registrationInfo.credential.id === id;
  } catch {
    return false;
  }
}
