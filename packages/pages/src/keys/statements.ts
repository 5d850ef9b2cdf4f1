import type {
  ApprovalStatement,
  CountersignStatement,
  CredentialKey,
  DecisionCandidate,
  Digest,
  EnrolmentOffer,
  EnrolmentStatement,
  ExtendedDecisionRequest,
} from '@countersign/protocol';

import { toBase64url } from './base64url.js';
import { textDigest, valueDigest, canonicalText } from '../material/digest.js';

// What a key signs, made of what this page knows itself (protocol §19.1, §19.3). The service makes the same, apart from here, and a
// signature over another text counts for nothing.

/** The reader of this page, and the service that it is of. */
export interface Signer {
  readonly issuer: string;
  readonly tenant: string;
  /** Principal id. */
  readonly subject: string;
}

export async function approvalStatement(of: {
  readonly signer: Signer;
  /** The request that is shown, with the digest that was computed of it here. */
  readonly request: ExtendedDecisionRequest;
  readonly requestDigest: Digest;
  /** The frozen answer that is shown, with its digest. */
  readonly candidate: DecisionCandidate;
  readonly candidateDigest: Digest;
  readonly person: Digest;
  readonly credential: string;
  /** Both chosen by the service. */
  readonly issued_at: string;
  readonly nonce: string;
}): Promise<ApprovalStatement> {
  const { signer, request, candidate } = of;
  return {
    statement: 'proto.approval-statement/1',
    issuer: signer.issuer,
    tenant: signer.tenant,
    purpose: request.purpose,
    request_id: request.id,
    request_digest: of.requestDigest,
    policy_digest: (await valueDigest(request.approval.policy)) as Digest,
    candidate_id: candidate.id,
    candidate_digest: of.candidateDigest,
    response_digest: (await textDigest(canonicalText(candidate.response))) as Digest,
    decision: candidate.decision,
    mode: 'normal',
    reviewer: signer.subject,
    person: of.person,
    acting_for: null,
    emergency: null,
    attention: null,
    credential: of.credential,
    issued_at: of.issued_at,
    nonce: of.nonce,
  };
}

export function enrolmentStatement(
  { issuer, tenant, subject }: Signer,
  { person, credential, issued_at, nonce }: Omit<EnrolmentOffer, 'options'>,
  publicKey: CredentialKey,
): EnrolmentStatement {
  return {
    statement: 'proto.enrolment-statement/1',
    ...{ issuer, tenant, principal: subject, person, credential },
    public_key: publicKey,
    ...{ issued_at, nonce },
  };
}

export async function countersignStatement(
  { issuer, tenant, subject }: Signer,
  person: Digest,
  enrolment: EnrolmentStatement,
  attempt: number,
): Promise<CountersignStatement> {
  return {
    statement: 'proto.countersign-statement/1',
    ...{ issuer, tenant, operator: subject, person },
    enrolment: (await valueDigest(enrolment)) as Digest,
    attempt,
  };
}

/** A key's thumbprint (RFC 7638), as people compare it and as `people.json` has it (protocol §19.5). */
export async function fingerprintOf(key: CredentialKey): Promise<string> {
  return toBase64url(await challengeOf(key));
}

/** The challenge of a statement: SHA-256 of its canonical text. */
export async function challengeOf(statement: object): Promise<Uint8Array<ArrayBuffer>> {
  const [, hex = ''] = (await valueDigest(statement)).split(':');
  return Uint8Array.from(hex.match(/../g) ?? [], (each) => parseInt(each, 16));
}
