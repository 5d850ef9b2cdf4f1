import { valueDigest } from '../json/canonical.js';
import type { Digest } from '../json/canonical.js';
import type {
  ApprovalRecord,
  ApprovalStatement,
  ExtendedDecisionRequest,
} from '../records/index.js';

/** How long after its statement a vote may be given, milliseconds (protocol §19.1). */
export const STATEMENT_MS = 300_000;

/** The answer that a vote is about, by its digests: it may be gone. */
export interface NamedCandidate {
  readonly id: string;
  /** Value digest of the candidate. */
  readonly digest: Digest;
  readonly response_digest: Digest;
}

/** What a person says about the candidate. */
export interface StatedVote {
  readonly decision: ApprovalRecord['decision'];
  readonly mode: ApprovalRecord['mode'];
  /** Principal id. */
  readonly reviewer: string;
  readonly person: Digest;
  /** Principal id of the person who lent the seat. */
  readonly acting_for: string | null;
  readonly emergency: ApprovalRecord['emergency'];
  readonly attention: ApprovalRecord['attention'];
  /** Null where the policy asks for no key. */
  readonly credential: string | null;
}

export interface StatementInput {
  /** Origin of the service. */
  readonly issuer: string;
  readonly request: Pick<ExtendedDecisionRequest, 'id' | 'tenant' | 'purpose' | 'approval'>;
  /** Value digest of the whole request. */
  readonly requestDigest: Digest;
  readonly candidate: NamedCandidate;
  readonly vote: StatedVote;
  /** Both chosen by the service: a time with milliseconds, and 16 bytes in base64url. */
  readonly offer: { readonly issued_at: string; readonly nonce: string };
}

/**
 * What a person signs with a vote (protocol §19.1). Service and verifier make it by this function, each out of what it knows itself; the
 * pages make it by one of their own (packages/pages/src/keys), and compare.
 */
export function approvalStatement({
  issuer,
  request,
  requestDigest,
  candidate,
  vote,
  offer,
}: StatementInput): ApprovalStatement {
  return {
    statement: 'proto.approval-statement/1',
    issuer,
    tenant: request.tenant,
    purpose: request.purpose,
    request_id: request.id,
    request_digest: requestDigest,
    policy_digest: request.approval.policy_digest,
    candidate_id: candidate.id,
    candidate_digest: candidate.digest,
    response_digest: candidate.response_digest,
    decision: vote.decision,
    mode: vote.mode,
    reviewer: vote.reviewer,
    person: vote.person,
    acting_for: vote.acting_for,
    emergency: vote.emergency === null ? null : valueDigest(vote.emergency),
    attention: vote.attention === null ? null : valueDigest(vote.attention),
    credential: vote.credential,
    issued_at: offer.issued_at,
    nonce: offer.nonce,
  };
}

/** The challenge of a statement: SHA-256 of its canonical text, 32 bytes in base64url. */
export function challengeOf(statement: object): string {
  const [, hex = ''] = valueDigest(statement).split(':');
  return Buffer.from(hex, 'hex').toString('base64url');
}
