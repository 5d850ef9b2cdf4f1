import { Refusal } from '@countersign/protocol';

/** Whoever has waited for so long is refused, as for a connection. */
const PATIENCE_MS = 5_000;

export type InTurns = <T>(tenant: string, work: () => Promise<T>) => Promise<T>;

/**
 * Does so many pieces of work at the same time. Tenants take turns, so that the work of one does not wait for all that
 * another has asked for. Throws `service_unavailable` for what waits too long.
 */
export function inTurns(places: number, patienceMs = PATIENCE_MS): InTurns {
  let free = places;
  /** In the order of their turns. */
  const waiting = new Map<string, (() => void)[]>();

  function next(): void {
    const [turn] = waiting;
    if (turn === undefined || free === 0) return;
    const [tenant, queue] = turn;
    waiting.delete(tenant);
    const begin = queue.shift();
    if (queue.length > 0) waiting.set(tenant, queue);
    free -= 1;
    begin?.();
  }

  function place(tenant: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        const queue = waiting.get(tenant) ?? [];
        queue.splice(queue.indexOf(begin), 1);
        if (queue.length === 0) waiting.delete(tenant);
        reject(new Refusal('service_unavailable', { retryAfter: 1 }));
      }, patienceMs);
      const begin = () => {
        clearTimeout(late);
        resolve();
      };
      waiting.set(tenant, [...(waiting.get(tenant) ?? []), begin]);
      next();
    });
  }

  return async (tenant, work) => {
    await place(tenant);
    try {
      return await work();
    } finally {
      free += 1;
      next();
    }
  };
}
