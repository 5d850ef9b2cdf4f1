import type { RequestListItem } from '@countersign/protocol';

import { Button } from '../parts/Button.js';
import type { Tone } from '../parts/Chip.js';
import { Chip } from '../parts/Chip.js';
import { inbox } from '../strings/inbox.js';
import {
  auditWords,
  decisionNames,
  decisionWords,
  executionWords,
  grantWords,
} from '../strings/states.js';
import { SafeText } from '../text/SafeText.js';
import { Moment } from '../time/Moment.js';
import type { Origins, Outcome } from './selection.js';

export interface ItemProps {
  readonly item: RequestListItem;
  readonly origins: Origins | undefined;
  readonly me: string;
  readonly onReceipt: () => void;
}

/** One request of the list. */
export function Item({ item, origins, me, onReceipt }: ItemProps) {
  const pending = item.decision === 'pending';
  const words = chips(item, origins, me);
  return (
    <li class="request">
      <div class="request-main">
        <a class="request-link" href={`/review/${encodeURIComponent(item.id)}`}>
          <SafeText text={item.summary} limit={300} />
        </a>
        <p class="fine request-origin">
          {item.execution === 'not_applicable' ? inbox.review : inbox.execution}
          {origins && (
            <>
              {' · '}
              <SafeText text={origins.producer} />
              {' · '}
              <SafeText text={origins.route} />
            </>
          )}
        </p>
      </div>
      <div class="request-side">
        {words.length > 0 && (
          <p class="row">
            {words.map(({ word, tone }) => (
              <Chip key={word} tone={tone}>
                {word}
              </Chip>
            ))}
          </p>
        )}
        {pending ? (
          <Moment at={item.deadline} as="deadline" />
        ) : (
          item.decision === 'confirmed' && (
            <>
              {origins?.outcome && <Decided outcome={origins.outcome} me={me} />}
              <Button look="quiet" label={inbox.receiptOf(item.summary)} onClick={onReceipt}>
                {inbox.receipt}
              </Button>
            </>
          )
        )}
      </div>
    </li>
  );
}

/** Who decided, and when. */
function Decided({ outcome, me }: { outcome: Outcome; me: string }) {
  return (
    <p class="fine request-decided">
      {outcome.reviewer === me ? (
        inbox.decidedByMe
      ) : (
        <>
          {inbox.decidedBy} <SafeText text={outcome.reviewer} />
        </>
      )}
      {' · '}
      <Moment at={outcome.confirmed_at} />
    </p>
  );
}

interface Word {
  readonly word: string;
  readonly tone: Tone;
}

/** The states that tell a reviewer something, most important first. */
function chips(item: RequestListItem, origins: Origins | undefined, me: string): Word[] {
  const { decision, audit, grant, execution, assignment } = item;
  if (decision === 'pending') {
    if (assignment === null) return [];
    return assignment.reviewer === me
      ? [{ word: inbox.takenByMe, tone: 'accent' }]
      : [{ word: `${assignment.reviewer} ${inbox.takenBy}`, tone: 'neutral' }];
  }
  if (decision !== 'confirmed') return [decisionWords[decision]];
  const named = decisionNames[origins?.outcome?.decision ?? ''];
  // Until the outcome is read, nothing is coloured as good.
  const words: Word[] = [
    named
      ? { word: named.doing, tone: named.tone }
      : { ...decisionWords[decision], tone: 'neutral' },
  ];
  if (audit !== 'anchored') words.push(auditWords[audit]);
  if (grant === 'consumed') words.push(executionWords[execution]);
  else if (grant !== 'not_applicable') words.push(grantWords[grant]);
  return words;
}
