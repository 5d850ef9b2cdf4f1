import { INBOX_SORTS, INBOX_TABS } from '@countersign/protocol/inbox';
import type { InboxItem, InboxTab, RequestStatus } from '@countersign/protocol';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { read } from '../api/client.js';
import { useNotices } from '../notices/notices.js';
import { Button, LinkButton } from '../parts/Button.js';
import type { Command } from '../parts/Commands.js';
import { Commands } from '../parts/Commands.js';
import { useCurrentInView } from '../parts/current-in-view.js';
import { KeyList } from '../parts/KeyList.js';
import { useKeys } from '../parts/keys.js';
import { Nothing } from '../parts/Nothing.js';
import { Fault, Notice } from '../parts/Notice.js';
import { saveJson } from '../parts/save.js';
import { Waiting } from '../parts/Waiting.js';
import { keepQueue } from '../queue/queue.js';
import { RefuseMany } from '../refusing/RefuseMany.js';
import { reader } from '../session/session.js';
import { inbox } from '../strings/inbox.js';
import { showWaiting } from '../theme/icon.js';
import { Pieces } from '../text/SafeText.js';
import { useNow } from '../time/Moment.js';
import { Filters } from './Filters.js';
import type { Band } from './groups.js';
import { linesOf } from './groups.js';
import { RequestList } from './RequestList.js';
import { Row } from './Row.js';
import { dropView, saveView, savedViews } from './saved-views.js';
import type { SavedView } from './saved-views.js';
import { SavedViews } from './SavedViews.js';
import { useTake } from './take.js';
import type { Inbox } from './use-inbox.js';
import { useInbox } from './use-inbox.js';
import { useTodo } from './use-todo.js';
import type { View } from './view.js';
import { GROUPS, fragmentOf, inTab, isFiltered, unfiltered, viewOf, waits } from './view.js';

/** The requests that wait for this reviewer, and those that are over. */
export function InboxPage() {
  const who = reader();
  const me = who?.subject ?? '';
  const [view, setView] = useState(() => viewOf(location.hash));
  const list = useInbox(view);
  const { page, items, more } = list;
  const todo = useTodo(page);
  const now = useNow();
  const lines = useMemo(
    () => linesOf(items, waits(view) ? view.group : 'none', now),
    [page, items.length, view.group, view.tab, now],
  );
  const order = lines.flatMap((line) => (line.kind === 'item' ? [line.item] : []));
  const [active, setActive] = useState(view.at);
  // Keys come faster than the page is drawn.
  const here = useRef(active);
  // A reader who comes back stands where they were.
  const [steps, setSteps] = useState(view.at === '' ? 0 : 1);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<'help' | 'commands' | null>(null);
  const [refused, setRefused] = useState<readonly InboxItem[]>([]);
  const [leftOut, setLeftOut] = useState(0);
  const [views, setViews] = useState(() => savedViews(me));
  const search = useRef<HTMLInputElement>(null);
  const tabs = useCurrentInView(view.tab);
  useNotices(me);
  const { take, told, fault: takeFault } = useTake(list.refresh);

  const change = (next: View) => {
    setView(next);
    history.replaceState(null, '', fragmentOf(next));
  };
  const stand = (id: string) => {
    here.current = id;
    setActive(id);
  };
  const show = (tab: InboxTab) => {
    setChosen(new Set());
    stand('');
    change(inTab(view, tab));
  };
  useEffect(() => {
    const onHash = () => setView(viewOf(location.hash));
    window.addEventListener('hashchange', onHash);
    return () => window.removeEventListener('hashchange', onHash);
  }, []);
  useEffect(() => {
    if (!page) return;
    document.title = inbox.titleOf(inbox.amount(page.waiting, page.more));
    showWaiting(page.waiting > 0);
  }, [page?.waiting, page?.more]);

  const step = (by: 1 | -1) => {
    const at = order.findIndex(({ id }) => id === here.current);
    const to = at < 0 ? (by > 0 ? 0 : order.length - 1) : at + by;
    const next = order[Math.max(0, Math.min(order.length - 1, to))];
    if (!next) return;
    if (to >= order.length && more) list.loadMore();
    stand(next.id);
    setSteps((before) => before + 1);
  };
  const enter = (item: InboxItem) => {
    const address = fragmentOf({ ...view, at: item.id });
    history.replaceState(null, '', address);
    keepQueue(address, order);
  };
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setLeftOut(0);
    setChosen(next);
  };
  /** What is selected, else where the reader stands. */
  const chosenItems = () =>
    waits(view)
      ? order.filter(({ id }) => (chosen.size > 0 ? chosen.has(id) : id === here.current))
      : [];
  const refuseChosen = () => {
    // Each of these is read with the answers of others.
    const alone = chosenItems().filter(({ id }) => !todo.has(id));
    setLeftOut(chosenItems().length - alone.length);
    setRefused(alone);
  };
  const showView = ({ address }: SavedView) => {
    setChosen(new Set());
    stand('');
    change(viewOf(address));
  };
  const takeChosen = () => {
    const ids = chosenItems();
    if (ids.length === 0) return;
    setChosen(new Set());
    void take(ids.map(({ id }) => id));
  };
  const turn = <Value,>(known: readonly Value[], at: Value) =>
    known[(known.indexOf(at) + 1) % known.length] as Value;
  const clear = () => change(unfiltered(view));

  useKeys({
    j: () => step(1),
    k: () => step(-1),
    '/': () => search.current?.focus(),
    '?': () => setOpen('help'),
    'Ctrl-K': () => setOpen('commands'),
    x: () => here.current !== '' && waits(view) && toggle(here.current),
    t: takeChosen,
    r: refuseChosen,
    c: clear,
    g: () => waits(view) && change({ ...view, group: turn(GROUPS, view.group) }),
    s: () => waits(view) && change({ ...view, sort: turn(INBOX_SORTS, view.sort) }),
    ...Object.fromEntries(INBOX_TABS.map((tab, place) => [String(place + 1), () => show(tab)])),
  });

  const commands: readonly Command[] = [
    ...INBOX_TABS.map((tab) => ({
      name: inbox.commands.show(inbox.tabs[tab]),
      act: () => show(tab),
    })),
    ...INBOX_SORTS.map((sort) => ({
      name: inbox.commands.sort(inbox.sorts[sort]),
      act: () => change({ ...inTab(view, waits(view) ? view.tab : 'waiting'), sort }),
    })),
    ...GROUPS.map((group) => ({
      name: inbox.commands.group(inbox.groups[group]),
      act: () => change({ ...inTab(view, waits(view) ? view.tab : 'waiting'), group }),
    })),
    {
      name: inbox.commands.first,
      act: () => {
        const [first] = order;
        if (!first) return;
        enter(first);
        location.assign(`/review/${encodeURIComponent(first.id)}`);
      },
    },
    ...views.map((each) => ({
      name: inbox.commands.view(each.name),
      act: () => showView(each),
    })),
    { name: inbox.commands.take, act: takeChosen },
    { name: inbox.commands.refuse, act: refuseChosen },
    { name: inbox.search, act: () => search.current?.focus() },
    { name: inbox.clear, act: clear },
    { name: inbox.help, act: () => setOpen('help') },
  ];

  return (
    <>
      <h1 class="unseen">{inbox.title}</h1>
      <div class="bar">
        <div class="row apart bar-row">
          <nav class="tabs" aria-label={inbox.tabsLabel} ref={tabs}>
            {INBOX_TABS.map((tab) => (
              <a
                key={tab}
                href={`#${tab}`}
                aria-current={view.tab === tab ? 'true' : undefined}
                onClick={(event) => {
                  event.preventDefault();
                  show(tab);
                }}
              >
                {inbox.tabs[tab]}
                {page && (tab === 'mine' || tab === 'waiting') && (
                  <span class="count">{inbox.amount(page[tab], page.more)}</span>
                )}
              </a>
            ))}
          </nav>
          <SavedViews
            views={views}
            onShow={showView}
            onSave={(name) => setViews(saveView(me, name, view))}
            onDrop={(name) => setViews(dropView(me, name))}
          />
          <Button look="quiet" onClick={() => setOpen('help')}>
            <kbd>?</kbd> {inbox.help}
          </Button>
        </div>
        <Filters
          view={view}
          onChange={(changes) => change({ ...view, ...changes })}
          page={page}
          search={search}
        />
        {chosen.size > 0 && (
          <div class="row chosen" role="group" aria-label={inbox.selected(chosen.size)}>
            <strong>{inbox.selected(chosen.size)}</strong>
            <Button look="primary" onClick={takeChosen}>
              {inbox.takeThem}
            </Button>
            <Button onClick={refuseChosen}>{inbox.refuseThem}</Button>
            <Button look="quiet" onClick={() => setChosen(new Set())}>
              {inbox.unselect}
            </Button>
          </div>
        )}
      </div>
      {takeFault !== null && <Fault fault={takeFault} />}
      <p class="fine told" role="status">
        {leftOut > 0 ? inbox.notRefused(leftOut) : told}
      </p>
      <Trouble list={list} />
      {page !== null && order.length === 0 && (
        <Nothing words={nothing(view, page.reviews, more)}>
          {isFiltered(view) && <Button onClick={clear}>{inbox.clear}</Button>}
          {!page.reviews && who?.operator === true && (
            <LinkButton href="/operator/requests">{inbox.toOperator}</LinkButton>
          )}
        </Nothing>
      )}
      {order.length > 0 && (
        <RequestList
          lines={lines}
          active={active}
          steps={steps}
          busy={list.busy}
          over={!waits(view)}
          head={({ key, name, count }) => (
            <li key={key} class="request-head">
              <h2>
                <Pieces text={view.group === 'due' ? inbox.bands[name as Band] : name} />
                <span class="count">{inbox.amount(count)}</span>
              </h2>
            </li>
          )}
          row={({ key, item, place }) => (
            <Row
              key={key}
              item={item}
              me={me}
              now={now}
              todo={todo.get(item.id)}
              place={place}
              of={order.length}
              selected={chosen.has(item.id)}
              onSelect={waits(view) ? () => toggle(item.id) : null}
              onFocus={() => stand(item.id)}
              onOpen={() => enter(item)}
              onReceipt={() => void saveReceipt(item)}
            />
          )}
        />
      )}
      <div class="row apart">
        <p class="fine" role="status">
          {page !== null &&
            `${inbox.count(order.length, page.matching, page.more)}. ${inbox.updated}`}
        </p>
        {more && <Button onClick={list.loadMore}>{inbox.older}</Button>}
      </div>
      {open === 'help' && (
        <KeyList title={inbox.help} keys={inbox.keys} onClose={() => setOpen(null)} />
      )}
      {refused.length > 0 && (
        <RefuseMany
          items={refused}
          me={me}
          onClose={() => {
            setRefused([]);
            setChosen(new Set());
            list.refresh();
          }}
        />
      )}
      {open === 'commands' && <Commands commands={commands} onClose={() => setOpen(null)} />}
    </>
  );
}

/** Why there is no list yet, or an old one. */
function Trouble({ list: { page, fault, refresh } }: { list: Inbox }) {
  if (fault !== null) {
    if (page === null) return <Fault fault={fault} retry={refresh} />;
    // Without a network the frame of the page says so.
    return navigator.onLine ? (
      <Notice tone="warning">
        <p>{inbox.stale}</p>
      </Notice>
    ) : null;
  }
  return page === null ? <Waiting says={inbox.loading} lines={24} /> : null;
}

function nothing(view: View, reviews: boolean, more: boolean): readonly [string, string] {
  if (!reviews) return inbox.noRoutes;
  if (more) return inbox.notInPart;
  return isFiltered(view) ? inbox.noMatch : (inbox.empty[view.tab] ?? inbox.noMatch);
}

async function saveReceipt({ id }: InboxItem): Promise<void> {
  const { receipt } = await read<RequestStatus>(`/v2/requests/${id}`);
  if (receipt !== null) saveJson(receipt, `receipt-${id}.json`);
}
