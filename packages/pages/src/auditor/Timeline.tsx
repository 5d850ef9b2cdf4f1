import type { TimelineStep } from '@countersign/protocol';
import { useState } from 'preact/hooks';

import { Button } from '../parts/Button.js';
import { Chip } from '../parts/Chip.js';
import { auditor } from '../strings/auditor.js';
import { shared } from '../strings/shared.js';
import { SafeText } from '../text/SafeText.js';
import { Moment } from '../time/Moment.js';
import type { Part } from '../verifying/messages.js';

const AT_ONCE = 200;

/** The events in the order of time, each with its record. */
export function Timeline(props: {
  readonly timeline: readonly TimelineStep[];
  readonly part: (path: string) => Promise<Part>;
}) {
  const { timeline, part } = props;
  const [most, setMost] = useState(AT_ONCE);
  return (
    <section class="card">
      <h2>{auditor.timeline}</h2>
      {timeline.length === 0 && <p class="quiet-text">{auditor.noTimeline}</p>}
      <ol class="timeline">
        {timeline.slice(0, most).map((step, place) => (
          <li key={`${step.path} ${place}`} class={step.proven ? 'proven' : 'unproven'}>
            <p class="timeline-time">
              <Moment at={step.at} />
              <Chip tone={step.proven ? 'good' : 'bad'}>
                {step.proven ? auditor.proven : auditor.unproven}
              </Chip>
            </p>
            <p>
              <SafeText text={step.says} limit={2_000} />
            </p>
            {step.path !== '' && <RecordOf path={step.path} part={part} />}
          </li>
        ))}
      </ol>
      {timeline.length > most && (
        <Button onClick={() => setMost(most + AT_ONCE)}>{shared.showMore}</Button>
      )}
    </section>
  );
}

/** The exact record, read from the file on demand. */
function RecordOf({ path, part }: { path: string; part: (path: string) => Promise<Part> }) {
  const [text, setText] = useState<string | null>(null);
  const open = async () => {
    if (text === null) setText((await part(path)).text ?? '');
  };
  return (
    <details onToggle={({ currentTarget }) => currentTarget.open && void open()}>
      <summary>{auditor.record}</summary>
      {text !== null && (
        <pre tabIndex={0} aria-label={auditor.record}>
          <SafeText text={text} limit={20_000} />
        </pre>
      )}
    </details>
  );
}
