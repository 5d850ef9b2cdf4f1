import type { RequestListItem, RequestStatus } from '@countersign/protocol';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { read } from '../api/client.js';
import { Button } from '../parts/Button.js';
import { Dialog } from '../parts/Dialog.js';
import { Fault, Notice } from '../parts/Notice.js';
import { saveJson } from '../parts/save.js';
import { reader } from '../session/session.js';
import { inbox } from '../strings/inbox.js';
import { decisionWords } from '../strings/states.js';
import { Filters } from './Filters.js';
import { Item } from './Item.js';
import { useInbox, useOrigins } from './lists.js';
import type { Choice, Tab } from './selection.js';
import { NO_CHOICE, selected } from './selection.js';

const TABS: readonly Tab[] = ['mine', 'waiting', 'decided'];

function tabOfAddress(): Tab {
  const name = location.hash.slice(1);
  return TABS.find((tab) => tab === name) ?? 'waiting';
}

/** The waiting requests of this reviewer, and the outcome of the others. */
export function InboxPage() {
  const me = reader()?.subject ?? '';
  const [choice, setChoice] = useState<Choice>({ tab: tabOfAddress(), ...NO_CHOICE });
  const { items, fault, more, loadMore, refresh } = useInbox(choice.tab);
  const origins = useOrigins(items);
  const shown = useMemo(
    () => selected(items ?? [], choice, origins, me),
    [items, choice, origins, me],
  );
  const [help, setHelp] = useState(false);
  const list = useRef<HTMLOListElement>(null);
  const search = useRef<HTMLInputElement>(null);

  const open = (tab: Tab) => {
    setChoice({ ...choice, tab, state: '', by: '' });
    history.replaceState(null, '', `#${tab}`);
  };

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const steps: Readonly<Record<string, () => void>> = {
        j: () => step(list.current, 1),
        k: () => step(list.current, -1),
        '/': () => search.current?.focus(),
        '?': () => setHelp(true),
        1: () => open('mine'),
        2: () => open('waiting'),
        3: () => open('decided'),
      };
      const act = Object.hasOwn(steps, event.key) ? steps[event.key] : undefined;
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });

  const filtered = choice.text + choice.state + choice.by + choice.route + choice.producer !== '';
  return (
    <>
      <div class="row apart title-row">
        <div>
          <h1>{inbox.title}</h1>
          <p class="lead">{inbox.lead}</p>
        </div>
        <Button look="quiet" onClick={() => setHelp(true)}>
          <kbd>?</kbd> {inbox.help}
        </Button>
      </div>
      <nav class="tabs" aria-label={inbox.tabsLabel}>
        {TABS.map((tab) => (
          <a
            key={tab}
            href={`#${tab}`}
            aria-current={choice.tab === tab ? 'true' : undefined}
            onClick={(event) => {
              event.preventDefault();
              open(tab);
            }}
          >
            {inbox.tabs[tab]}
          </a>
        ))}
      </nav>
      <Filters
        choice={choice}
        onChange={setChoice}
        origins={origins}
        items={items ?? []}
        search={search}
      />
      {fault !== null &&
        (items === null ? (
          <Fault fault={fault} retry={refresh} />
        ) : (
          <Notice tone="warning">
            <p>{inbox.stale}</p>
          </Notice>
        ))}
      {items === null && fault === null && (
        <p class="card waiting" role="status">
          {inbox.loading}
        </p>
      )}
      {items !== null && shown.length === 0 && (
        <Nothing
          words={filtered ? inbox.noMatch : (inbox.empty[choice.tab] ?? inbox.noMatch)}
          {...(filtered ? { clear: () => setChoice({ ...NO_CHOICE, tab: choice.tab }) } : {})}
        />
      )}
      {shown.length > 0 && (
        <ol class="requests" ref={list} aria-label={inbox.listLabel}>
          {shown.map((item) => (
            <Item
              key={item.id}
              item={item}
              origins={origins.get(item.id)}
              me={me}
              onReceipt={() => void saveReceipt(item)}
            />
          ))}
        </ol>
      )}
      <div class="row apart">
        <p class="fine" role="status">
          {items !== null && `${inbox.count(shown.length, more)}. ${inbox.updated}`}
        </p>
        {more && <Button onClick={loadMore}>{inbox.older}</Button>}
      </div>
      {help && (
        <Dialog title={inbox.help} onClose={() => setHelp(false)}>
          <dl class="keys">
            {inbox.keys.map(([key, what]) => (
              <div key={key}>
                <dt>
                  {key.split(' ').map((one) => (
                    <kbd key={one}>{one}</kbd>
                  ))}
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </Dialog>
      )}
    </>
  );
}

function Nothing(props: { words: readonly [string, string]; clear?: () => void }) {
  const [title, text] = props.words;
  return (
    <div class="card nothing">
      <h2>{title}</h2>
      <p class="quiet-text">{text}</p>
      {props.clear && <Button onClick={props.clear}>{inbox.clear}</Button>}
    </div>
  );
}

/** Moves the focus to the next or previous request; the link under it opens by Enter as any link does. */
function step(list: HTMLElement | null, by: 1 | -1): void {
  const links = [...(list?.querySelectorAll<HTMLAnchorElement>('a.request-link') ?? [])];
  const at = links.indexOf(document.activeElement as HTMLAnchorElement);
  const next = at < 0 ? (by > 0 ? 0 : links.length - 1) : at + by;
  links[Math.max(0, Math.min(links.length - 1, next))]?.focus();
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

async function saveReceipt({ id, decision }: RequestListItem): Promise<void> {
  const { receipt } = await read<RequestStatus>(`/v2/requests/${id}`);
  if (receipt !== null && decisionWords[decision]) saveJson(receipt, `receipt-${id}.json`);
}
