import type { RequestList, RequestListItem, RequestStatus } from '@countersign/protocol';
import { useEffect, useRef, useState } from 'preact/hooks';

import { read } from '../api/client.js';
import { Problem } from '../api/problem.js';
import type { Origins, Outcome, Tab } from './selection.js';

export interface Inbox {
  readonly items: readonly RequestListItem[] | null;
  readonly fault: unknown;
  /** Older requests that are not loaded yet. */
  readonly more: boolean;
  readonly loadMore: () => void;
  readonly refresh: () => void;
}

/** Pages of 50 that are read to sort waiting requests by deadline; older ones on demand. */
const PAGES_AT_ONCE = 6;
const REFRESH_MS = 8_000;

interface Loaded {
  readonly items: readonly RequestListItem[];
  readonly next: number | null;
}

async function load(tab: Tab, pages: number, signal: AbortSignal): Promise<Loaded> {
  // The empty value is no filter; waiting requests are removed afterwards.
  const state = tab === 'decided' ? '' : 'pending';
  const items = new Map<string, RequestListItem>();
  let offset: number | null = 0;
  for (let page = 0; page < pages && offset !== null; page += 1) {
    const list: RequestList = await read<RequestList>(
      `/v2/requests?offset=${offset}&state=${state}`,
      { signal },
    );
    for (const item of list.items) items.set(item.id, item);
    offset = list.next_offset;
  }
  return { items: [...items.values()], next: offset };
}

/** The list of a tab, read again while the page is visible. */
export function useInbox(tab: Tab): Inbox {
  const kind = tab === 'decided' ? 'decided' : 'waiting';
  const [loaded, setLoaded] = useState<{ kind: string; list: Loaded } | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  const [pages, setPages] = useState(kind === 'decided' ? 2 : PAGES_AT_ONCE);
  const refresh = useRef<() => void>(() => {});

  useEffect(() => {
    const gone = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      clearTimeout(timer);
      let wait = REFRESH_MS;
      try {
        const list = await load(tab, pages, gone.signal);
        setLoaded({ kind, list });
        setFault(null);
      } catch (problem) {
        if (gone.signal.aborted) return;
        setFault(problem);
        if (problem instanceof Problem && problem.retryAfter !== null) {
          wait = problem.retryAfter * 1_000;
        }
      }
      timer = setTimeout(idleLook, wait);
    };
    const idleLook = () => {
      if (document.visibilityState === 'visible') void look();
    };
    document.addEventListener('visibilitychange', idleLook);
    window.addEventListener('online', idleLook);
    refresh.current = () => void look();
    void look();
    return () => {
      gone.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', idleLook);
      window.removeEventListener('online', idleLook);
    };
  }, [kind, pages]);

  const current = loaded?.kind === kind ? loaded.list : null;
  return {
    items: current?.items ?? null,
    fault,
    more: current !== null && current.next !== null,
    loadMore: () => setPages(pages + PAGES_AT_ONCE),
    refresh: () => refresh.current(),
  };
}

const AT_ONCE = 4;
const KEPT = 'countersign.origins';

/**
 * Route and producer of each request, and its outcome once it is decided: they are not in the list and never change, so
 * each is read once per tab, a few at a time.
 */
export function useOrigins(items: readonly RequestListItem[] | null): ReadonlyMap<string, Origins> {
  const [known, setKnown] = useState<ReadonlyMap<string, Origins>>(keptOrigins);
  const asked = useRef(new Set<string>());

  useEffect(() => {
    if (!items) return;
    const waiting = items
      .filter(({ id, decision }) => {
        const before = known.get(id);
        return !before || (decision === 'confirmed' && !before.outcome);
      })
      .map(({ id, decision }) => ({ id, turn: `${id} ${String(decision === 'confirmed')}` }))
      .filter(({ turn }) => !asked.current.has(turn));
    if (waiting.length === 0) return;
    for (const { turn } of waiting) asked.current.add(turn);
    const found = new Map<string, Origins>();
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const { id, turn } = next;
        try {
          const status = await read<RequestStatus>(`/v2/requests/${id}`, { quiet: true });
          found.set(id, originsOf(status));
        } catch {
          // The next reading asks again; a filter by an unknown value does not show it.
          asked.current.delete(turn);
        }
      }
    };
    void Promise.all(Array.from({ length: AT_ONCE }, work)).then(() => {
      setKnown((before) => {
        const all = new Map([...before, ...found]);
        keep(all);
        return all;
      });
    });
  }, [items]);

  return known;
}

function originsOf({ request, receipt }: RequestStatus): Origins {
  const { route, producer } = request;
  if (receipt === null) return { route, producer };
  const { decision, reviewer, confirmed_at } = receipt.payload as unknown as Outcome;
  return { route, producer, outcome: { decision, reviewer, confirmed_at } };
}

function keptOrigins(): ReadonlyMap<string, Origins> {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(KEPT) ?? '[]') as [string, Origins][]);
  } catch {
    return new Map();
  }
}

function keep(all: ReadonlyMap<string, Origins>): void {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify([...all].slice(-2_000)));
  } catch {
    // They are read again next time.
  }
}
