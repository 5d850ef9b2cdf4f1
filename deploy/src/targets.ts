import type { RoleName } from '@countersign/database';
import { PREFLIGHT_SUBJECT, SCHEMA_SUBJECT, TREE_SUBJECT, subjectOf } from '@countersign/platform';
import type { AskedService } from '@countersign/platform';
import {
  ADMIN_OPERATIONS,
  ALL_OPERATIONS,
  CUSTODY_READ,
  HISTORY_READ,
  INBOX_READ,
  SECURITY_READS,
  busSubject,
} from '@countersign/protocol';
import type { ServiceName, SigningService } from '@countersign/protocol';
import type { Assembly } from './assembly.js';
import type { BusContext } from './bus-context.js';
import { ASKED } from './message-settings.js';
import type { BusPermissions, Rights } from './permissions.js';
import type { ProcessContext } from './process-context.js';

/** A place outside that a target speaks to, beside Postgres, NATS, the key service and the trace collector. */
export type Place = 'redis' | 'oidc' | 'smtp' | 'webhooks' | 'anchor' | 'witnesses' | 'collectors';

interface Facts extends BusPermissions {
  /** Whose private key it holds: a stolen notifier cannot sign a receipt. */
  readonly key: SigningService | 'caller' | null;
  /** Services whose messages it seals or opens, with the key that the gateway shares with each. */
  readonly messages: readonly AskedService[];
  /** Whether it keeps queues, in Redis or beside the data. */
  readonly queues: boolean;
  readonly reaches: readonly Place[];
  /** Takes part in traces, and so speaks to the trace collector. */
  readonly traced: boolean;
  /** Listens on the ports of callers and apps, which its replicas share. */
  readonly listens: boolean;
  /** Runs as a single replica: its state is in its memory. */
  readonly single: boolean;
  /** When the launcher starts it: after those with smaller numbers, for it calls them. They stop in reverse. */
  readonly stage: 0 | 1;
  /** Part of an installation: `optional` ones are off in the chart until they are switched on, `never` is for development. */
  readonly installed: 'always' | 'default' | 'optional' | 'never';
}

type Load<Ground> = () => Promise<Assembly<Ground>>;

/**
 * All that is known of one target. `role` is that of its connections to the database; null: it has neither a database nor
 * trust. `load` is for processes that run the target: the others need not have its code in memory.
 */
export type TargetRow = Facts &
  (
    | { readonly role: null; readonly load: Load<BusContext> }
    | { readonly role: RoleName; readonly load: Load<ProcessContext> }
  );

const PLAIN = {
  serves: [],
  calls: [],
  publishes: [],
  subscribes: [],
  hears: [],
  messages: [],
  queues: false,
  reaches: [],
  traced: true,
  listens: false,
  single: false,
  stage: 0,
  installed: 'always',
} as const;

const SERVICE_WORKER = {
  ...PLAIN,
  publishes: ['outbox'],
  queues: true,
  installed: 'default',
} as const;

/** The reads that the pages call beside the operations, all of them of the service `request`. */
const PAGE_SUBJECTS = [...ADMIN_OPERATIONS, INBOX_READ, HISTORY_READ].map(({ name }) =>
  subjectOf(name),
);

/** The reads of the security log for operators and auditors, and of holds for custodians, of the service `ledger`. */
const LEDGER_SUBJECTS = [...SECURITY_READS, CUSTODY_READ].map(({ name }) => subjectOf(name));

/**
 * The one table of targets (docs/architecture.md, "Rights of a target"), in the order in which they start in one process;
 * they stop in reverse. The process, the launcher, the chart, NATS' users, docker-compose.yml, Prometheus' list and the
 * settings page are made of it; test/chart/drawing.test.ts starts each target and compares it with its row.
 */
export const TABLE = {
  'development-provider': {
    ...PLAIN,
    role: null,
    key: null,
    single: true,
    installed: 'never',
    load: async () => (await import('./targets/gateway.js')).developmentProvider,
  },
  // Runs schemas that producers wrote: it reaches nothing but the bus.
  schema: {
    ...PLAIN,
    role: null,
    key: null,
    traced: false,
    serves: [SCHEMA_SUBJECT],
    load: async () => (await import('./targets/schema.js')).schema,
  },
  request: {
    ...PLAIN,
    role: 'request',
    key: 'request',
    messages: ['request'],
    serves: [...operationsOf('request'), PREFLIGHT_SUBJECT, ...PAGE_SUBJECTS],
    calls: [SCHEMA_SUBJECT],
    publishes: ['outbox'],
    load: async () => (await import('./targets/request.js')).request,
  },
  review: {
    ...PLAIN,
    role: 'review',
    key: 'review',
    messages: ['review'],
    serves: operationsOf('review'),
    calls: [SCHEMA_SUBJECT],
    publishes: ['outbox', 'decided'],
    load: async () => (await import('./targets/review.js')).review,
  },
  'execution-authority': {
    ...PLAIN,
    role: 'execution-authority',
    key: 'execution-authority',
    messages: ['execution-authority'],
    serves: operationsOf('execution-authority'),
    publishes: ['outbox'],
    load: async () => (await import('./targets/execution-authority.js')).executionAuthority,
  },
  ledger: {
    ...PLAIN,
    role: 'ledger',
    key: 'ledger',
    messages: ['ledger'],
    serves: [...operationsOf('ledger'), TREE_SUBJECT, ...LEDGER_SUBJECTS],
    publishes: ['checkpoint', 'grown'],
    subscribes: ['outbox', 'decided'],
    load: async () => (await import('./targets/ledger.js')).ledger,
  },
  notifier: {
    ...PLAIN,
    role: 'notifier',
    key: 'notifier',
    messages: ['notifier'],
    serves: operationsOf('notifier'),
    publishes: ['outbox'],
    load: async () => (await import('./targets/notifier.js')).notifier,
  },
  'worker-anchor': {
    ...PLAIN,
    role: 'ledger',
    key: 'ledger',
    publishes: ['outbox', 'decided'],
    subscribes: ['checkpoint'],
    reaches: ['anchor', 'witnesses'],
    installed: 'default',
    load: async () => (await import('./targets/ledger.js')).anchor,
  },
  'worker-security-log': {
    ...PLAIN,
    role: 'security-log',
    key: null,
    reaches: ['collectors'],
    installed: 'optional',
    load: async () => (await import('./targets/security-log.js')).securityLog,
  },
  'worker-expiry': {
    ...SERVICE_WORKER,
    role: 'request',
    key: 'request',
    load: async () => (await import('./targets/request.js')).expiry,
  },
  'worker-deletion': {
    ...SERVICE_WORKER,
    role: 'deletion',
    key: 'request',
    load: async () => (await import('./targets/request.js')).deletion,
  },
  'worker-reconciliation': {
    ...SERVICE_WORKER,
    role: 'execution-authority',
    key: 'execution-authority',
    load: async () => (await import('./targets/execution-authority.js')).reconciliation,
  },
  'worker-delivery': {
    ...SERVICE_WORKER,
    role: 'notifier',
    key: 'notifier',
    publishes: [],
    subscribes: ['grown'],
    reaches: ['smtp', 'webhooks'],
    load: async () => (await import('./targets/notifier.js')).delivery,
  },
  'worker-reminder': {
    ...SERVICE_WORKER,
    role: 'notifier',
    key: 'notifier',
    installed: 'optional',
    load: async () => (await import('./targets/notifier.js')).reminder,
  },
  gateway: {
    ...PLAIN,
    role: 'gateway',
    key: 'caller',
    messages: ASKED,
    calls: [
      ...ALL_OPERATIONS.filter(({ service }) => service !== 'gateway').map(busSubject),
      PREFLIGHT_SUBJECT,
      TREE_SUBJECT,
      ...PAGE_SUBJECTS,
      ...LEDGER_SUBJECTS,
    ],
    hears: ['outbox', 'grown'],
    reaches: ['redis', 'oidc'],
    listens: true,
    stage: 1,
    load: async () => (await import('./targets/gateway.js')).gateway,
  },
} as const satisfies Record<string, TargetRow>;

export type Target = keyof typeof TABLE;
export const TARGETS = Object.keys(TABLE) as readonly Target[];

export function rowOf(target: Target): TargetRow {
  return TABLE[target];
}

/** All that a process may do which runs these targets. */
export function rightsOf(targets: readonly Target[]): Rights {
  const rows = targets.map(rowOf);
  const union = <T>(of: (row: TargetRow) => readonly T[]): T[] => [...new Set(rows.flatMap(of))];
  return {
    serves: union(({ serves }) => serves),
    calls: union(({ calls }) => calls),
    publishes: union(({ publishes }) => publishes),
    subscribes: union(({ subscribes }) => subscribes),
    hears: union(({ hears }) => hears),
    roles: union(({ role }) => (role === null ? [] : [role])),
    keys: union(({ key }) => (key === null || key === 'caller' ? [] : [key])),
    queues: rows.some(({ queues }) => queues),
  };
}

/** The role that takes a large message of that subject, or for null an answer: only the gateway asks with such. */
export function takerOf(subject: string | null): RoleName {
  const taker = TARGETS.map(rowOf).find(({ serves, listens }) =>
    subject === null ? listens : serves.includes(subject),
  );
  if (!taker?.role) throw new Error(`${subject}: no role of the database serves it`);
  return taker.role;
}

function operationsOf(service: ServiceName): string[] {
  return ALL_OPERATIONS.filter((operation) => operation.service === service).map(({ name }) =>
    subjectOf(name),
  );
}
