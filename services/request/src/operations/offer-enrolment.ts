import { canonicalText } from '@countersign/protocol';
import type { EnrolmentOffer } from '@countersign/protocol';
import { answer, drawBytes, newId } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import { ALGORITHMS } from '@countersign/webauthn';
import type { RequestDeps } from '../deps.js';
import { keysOf, relyingParty } from '../keys.js';
import { personOfHuman } from '../persons.js';
import { requireEnabled } from './configure-principal.js';

/** How long an enrolment may take from its offer on, milliseconds (protocol §19.6). */
export const OFFER_MS = 300_000;

/**
 * `request.offer-enrolment`: what the caller's browser is asked for a new key with (protocol §19.6). A principal has one open
 * offer, in place of the one before.
 */
export function offerEnrolment(deps: RequestDeps): OperationHandler<'request.offer-enrolment'> {
  return async ({ caller }) => {
    const [credential, nonce, challenge] = [newId(), drawn(16), drawn(32)];
    const offer = await deps.configuration.beside(caller, async (own) => {
      const principal = await requireEnabled(own, caller);
      const person = await personOfHuman(own, principal, deps.trust);
      const keys = await keysOf(own, person);
      const handle = await own.keys.handle(person, drawn(32));
      const issuedAt = own.now;
      await own.keys.begin(caller.id, { credential, person, challenge, nonce, issuedAt });
      const made: EnrolmentOffer = {
        ...{ credential, person, nonce },
        issued_at: new Date(issuedAt).toISOString(),
        options: {
          rp: { id: relyingParty(deps.notary.origin), name: 'Countersign' },
          user: { id: handle, name: caller.id, displayName: caller.id },
          challenge,
          pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
          timeout: OFFER_MS,
          excludeCredentials: keys.map(({ credential_id: id }) => ({ type: 'public-key', id })),
          authenticatorSelection: { userVerification: 'required' },
          attestation: 'none',
        },
      };
      return made;
    });
    return answer(200, canonicalText(offer));
  };
}

const drawn = (bytes: number): string => drawBytes(bytes).toString('base64url');
