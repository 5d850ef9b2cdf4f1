import type { RoleName } from '@countersign/database';
import { HINTS } from '@countersign/platform';
import type { Bus } from '@countersign/platform';
import type { SigningService } from '@countersign/protocol';

export type Hint = keyof typeof HINTS;

/** The rights of a target on the bus. The bus of a process refuses everything else, and NATS should as well. */
export interface BusPermissions {
  /** Subjects that it answers. */
  readonly serves: readonly string[];
  /** Subjects that it asks. */
  readonly calls: readonly string[];
  readonly publishes: readonly Hint[];
  /** Hints of which one of its replicas gets each. */
  readonly subscribes: readonly Hint[];
  /** Hints that every one of its replicas gets. */
  readonly hears: readonly Hint[];
}

/** All that the targets of a process may do and have (targets.ts). Any other use throws. */
export interface Rights extends BusPermissions {
  readonly roles: readonly RoleName[];
  readonly keys: readonly SigningService[];
  /** Whether it has queues. */
  readonly queues: boolean;
}

/** The same bus, which throws where the permissions do not reach: over NATS the server would only drop the message. */
export function permittedBus(bus: Bus, permissions: BusPermissions): Bus {
  const serves = new Set(permissions.serves);
  const calls = new Set(permissions.calls);
  const publishes = subjectsOf(permissions.publishes);
  const subscribes = subjectsOf(permissions.subscribes);
  const hears = subjectsOf(permissions.hears);
  const check = (allowed: ReadonlySet<string>, verb: string, subject: string): void => {
    if (!allowed.has(subject)) throw new Error(`${subject}: this target may not ${verb} it`);
  };
  return {
    ...bus,
    call: (subject, headers, body) => {
      check(calls, 'call', subject);
      return bus.call(subject, headers, body);
    },
    serve: (subject, queue, handler, options) => {
      check(serves, 'serve', subject);
      return bus.serve(subject, queue, handler, options);
    },
    publish: (subject, body) => {
      check(publishes, 'publish', subject);
      bus.publish(subject, body);
    },
    subscribe: (subject, queue, handler) => {
      check(queue === null ? hears : subscribes, 'subscribe to', subject);
      return bus.subscribe(subject, queue, handler);
    },
  };
}

function subjectsOf(hints: readonly Hint[]): ReadonlySet<string> {
  return new Set(hints.map((hint) => HINTS[hint]));
}
