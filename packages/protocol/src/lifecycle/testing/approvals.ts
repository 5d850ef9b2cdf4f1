import { NO_VOTES, cast, openStage } from '../../approval/index.js';
import type { Tally, Vote } from '../../approval/index.js';
import { quorumOf } from '../../approval/testing/voters.js';
import { Refusal } from '../../errors.js';
import { textDigest } from '../../json/index.js';
import { EXAMPLES } from '../../records/examples.js';
import type {
  DecisionCandidate,
  ExtendedDecisionReceipt,
  ExtendedDecisionRequest,
  QuorumPolicy,
} from '../../records/index.js';
import type * as lifecycle from '../index.js';
import type {
  ApprovalFacts,
  Draft,
  Lifecycle,
  Member,
  Transition,
  Voted,
  Voting,
} from '../index.js';
import { cells } from './situations.js';

/** The commands under test: the real ones, or some with a planted bug. */
export type ApprovalMachine = Pick<
  typeof lifecycle,
  'ballot' | 'count' | 'endVotes' | 'withdrawVote' | 'replaceCandidate' | 'refuseConfirmation'
>;

const NOW = Date.UTC(2026, 4, 1, 12);
const HOUR = 3_600_000;
const digestOf = (name: string) => textDigest(name);

export const PENDING: Lifecycle = {
  purpose: 'authorise_execution',
  decision: 'pending',
  audit: 'unanchored',
  grant: 'none',
  execution: 'unclaimed',
  revision: 1,
  invalidated: null,
  reviewDeadline: NOW + HOUR,
  grantDeadline: null,
  privateDeleteAt: NOW + 48 * HOUR,
  materialDeleted: false,
  remindedAt: null,
  claimed: false,
  outcomeRecorded: false,
  admissions: 0,
};
const DECIDED: Lifecycle = {
  ...PENDING,
  ...{ decision: 'confirmed', audit: 'anchored', grant: 'available', grantDeadline: NOW + HOUR },
};

/** Two stages: one of finance, then one of platform. */
const STAGES = quorumOf([{ finance: 1 }, { platform: 1 }], 'person');

interface Situation {
  readonly state: Lifecycle;
  readonly quorum: QuorumPolicy;
  /** Votes in their order, each a person of the group of that name, and whether it is a yes to the candidate. */
  readonly votes: readonly { readonly by: string; readonly yes?: boolean }[];
  /** The caller, by name: `fin-1` is of finance. */
  readonly caller: string;
  readonly excluded?: readonly string[];
  /** The author of the candidate. */
  readonly author?: string;
  readonly isGone?: boolean;
}

const collecting = { state: PENDING, quorum: STAGES, votes: [], caller: 'fin-1' };
const decidedByTwo = {
  ...collecting,
  ...{ state: DECIDED, votes: [{ by: 'fin-1' }, { by: 'plat-1' }] },
};

const SITUATIONS: Readonly<Record<string, Situation>> = {
  'open seat': collecting,
  'last seat': { ...collecting, votes: [{ by: 'fin-1' }], caller: 'plat-1' },
  'two noes are needed': {
    ...collecting,
    quorum: { ...STAGES, rejection: { count: 2 } },
  },
  'second of two noes': {
    ...collecting,
    quorum: { ...STAGES, rejection: { count: 2 } },
    votes: [{ by: 'plat-1', yes: false }],
  },
  'own vote': { ...collecting, votes: [{ by: 'fin-1' }] },
  'own vote of a complete stage': {
    ...collecting,
    quorum: quorumOf([{ finance: 1 }, { platform: 2 }], 'person'),
    votes: [{ by: 'fin-1' }, { by: 'plat-1' }],
  },
  'seat in a later stage': { ...collecting, caller: 'plat-1' },
  'seat in an earlier stage': { ...collecting, votes: [{ by: 'fin-2' }] },
  'no seat': { ...collecting, caller: 'legal-1' },
  excluded: { ...collecting, excluded: ['fin-1'] },
  'own candidate': {
    ...collecting,
    quorum: { ...STAGES, author_may_approve: false },
    author: 'fin-1',
  },
  'candidate gone': { ...collecting, isGone: true },
  'candidate of another purpose': { ...collecting, state: { ...PENDING, purpose: 'review' } },
  'deadline passed': { ...collecting, state: { ...PENDING, reviewDeadline: NOW } },
  'material gone': { ...collecting, state: { ...PENDING, materialDeleted: true } },
  cancelled: {
    ...collecting,
    state: { ...PENDING, decision: 'cancelled', invalidated: 'cancelled' },
  },
  'decided, vote counted': decidedByTwo,
  'decided, waiting for its anchor': {
    ...decidedByTwo,
    state: { ...DECIDED, audit: 'pending', grant: 'pending_anchor' },
  },
  'decided, vote counted, for good': {
    ...decidedByTwo,
    quorum: { ...STAGES, withdraw_after_completion: false },
  },
  'decided, without a vote': { ...decidedByTwo, caller: 'fin-2' },
  'decided, consumed': {
    ...decidedByTwo,
    state: { ...DECIDED, grant: 'consumed', execution: 'claimed', claimed: true },
  },
  'decided, grant over': { ...decidedByTwo, state: { ...DECIDED, grantDeadline: NOW } },
  'decided, invalidated': {
    ...decidedByTwo,
    state: { ...DECIDED, grant: 'revoked', invalidated: 'reviewer_removed' },
  },
};

/**
 * Protocol §18.4 and §18.7. `d:`, `a:`, `g:` and `m:` as in transitions.ts; `v:` how many live votes there are more or fewer;
 * `e:reason#number(votes)` an ApprovalEnded, `r:outcome(person group stage; …)` a receipt; `+reason` the event; `!code` a refusal.
 */
const TABLE = `
                                | approve                             | reject                                                   | withdraw                                             | replace own candidate                        | confirm
open seat                       | v:+1 +approval                      | v:+1 d:confirmed a:pending r:rejected(fin-1 - 0) +decision | !approval_unavailable                              | =                                            | !approval_required
last seat                       | v:+1 d:confirmed a:pending g:pending_anchor r:reached(fin-1 finance 1; plat-1 platform 2) +decision | v:+1 d:confirmed a:pending r:rejected(plat-1 - 0) +decision | !approval_unavailable | v:-1 e:candidate_replaced#2(1) +approval_ended | !approval_required
two noes are needed             | v:+1 +approval                      | v:+1 +approval                                           | !approval_unavailable                                | =                                            | !approval_required
second of two noes              | v:+1 +approval                      | v:+1 d:confirmed a:pending r:rejected(plat-1 - 0; fin-1 - 0) +decision | !approval_unavailable                  | =                                            | !approval_required
own vote                        | !approval_exists                    | !approval_exists                                         | v:-1 e:withdrawn#2(1) +approval_ended                | v:-1 e:candidate_replaced#2(1) +approval_ended | !approval_required
own vote of a complete stage    | !approval_exists                    | !approval_exists                                         | v:-2 e:withdrawn#3(1) e:earlier_stage_reopened#4(1) +approval_ended | v:-2 e:candidate_replaced#3(2) +approval_ended | !approval_required
seat in a later stage           | !stage_not_open                     | v:+1 d:confirmed a:pending r:rejected(plat-1 - 0) +decision | !approval_unavailable                             | =                                            | !approval_required
seat in an earlier stage        | !stage_not_open                     | v:+1 d:confirmed a:pending r:rejected(fin-1 - 0) +decision | !approval_unavailable                              | v:-1 e:candidate_replaced#2(1) +approval_ended | !approval_required
no seat                         | !reviewer_ineligible                | !reviewer_ineligible                                     | !approval_unavailable                                | =                                            | !approval_required
excluded                        | !separation_of_duties               | !separation_of_duties                                    | !separation_of_duties                                | !separation_of_duties                        | !separation_of_duties
own candidate                   | !separation_of_duties               | v:+1 d:confirmed a:pending r:rejected(fin-1 - 0) +decision | !approval_unavailable                              | =                                            | !approval_required
candidate gone                  | !candidate_changed                  | !candidate_changed                                       | !approval_unavailable                                | =                                            | !approval_required
candidate of another purpose    | !candidate_changed                  | !candidate_changed                                       | !approval_unavailable                                | =                                            | !approval_required
deadline passed                 | !request_not_pending                | !request_not_pending                                     | !request_not_pending                                 | !request_not_pending                         | !request_not_pending
material gone                   | !request_not_pending                | !request_not_pending                                     | !request_not_pending                                 | !request_not_pending                         | !request_not_pending
cancelled                       | !request_not_pending                | !request_not_pending                                     | !request_not_pending                                 | !request_not_pending                         | !request_not_pending
decided, vote counted           | !request_not_pending                | !request_not_pending                                     | g:revoked m:approval_withdrawn +approval_withdrawn   | !request_not_pending                         | !request_not_pending
decided, waiting for its anchor | !request_not_pending                | !request_not_pending                                     | g:revoked m:approval_withdrawn +approval_withdrawn   | !request_not_pending                         | !request_not_pending
decided, vote counted, for good | !request_not_pending                | !request_not_pending                                     | !approval_unavailable                                | !request_not_pending                         | !request_not_pending
decided, without a vote         | !request_not_pending                | !request_not_pending                                     | !approval_unavailable                                | !request_not_pending                         | !request_not_pending
decided, consumed               | !request_not_pending                | !request_not_pending                                     | !approval_unavailable                                | !request_not_pending                         | !request_not_pending
decided, grant over             | !request_not_pending                | !request_not_pending                                     | !approval_unavailable                                | !request_not_pending                         | !request_not_pending
decided, invalidated            | !request_not_pending                | !request_not_pending                                     | !request_not_pending                                 | !request_not_pending                         | !request_not_pending
`;

const [[, ...COLUMNS] = [], ...ROWS] = cells(TABLE);

/** Every cell that a machine does not act by, as a sentence. */
export function checkApprovals(machine: ApprovalMachine): string[] {
  return ROWS.flatMap(([name = '', ...wanted]) => {
    const situation = SITUATIONS[name];
    if (situation === undefined) return [`there is no situation ${name}`];
    return COLUMNS.flatMap((column, at) => {
      const found = resultOf(machine, situation, column);
      return found === wanted[at] ? [] : [`${name}, ${column}: ${found}, not ${wanted[at] ?? ''}`];
    });
  });
}

export const SITUATION_NAMES: readonly string[] = Object.keys(SITUATIONS);
export const ROW_NAMES: readonly string[] = ROWS.map(([name = '']) => name);

const GROUPS: Readonly<Record<string, string>> = {
  fin: 'finance',
  plat: 'platform',
  legal: 'legal',
};
const MEMBERSHIP = digestOf('membership');
export const memberOf = (name: string): Member => ({
  reviewer: name,
  person: digestOf(name),
  groups: [GROUPS[name.replace(/-\d$/, '')] ?? ''],
  team: null,
  membership: MEMBERSHIP,
});

const candidateOf = (decision: DecisionCandidate['decision']): DecisionCandidate => ({
  ...EXAMPLES.DecisionCandidate,
  decision,
});
const YES = { candidate: candidateOf('authorise'), candidateDigest: digestOf('the yes') };
const NO = { candidate: candidateOf('refuse'), candidateDigest: digestOf('the no') };

export function factsOf({
  quorum,
  excluded = [],
}: Pick<Situation, 'quorum' | 'excluded'>): ApprovalFacts {
  const example = EXAMPLES.ExtendedDecisionRequest;
  const request: ExtendedDecisionRequest = {
    ...example,
    approval: {
      ...example.approval,
      policy: { quorum },
      excluded: excluded.map((name) => digestOf(name)),
    },
  };
  return { id: request.id, request, digest: digestOf('the request') };
}

function votingOf({ quorum, votes }: Situation): Voting {
  let tally: Tally = NO_VOTES;
  for (const { by, yes = true } of votes) {
    const { person, groups, team } = memberOf(by);
    const { candidateDigest: candidate } = yes ? YES : NO;
    const stage = yes ? openStage(tally, candidate) : 0;
    const id = digestOf(`vote of ${by}`);
    const vote: Vote = {
      ...{ id, reviewer: by, person, forPerson: null, team, groups, candidate, yes, stage },
    };
    tally = cast(quorum, tally, vote);
  }
  return { tally, number: votes.length };
}

/** The effect of a command in the words of the table. */
function resultOf(machine: ApprovalMachine, situation: Situation, column: string): string {
  const { state, caller } = situation;
  const [about, voting, member] = [factsOf(situation), votingOf(situation), memberOf(caller)];
  try {
    return textOf(state, voting, run()) || '=';
  } catch (error) {
    if (error instanceof Refusal) return `!${error.code}`;
    // The tally counts nothing after the decision.
    if (error instanceof RangeError) return error.message;
    throw error;
  }

  function run(): Voted {
    if (column === 'withdraw') return machine.withdrawVote(state, about, voting, member, NOW);
    if (column === 'confirm') return machine.refuseConfirmation(state, about, member, NOW);
    if (column === 'replace own candidate') {
      return machine.replaceCandidate(state, about, voting, member, YES.candidateDigest, NOW);
    }
    const of = column === 'reject' ? NO : YES;
    const found = {
      ...of,
      candidate: situation.isGone === true ? null : of.candidate,
      authorPerson: digestOf(situation.author ?? 'somebody'),
    };
    const input = { candidate_id: of.candidate.id, candidate_digest: of.candidateDigest };
    const given = { id: EXAMPLES.ApprovalRecord.id, input, found };
    const made = machine.ballot(state, about, voting, member, given, NOW);
    const fits =
      made.record.number === voting.number + 1 &&
      made.record.candidate_digest === of.candidateDigest &&
      made.record.person === member.person &&
      made.record.policy_digest === about.request.approval.policy_digest;
    if (!fits) throw new Refusal('service_unavailable');
    return machine.count(made, digestOf(`vote of ${caller}`), about, voting, NOW);
  }
}

function textOf(before: Lifecycle, voting: Voting, { transition, tally }: Voted): string {
  const { next, records } = transition;
  const votes = tally.live.length - voting.tally.live.length;
  const moved = (['decision', 'audit', 'grant'] as const).flatMap((machine) =>
    next[machine] === before[machine] ? [] : [`${machine.charAt(0)}:${next[machine]}`],
  );
  const { invalidated } = next;
  return [
    ...(votes === 0 ? [] : [`v:${votes > 0 ? '+' : ''}${votes}`]),
    ...moved,
    ...(invalidated === before.invalidated ? [] : [`m:${invalidated ?? ''}`]),
    ...records.map((draft) => wordOf(draft, transition)),
  ].join(' ');
}

function wordOf(draft: Draft, { next }: Transition): string {
  switch (draft.type) {
    case 'ApprovalEnded': {
      const { reason, number, approvals } = draft.payload;
      return `e:${reason}#${number}(${approvals.length})`;
    }
    case 'DecisionReceipt': {
      const { quorum } = draft.payload as ExtendedDecisionReceipt;
      const people = quorum.approvals.map(
        ({ reviewer, group, stage }) => `${reviewer} ${group ?? '-'} ${stage}`,
      );
      return `r:${quorum.outcome}(${people.join('; ')})`;
    }
    case 'RequestChangedEvent':
      return draft.payload.revision === next.revision ? `+${draft.payload.reason}` : '+stale';
    default:
      return draft.type;
  }
}
