import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../fault/support/random.js';
import { count } from '../../fault/support/report.js';
import type { Fault, Victims } from './faults.js';

export interface Nemesis {
  /** How often each fault happened. */
  readonly happened: ReadonlyMap<string, number>;
  /** No more begin; resolves when all have ended. Rejects when one could not be ended. */
  stop(): Promise<void>;
}

/** How many last at the same time, at most. */
const AT_ONCE = 4;

/** Has faults happen in an order that the random numbers decide, one every `everyMs` on average. */
export function startNemesis(
  victims: Victims,
  faults: readonly Fault[],
  random: Random,
  everyMs: number,
): Nemesis {
  const happened = new Map<string, number>();
  const lasting = new Map<string, Promise<void>>();
  let stopped = false;
  let fail: (failure: Error) => void;
  const failed = new Promise<never>((_, reject) => (fail = reject));
  // It is looked at in the end.
  failed.catch(() => {});

  const begin = (fault: Fault): void => {
    // Several processes of ours may fail at once, but no store twice.
    const place = fault.part === 'slot' ? `${fault.part} ${random()}` : fault.part;
    if (lasting.has(place) || lasting.size >= AT_ONCE) return;
    const done = fault
      .happen(victims, random)
      .then((where) => {
        if (where !== null) count(happened, fault.name);
      })
      .catch((error: unknown) => {
        fail(new Error(`${fault.name} could not be ended`, { cause: error }));
      })
      .finally(() => lasting.delete(place));
    lasting.set(place, done);
  };
  const looping = (async () => {
    while (!stopped) {
      begin(chosen(faults, random));
      await delay(everyMs * (0.5 + random()));
    }
  })();
  return {
    happened,
    async stop() {
      stopped = true;
      await looping;
      // Without its store, other faults may never end.
      await Promise.race([failed, Promise.all(lasting.values())]);
    },
  };
}

function chosen(faults: readonly Fault[], random: Random): Fault {
  const total = faults.reduce((sum, { weight }) => sum + weight, 0);
  let at = random() * total;
  for (const fault of faults) {
    at -= fault.weight;
    if (at < 0) return fault;
  }
  throw new RangeError('there is no fault to choose from');
}
