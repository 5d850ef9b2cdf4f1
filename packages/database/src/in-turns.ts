import { Refusal } from '@countersign/protocol';

/** A caller that has waited for so long is refused, as for a connection. */
const PATIENCE_MS = 5_000;

export type InTurns = <T>(tenant: string, work: () => Promise<T>) => Promise<T>;

/**
 * Runs a limited number of jobs at the same time, each of another tenant: one tenant's jobs run one after the other, so
 * that they never take all places or all processors. Tenants take turns. Throws `service_unavailable` for a job that waits
 * too long.
 */
export function inTurns(places: number, patienceMs = PATIENCE_MS): InTurns {
  let free = places;
  const served = new Set<string>();
  /** In the order of their turns. */
  const waiting = new Map<string, (() => void)[]>();

  function next(): void {
    if (free === 0) return;
    const turn = [...waiting].find(([tenant]) => !served.has(tenant));
    if (turn === undefined) return;
    const [tenant, queue] = turn;
    waiting.delete(tenant);
    const begin = queue.shift();
    if (queue.length > 0) waiting.set(tenant, queue);
    free -= 1;
    served.add(tenant);
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
      served.delete(tenant);
      next();
    }
  };
}
