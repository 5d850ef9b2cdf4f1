import type { InboxPerson, RoutePolicy } from '@countersign/protocol';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

import { Fields } from '../answer/Answer.js';
import { PersonName } from '../history/PersonName.js';
import { Chip } from '../parts/Chip.js';
import { Digest } from '../parts/Digest.js';
import { approvals as words } from '../strings/approvals.js';
import { review } from '../strings/review.js';
import { decisionNames } from '../strings/states.js';
import { Seats } from './Seats.js';
import type { BoardCandidate } from './seats.js';
import { isNo, tallyOf } from './seats.js';

/** One answer that people vote on: its author and decision, how far it is, and what the reader may do about it. */
export function Candidate(props: {
  readonly of: BoardCandidate;
  readonly quorum: RoutePolicy['quorum'];
  /** Live noes, over all answers. */
  readonly rejections: number;
  /** Undefined where it is not known: the answer shows without its titles. */
  readonly schema: unknown;
  readonly person: (id: string) => InboxPerson;
  readonly children?: ComponentChildren;
}) {
  const { of, quorum, rejections, schema, person, children } = props;
  const { author, candidate, candidate_digest, decision, seats, open_stage } = of;
  const id = useId();
  const named = decisionNames[decision];
  const [filled, all] = isNo(decision) ? [rejections, quorum.rejection.count] : tallyOf(seats);
  return (
    <section class="candidate" aria-labelledby={id}>
      <h4 id={id}>
        <span class="quiet-text">{words.answerBy}</span> <PersonName of={person(author)} />
      </h4>
      <p class="row chips">
        <Chip tone={named?.tone ?? 'neutral'}>{named?.word ?? decision}</Chip>
        <strong class="tally">
          {isNo(decision) ? words.noVotes(filled, all) : words.filled(filled, all)}
        </strong>
      </p>
      {!isNo(decision) && <Seats quorum={quorum} seats={seats} open={open_stage} person={person} />}
      {candidate === null ? (
        <p class="fine">{words.notShown}</p>
      ) : (
        <details class="more">
          <summary>{words.readAnswer}</summary>
          <div class="answered">
            <Fields response={candidate.response} schema={schema} />
          </div>
          <p class="fine">
            {review.panelCandidateDigest}: <Digest value={candidate_digest} />
          </p>
        </details>
      )}
      {children}
    </section>
  );
}
