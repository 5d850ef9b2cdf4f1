import type { ApprovalTodo, InboxPage } from '@countersign/protocol';
import { useEffect, useState } from 'preact/hooks';

import { read } from '../api/client.js';
import { offersApprovals } from '../session/offers-approvals.js';

/** What the person is told of a request that several people decide. */
export type Todo = ApprovalTodo['items'][number];

/** A vote changes nothing in the list itself, which is read when something is new. */
const EVERY_MS = 15_000;

/** Requests of the list that several people decide (protocol §18.11), by id. Without an answer the list says nothing of them. */
export function useTodo(page: InboxPage | null): ReadonlyMap<string, Todo> {
  const [todo, setTodo] = useState<ReadonlyMap<string, Todo>>(new Map());
  useEffect(() => {
    if (page === null || !offersApprovals()) return;
    const gone = new AbortController();
    const look = () => {
      if (document.visibilityState !== 'visible') return;
      read<ApprovalTodo>('/v2/approvals', { signal: gone.signal }).then(
        ({ items }) => setTodo(new Map(items.map((item) => [item.request_id, item]))),
        () => {},
      );
    };
    look();
    const timer = setInterval(look, EVERY_MS);
    document.addEventListener('visibilitychange', look);
    return () => {
      gone.abort();
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [page]);
  return todo;
}
