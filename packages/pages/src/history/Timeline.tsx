import type { HistoryStep, RequestHistory } from '@countersign/protocol';

import { history as words } from '../strings/history.js';
import { Pieces } from '../text/SafeText.js';
import { Moment } from '../time/Moment.js';
import './timeline.css';

/** The steps of one request, for everybody who may see it. */
export function Timeline({ history: { steps, more } }: { history: RequestHistory }) {
  return (
    <section class="card history-card" aria-labelledby="history">
      <h2 id="history">{words.title}</h2>
      {more && <p class="fine">{words.more}</p>}
      <ol class="timeline" aria-label={words.listLabel}>
        {steps.map((step, at) => (
          <Step key={at} of={step} />
        ))}
      </ol>
    </section>
  );
}

function Step({ of: { step, at, by, word } }: { of: HistoryStep }) {
  const says = words.steps[step];
  if (!says) return null;
  return (
    <li class={step === 'decided' ? 'timeline-step main' : 'timeline-step'}>
      <span class="timeline-words">
        <Pieces text={says(by && (by.name ?? by.id), word)} />
      </span>
      <Moment at={at} />
    </li>
  );
}
