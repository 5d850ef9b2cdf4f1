import type { ExtendedDecisionReceipt, InboxPerson, RoutePolicy } from '@countersign/protocol';

import { PersonName } from '../history/PersonName.js';
import { approvals as words } from '../strings/approvals.js';
import { Pieces } from '../text/SafeText.js';

/** The people whom a receipt counts, each with the seat of the vote (protocol §18.6). */
export function Decided(props: {
  readonly receipt: ExtendedDecisionReceipt;
  readonly quorum: RoutePolicy['quorum'];
  readonly person: (id: string) => InboxPerson;
}) {
  const { receipt, quorum, person } = props;
  const { outcome, approvals } = receipt.quorum;
  return (
    <>
      <h3>{outcome === 'rejected' ? words.refusedBy : words.decidedBy}</h3>
      <ul class="deciders">
        {approvals.map(({ record, reviewer, group, stage }) => (
          <li key={record}>
            <PersonName of={person(reviewer)} />{' '}
            <span class="fine">
              <Pieces
                text={
                  group === null
                    ? words.forNo
                    : words.forSeat(group, words.stage(stage, quorum.stages[stage - 1]?.name ?? ''))
                }
              />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
