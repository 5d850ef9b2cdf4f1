import type { RequestHistory, RequestStatus } from '@countersign/protocol';

import { personIn } from '../history/history.js';
import { Fault } from '../parts/Notice.js';
import { BoardCard } from './BoardCard.js';
import { approvalOf } from './frozen-policy.js';
import { useBoard } from './use-board.js';

/** The votes of a request for a reader who gives none. */
export function ReadBoard(props: {
  readonly status: RequestStatus;
  readonly history: RequestHistory;
  readonly schema: unknown;
}) {
  const { status, history, schema } = props;
  const { request, revision } = status;
  const approval = approvalOf(request);
  const { board, fault, refresh } = useBoard(request.id, revision);
  if (approval === null) return null;
  if (board === null) return fault === null ? null : <Fault fault={fault} retry={refresh} />;
  const person = (id: string) => personIn(history, id);
  return (
    <BoardCard board={board} quorum={approval.policy.quorum} schema={schema} person={person} />
  );
}
