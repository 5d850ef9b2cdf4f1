import type pg from 'pg';
import {
  canonicalText,
  countedIn,
  faultOf,
  isExtended,
  personsOf,
  seatCount,
  tallyOf,
  valueDigest,
  voteOf,
} from '@countersign/protocol';
import type {
  ApprovalEnded,
  ApprovalRecord,
  DecisionRequest,
  Digest,
  ExtendedDecisionRequest,
  KeptVote,
  Quorum,
  RecordName,
  RequestChangedEvent,
} from '@countersign/protocol';
import { keyed } from '../request-row.js';
import type { PlacedRecord } from './rebuild.js';
import type { FsckFault } from './report.js';

// The votes of a request that several people decide (protocol §18.4): counted again from its records, compared with the tables.

/** A vote as a row of `approval` has it. */
interface VoteRow {
  readonly id: string;
  readonly number: number;
  readonly candidate_id: string;
  readonly candidate_digest: string;
  readonly decision: string;
  readonly reviewer: string;
  readonly person: string;
  readonly for_person: string | null;
  readonly stage: number;
  readonly groups: readonly string[];
  readonly team: string | null;
  readonly mode: string;
  readonly state: string;
  readonly seat_group: string | null;
  readonly record_id: string;
  readonly record_digest: string;
  readonly approved_at: number;
  readonly ended_at: number | null;
  readonly ended_number: number | null;
  readonly ended_reason: string | null;
}

/** The rows of one request. */
export interface KeptVotes {
  /** Of its lifecycle; null where one person decides. */
  readonly approvalsNeeded: number | null;
  readonly votes: readonly VoteRow[];
  /** Each person that a vote uses up, with the vote's id. */
  readonly persons: readonly (readonly [person: string, vote: string])[];
  /** Null where there is no row. */
  readonly quorum: {
    readonly needed: number;
    readonly number: number;
    readonly receiptId: string | null;
    readonly isUnreachable: boolean;
  } | null;
  /** Digests of the records that are kept for its votes, recomputed. */
  readonly evidence: readonly string[];
}

const MILLISECONDS = (column: string) => `floor(extract(epoch FROM ${column}) * 1000)::float8`;

const VOTES = `SELECT k.id AS request_id, q.needed, q.number, q.receipt_id, q.unreachable_at IS NOT NULL AS unreachable,
    (SELECT coalesce(json_agg(row_to_json(v) ORDER BY v.number), '[]') FROM (
      SELECT a.id, a.number, a.candidate_id, a.candidate_digest, a.decision, a.reviewer, a.person, a.for_person, a.stage, a.groups,
        a.team, a.mode, a.state, a.seat_group, a.record_id, a.record_digest, ${MILLISECONDS('a.approved_at')} AS approved_at,
        ${MILLISECONDS('a.ended_at')} AS ended_at, a.ended_number, a.ended_reason
      FROM approval a WHERE a.tenant = $1 AND a.request_id = k.id
    ) v) AS votes,
    (SELECT coalesce(json_agg(json_build_array(p.person, p.approval_id) ORDER BY p.person COLLATE "C"), '[]') FROM approval_person p
      WHERE p.tenant = $1 AND p.request_id = k.id) AS persons,
    ARRAY(SELECT 'sha256:' || encode(sha256(convert_to(e.record, 'UTF8')), 'hex') FROM request_evidence e
      WHERE e.tenant = $1 AND e.request_id = k.id) AS evidence
  FROM unnest($2::uuid[]) AS k (id) ${keyed('quorum_state', 'q', 'x.request_id = k.id')}`;

interface Row {
  request_id: string;
  needed: number | null;
  number: number;
  receipt_id: string | null;
  unreachable: boolean;
  votes: VoteRow[];
  persons: [string, string][];
  evidence: string[];
}

/** The rows of those of these requests that several people decide, by request. */
export async function keptVotes(
  client: pg.ClientBase,
  tenant: string,
  requests: readonly { readonly request_id: string; readonly approvals_needed: number | null }[],
): Promise<Map<string, KeptVotes>> {
  const needed = new Map(
    requests.flatMap(({ request_id, approvals_needed }) =>
      approvals_needed === null ? [] : [[request_id, approvals_needed]],
    ),
  );
  if (needed.size === 0) return new Map();
  const values = [tenant, [...needed.keys()]];
  const { rows } = await client.query<Row>({ name: 'fsck.votes', text: VOTES, values });
  return new Map(
    rows.map((row) => [
      row.request_id,
      {
        approvalsNeeded: needed.get(row.request_id) ?? null,
        votes: row.votes,
        persons: row.persons,
        quorum:
          row.needed === null
            ? null
            : {
                ...{ needed: row.needed, number: row.number, receiptId: row.receipt_id },
                isUnreachable: row.unreachable,
              },
        evidence: row.evidence,
      },
    ]),
  );
}

/** The faults of the votes of a request. `kept` is undefined where its lifecycle says that one person decides. */
export function faultsOfVotes(
  request: DecisionRequest,
  records: readonly PlacedRecord[],
  kept: KeptVotes | undefined,
): FsckFault[] {
  if (!isExtended(request.profiles)) return kept === undefined ? [] : ['quorum_differs'];
  if (kept === undefined) return ['quorum_differs'];
  const { quorum } = (request as ExtendedDecisionRequest).approval.policy;
  const told = toldBy(records);
  const checks: readonly [FsckFault, boolean][] = [
    ['record_form', told.areFormed],
    ['vote_numbers', told.numbers.every((number, at) => number === at + 1)],
    ['vote_differs', canonicalText(told.votes) === canonicalText(kept.votes)],
    ['vote_differs', canonicalText(told.persons) === canonicalText(kept.persons)],
    [
      'quorum_differs',
      canonicalText(kept.quorum) ===
        canonicalText({
          ...{ needed: seatCount(quorum), number: told.numbers.length },
          ...{ receiptId: told.receipt?.id ?? null, isUnreachable: told.isUnreachable },
        }) && kept.approvalsNeeded === seatCount(quorum),
    ],
    ['quorum_differs', decides(quorum, told)],
    ['vote_evidence', told.cited.every((digest) => kept.evidence.includes(digest))],
  ];
  return [...new Set(checks.flatMap(([fault, holds]) => (holds ? [] : [fault])))];
}

const SHAPES: Readonly<Record<string, RecordName>> = {
  ApprovalRecord: 'ApprovalRecord',
  ApprovalEnded: 'ApprovalEnded',
  DecisionReceipt: 'ExtendedDecisionReceipt',
};

type Told = ReturnType<typeof toldBy>;

/** The rows that the records of a request lead to. */
function toldBy(records: readonly PlacedRecord[]) {
  const endings = new Map<string, ApprovalEnded>();
  const numbers: number[] = [];
  const given: { placed: PlacedRecord; vote: ApprovalRecord; digest: Digest }[] = [];
  const receipts: { id: string; quorum: Quorum | undefined }[] = [];
  let isUnreachable = false;
  let areFormed = true;
  for (const placed of records) {
    const { payload, protected: header } = placed.record;
    const shape = SHAPES[header.type];
    if (shape !== undefined && faultOf(shape, payload) !== null) {
      areFormed = false;
      continue;
    }
    if (header.type === 'ApprovalRecord') {
      const vote = payload as unknown as ApprovalRecord;
      numbers.push(vote.number);
      given.push({ placed, vote, digest: valueDigest(placed.record) });
    } else if (header.type === 'ApprovalEnded') {
      const ended = payload as unknown as ApprovalEnded;
      numbers.push(ended.number);
      for (const digest of ended.approvals) endings.set(digest, ended);
    } else if (header.type === 'DecisionReceipt') {
      receipts.push({ id: placed.id, quorum: (payload as { quorum?: Quorum }).quorum });
    } else if (header.type === 'RequestChangedEvent') {
      const { reason } = payload as unknown as RequestChangedEvent;
      isUnreachable ||= reason === 'quorum_unreachable';
    }
  }
  const receipt = receipts[0] ?? null;
  const counted = new Map(receipt?.quorum?.approvals.map(({ record, group }) => [record, group]));
  const votes = given
    .sort((one, other) => one.vote.number - other.vote.number)
    .map(({ placed, vote, digest }): VoteRow => {
      const ending = endings.get(digest);
      const { id, number, candidate_id, candidate_digest, decision, reviewer, person } = vote;
      const { acting_for, stage, groups, team, mode } = vote;
      return {
        ...{ id, number, candidate_id, candidate_digest, decision, reviewer, person },
        ...{ for_person: acting_for?.person ?? null, stage, groups, team, mode },
        state: ending !== undefined ? 'ended' : counted.has(digest) ? 'counted' : 'live',
        seat_group: counted.get(digest) ?? null,
        ...{ record_id: placed.id, record_digest: digest },
        approved_at: Date.parse(vote.approved_at),
        ended_at: ending === undefined ? null : Date.parse(ending.ended_at),
        ended_number: ending?.number ?? null,
        ended_reason: ending?.reason ?? null,
      };
    });
  const tallied: KeptVote[] = given.map(({ vote, digest }) => ({
    vote: voteOf(vote, digest),
    number: vote.number,
    endedNumber: endings.get(digest)?.number ?? null,
  }));
  const persons = tallied
    .filter(({ endedNumber }) => endedNumber === null)
    .flatMap(({ vote }) => {
      const { id } = given.find(({ digest }) => digest === vote.id)?.vote ?? { id: '' };
      return personsOf(vote).map((person) => [person, id] as const);
    })
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    ...{ votes, tallied, persons, receipt, isUnreachable, areFormed },
    numbers: numbers.sort((one, other) => one - other),
    /** Records without a request: memberships, and the keys that signed. */
    cited: given.flatMap(({ vote }) => [
      vote.membership,
      ...(vote.human === null ? [] : [vote.human.bound]),
    ]),
  };
}

/** Whether the votes, counted again, decide as the receipt says, or leave the request open where there is none. */
function decides(
  quorum: ExtendedDecisionRequest['approval']['policy']['quorum'],
  { tallied, receipt }: Told,
): boolean {
  try {
    const tally = tallyOf(quorum, tallied);
    if (receipt === null) return tally.phase === 'collecting';
    return (
      tally.phase === receipt.quorum?.outcome &&
      canonicalText(countedIn(tally)) === canonicalText(receipt.quorum.approvals)
    );
  } catch (error) {
    // A vote or an ending stands behind the decision.
    if (error instanceof RangeError) return false;
    throw error;
  }
}
