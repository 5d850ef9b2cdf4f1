// The list from which a review was opened: its order leads from one request to the next, and its address back to it.

const KEY = 'countersign.queue';

export interface Queued {
  readonly id: string;
  readonly summary: string;
  readonly deadline: string;
}

export interface Queue {
  /** The fragment of the inbox's address. */
  readonly address: string;
  readonly items: readonly Queued[];
  /** Ids that were decided since. */
  readonly done: readonly string[];
}

/** Where a request stands in the list. */
export interface Place {
  readonly at: number;
  readonly of: number;
  readonly before: Queued | null;
  readonly after: Queued | null;
  /** The next one that is still open, from the beginning again behind the last one. */
  readonly open: Queued | null;
}

export function keepQueue(address: string, items: readonly Queued[]): void {
  const kept = items.map(({ id, summary, deadline }) => ({ id, summary, deadline }));
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ address, items: kept, done: [] } satisfies Queue));
  } catch {
    // Without room the review has no way to the next one, as when it was opened by a link.
  }
}

export function knownQueue(): Queue | null {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Queue | null;
  } catch {
    return null;
  }
}

export function noteDone(id: string): void {
  const queue = knownQueue();
  if (!queue || queue.done.includes(id)) return;
  sessionStorage.setItem(KEY, JSON.stringify({ ...queue, done: [...queue.done, id] }));
}

export function placeIn({ items, done }: Queue, id: string, now: number): Place | null {
  const at = items.findIndex((item) => item.id === id);
  if (at < 0) return null;
  const following = [...items.slice(at + 1), ...items.slice(0, at)];
  return {
    at,
    of: items.length,
    before: items[at - 1] ?? null,
    after: items[at + 1] ?? null,
    open:
      following.find((item) => !done.includes(item.id) && Date.parse(item.deadline) > now) ?? null,
  };
}
