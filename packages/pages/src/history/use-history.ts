import type { InboxPerson, RequestHistory } from '@countersign/protocol';
import { useEffect, useState } from 'preact/hooks';

import { read } from '../api/client.js';

/**
 * The history of a request, read again when `version` changes. Undefined while it is being read, null when that failed: pages
 * do without it.
 */
export function useHistory(
  id: string,
  version: string | undefined,
): RequestHistory | null | undefined {
  const [found, setFound] = useState<RequestHistory | null | undefined>(undefined);
  useEffect(() => {
    if (version === undefined) return;
    const gone = new AbortController();
    read<RequestHistory>(`/inbox/history?id=${encodeURIComponent(id)}`, {
      signal: gone.signal,
    }).then(setFound, () => !gone.signal.aborted && setFound((known) => known ?? null));
    return () => gone.abort();
  }, [id, version]);
  return found;
}

/** A person of a request, by name where the history has one. */
export function personIn(history: RequestHistory | null | undefined, id: string): InboxPerson {
  const known = history && [
    history.producer,
    history.requester,
    ...history.steps.map(({ by }) => by),
  ];
  return known?.find((person) => person?.id === id) ?? { id, name: null };
}

/** The same as a text: the name, else the id. */
export function nameIn(history: RequestHistory | null | undefined, id: string): string {
  return personIn(history, id).name ?? id;
}
