import { useState } from 'preact/hooks';

import { newKey, send } from '../api/client.js';
import { Button } from '../parts/Button.js';
import { Fault } from '../parts/Notice.js';
import { approvals as words } from '../strings/approvals.js';
import { decisionNames } from '../strings/states.js';
import { Moment } from '../time/Moment.js';
import type { BoardVote } from './seats.js';

/** The reader's own vote, and the way to take it back in two acts. */
export function OwnVote(props: {
  readonly id: string;
  readonly vote: BoardVote;
  readonly canWithdraw: boolean;
  /** After the decision it takes authority away. */
  readonly decided: boolean;
  readonly onWithdrawn: () => void;
}) {
  const { id, vote, canWithdraw, decided, onWithdrawn } = props;
  const [sure, setSure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<unknown>(null);
  const withdraw = async (key: string) => {
    setBusy(true);
    setFault(null);
    try {
      await send('POST', `/v2/requests/${id}/approvals/withdraw`, {}, { key });
      setSure(null);
      onWithdrawn();
    } catch (failed) {
      setFault(failed);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="own-vote no-print">
      <p>
        {words.yourVote}: <strong>{decisionNames[vote.decision]?.doing ?? vote.decision}</strong>{' '}
        <span class="fine">
          <Moment at={vote.approved_at} />
        </span>
      </p>
      {fault !== null && <Fault fault={fault} />}
      {canWithdraw &&
        (sure === null ? (
          // One key for one intended effect, however often it is pressed.
          <Button onClick={() => setSure(newKey())}>{words.withdraw}</Button>
        ) : (
          <>
            <p id="withdraw-sure">{decided ? words.withdrawAfter : words.withdrawSure}</p>
            <div class="row">
              <Button
                look="danger"
                busy={busy}
                describedBy="withdraw-sure"
                onClick={() => void withdraw(sure)}
              >
                {busy ? words.withdrawing : words.withdrawYes}
              </Button>
              <Button disabled={busy} onClick={() => setSure(null)}>
                {words.withdrawNo}
              </Button>
            </div>
          </>
        ))}
    </div>
  );
}
