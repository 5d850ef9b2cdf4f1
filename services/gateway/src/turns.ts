import { createSharing } from '@countersign/platform';
import { Refusal } from '@countersign/protocol';

/** A call that takes longer waits for something else, such as a schema's check or its turn at large reads, and passes its turn on. */
const TURN_MS = 100;
/** A call that has waited for so long is refused, as for a connection. */
const PATIENCE_MS = 5_000;

export interface Turns {
  /**
   * Does the work of one call of a tenant when its turn comes. A tenant never waits while it alone has called during the last
   * two seconds. Otherwise tenants share the calls that are worked on equally, so that a call waits for others of its own tenant
   * and for few of any other (protocol R34). Throws `service_unavailable` for a call that waits too long.
   */
  of<T>(tenant: string, work: () => Promise<T>): Promise<T>;
}

/** A tenant with calls under way. */
interface Busy {
  working: number;
  readonly waiting: (() => void)[];
}

/**
 * `shared`: calls that are worked on at the same time while several tenants call, and with `always` also while one does.
 */
export function createTurns(
  shared: number,
  { always = false, patienceMs = PATIENCE_MS, sharing = createSharing() } = {},
): Turns {
  /** In the order of their turns. */
  const busy = new Map<string, Busy>();

  /** Calls of one tenant that may be worked on. */
  function share(): number {
    return always || sharing.isShared() ? Math.max(1, Math.floor(shared / busy.size)) : Infinity;
  }

  function beginWaiting(): void {
    for (const [tenant, calls] of busy) {
      if (calls.waiting.length > 0 && calls.working < share()) {
        calls.working += 1;
        calls.waiting.shift()?.();
        // Others come first next time.
        busy.delete(tenant);
        busy.set(tenant, calls);
      }
    }
  }

  function turn({ waiting }: Busy): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(late);
        resolve();
      };
      const late = setTimeout(() => {
        waiting.splice(waiting.indexOf(begin), 1);
        reject(new Refusal('service_unavailable', { retryAfter: 1 }));
      }, patienceMs);
      waiting.push(begin);
    });
  }

  return {
    async of(tenant, work) {
      sharing.note(tenant);
      const calls = busy.get(tenant) ?? { working: 0, waiting: [] };
      busy.set(tenant, calls);
      if (calls.working < share() && calls.waiting.length === 0) calls.working += 1;
      else await turn(calls);
      const pass = once(() => {
        calls.working -= 1;
        if (calls.working === 0 && calls.waiting.length === 0) busy.delete(tenant);
        beginWaiting();
      });
      const late = setTimeout(pass, TURN_MS);
      try {
        return await work();
      } finally {
        clearTimeout(late);
        pass();
      }
    },
  };
}

function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    act();
  };
}
