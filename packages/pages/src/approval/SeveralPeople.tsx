import type { RequestHistory, RequestStatus } from '@countersign/protocol';
import type { ComponentChildren } from 'preact';

import type { AnswerMaterial } from '../answer/Answer.js';
import { Notice } from '../parts/Notice.js';
import type { MaterialState } from '../review/material-state.js';
import { differs } from '../review/material-state.js';
import type { ProposalSlot, SlotState } from '../review/proposal-slot.js';
import { review } from '../strings/review.js';
import { ApprovalOutcome } from './ApprovalOutcome.js';
import { ApprovalPart } from './ApprovalPart.js';
import { approvalOf } from './frozen-policy.js';
import { ReadBoard } from './ReadBoard.js';

/**
 * The part of a review in which several people decide. It is one file for all of its states: a first view names every file that it may
 * load later (decisions/0038).
 */
export function SeveralPeople(props: {
  readonly status: RequestStatus;
  readonly history: RequestHistory;
  readonly material: MaterialState;
  readonly answer: AnswerMaterial | null | undefined;
  readonly slot: ProposalSlot | null;
  readonly state: SlotState;
  readonly subject: string;
  readonly earlier: string | null;
  readonly stale: boolean;
  /** The request was open while the reader was here. */
  readonly arrive: boolean;
  readonly refresh: () => void;
  /** For a reader who does not decide: said below the votes. Undefined while that is not known. */
  readonly children: ComponentChildren;
}) {
  const { status, history, material, answer, slot, children, ...rest } = props;
  const approval = approvalOf(status.request);
  if (approval === null) return null;
  if (status.decision_state !== 'pending') {
    const { stale, subject, arrive, refresh } = rest;
    return (
      <ApprovalOutcome
        {...{ approval, status, history, stale, subject, arrive, refresh }}
        material={answer}
      />
    );
  }
  const { head, store } = material;
  if (!head || !store || !slot || children === undefined) return null;
  if (children !== null) {
    return (
      <>
        <ReadBoard status={status} history={history} schema={head.schema} />
        {children}
      </>
    );
  }
  if (differs(head)) {
    return (
      <Notice tone="bad" title={review.differsTitle}>
        <p>{review.differs}</p>
      </Notice>
    );
  }
  const { state, subject, earlier, refresh } = rest;
  return (
    <ApprovalPart
      {...{ approval, status, history, head, store, slot, state, subject, earlier, refresh }}
    />
  );
}
