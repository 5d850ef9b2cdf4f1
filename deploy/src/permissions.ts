import { ROLES } from '@countersign/database';
import type { RoleName } from '@countersign/database';
import {
  HINTS,
  PREFLIGHT_SUBJECT,
  SCHEMA_SUBJECT,
  TREE_SUBJECT,
  subjectOf,
} from '@countersign/platform';
import type { Bus } from '@countersign/platform';
import { DESK_CALLS, OPERATIONS, SECURITY_READS, busSubject } from '@countersign/protocol';
import type { ServiceName } from '@countersign/protocol';
import type { Target } from './modules.js';

export type Hint = keyof typeof HINTS;

/** What a target may do on the bus. The bus of a process refuses everything else, and NATS should as well. */
export interface BusPermissions {
  /** Subjects that it answers. */
  readonly serves: readonly string[];
  /** Subjects that it asks. */
  readonly calls: readonly string[];
  readonly publishes: readonly Hint[];
  readonly subscribes: readonly Hint[];
}

/** What the operator pages call beside the operations, all of it of the service `request`. */
const DESK_SUBJECTS = DESK_CALLS.map(({ name }) => subjectOf(name));

/** What operators and auditors read of the security log, of the service `ledger`. */
const SECURITY_SUBJECTS = SECURITY_READS.map(({ name }) => subjectOf(name));

const nothing = { serves: [], calls: [], publishes: [], subscribes: [] } as const;

/**
 * What each target may say and hear on the bus (docs/architecture.md, "What a target may do").
 * `helm/countersign/examples/nats-values.yaml` is made of it, and test/chart compares it with what each target does, both
 * ways.
 */
export const PERMISSIONS: Readonly<Record<Target, BusPermissions>> = {
  'development-provider': nothing,
  schema: { ...nothing, serves: [SCHEMA_SUBJECT] },
  request: {
    ...nothing,
    serves: [...operationsOf('request'), PREFLIGHT_SUBJECT, ...DESK_SUBJECTS],
    calls: [SCHEMA_SUBJECT],
    publishes: ['outbox'],
  },
  review: {
    ...nothing,
    serves: operationsOf('review'),
    calls: [SCHEMA_SUBJECT],
    publishes: ['outbox'],
  },
  'execution-authority': {
    ...nothing,
    serves: operationsOf('execution-authority'),
    publishes: ['outbox'],
  },
  ledger: {
    ...nothing,
    serves: [...operationsOf('ledger'), TREE_SUBJECT, ...SECURITY_SUBJECTS],
    publishes: ['checkpoint', 'grown'],
    subscribes: ['outbox'],
  },
  notifier: { ...nothing, serves: operationsOf('notifier'), publishes: ['outbox'] },
  'worker-anchor': { ...nothing, publishes: ['outbox'], subscribes: ['checkpoint'] },
  'worker-security-log': nothing,
  'worker-expiry': { ...nothing, publishes: ['outbox'] },
  'worker-deletion': { ...nothing, publishes: ['outbox'] },
  'worker-reconciliation': { ...nothing, publishes: ['outbox'] },
  'worker-delivery': { ...nothing, subscribes: ['grown'] },
  'worker-reminder': { ...nothing, publishes: ['outbox'] },
  gateway: {
    ...nothing,
    calls: [
      ...OPERATIONS.filter(({ service }) => service !== 'gateway').map(busSubject),
      PREFLIGHT_SUBJECT,
      TREE_SUBJECT,
      ...DESK_SUBJECTS,
      ...SECURITY_SUBJECTS,
    ],
  },
};

/** The role that takes a large message of that subject, or for null an answer: only the gateway asks with such. */
export function takerOf(subject: string | null): RoleName {
  if (subject === null) return 'gateway';
  const server = Object.entries(PERMISSIONS).find(([, { serves }]) =>
    serves.includes(subject),
  )?.[0];
  if (server === undefined || !(server in ROLES)) {
    throw new Error(`${subject}: no role of the database serves it`);
  }
  return server as RoleName;
}

function operationsOf(service: ServiceName): string[] {
  return OPERATIONS.filter((operation) => operation.service === service).map(({ name }) =>
    subjectOf(name),
  );
}

export function permissionsOf(targets: readonly Target[]): BusPermissions {
  const all = targets.map((target) => PERMISSIONS[target]);
  return {
    serves: all.flatMap(({ serves }) => serves),
    calls: all.flatMap(({ calls }) => calls),
    publishes: [...new Set(all.flatMap(({ publishes }) => publishes))],
    subscribes: [...new Set(all.flatMap(({ subscribes }) => subscribes))],
  };
}

/** The same bus, which throws where the permissions do not reach: over NATS the server would only drop the message. */
export function permittedBus(bus: Bus, permissions: BusPermissions): Bus {
  const serves = new Set(permissions.serves);
  const calls = new Set(permissions.calls);
  const publishes = subjectsOf(permissions.publishes);
  const subscribes = subjectsOf(permissions.subscribes);
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
      check(subscribes, 'subscribe to', subject);
      return bus.subscribe(subject, queue, handler);
    },
  };
}

function subjectsOf(hints: readonly Hint[]): ReadonlySet<string> {
  return new Set(hints.map((hint) => HINTS[hint]));
}
