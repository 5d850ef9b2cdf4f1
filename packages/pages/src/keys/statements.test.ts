import {
  EXAMPLES,
  approvalStatement as approvalOfService,
  challengeOf as challengeOfService,
  thumbprintOf,
  countersignStatement as countersignOfService,
  enrolmentStatement as enrolmentOfService,
  valueDigest,
} from '@countersign/protocol';
import { toBase64url } from './base64url.js';
import {
  approvalStatement,
  challengeOf,
  countersignStatement,
  enrolmentStatement,
  fingerprintOf,
} from './statements.js';

// The page and the service make each statement apart from one another, and come to the same.

const signer = { issuer: 'https://review.example', tenant: 'acme', subject: 'plat-1' };
const { EnrolmentOffer, ExtendedDecisionRequest, DecisionCandidate, CredentialBound } = EXAMPLES;
const { person, credential, issued_at, nonce } = EnrolmentOffer;
const enrolment = enrolmentStatement(signer, EnrolmentOffer, CredentialBound.public_key);

it('of an enrolment', () => {
  const of = { issuer: signer.issuer, tenant: signer.tenant, principal: signer.subject };
  expect(enrolment).toEqual(
    enrolmentOfService({ ...of, person, credential, issued_at, nonce }, CredentialBound.public_key),
  );
});

it('of one who vouches', async () => {
  const of = { issuer: signer.issuer, tenant: signer.tenant, operator: signer.subject };
  expect(await countersignStatement(signer, person, enrolment, 2)).toEqual(
    countersignOfService({ ...of, person, attempt: 2 }, enrolment),
  );
});

it('of a vote', async () => {
  const { policy } = ExtendedDecisionRequest.approval;
  const request = {
    ...ExtendedDecisionRequest,
    tenant: signer.tenant,
    approval: { ...ExtendedDecisionRequest.approval, policy_digest: valueDigest(policy) },
  };
  const candidate = {
    ...DecisionCandidate,
    response_digest: valueDigest(DecisionCandidate.response),
  };
  const [requestDigest, candidateDigest] = [valueDigest(request), valueDigest(candidate)];
  const own = await approvalStatement({
    ...{ signer, request, requestDigest, candidate, candidateDigest },
    ...{ person, credential, issued_at, nonce },
  });
  expect(own).toEqual(
    approvalOfService({
      issuer: signer.issuer,
      ...{ request, requestDigest },
      candidate: {
        id: candidate.id,
        digest: candidateDigest,
        response_digest: candidate.response_digest,
      },
      vote: {
        ...{ decision: candidate.decision, mode: 'normal', reviewer: signer.subject, person },
        ...{ acting_for: null, emergency: null, attention: null, credential },
      },
      offer: { issued_at, nonce },
    }),
  );
  expect(toBase64url(await challengeOf(own))).toBe(challengeOfService(own));
});

it('names a key by its thumbprint', async () => {
  const { public_key } = CredentialBound;
  expect(await fingerprintOf(public_key)).toBe(thumbprintOf(public_key));
});
