import type { InboxItem, InboxPage } from '@countersign/protocol';
import { useEffect, useRef, useState } from 'preact/hooks';

import { read, readChanged } from '../api/client.js';
import { Problem } from '../api/problem.js';
import type { View } from './view.js';
import { readOf, waits } from './view.js';

export interface Inbox {
  /** Null before the first answer about this tab. */
  readonly page: InboxPage | null;
  readonly items: readonly InboxItem[];
  readonly fault: unknown;
  /** Another view is being read; the items are those of the view before. */
  readonly busy: boolean;
  /** There are requests behind those that are loaded. */
  readonly more: boolean;
  readonly loadMore: () => void;
  readonly refresh: () => void;
}

/** As long as the service holds a call until something is new (protocol §6.5). */
const HOLD_SECONDS = 25;
/** Between two calls, and after one that was not held or found nobody. */
const REST_MS = 1_000;
const UNHELD_MS = 5_000;
/** What is typed is read when the reader pauses. */
const TYPING_MS = 200;
const FIRST = 250;
const MOST = 1_000;
const PAST = 100;

interface Loaded {
  readonly tab: View['tab'];
  readonly asked: string;
  readonly page: InboxPage;
}

/** The list of a view: one call, which is then held until something is new, while the page is visible. */
export function useInbox(view: View): Inbox {
  const [limit, setLimit] = useState(FIRST);
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [older, setOlder] = useState<{
    asked: string;
    items: readonly InboxItem[];
    next: string | null;
  } | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  const refresh = useRef<() => void>(() => {});
  const [path, words] = readOf(view, { limit: waits(view) ? limit : PAST });
  const asked = `${path} ${words}`;
  const typed = useRef(words);

  useEffect(() => {
    const gone = new AbortController();
    let call = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let tag: string | null = null;

    const look = async () => {
      clearTimeout(timer);
      call.abort();
      call = new AbortController();
      const { signal } = call;
      const begun = performance.now();
      let wait = REST_MS;
      try {
        const headers: Record<string, string> = words === '' ? {} : { 'X-Search': words };
        if (tag !== null) headers['Prefer'] = `wait=${HOLD_SECONDS}`;
        const changed = await readChanged<InboxPage>(path, tag, { signal, headers });
        if (signal.aborted) return;
        if (changed) {
          ({ tag } = changed);
          setLoaded({ tab: view.tab, asked, page: changed.value });
        } else if (performance.now() - begun < REST_MS) {
          wait = UNHELD_MS;
        }
        setFault(null);
      } catch (problem) {
        if (signal.aborted || gone.signal.aborted) return;
        setFault(problem);
        wait = UNHELD_MS;
        if (problem instanceof Problem && problem.retryAfter !== null)
          wait = problem.retryAfter * 1_000;
      }
      timer = setTimeout(idleLook, wait);
    };
    const idleLook = () => {
      if (document.visibilityState === 'visible') void look();
    };
    // A browser has six connections to an origin: no hidden page keeps one of them.
    const onVisible = () => {
      if (document.visibilityState === 'visible') void look();
      else call.abort();
    };
    document.addEventListener('visibilitychange', onVisible);
    window.addEventListener('online', idleLook);
    refresh.current = () => {
      tag = null;
      void look();
    };
    const isTyped = typed.current !== words;
    typed.current = words;
    timer = setTimeout(() => void look(), isTyped ? TYPING_MS : 0);
    return () => {
      gone.abort();
      call.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
      window.removeEventListener('online', idleLook);
    };
  }, [asked]);

  const current = loaded?.tab === view.tab ? loaded : null;
  const page = current?.page ?? null;
  const further = older?.asked === asked ? older : null;
  const next = further ? further.next : (page?.next ?? null);
  const isLast = waits(view) ? limit >= MOST || (page?.items.length ?? 0) < limit : next === null;
  const loadMore = () => {
    if (waits(view)) {
      setLimit(Math.min(MOST, limit * 2));
      return;
    }
    if (next === null) return;
    const [behind] = readOf(view, { limit: PAST, after: next });
    read<InboxPage>(behind, { headers: words === '' ? {} : { 'X-Search': words } }).then(
      (found) =>
        setOlder({ asked, items: [...(further?.items ?? []), ...found.items], next: found.next }),
      setFault,
    );
  };
  const known = new Set(page?.items.map(({ id }) => id));
  return {
    page,
    items: [...(page?.items ?? []), ...(further?.items ?? []).filter(({ id }) => !known.has(id))],
    fault,
    busy: current !== null && current.asked !== asked,
    more: page !== null && !isLast,
    loadMore,
    refresh: () => refresh.current(),
  };
}
