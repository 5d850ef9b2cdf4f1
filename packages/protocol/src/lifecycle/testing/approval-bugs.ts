import { Refusal } from '../../errors.js';
import type { ErrorCode } from '../../errors.js';
import { EXAMPLES } from '../../records/examples.js';
import type { ExtendedDecisionReceipt, QuorumPolicy } from '../../records/index.js';
import * as lifecycle from '../index.js';
import type { ApprovalFacts, Draft, Voted } from '../index.js';
import type { ApprovalMachine } from './approvals.js';

/** Commands of approvals that are wrong in one way. */
export interface ApprovalBug {
  readonly name: string;
  readonly machine: ApprovalMachine;
}

const { ballot, count, endVotes, withdrawVote, replaceCandidate, refuseConfirmation } = lifecycle;
const REAL: ApprovalMachine = {
  ...{ ballot, count, endVotes, withdrawVote, replaceCandidate, refuseConfirmation },
};
const bug = (name: string, changed: Partial<ApprovalMachine>): ApprovalBug => ({
  name,
  machine: { ...REAL, ...changed },
});

const GONE = EXAMPLES.DecisionCandidate;

function refuse(code: ErrorCode): never {
  throw new Refusal(code);
}

const nobodyExcluded = <Facts extends ApprovalFacts>(about: Facts): Facts => ({
  ...about,
  request: { ...about.request, approval: { ...about.request.approval, excluded: [] } },
});

function withQuorum(about: ApprovalFacts, changed: Partial<QuorumPolicy>): ApprovalFacts {
  const { request } = about;
  const { approval } = request;
  const policy = { ...approval.policy, quorum: { ...approval.policy.quorum, ...changed } };
  return { ...about, request: { ...request, approval: { ...approval, policy } } };
}

function withDrafts(voted: Voted, change: (draft: Draft) => Draft[]): Voted {
  const { transition } = voted;
  return {
    ...voted,
    transition: { ...transition, records: transition.records.flatMap(change) },
  };
}

export const APPROVAL_BUGS: readonly ApprovalBug[] = [
  bug('ballot: an excluded person', {
    ballot: (state, about, ...rest) => ballot(state, nobodyExcluded(about), ...rest),
  }),
  bug('ballot: an author who may not approve', {
    ballot: (state, about, ...rest) =>
      ballot(state, withQuorum(about, { author_may_approve: true }), ...rest),
  }),
  bug('ballot: an author may not even refuse', {
    ballot: (state, about, voting, member, given, now) => {
      const isAuthor = given.found.authorPerson === member.person;
      const { author_may_approve: allowed } = about.request.approval.policy.quorum;
      if (isAuthor && !allowed) return refuse('separation_of_duties');
      return ballot(state, about, voting, member, given, now);
    },
  }),
  bug('ballot: a person twice', {
    ballot: (state, about, { tally, number }, member, ...rest) => {
      const live = tally.live.filter(({ person }) => person !== member.person);
      return ballot(state, about, { number, tally: { ...tally, live } }, member, ...rest);
    },
  }),
  bug('ballot: at the deadline', {
    ballot: (state, about, voting, member, given, now) =>
      ballot(state, about, voting, member, given, now - 1),
  }),
  bug('ballot: after the decision', {
    ballot: (state, ...rest) =>
      ballot(state.decision === 'confirmed' ? { ...state, decision: 'pending' } : state, ...rest),
  }),
  bug('ballot: a stage that is not open', {
    ballot: (state, about, voting, member, given, now) => {
      const { stages } = about.request.approval.policy.quorum;
      const joined = [{ name: 'all', seats: stages.flatMap(({ seats }) => seats) }];
      const none = { ...voting.tally, complete: new Map() };
      return ballot(
        state,
        withQuorum(about, { stages: joined }),
        { ...voting, tally: none },
        member,
        given,
        now,
      );
    },
  }),
  bug('ballot: a person without a seat', {
    ballot: (state, about, voting, member, ...rest) =>
      ballot(state, about, voting, { ...member, groups: ['finance', 'platform'] }, ...rest),
  }),
  bug('ballot: a candidate that is gone', {
    ballot: (state, about, voting, member, given, now) => {
      const { found } = given;
      const candidate = found.candidate ?? { ...GONE, id: given.input.candidate_id };
      return ballot(
        state,
        about,
        voting,
        member,
        { ...given, found: { ...found, candidate } },
        now,
      );
    },
  }),
  bug('ballot: a candidate of another purpose', {
    ballot: (state, ...rest) => ballot({ ...state, purpose: 'authorise_execution' }, ...rest),
  }),
  bug('ballot: a number twice', {
    ballot: (state, about, voting, ...rest) =>
      ballot(state, about, { ...voting, number: voting.number - 1 }, ...rest),
  }),
  bug('count: a no as a yes', {
    count: (made, digest, about, voting, now) => {
      const yes = made.record.decision === 'refuse' ? { decision: 'authorise' as const } : {};
      return count({ ...made, record: { ...made.record, ...yes } }, digest, about, voting, now);
    },
  }),
  bug('count: one vote too early', {
    count: (made, digest, about, voting, now) => {
      const { stages } = about.request.approval.policy.quorum;
      const first = stages.length > 1 ? stages.slice(0, -1) : stages;
      return count(made, digest, withQuorum(about, { stages: first }), voting, now);
    },
  }),
  bug('count: one no too few', {
    count: (made, digest, about, ...rest) => {
      const needed = about.request.approval.policy.quorum.rejection.count;
      const fewer = { rejection: { count: Math.max(1, needed - 1) } };
      return count(made, digest, withQuorum(about, fewer), ...rest);
    },
  }),
  bug('count: one no too many', {
    count: (made, digest, about, ...rest) => {
      const needed = about.request.approval.policy.quorum.rejection.count;
      return count(made, digest, withQuorum(about, { rejection: { count: needed + 1 } }), ...rest);
    },
  }),
  bug('count: a refusal opens a grant', {
    count: (...given) => {
      const voted = count(...given);
      const { next } = voted.transition;
      if (next.decision !== 'confirmed') return voted;
      const transition = {
        ...voted.transition,
        next: { ...next, grant: 'pending_anchor' as const },
      };
      return { ...voted, transition };
    },
  }),
  bug('count: no receipt', {
    count: (...given) =>
      withDrafts(count(...given), (draft) => (draft.type === 'DecisionReceipt' ? [] : [draft])),
  }),
  bug('count: a receipt with the last vote alone', {
    count: (...given) =>
      withDrafts(count(...given), (draft) => {
        if (draft.type !== 'DecisionReceipt') return [draft];
        const payload = draft.payload as ExtendedDecisionReceipt;
        const { quorum } = payload;
        const last = { ...quorum, approvals: quorum.approvals.slice(-1) };
        const shorter: ExtendedDecisionReceipt = { ...payload, quorum: last };
        return [{ ...draft, payload: shorter }];
      }),
  }),
  bug('count: an event beside the decision', {
    count: (...given) => {
      const voted = count(...given);
      return { ...voted, transition: lifecycle.step(voted.transition, 'approval', {}) };
    },
  }),
  bug('count: forgets the vote', {
    count: (made, digest, about, voting, now) => ({
      ...count(made, digest, about, voting, now),
      tally: voting.tally,
    }),
  }),
  bug('withdrawVote: after the claim', {
    withdrawVote: (state, ...rest) =>
      withdrawVote(state.grant === 'consumed' ? { ...state, grant: 'available' } : state, ...rest),
  }),
  bug('withdrawVote: against the policy', {
    withdrawVote: (state, about, ...rest) =>
      withdrawVote(state, withQuorum(about, { withdraw_after_completion: true }), ...rest),
  }),
  bug('withdrawVote: by a person who did not count', {
    withdrawVote: (state, about, voting, member, now) => {
      const [first] = voting.tally.counted;
      const person = (first?.vote.person ?? member.person) as typeof member.person;
      return withdrawVote(state, about, voting, { ...member, person }, now);
    },
  }),
  bug('withdrawVote: of an excluded person', {
    withdrawVote: (state, about, ...rest) => withdrawVote(state, nobodyExcluded(about), ...rest),
  }),
  bug('withdrawVote: leaves the votes of later stages', {
    withdrawVote: (state, about, voting, member, now) => {
      const { live } = voting.tally;
      const later = live.filter(({ stage }) => stage > 1);
      const kept = { ...voting.tally, live: live.filter(({ stage }) => stage <= 1) };
      const voted = withdrawVote(state, about, { ...voting, tally: kept }, member, now);
      return { ...voted, tally: { ...voted.tally, live: [...voted.tally.live, ...later] } };
    },
  }),
  bug('replaceCandidate: keeps its votes', {
    replaceCandidate: (state, about, voting, member, _, now) =>
      replaceCandidate(state, about, voting, member, null, now),
  }),
  bug('replaceCandidate: ends one of its votes', {
    replaceCandidate: (state, about, voting, member, replaced, now) => {
      const live = voting.tally.live.slice(0, 1);
      return replaceCandidate(
        state,
        about,
        { ...voting, tally: { ...voting.tally, live } },
        member,
        replaced,
        now,
      );
    },
  }),
  bug('replaceCandidate: skips a number', {
    replaceCandidate: (state, about, voting, ...rest) =>
      replaceCandidate(state, about, { ...voting, number: voting.number + 1 }, ...rest),
  }),
  bug('refuseConfirmation: says that it is too late', {
    refuseConfirmation: () => refuse('request_not_pending'),
  }),
  bug('refuseConfirmation: says it after the decision', {
    refuseConfirmation: (state, about, member, now) =>
      refuseConfirmation(
        state.decision === 'confirmed' ? { ...state, decision: 'pending' } : state,
        about,
        member,
        now,
      ),
  }),
];
