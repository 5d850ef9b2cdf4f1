import { classOf, isNo, seatsOf, voteOf } from '../approval/index.js';
import { valueDigest } from '../json/canonical.js';
import type { ExtendedAuditExport, Quorum } from '../records/index.js';
import { asksForKeys } from '../records/index.js';
import type { VerifierContext } from './context.js';
import { checkAttention } from './export-attention.js';
import { keyringOf } from './export-credentials.js';
import type { CheckedReceipt } from './export-decision.js';
import type { CheckedEntry } from './export-ledger.js';
import { checkKeysOfPeople } from './export-people.js';
import { time } from './export-request.js';
import { checkReplay } from './export-votes.js';
import type { CheckedEnding, CheckedVote } from './export-votes.js';
import { checkRecord, expecting, isOf, recordsOf } from './record.js';
import type { CheckedRecord } from './record.js';

type Membership = CheckedRecord<'MembershipConfigured'>;

/** The parts of an export that its approvals are compared with. */
export interface ExportParts {
  readonly records: readonly CheckedRecord[];
  readonly entries: readonly CheckedEntry[];
  readonly receipt: CheckedReceipt | null;
}

/** A vote that the receipt names, and its record; null when that is not in the file. */
interface Counted {
  readonly said: Quorum['approvals'][number];
  readonly vote: CheckedVote | null;
}

/** The votes of several people, and that they make the decision (protocol §18.9). */
export function checkApprovals(
  context: VerifierContext,
  document: ExtendedAuditExport,
  { records, entries, receipt }: ExportParts,
): void {
  const { findings } = context;
  const votes = recordsOf(records, 'ApprovalRecord');
  const steps = records.filter(
    (record): record is CheckedVote | CheckedEnding =>
      isOf(record, 'ApprovalRecord') || isOf(record, 'ApprovalEnded'),
  );
  const cited = citedRecords(context, document);
  const memberships = new Map(
    recordsOf(cited, 'MembershipConfigured').map((record) => [record.digest as string, record]),
  );
  if (steps.length > 0) {
    const gapless = steps.every(({ payload }, at) => payload.number === at + 1);
    findings.check('approval_numbers', '/records', gapless);
  }
  checkPolicy(context, document, votes);
  for (const vote of votes) {
    findings.check('approval_membership', vote.path, isMember(document, vote, memberships));
    findings.check('approval_times', vote.path, isTimely(document, vote, receipt));
  }
  const quorum = receipt === null ? null : quorumOf(receipt);
  if (receipt !== null && quorum !== null) {
    const byDigest = new Map<string, CheckedVote>(votes.map((vote) => [vote.digest, vote]));
    const counted = quorum.approvals.map((said) => ({
      said,
      vote: byDigest.get(said.record) ?? null,
    }));
    checkDecided(context, document, { quorum, receipt, counted });
    checkPeople(context, document, { quorum, receipt, counted });
    checkInLedger(context, entries, receipt, quorum);
  }
  checkAttention(context, document, votes);
  checkReplay(context, document, steps, receipt, quorum);
  checkKeysOfPeople(context, document, votes, keyringOf(cited));
}

/** The records of `evidence`: memberships, and where people sign with keys of their own, those of the keys. */
function citedRecords(
  context: VerifierContext,
  { request, evidence }: ExtendedAuditExport,
): CheckedRecord[] {
  const { now } = context.expected;
  const ofKeys = ['CredentialBound', 'CredentialEnded'] as const;
  const expected = expecting({
    type: ['MembershipConfigured', ...(asksForKeys(request.profiles) ? ofKeys : [])],
    ...{ audience: 'proto.directory', purpose: 'service' },
    ...{ tenant: request.tenant, profiles: {} },
    ...(now === undefined ? {} : { now }),
  });
  return evidence.records.flatMap((record, at) => {
    return checkRecord(context, record, `/evidence/records/${at}`, expected) ?? [];
  });
}

function checkPolicy(
  { findings }: VerifierContext,
  { request: { approval, profiles } }: ExtendedAuditExport,
  votes: readonly CheckedVote[],
): void {
  const { policy, policy_digest: digest } = approval;
  findings.check('approval_policy', '/request/approval', valueDigest(policy) === digest);
  for (const { path, payload } of votes) {
    findings.check('approval_policy', path, payload.policy_digest === digest);
  }
  // A part that is not judged must not look as if it were.
  for (const { path, payload } of votes) {
    const { acting_for, via, mode, emergency, human } = payload;
    const ofKeys = asksForKeys(profiles) ? [] : [human];
    const parts = [acting_for, via, emergency, ...ofKeys];
    if (mode === 'normal' && parts.every((part) => part === null)) continue;
    findings.unknown('approval_policy', path, {
      says: 'The vote has a part that this verifier does not judge. A newer one does.',
    });
  }
}

/** Whether the membership that a vote names is there, was made before it and gives what the vote says (protocol §18.4). */
function isMember(
  { request: { approval } }: ExtendedAuditExport,
  { payload, issuedAt }: CheckedVote,
  memberships: ReadonlyMap<string, Membership>,
): boolean {
  const membership = memberships.get(payload.membership);
  if (membership === undefined) return false;
  const { principal, person, team, groups } = membership.payload;
  const { stages } = approval.policy.quorum;
  const of = payload.stage === 0 ? stages : stages.slice(payload.stage - 1, payload.stage);
  const held = new Set(of.flatMap(seatsOf).filter((group) => groups.includes(group)));
  return (
    membership.issuedAt <= issuedAt &&
    principal === payload.reviewer &&
    person === payload.person &&
    team === payload.team &&
    held.size === payload.groups.length &&
    payload.groups.every((group) => held.has(group))
  );
}

function isTimely(
  { request, material }: ExtendedAuditExport,
  { payload, issuedAt }: CheckedVote,
  receipt: CheckedReceipt | null,
): boolean {
  const candidate = material?.candidate ?? null;
  const after = candidate?.id === payload.candidate_id ? candidate.created_at : request.accepted_at;
  return (
    time(after) <= issuedAt &&
    issuedAt < time(request.review_deadline) &&
    (receipt === null || issuedAt <= receipt.issuedAt)
  );
}

/** Null where the receipt lacks the profile: then it is not the request's, and its signature fails. */
function quorumOf({ payload }: CheckedReceipt): Quorum | null {
  return 'quorum' in payload ? (payload.quorum as Quorum) : null;
}

interface Decided {
  readonly quorum: Quorum;
  readonly receipt: CheckedReceipt;
  readonly counted: readonly Counted[];
}

/** The decision against the votes that it names (protocol §18.5, §18.6). */
function checkDecided(
  { findings }: VerifierContext,
  { request: { approval } }: ExtendedAuditExport,
  { quorum, receipt: { path, payload, issuedAt }, counted }: Decided,
): void {
  const votes = counted.flatMap(({ vote }) => vote ?? []);
  const last = votes.at(-1);
  const refused = quorum.outcome === 'rejected';
  findings.check('approval_policy', path, quorum.policy_digest === approval.policy_digest);
  if (quorum.mode !== 'normal') {
    findings.unknown('approval_policy', path, {
      says: 'It was decided by an emergency rule, which this verifier does not judge. A newer one does.',
    });
  }
  // People refuse whatever answer they have in mind: only the last one's is the decision's.
  const about = refused ? votes.slice(-1) : votes;
  findings.check(
    'approval_candidate',
    path,
    isNo(payload.decision) === refused &&
      votes.every((vote) => isNo(vote.payload.decision) === refused) &&
      about.every(
        (vote) =>
          vote.payload.candidate_id === payload.candidate_id &&
          vote.payload.candidate_digest === payload.candidate_digest &&
          vote.payload.response_digest === payload.response_digest &&
          vote.payload.decision === payload.decision,
      ),
  );
  findings.check('approval_times', path, last?.issuedAt === issuedAt);
  const seated = counted.every(({ said, vote }) => vote !== null && isSeated(said, vote));
  const filled = refused
    ? counted.length >= approval.policy.quorum.rejection.count
    : fillsAll(approval.policy.quorum, counted);
  findings.check('approval_seats', path, seated && filled);
  if (!refused) findings.check('approval_order', path, stagesFollow(counted));
}

/** Of a no, the stage is 0 and there is no group. */
function isSeated({ stage, group }: Counted['said'], { payload }: CheckedVote): boolean {
  if (payload.stage !== stage) return false;
  return isNo(payload.decision)
    ? stage === 0 && group === null
    : group !== null && payload.groups.includes(group);
}

/** Every seat of every stage once, each by another class. */
function fillsAll(
  {
    stages,
    distinct_by: distinctBy,
  }: ExtendedAuditExport['request']['approval']['policy']['quorum'],
  counted: readonly Counted[],
): boolean {
  const seats = stages.flatMap((stage, at) => seatsOf(stage).map((group) => `${at + 1} ${group}`));
  const filled = counted.map(({ said: { stage, group } }) => `${stage} ${group}`);
  const classes = counted.flatMap(({ vote }) =>
    vote === null ? [] : [classOf(voteOf(vote.payload, vote.digest), distinctBy)],
  );
  return (
    filled.sort().join('\n') === seats.sort().join('\n') && new Set(classes).size === classes.length
  );
}

function stagesFollow(counted: readonly Counted[]): boolean {
  const numbers = (of: number): number[] =>
    counted.flatMap(({ said, vote }) =>
      said.stage === of && vote !== null ? [vote.payload.number] : [],
    );
  return counted.every(
    ({ said, vote }) =>
      vote === null || numbers(said.stage - 1).every((number) => number < vote.payload.number),
  );
}

/** One seat for each person, none for whom the request excludes, and none for an author where authors do not count. */
function checkPeople(
  { findings }: VerifierContext,
  { request: { approval }, material }: ExtendedAuditExport,
  { quorum, receipt: { path }, counted }: Decided,
): void {
  const votes = counted.flatMap(({ vote }) => vote?.payload ?? []);
  const persons = votes.flatMap(({ person, acting_for }) =>
    acting_for === null ? [person] : [person, acting_for.person],
  );
  const authorsMay = approval.policy.quorum.author_may_approve || quorum.outcome === 'rejected';
  const author = material?.candidate?.reviewer;
  findings.check(
    'approval_people',
    path,
    new Set(persons).size === persons.length &&
      !persons.some((person) => approval.excluded.includes(person)) &&
      counted.every(
        ({ said, vote }) =>
          vote === null ||
          (vote.payload.person === said.person && vote.payload.reviewer === said.reviewer),
      ) &&
      (authorsMay || !votes.some(({ reviewer }) => reviewer === author)),
  );
  if (authorsMay || author !== undefined) return;
  findings.unknown('approval_people', path, {
    says: 'Whether the author of the answer is among those who counted cannot be seen any more: the answer is gone.',
    decisive: false,
  });
}

function checkInLedger(
  { findings }: VerifierContext,
  entries: readonly CheckedEntry[],
  receipt: CheckedReceipt,
  { approvals }: Quorum,
): void {
  const places = new Map(entries.map(({ recordDigest, sequence }) => [recordDigest, sequence]));
  const decided = places.get(receipt.digest);
  if (decided === undefined) {
    findings.unknown('approval_ledger', receipt.path, {
      says: 'The decision has no entry in the ledger yet.',
    });
    return;
  }
  const before = approvals.every(({ record }) => (places.get(record) ?? decided) < decided);
  findings.check('approval_ledger', receipt.path, before);
}
