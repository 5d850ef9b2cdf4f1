import type { RoleName } from '@countersign/database';
import type { Module, Registry } from '@countersign/platform';
import { busModule, link } from './linked.js';
import type { Surroundings } from './linked.js';
import { schemaGate } from './schema-gate.js';
import { share } from './shared.js';
import type { Shared, Uses } from './shared.js';

interface TargetEntry {
  /** Whose connections carry its large messages; null: it has no database. */
  readonly role: RoleName | null;
  /** Loaded only by processes that run it: the others need not have it in memory. */
  readonly build: (shared: Shared) => Promise<Module[]>;
}

/** In the order in which they start; they stop in reverse. */
const ENTRIES = {
  'development-provider': {
    role: 'gateway',
    build: async (shared) =>
      (await import('./targets/gateway.js')).developmentProviderModules(shared),
  },
  schema: {
    role: null,
    build: async (shared) => (await import('./targets/schema.js')).schemaModules(shared),
  },
  request: {
    role: 'request',
    build: async (shared) => (await import('./targets/request.js')).requestModules(shared),
  },
  review: {
    role: 'review',
    build: async (shared) => (await import('./targets/review.js')).reviewModules(shared),
  },
  'execution-authority': {
    role: 'execution-authority',
    build: async (shared) =>
      (await import('./targets/execution-authority.js')).executionModules(shared),
  },
  ledger: {
    role: 'ledger',
    build: async (shared) => (await import('./targets/ledger.js')).ledgerModules(shared),
  },
  notifier: {
    role: 'notifier',
    build: async (shared) => (await import('./targets/notifier.js')).notifierModules(shared),
  },
  'worker-anchor': {
    role: 'ledger',
    build: async (shared) => (await import('./targets/ledger.js')).anchorWorkerModules(shared),
  },
  'worker-security-log': {
    role: 'security-log',
    build: async (shared) => (await import('./targets/security-log.js')).securityLogModules(shared),
  },
  'worker-expiry': {
    role: 'request',
    build: async (shared) => (await import('./targets/request.js')).expiryModules(shared),
  },
  'worker-deletion': {
    role: 'deletion',
    build: async (shared) => (await import('./targets/request.js')).deletionModules(shared),
  },
  'worker-reconciliation': {
    role: 'execution-authority',
    build: async (shared) =>
      (await import('./targets/execution-authority.js')).reconciliationModules(shared),
  },
  'worker-delivery': {
    role: 'notifier',
    build: async (shared) => (await import('./targets/notifier.js')).deliveryModules(shared),
  },
  'worker-reminder': {
    role: 'notifier',
    build: async (shared) => (await import('./targets/notifier.js')).reminderModules(shared),
  },
  gateway: {
    role: 'gateway',
    build: async (shared) => (await import('./targets/gateway.js')).gatewayModules(shared),
  },
} as const satisfies Record<string, TargetEntry>;

export type Target = keyof typeof ENTRIES;
export const TARGETS = Object.keys(ENTRIES) as readonly Target[];

export interface Assembled {
  readonly modules: Module[];
  /** Where the figures of the process are. */
  readonly metrics: Registry;
  readonly uses: Uses;
}

/** Every module of a process, the same ones whether it runs one target or all. */
export async function assemble(
  surroundings: Surroundings,
  targets: readonly Target[],
): Promise<Assembled> {
  const [first = 'gateway'] = targets;
  const name = targets.length === 1 ? first : 'countersign';
  const [role] = rolesOf(targets);
  if (role === undefined) return assembleSchema(surroundings);
  const shared = await share(surroundings, targets, name, role);
  try {
    const modules: Module[] = [shared.connections, shared.signingKeys, shared.queues];
    // The provider has a role for its messages alone: it reads nothing of the database.
    const [reader] = rolesOf(targets.filter((target) => target !== 'development-provider'));
    if (reader !== undefined) {
      const { log, stopping } = surroundings;
      modules.push(schemaGate(shared.pool(reader), log, stopping));
    }
    modules.push(shared.clockReader);
    for (const target of TARGETS) {
      if (targets.includes(target)) modules.push(...(await ENTRIES[target].build(shared)));
    }
    return { modules, metrics: shared.metrics, uses: shared.uses };
  } catch (error) {
    await shared.connections.stop();
    throw error;
  }
}

/** By itself the target `schema` has no database, no keys and no queues: what it reads was written by strangers. */
async function assembleSchema(surroundings: Surroundings): Promise<Assembled> {
  const linked = await link(surroundings, ['schema'], 'schema', null);
  const { schemaModules } = await import('./targets/schema.js');
  return {
    modules: [busModule(linked), ...schemaModules(linked)],
    metrics: linked.metrics,
    uses: { roles: new Set(), keys: new Set(), publishes: new Set(), queues: false },
  };
}

function rolesOf(targets: readonly Target[]): RoleName[] {
  return targets.flatMap((target) => ENTRIES[target].role ?? []);
}
