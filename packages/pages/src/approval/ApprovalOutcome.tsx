import type { ExtendedDecisionReceipt, RequestHistory, RequestStatus } from '@countersign/protocol';
import { useEffect } from 'preact/hooks';

import type { AnswerMaterial } from '../answer/Answer.js';
import { personIn } from '../history/history.js';
import { Fault } from '../parts/Notice.js';
import { dropDraft } from '../review/draft-store.js';
import { Outcome } from '../review/Outcome.js';
import { approvals as words } from '../strings/approvals.js';
import './approval.css';
import { Decided } from './Decided.js';
import type { FrozenApproval } from './frozen-policy.js';
import { OwnVote } from './OwnVote.js';
import { SaveVotes } from './SaveVotes.js';
import { ownVoteIn } from './seats.js';
import { useBoard } from './use-board.js';
import { Votes } from './Votes.js';

/** The end of a request of several people: the receipt as ever, who decided for which seat, and every vote. */
export function ApprovalOutcome(props: {
  readonly approval: FrozenApproval;
  readonly status: RequestStatus;
  readonly stale: boolean;
  readonly subject: string;
  readonly material: AnswerMaterial | null | undefined;
  readonly history: RequestHistory;
  /** It ended while the reader was here. */
  readonly arrive: boolean;
  readonly refresh: () => void;
}) {
  const { approval, status, stale, subject, material, history, arrive, refresh } = props;
  const { request, receipt, revision } = status;
  const { board, fault, refresh: lookAgain } = useBoard(request.id, revision);
  const said = receipt?.payload as unknown as ExtendedDecisionReceipt | undefined;
  const person = (id: string) => personIn(history, id);
  const own = board && ownVoteIn(board, subject);
  useEffect(() => {
    if (receipt !== null) dropDraft(subject, request.id);
  }, [receipt === null]);
  // The signed answer may be another person's: every voter reads it on the board.
  const signed = board?.candidates.find(
    ({ candidate_digest }) => candidate_digest === said?.candidate_digest,
  )?.candidate;
  return (
    <>
      <Outcome
        status={status}
        stale={stale}
        subject={subject}
        material={material && signed ? { ...material, candidate: signed } : material}
        history={history}
        arrive={arrive}
        several
      />
      <section class="card board" aria-labelledby="board">
        <h2 id="board">{receipt === null ? words.endedTitle : words.title}</h2>
        {said !== undefined && (
          <Decided receipt={said} quorum={approval.policy.quorum} person={person} />
        )}
        {fault !== null && <Fault fault={fault} retry={lookAgain} />}
        {board !== null && (
          <>
            <h3>{words.votes}</h3>
            <Votes board={board} person={person} />
          </>
        )}
        {own !== null && (
          <OwnVote
            id={request.id}
            vote={own}
            canWithdraw={board?.mine?.can.includes('withdraw') === true}
            decided
            onWithdrawn={() => {
              lookAgain();
              refresh();
            }}
          />
        )}
        {board !== null && board.votes.length > 0 && <SaveVotes id={request.id} />}
      </section>
    </>
  );
}
