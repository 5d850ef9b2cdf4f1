import {
  asJsonText,
  countersign,
  credentialAt,
  enrol as enrolled,
  enrolmentStatement,
} from '@countersign/protocol';
import type { CredentialStatus, Digest, RegisteredKey } from '@countersign/protocol';
import { storedAnswer } from '@countersign/database';
import { answer, storedReply } from '@countersign/platform';
import type { OperationCall, OperationHandler } from '@countersign/platform';
import { verifyAssertion, verifyRegistration } from '@countersign/webauthn';
import type { RequestDeps } from '../deps.js';
import {
  MOST_WAITING,
  activeOf,
  answered,
  bind,
  doneOf,
  keysOf,
  relyingParty,
  signedVoucher,
  statusOf,
} from '../keys.js';
import type { Worked } from '../keys.js';
import { personOfHuman } from '../persons.js';
import type { DirectoryChange } from '../store/directory.js';
import type { BegunEnrolment, KeptKey } from '../store/keys.js';
import { requireEnabled } from './configure-principal.js';
import { OFFER_MS } from './offer-enrolment.js';
import { Refusal } from '@countersign/protocol';

type Call = OperationCall<'request.enrol'>;

/**
 * `request.enrol`: a new key of the caller, which waits for another person, or counts at once where another active key of the
 * caller vouches for it (protocol §19.3, §19.6).
 */
export function enrol(deps: RequestDeps): OperationHandler<'request.enrol'> {
  return async (call) => {
    const { caller, input, body } = call;
    const work = async (change: DirectoryChange) => {
      const principal = await requireEnabled(change, caller);
      const replay = storedAnswer(await change.keys.answered(call), body);
      if (replay !== null) return { done: storedReply(replay) };
      const person = await personOfHuman(change, principal, deps.trust);
      const key = await enrolledKey(deps, change, call, person);
      const worked = await vouchedFor(deps, change, call, key, person);
      if ('refused' in worked) return worked;
      const text = await answered(change, call, 201, statusOf(worked.done));
      return { done: answer(201, asJsonText<CredentialStatus>(text)) };
    };
    const { configuration } = deps;
    // Only a key that counts at once is a change of the directory.
    const worked =
      input.by_own === undefined
        ? await configuration.beside(caller, work)
        : await configuration.change(caller.tenant, work);
    if (input.by_own !== undefined) deps.chained(caller.tenant);
    return doneOf(worked);
  };
}

/** The new key as it waits. Throws `offer_expired`, `invalid_assertion`, `identity_conflict`, `credential_unavailable`. */
async function enrolledKey(
  deps: RequestDeps,
  change: DirectoryChange,
  { caller, input }: Call,
  person: Digest,
): Promise<KeptKey> {
  const begun = await change.keys.take(caller.id, input.assertion.credential);
  const isOver = begun === null || change.now > begun.issuedAt + OFFER_MS;
  if (isOver || begun.person !== person) throw new Refusal('offer_expired');
  const { counter, ...read } = await signedKey(deps, change, { input, caller }, begun);
  const waiting = (await keysOf(change, person)).filter(({ state }) => state === 'waiting');
  if (waiting.length >= MOST_WAITING) throw new Refusal('credential_unavailable');
  const known = await change.keys.named(read.credential_id);
  const { refused } = enrolled(known, { person, counter, now: change.now });
  if (refused !== null) throw new Refusal(refused);
  if (known !== null && credentialAt(known, change.now) === null) {
    await change.keys.forgetNamed(read.credential_id);
  }
  const kept = {
    ...read,
    ...{ id: begun.credential, principal: caller.id, person, counter },
    ...{ label: input.label, enrolledAt: change.now },
  };
  if (!(await change.keys.save(kept))) throw new Refusal('identity_conflict');
  return { ...kept, state: 'waiting', attempts: 0, bound: null, vouchedBy: [] };
}

/** The key that the authenticator tells, once it has signed that it is this person's. Throws `invalid_assertion`. */
async function signedKey(
  { notary, keys }: RequestDeps,
  { tenant }: DirectoryChange,
  { input, caller }: Pick<Call, 'input' | 'caller'>,
  { challenge, credential, person, nonce, issuedAt }: BegunEnrolment,
): Promise<RegisteredKey & Pick<KeptKey, 'counter' | 'enrolment'>> {
  const { clientDataJSON, attestationObject } = input.registration.response;
  const { origin } = notary;
  const rpId = relyingParty(origin);
  const key = await verifyRegistration(
    { client_data_json: clientDataJSON, attestation_object: attestationObject },
    { challenge, origin, rpId },
  );
  if (key === null) throw new Refusal('invalid_assertion');
  const issued_at = new Date(issuedAt).toISOString();
  const statement = enrolmentStatement(
    {
      ...{ issuer: origin, tenant, principal: caller.id, person: person as Digest },
      ...{ credential, issued_at, nonce },
    },
    key.public_key,
  );
  const { credential: _, ...assertion } = input.assertion;
  const counter = await verifyAssertion(statement, assertion, { ...key, origin, rp_id: rpId });
  keys.asserted(counter === null ? 'refused' : 'good');
  if (counter === null) throw new Refusal('invalid_assertion');
  return { ...key, counter, enrolment: { statement, ...assertion } };
}

/** The key with its record where another key of the person vouches for it, and as it waits otherwise. */
async function vouchedFor(
  deps: RequestDeps,
  change: DirectoryChange,
  { caller, input: { by_own } }: Call,
  key: KeptKey,
  person: Digest,
): Promise<Worked<KeptKey>> {
  if (by_own === undefined) return { done: key };
  const active = activeOf(await keysOf(change, person)).length;
  const vouching = { person, byOwnKey: true, isFirst: false, active };
  const step = countersign(key, vouching, change.now);
  if (step.refused !== null) throw new Refusal(step.refused);
  const signer = { subject: caller.id, person };
  const voucher = await signedVoucher(deps, change, 'own_credential', signer, by_own, key);
  if ('refused' in voucher) {
    // The copied key that signed stays suspended, and the new one is not kept.
    await change.keys.forget(key.id);
    return voucher;
  }
  const { text } = await bind(deps, change, caller, key, step, voucher.done);
  return { done: { ...key, state: 'active', bound: text } };
}
