import type { CredentialStatus, EnrolmentOffer, SignedBy } from '@countersign/protocol';

import { newKey, send } from '../api/client.js';
import { KeyFault, makeKey, signWith } from './authenticator.js';
import type { MadeKey } from './authenticator.js';
import type { ActiveKey } from './own-keys.js';
import { countersignStatement, enrolmentStatement } from './statements.js';
import type { Signer } from './statements.js';

// The steps of an enrolment (protocol §19.3). Each begins with a press of the person, because browsers ask for one before each dialog.

/** A key that was made, and has to sign now. */
export interface Begun {
  readonly offer: EnrolmentOffer;
  readonly made: MadeKey;
}

/** Asks for an offer, and makes the key. */
export async function begin(active: readonly ActiveKey[], signal: AbortSignal): Promise<Begun> {
  const offer = await send<EnrolmentOffer>('POST', '/v2/me/credentials/offer', {}, { signal });
  // A key would be another person's than the keys that are there.
  if (active.some(({ bound }) => bound.person !== offer.person)) throw new KeyFault('differs');
  return { offer, made: await makeKey(offer.options, signal) };
}

/** The new key signs that it is this person's. */
export function agree(signer: Signer, { offer, made }: Begun, signal: AbortSignal) {
  const key = {
    credential: offer.credential,
    credential_id: made.credentialId,
    rp_id: offer.options.rp.id,
  };
  return signWith(key, enrolmentStatement(signer, offer, made.publicKey), signal);
}

/** Another key of the same person vouches for it, for the first time. */
export async function vouch(
  signer: Signer,
  { offer, made }: Begun,
  { bound }: ActiveKey,
  signal: AbortSignal,
): Promise<SignedBy> {
  const enrolment = enrolmentStatement(signer, offer, made.publicKey);
  return signWith(bound, await countersignStatement(signer, offer.person, enrolment, 1), signal);
}

/** One call, which can be repeated: it adds the key once. */
export function enrolling(
  { made }: Begun,
  label: string,
  assertion: SignedBy,
  by_own: SignedBy | null,
): () => Promise<CredentialStatus> {
  const key = newKey();
  const { registration } = made;
  const body = { registration, assertion, label, ...(by_own && { by_own }) };
  return () => send<CredentialStatus>('POST', '/v2/me/credentials', body, { key });
}
