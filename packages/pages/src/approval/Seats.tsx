import type { InboxPerson, RoutePolicy } from '@countersign/protocol';

import { PersonName } from '../history/PersonName.js';
import { Chip } from '../parts/Chip.js';
import { approvals as words } from '../strings/approvals.js';
import { Pieces, SafeText } from '../text/SafeText.js';
import { byStage, tallyOf } from './seats.js';
import type { Seat } from './seats.js';

/** Every seat by its stage: the group, and the person who fills it. */
export function Seats(props: {
  readonly quorum: RoutePolicy['quorum'];
  readonly seats: readonly Seat[];
  /** From 1; null once all stages are complete. */
  readonly open: number | null;
  readonly person: (id: string) => InboxPerson;
}) {
  const { quorum, seats, open, person } = props;
  return (
    <>
      {byStage(quorum, seats).map(({ name, seats: own }, at) => (
        <div key={name} class="seats">
          <p class="seats-stage">
            <span>
              <Pieces text={words.stage(at + 1, name)} />
            </span>{' '}
            <span class="fine">
              {words.filled(...tallyOf(own))}, {stateOf(at + 1, open)}
            </span>
          </p>
          <ul>
            {own.map(({ group, filled_by }, place) => (
              <li key={place}>
                <SafeText text={group} limit={80} />
                {filled_by === null ? (
                  <Chip tone="neutral">{words.openSeat}</Chip>
                ) : (
                  <span class="seat-person">
                    <PersonName of={person(filled_by)} />
                  </span>
                )}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </>
  );
}

function stateOf(stage: number, open: number | null): string {
  if (open === null || stage < open) return words.stageDone;
  return stage === open ? words.stageOpen : words.stageLater;
}
