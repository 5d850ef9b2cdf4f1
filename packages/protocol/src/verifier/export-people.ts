import {
  ASSERTION_REASONS,
  STATEMENT_MS,
  approvalStatement,
  challengeOf,
  expectedOf,
  fitsPolicy,
  judgeAssertion,
  thumbprintOf,
} from '../human-key/index.js';
import type { AssertionReason } from '../human-key/index.js';
import { canonicalText } from '../json/canonical.js';
import type { ApprovalRecord, ExtendedAuditExport } from '../records/index.js';
import { asksForKeys } from '../records/index.js';
import type { VerifierContext } from './context.js';
import { checkEnrolments, hasEnded } from './export-credentials.js';
import type { BoundKeyRecord, Keyring } from './export-credentials.js';
import { checkCounters } from './export-counters.js';
import { time } from './export-request.js';
import type { CheckedVote } from './export-votes.js';
import type { Because } from './findings.js';

type HumanSignature = NonNullable<ApprovalRecord['human']>;

/** The signatures of people's own keys, and whose keys they are (protocol §19.5). */
export function checkKeysOfPeople(
  context: VerifierContext,
  document: ExtendedAuditExport,
  votes: readonly CheckedVote[],
  keyring: Keyring,
): void {
  const { findings, people } = context;
  const { request } = document;
  const asked = asksForKeys(request.profiles);
  const hasPart = request.approval.policy.human_key !== undefined;
  if (asked || hasPart) findings.check('human_present', '/request/profiles', asked && hasPart);
  if (!asked) return;
  checkEnrolments(context, keyring);
  const signed = new Set<string>();
  for (const vote of votes) checkVote(context, document, { vote, keyring, signed });
  checkCounters(context, votes, keyring);
  if (!people && votes.length > 0) {
    findings.skipped('human_pinned', '/records', {
      says: 'That these keys are those of these people is what the directory of the service says; they were not compared with keys that you know yourself.',
      decisive: false,
    });
  }
}

interface Voting {
  readonly vote: CheckedVote;
  readonly keyring: Keyring;
  /** Challenges of the statements of earlier votes: each is signed for one vote. */
  readonly signed: Set<string>;
}

function checkVote(
  context: VerifierContext,
  document: ExtendedAuditExport,
  { vote, keyring, signed }: Voting,
): void {
  const { findings } = context;
  const { human } = vote.payload;
  const path = `${vote.path}/payload/human`;
  findings.check('human_present', path, human !== null);
  if (human === null) return;
  const challenge = challengeOf(human.statement);
  const isNew = !signed.has(challenge);
  signed.add(challenge);
  const isItsOwn = isNew && statesVote(context, document, vote, human.statement);
  findings.check('human_statement', `${path}/statement`, isItsOwn);
  const bound = keyring.bound.get(human.bound);
  const isBound = bound !== undefined && isBoundTo(document, vote, bound, keyring);
  findings.check(
    'human_credential',
    path,
    isBound && bound.payload.credential === human.credential,
  );
  // Verifying costs, and the vote has failed already.
  if (bound === undefined || !vote.proven) return;
  checkSignature(context, human, bound, path);
  checkPinned(context, vote, bound);
}

/** Whether the person signed what record, request and candidate say. */
function statesVote(
  { trust }: VerifierContext,
  { request, request_digest }: ExtendedAuditExport,
  { payload, issuedAt }: CheckedVote,
  statement: HumanSignature['statement'],
): boolean {
  const { candidate_id: id, candidate_digest: digest, response_digest } = payload;
  const { acting_for } = payload;
  const expected = approvalStatement({
    issuer: trust.issuer,
    request,
    requestDigest: request_digest as typeof digest,
    candidate: { id, digest, response_digest },
    vote: {
      ...payload,
      acting_for: acting_for?.reviewer ?? null,
      credential: payload.human?.credential ?? null,
    },
    offer: statement,
  });
  const stated = time(statement.issued_at);
  return (
    canonicalText(statement) === canonicalText(expected) &&
    stated <= issuedAt &&
    issuedAt <= stated + STATEMENT_MS
  );
}

/** Whether the key was bound to the giver of the vote by then, as the policy asks, and had not ended. */
function isBoundTo(
  { request }: ExtendedAuditExport,
  { payload, issuedAt }: CheckedVote,
  bound: BoundKeyRecord,
  keyring: Keyring,
): boolean {
  const { principal, person } = bound.payload;
  const policy = request.approval.policy.human_key;
  return (
    policy !== undefined &&
    principal === payload.reviewer &&
    person === payload.person &&
    bound.issuedAt <= issuedAt &&
    !hasEnded(keyring, bound, issuedAt) &&
    fitsPolicy(bound.payload, policy)
  );
}

function checkSignature(
  { findings, trust }: VerifierContext,
  human: HumanSignature,
  { payload }: BoundKeyRecord,
  path: string,
): void {
  const challenge = challengeOf(human.statement);
  const judged = judgeAssertion(human, { challenge, ...expectedOf(payload) });
  const ownOrigin = payload.origin === trust.issuer;
  findings.check(
    'human_challenge',
    path,
    judged.challenge === null && ownOrigin,
    because(judged.challenge ?? (ownOrigin ? null : 'wrong_origin')),
  );
  findings.check('human_flags', path, judged.flags === null, because(judged.flags));
  findings.check('human_signature', path, judged.signature === null, because(judged.signature));
}

function because(reason: AssertionReason | null): Because {
  return reason === null ? {} : { reason, detail: ASSERTION_REASONS[reason] };
}

/** Against the keys that the reader knows. */
function checkPinned(
  { findings, people }: VerifierContext,
  { path, payload }: CheckedVote,
  bound: BoundKeyRecord,
): void {
  if (!people) return;
  const pinned = people.get(payload.reviewer);
  findings.check(
    'human_pinned',
    path,
    pinned !== undefined &&
      pinned.keys.has(thumbprintOf(bound.payload.public_key)) &&
      (pinned.person === null || pinned.person === payload.person),
  );
}
