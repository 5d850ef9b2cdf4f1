import type { RoutePolicy } from '@countersign/protocol';

import { approvals as words } from '../strings/approvals.js';
import { Pieces } from '../text/SafeText.js';

type Quorum = RoutePolicy['quorum'];

/** The rule of a decision in words: the seats, their order, and how many noes end it. */
export function Needs({ quorum }: { quorum: Quorum }) {
  const { stages, distinct_by, rejection } = quorum;
  return (
    <>
      {stages.length === 1 ? (
        <p>
          <Pieces text={words.needs(seatsIn(stages[0] as Stage))} />
        </p>
      ) : (
        <>
          <p>{words.needsInOrder}</p>
          <ol class="needs">
            {stages.map((stage) => (
              <li key={stage.name}>
                <Pieces text={`${stage.name}: ${seatsIn(stage)}`} />
              </li>
            ))}
          </ol>
        </>
      )}
      <p class="fine">
        {distinct_by === 'team' ? words.teams : words.persons} {words.rejection(rejection.count)}
      </p>
    </>
  );
}

type Stage = Quorum['stages'][number];

function seatsIn({ seats }: Stage): string {
  return seats.map(({ count, group }) => words.seatsOf(count, group)).join(words.and);
}
