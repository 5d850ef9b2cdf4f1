import type { ApprovalBoard, InboxPerson } from '@countersign/protocol';

import { PersonName } from '../history/PersonName.js';
import { Chip } from '../parts/Chip.js';
import type { Tone } from '../parts/Chip.js';
import { approvals as words } from '../strings/approvals.js';
import { decisionNames } from '../strings/states.js';
import { Pieces } from '../text/SafeText.js';
import { Moment } from '../time/Moment.js';
import type { BoardVote } from './seats.js';

const TONES: Readonly<Record<BoardVote['state'], Tone>> = {
  live: 'accent',
  counted: 'good',
  ended: 'neutral',
  lapsed: 'neutral',
};

/** Every vote in its order: who, what, for whose answer, and whether it still stands. */
export function Votes(props: {
  readonly board: ApprovalBoard;
  readonly person: (id: string) => InboxPerson;
}) {
  const { board, person } = props;
  if (board.votes.length === 0) return <p class="quiet-text">{words.noVotesYet}</p>;
  const authors = new Map(
    board.candidates.map(({ candidate_digest, author }) => [candidate_digest, author]),
  );
  return (
    <ol class="votes" aria-label={words.votes}>
      {board.votes.map((vote) => {
        const author = authors.get(vote.candidate_digest);
        const ended = vote.ended_reason;
        return (
          <li key={vote.approval}>
            <span class="vote-words">
              <PersonName of={person(vote.reviewer)} />
              {': '}
              {decisionNames[vote.decision]?.doing ?? vote.decision}
              {author !== undefined && (
                <span class="fine">
                  {' '}
                  <Pieces text={words.voteOn(person(author).name ?? author)} />
                </span>
              )}
            </span>
            <Chip tone={TONES[vote.state]}>{words.voteStates[vote.state] ?? vote.state}</Chip>
            <span class="fine">
              <Moment at={vote.approved_at} />
              {ended !== null && <Pieces text={` · ${words.endedReasons[ended] ?? ended}`} />}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
