import type { ApprovalBoard, InboxPerson, RoutePolicy } from '@countersign/protocol';
import type { ComponentChildren } from 'preact';

import { Chip } from '../parts/Chip.js';
import { Notice } from '../parts/Notice.js';
import { approvals as words } from '../strings/approvals.js';
import { Pieces } from '../text/SafeText.js';
import './approval.css';
import { Candidate } from './Candidate.js';
import { Needs } from './Needs.js';
import { Seats } from './Seats.js';
import { openSeatsOf } from './seats.js';
import type { BoardCandidate } from './seats.js';
import { Votes } from './Votes.js';

/** Where the decision of several people stands: the rule, the answers side by side with their seats, and the votes. */
export function BoardCard(props: {
  readonly board: ApprovalBoard;
  readonly quorum: RoutePolicy['quorum'];
  readonly schema: unknown;
  readonly person: (id: string) => InboxPerson;
  /** What the reader may do about an answer. */
  readonly act?: (candidate: BoardCandidate) => ComponentChildren;
  /** Deciding begins here: the link and the key to the decision lead to it. */
  readonly decides?: boolean;
}) {
  const { board, quorum, schema, person, act, decides = false } = props;
  const id = decides ? 'decide' : 'board';
  const { candidates, phase, reachable, rejections } = board;
  return (
    <section class={decides ? 'card board decide' : 'card board'} aria-labelledby={id}>
      <h2 id={id} tabIndex={decides ? -1 : undefined}>
        {words.title}
      </h2>
      <p class="row chips" role="status">
        <Chip tone={phase === 'reached' ? 'good' : phase === 'collecting' ? 'accent' : 'neutral'}>
          {words.phases[phase] ?? phase}
        </Chip>
      </p>
      <Needs quorum={quorum} />
      {phase === 'collecting' && !reachable && <Unreachable board={board} quorum={quorum} />}
      <h3>{words.candidates}</h3>
      {candidates.length === 0 ? (
        <>
          <p class="quiet-text">{words.noCandidates}</p>
          <Seats quorum={quorum} seats={openSeatsOf(quorum)} open={1} person={person} />
        </>
      ) : (
        <div class="candidates">
          {candidates.map((candidate) => (
            <Candidate
              key={candidate.candidate_digest}
              of={candidate}
              quorum={quorum}
              rejections={rejections}
              schema={schema}
              person={person}
            >
              {act?.(candidate)}
            </Candidate>
          ))}
        </div>
      )}
      <h3>{words.votes}</h3>
      <Votes board={board} person={person} />
    </section>
  );
}

function Unreachable(props: { board: ApprovalBoard; quorum: RoutePolicy['quorum'] }) {
  const { board, quorum } = props;
  return (
    <Notice tone="warning" title={words.unreachable}>
      <ul>
        {board.short_of.map(({ stage, group, needed, eligible }) => (
          <li key={`${stage} ${group}`}>
            <Pieces
              text={words.shortOf(
                group,
                needed,
                eligible,
                words.stage(stage, quorum.stages[stage - 1]?.name ?? ''),
              )}
            />
          </li>
        ))}
      </ul>
      <p>{words.unreachableLead}</p>
    </Notice>
  );
}
