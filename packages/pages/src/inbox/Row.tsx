import type { InboxItem, InboxPerson } from '@countersign/protocol';

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
import { Pieces, SafeText } from '../text/SafeText.js';
import { localTime } from '../time/Moment.js';
import { urgency } from '../time/urgency.js';
import { spanInBrief, spanInWords } from '../strings/time.js';
import type { Todo } from './use-todo.js';

export interface RowProps {
  readonly item: InboxItem;
  readonly me: string;
  readonly now: number;
  /** Of a request that several people decide. */
  readonly todo: Todo | undefined;
  readonly place: number;
  readonly of: number;
  readonly selected: boolean;
  readonly onSelect: (() => void) | null;
  readonly onFocus: () => void;
  readonly onOpen: () => void;
  readonly onReceipt: () => void;
}

/** One request of the list, on one line where there is room. */
export function Row(props: RowProps) {
  const { item, me, now, todo, place, of, selected, onSelect, onFocus, onOpen, onReceipt } = props;
  return (
    <li
      class={selected ? 'request selected' : 'request'}
      aria-setsize={of}
      aria-posinset={place + 1}
      data-id={item.id}
    >
      {onSelect && (
        <span class="request-select">
          <input
            type="checkbox"
            aria-label={inbox.select(item.summary)}
            checked={selected}
            onChange={onSelect}
          />
        </span>
      )}
      <span
        class={`request-kind ${item.purpose}`}
        title={item.purpose === 'review' ? inbox.review : inbox.execution}
      >
        <span aria-hidden="true">{inbox.kinds[item.purpose] ?? ''}</span>
        <span class="unseen">
          {item.purpose === 'review' ? inbox.review : inbox.execution}
          {': '}
        </span>
      </span>
      <a
        class="request-link"
        href={`/review/${encodeURIComponent(item.id)}`}
        title={item.summary}
        onFocus={onFocus}
        onClick={onOpen}
      >
        <bdi>
          <Pieces text={item.summary} />
        </bdi>
      </a>
      <span class="request-origin">
        <Name of={item.producer} /> <span aria-hidden="true">·</span> <SafeText text={item.route} />
      </span>
      <span class="request-side">
        {item.decision === 'pending' ? (
          <Waiting item={item} me={me} now={now} todo={todo} />
        ) : (
          <Over item={item} me={me} now={now} onReceipt={onReceipt} />
        )}
      </span>
    </li>
  );
}

function Name({ of }: { of: InboxPerson }) {
  return (
    <span title={of.id}>
      <SafeText text={of.name ?? of.id} limit={80} />
    </span>
  );
}

function asksOf({ mine, can_act }: Todo): keyof typeof inbox.votes {
  if (mine !== null) return 'voted';
  return can_act ? 'open' : 'none';
}

function Waiting({ item, me, now, todo }: Pick<RowProps, 'item' | 'me' | 'now' | 'todo'>) {
  const deadline = Date.parse(item.deadline);
  const left = deadline - now;
  const holder = item.assignment?.reviewer;
  return (
    <>
      {todo && (
        <Chip tone={todo.can_act ? 'accent' : 'neutral'}>
          {inbox.votes[asksOf(todo)](todo.filled, todo.needed)}
        </Chip>
      )}
      {item.frozen && !todo && <Chip tone="warning">{inbox.frozen}</Chip>}
      {holder && (
        <Chip tone={holder.id === me ? 'accent' : 'neutral'}>
          {holder.id === me ? (
            inbox.youAre
          ) : (
            <Pieces text={inbox.takenBy(holder.name ?? holder.id)} />
          )}
        </Chip>
      )}
      <time
        class={`request-left ${urgency(left)}`}
        dateTime={item.deadline}
        title={inbox.decideUntil(localTime(deadline))}
      >
        <span aria-hidden="true">{left > 0 ? spanInBrief(left) : inbox.overdue}</span>
        <span class="unseen">{left > 0 ? inbox.left(spanInWords(left)) : inbox.overdue}</span>
      </time>
    </>
  );
}

function Over(props: { item: InboxItem; me: string; now: number; onReceipt: () => void }) {
  const { item, me, now, onReceipt } = props;
  const { outcome } = item;
  const at = outcome?.confirmed_at ?? item.deadline;
  return (
    <>
      {chips(item).map(({ word, tone }) => (
        <Chip key={word} tone={tone}>
          {word}
        </Chip>
      ))}
      {outcome && (
        <span class="request-decided">
          {outcome.reviewer.id === me ? inbox.you : <Name of={outcome.reviewer} />}
        </span>
      )}
      {outcome && (
        <time class="request-left calm" dateTime={at} title={localTime(Date.parse(at))}>
          {inbox.ago(spanInBrief(now - Date.parse(at)))}
        </time>
      )}
      {item.decision === 'confirmed' && (
        <Button look="quiet" label={inbox.receiptOf(item.summary)} onClick={onReceipt}>
          {inbox.receipt}
        </Button>
      )}
    </>
  );
}

interface Word {
  readonly word: string;
  readonly tone: Tone;
}

/** The states that tell a reviewer something, most important first. */
function chips({ decision, audit, grant, execution, outcome }: InboxItem): Word[] {
  if (decision !== 'confirmed') return [decisionWords[decision]];
  const named = decisionNames[outcome?.decision ?? ''];
  // Without its outcome, nothing is coloured as good.
  const words: Word[] = [
    named
      ? { word: named.doing, tone: named.tone }
      : { ...decisionWords[decision], tone: 'neutral' },
  ];
  if (audit !== 'anchored') words.push(auditWords[audit]);
  if (grant === 'consumed') words.push(executionWords[execution]);
  else if (outcome?.decision === 'authorise') words.push(grantWords[grant]);
  return words;
}
