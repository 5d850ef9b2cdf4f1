import { LinkButton } from '../parts/Button.js';
import type { Place, Queue, Queued } from '../queue/queue.js';
import { knownQueue, placeIn } from '../queue/queue.js';
import { review } from '../strings/review.js';
import { Pieces } from '../text/SafeText.js';
import { now } from '../time/clock.js';
import { spanInBrief } from '../strings/time.js';

/** The ways from a review to its neighbours in the list, and back to it. */
export interface Ways {
  readonly back: string;
  readonly place: Place | null;
}

export function waysOf(queue: Queue | null, id: string): Ways {
  return { back: `/inbox${queue?.address ?? ''}`, place: queue && placeIn(queue, id, now()) };
}

export const addressOf = ({ id }: Queued): string => `/review/${encodeURIComponent(id)}`;

export function QueueBar({ id }: { id: string }) {
  const { back, place } = waysOf(knownQueue(), id);
  return (
    <nav class="queue no-print" aria-label={review.queue}>
      <a href={back}>{review.backToList}</a>
      {place && (
        <span class="queue-place">
          <span class="fine">{review.placeOf(place.at + 1, place.of)}</span>
          <Way to={place.before} words={review.previousRequest} sign="←" />
          <Way to={place.after} words={review.nextRequest} sign="→" />
        </span>
      )}
    </nav>
  );
}

function Way({ to, words, sign }: { to: Queued | null; words: string; sign: string }) {
  if (to === null) return <span class="queue-end">{words}</span>;
  return (
    <a href={addressOf(to)} title={to.summary}>
      {words} <span aria-hidden="true">{sign}</span>
    </a>
  );
}

/** After a decision: the next request of the list that is still open. */
export function NextReview({ id }: { id: string }) {
  const { back, place } = waysOf(knownQueue(), id);
  const next = place?.open;
  return (
    <div class="next-review no-print">
      {next ? (
        <LinkButton look="primary" href={addressOf(next)}>
          <span class="next-words">
            {review.nextIs} <Pieces text={next.summary.slice(0, 120)} />{' '}
            {review.leftIn(spanInBrief(Date.parse(next.deadline) - now()))}
          </span>
        </LinkButton>
      ) : (
        place && <p class="fine">{review.listDone}</p>
      )}
      <LinkButton look="quiet" href={back}>
        {review.backToList}
      </LinkButton>
    </div>
  );
}
