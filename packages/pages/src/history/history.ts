import type { InboxPerson, RequestHistory } from '@countersign/protocol';

import { read } from '../api/client.js';
import { reader } from '../session/session.js';

/** The state of a request with its history, in one call (decisions/0028). */
export function readHistory(id: string, signal?: AbortSignal): Promise<RequestHistory> {
  return read(`/inbox/history?id=${encodeURIComponent(id)}`, signal && { signal });
}

/** A person of a request, by name where the history has one, and the reader by theirs. */
export function personIn({ producer, requester, steps }: RequestHistory, id: string): InboxPerson {
  const known = [producer, requester, ...steps.map(({ by }) => by)];
  const who = reader();
  const own = who?.subject === id && who.name !== id ? who.name : null;
  return known.find((person) => person?.id === id) ?? { id, name: own };
}

/** The same as a text: the name, else the id. */
export function nameIn(history: RequestHistory, id: string): string {
  return personIn(history, id).name ?? id;
}
