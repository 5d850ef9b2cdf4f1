import type {
  ApprovalBoard,
  DecisionCandidate,
  RequestHistory,
  RequestStatus,
} from '@countersign/protocol';
import { useEffect, useRef, useState } from 'preact/hooks';

import { isRefusal } from '../api/client.js';
import type { Problem } from '../api/problem.js';
import { Unanswered } from '../api/problem.js';
import { personIn } from '../history/history.js';
import type { MaterialHead } from '../material/messages.js';
import type { MaterialStore } from '../material/material.js';
import { Button } from '../parts/Button.js';
import { Fault, Notice } from '../parts/Notice.js';
import { Waiting } from '../parts/Waiting.js';
import { lazily } from '../parts/lazily.js';
import { AnswerForm } from '../review/AnswerForm.js';
import { Panel } from '../review/Panel.js';
import type { ProposalSlot, SlotState } from '../review/proposal-slot.js';
import { approvals as words } from '../strings/approvals.js';
import { review } from '../strings/review.js';
import { decisionNames } from '../strings/states.js';
import './approval.css';
import { BoardCard } from './BoardCard.js';
import type { FrozenApproval } from './frozen-policy.js';
import { OwnVote } from './OwnVote.js';
import { barredFrom, isNo, ownVoteIn } from './seats.js';
import type { BoardCandidate } from './seats.js';
import type { SignsVote } from './vote-slot.js';
import { useBoard } from './use-board.js';
import { useVote } from './use-vote.js';
import { WhyNot, reasonOf } from './WhyNot.js';

// Of requests whose policy asks for keys of people.
const { Component: VoteKey } = lazily(async () => (await import('../keys/VoteKey.js')).VoteKey);
const { Component: KeyFaultNotice } = lazily(
  async () => (await import('../keys/KeyFaultNotice.js')).KeyFaultNotice,
);

export interface ApprovalPartProps {
  readonly approval: FrozenApproval;
  readonly status: RequestStatus;
  readonly history: RequestHistory;
  readonly head: MaterialHead;
  readonly store: MaterialStore;
  readonly slot: ProposalSlot;
  readonly state: SlotState;
  readonly subject: string;
  readonly earlier: string | null;
  readonly refresh: () => void;
}

/** The part of the page that signs has not come. */
const notYet: SignsVote = () => Promise.reject(new Unanswered('nothing signs here yet'));

type Said =
  | { readonly kind: 'voted'; readonly decision: string }
  | { readonly kind: 'withdrawn' }
  | { readonly kind: 'refused'; readonly problem: Problem }
  | { readonly kind: 'differs' };

/**
 * The decision of several people while it is open: the answers and votes of all, and one person's way to a vote. An answer is frozen as
 * for one person (protocol §12.6); a vote on it, or on another person's, takes the place of the confirmation (protocol §18.7).
 */
export function ApprovalPart(props: ApprovalPartProps) {
  const { approval, status, history, head, slot, state, subject, refresh } = props;
  const { request, revision } = status;
  const { quorum, human_key: keyPolicy } = approval.policy;
  const signer = useRef<SignsVote>(notYet);
  const live = useBoard(request.id, revision);
  const { board } = live;
  const [said, setSaid] = useState<Said | null>(null);
  const vote = useVote({
    requestId: request.id,
    requestDigest: head.requestDigest.promised,
    signs: keyPolicy ? signer : null,
    onVoted: ({ approval: { payload } }) => {
      setSaid({ kind: 'voted', decision: (payload as { decision: string }).decision });
      lookAgain();
    },
    onRefused: (problem) => {
      setSaid({ kind: 'refused', problem });
      lookAgain();
    },
  });
  const lookAgain = () => {
    live.refresh();
    refresh();
  };
  const person = (id: string) => personIn(history, id);
  const own = board && ownVoteIn(board, subject);
  const mayVoteFor = ({ decision }: { readonly decision: string }) =>
    own === null && (quorum.author_may_approve || isNo(decision));
  useFrozenAnswer({ slot, state, vote: vote.slot, mayVoteFor, known: board !== null, lookAgain });

  if (board === null) {
    if (live.fault !== null) return <Fault fault={live.fault} retry={live.refresh} />;
    return <Waiting says={words.loading} lines={8} />;
  }
  const open = async (candidate: BoardCandidate) => {
    setSaid(null);
    if (candidate.candidate === null) return;
    const source = { kind: 'colleague', author: person(candidate.author) } as const;
    const same = await vote.slot?.open(candidate.candidate, candidate.candidate_digest, source);
    if (same === false) setSaid({ kind: 'differs' });
  };
  const reading = vote.state.step !== 'free';
  // Where there are answers to vote on, deciding begins with them.
  const begins = board.candidates.length > 0 && !reading;
  const ownPart = begins ? 'own-part' : 'decide';
  const act = (candidate: BoardCandidate) => {
    if (own !== null || reading) return null;
    const bars = barredFrom(candidate, board.mine, quorum, subject);
    if (bars !== null) return bars === board.mine?.why_not ? null : <p>{reasonOf(bars)}</p>;
    if (candidate.candidate === null) return null;
    return (
      <Button onClick={() => void open(candidate)}>
        {isNo(candidate.decision) ? words.confirmNo : words.approveThis}
      </Button>
    );
  };
  return (
    <>
      <BoardCard
        board={board}
        quorum={quorum}
        schema={head.schema}
        person={person}
        act={act}
        decides={begins}
      />
      <section class={begins ? 'card' : 'card decide'} aria-labelledby={ownPart}>
        <h2 id={ownPart}>{review.yourAnswer}</h2>
        {said !== null && !reading && <Said of={said} />}
        {live.fault !== null && <Fault fault={live.fault} retry={live.refresh} />}
        {vote.slot !== null && vote.state.step !== 'free' ? (
          // Another candidate is another panel: a tick for one never appears beside the next.
          <Panel
            key={vote.state.frozen.digest}
            slot={vote.slot}
            state={vote.state}
            request={head.request}
            schema={head.schema}
            history={history}
            words={keyPolicy ? { ...words.panel, ...words.withKey } : words.panel}
            promised={words.digestMatches}
            {...(keyPolicy && { explain: (fault: unknown) => <KeyFaultNotice fault={fault} /> })}
          >
            {keyPolicy && (
              <VoteKey
                policy={keyPolicy}
                request={head.request}
                requestDigest={head.requestDigest.promised}
                onSigner={(signs) => void (signer.current = signs)}
              />
            )}
          </Panel>
        ) : own !== null ? (
          <OwnVote
            id={request.id}
            vote={own}
            canWithdraw={board.mine?.can.includes('withdraw') === true}
            decided={false}
            onWithdrawn={() => {
              setSaid({ kind: 'withdrawn' });
              lookAgain();
            }}
          />
        ) : (
          <Answering {...props} board={board} />
        )}
      </section>
    </>
  );
}

/**
 * An answer that this page froze goes to the panel at once; one of an earlier visit is among the answers of the board, and is opened
 * from there.
 */
function useFrozenAnswer(props: {
  readonly slot: ProposalSlot;
  readonly state: SlotState;
  readonly vote: ReturnType<typeof useVote>['slot'];
  readonly mayVoteFor: (candidate: DecisionCandidate) => boolean;
  /** The votes have been read. */
  readonly known: boolean;
  readonly lookAgain: () => void;
}) {
  const { slot, state, vote, mayVoteFor, known, lookAgain } = props;
  const frozen = state.step === 'reviewing' ? state.frozen : null;
  const shown = useRef<string | null>(null);
  useEffect(() => {
    if (frozen === null || vote === null || !known) return;
    const { candidate, digest, source } = frozen;
    const isNew = source.kind !== 'earlier' && shown.current !== digest;
    shown.current = digest;
    // The slot of proposals is free again for another answer.
    slot.withdraw(source.kind);
    if (!isNew) return;
    lookAgain();
    if (mayVoteFor(candidate)) void vote.open(candidate, digest, source);
  }, [frozen, vote, known]);
}

function Said({ of }: { of: Said }) {
  if (of.kind === 'voted') {
    return (
      <Notice tone="good" arrive>
        <p>{words.voted(decisionNames[of.decision]?.doing ?? of.decision)}</p>
      </Notice>
    );
  }
  if (of.kind === 'withdrawn') {
    return (
      <Notice tone="good" arrive>
        <p>{words.withdrawn}</p>
      </Notice>
    );
  }
  if (of.kind === 'differs') {
    return (
      <Notice tone="bad" arrive>
        <p>{words.wrongDigest}</p>
      </Notice>
    );
  }
  return (
    <>
      <Notice tone="warning" title={words.refusedTitle} arrive>
        {isRefusal(of.problem, 'candidate_changed') && <p>{words.overtaken}</p>}
        <p>{words.refused}</p>
      </Notice>
      <Fault fault={of.problem} />
    </>
  );
}

/** The form, for those who may answer; behind two equal buttons where there are answers to vote on already. */
function Answering(props: ApprovalPartProps & { readonly board: ApprovalBoard }) {
  const { approval, status, head, store, slot, state, subject, earlier, board } = props;
  const [wish, setWish] = useState<'no' | 'any' | null>(null);
  const { mine, candidates } = board;
  const can = mine?.can ?? [];
  const mayAnswer = can.includes('approve') || can.includes('reject');
  const why = mine?.why_not ?? null;
  const ready = candidates.find(({ author }) => author === subject);
  const waitsForOthers =
    ready !== undefined && !isNo(ready.decision) && !approval.policy.quorum.author_may_approve;
  const refuses = status.request.purpose === 'review' ? 'reject' : 'refuse';
  const open = candidates.length === 0 || wish !== null || state.step === 'preparing';
  return (
    <>
      {ready && (
        <Notice tone="info" {...(waitsForOthers && { title: words.othersApprove })}>
          <p>{waitsForOthers ? words.othersApproveLead : words.prepared}</p>
        </Notice>
      )}
      {why !== null && !waitsForOthers && <WhyNot code={why} canRefuse={mayAnswer} />}
      {mayAnswer && !open && (
        <div class="row no-print">
          <Button onClick={() => setWish('no')}>{words.sayNo}</Button>
          <Button onClick={() => setWish('any')}>{words.another}</Button>
        </div>
      )}
      {mayAnswer && open && ready && <p class="fine">{words.replaces}</p>}
      {mayAnswer && open && (state.step === 'free' || state.step === 'preparing') && (
        <AnswerForm
          key={wish}
          request={head.request}
          schema={head.schema}
          store={store}
          slot={slot}
          state={state}
          subject={subject}
          earlier={earlier}
          {...(wish === 'no' && { chosen: refuses })}
        />
      )}
    </>
  );
}
