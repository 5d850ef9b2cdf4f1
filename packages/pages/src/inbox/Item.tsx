import type { RequestListItem } from '@countersign/protocol';

import { Button } from '../parts/Button.js';
import type { Tone } from '../parts/Chip.js';
import { Chip } from '../parts/Chip.js';
import { inbox } from '../strings/inbox.js';
import { auditWords, decisionWords, executionWords, grantWords } from '../strings/states.js';
import { SafeText } from '../text/SafeText.js';
import { Moment } from '../time/Moment.js';
import type { Origins } from './selection.js';

export interface ItemProps {
  readonly item: RequestListItem;
  readonly origins: Origins | undefined;
  readonly me: string;
  readonly onReceipt: () => void;
}

/** One request of the list. */
export function Item({ item, origins, me, onReceipt }: ItemProps) {
  const pending = item.decision === 'pending';
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
        <p class="row">
          {chips(item, me).map(({ word, tone }) => (
            <Chip key={word} tone={tone}>
              {word}
            </Chip>
          ))}
        </p>
        {pending ? (
          <Moment at={item.deadline} as="deadline" />
        ) : (
          item.decision === 'confirmed' && (
            <Button look="quiet" label={inbox.receiptOf(item.summary)} onClick={onReceipt}>
              {inbox.receipt}
            </Button>
          )
        )}
      </div>
    </li>
  );
}

interface Word {
  readonly word: string;
  readonly tone: Tone;
}

/** The states that tell a reviewer something, most important first. */
function chips(item: RequestListItem, me: string): Word[] {
  const { decision, audit, grant, execution, assignment } = item;
  if (decision === 'pending') {
    if (assignment === null) return [];
    return assignment.reviewer === me
      ? [{ word: inbox.takenByMe, tone: 'accent' }]
      : [{ word: `${assignment.reviewer} ${inbox.takenBy}`, tone: 'neutral' }];
  }
  const words: Word[] = [decisionWords[decision]];
  if (decision !== 'confirmed') return words;
  if (audit !== 'anchored') words.push(auditWords[audit]);
  if (grant === 'consumed') words.push(executionWords[execution]);
  else if (grant !== 'not_applicable') words.push(grantWords[grant]);
  return words;
}
