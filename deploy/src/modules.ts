import type { RoleName } from '@countersign/database';
import type { Module, Registry } from '@countersign/platform';
import { schemaGate } from './schema-gate.js';
import { share } from './shared.js';
import type { Shared, Surroundings, Uses } from './shared.js';

interface TargetEntry {
  /** Whose connections carry its large messages. */
  readonly role: RoleName;
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
  const shared = await share(surroundings, targets, name, ENTRIES[first].role);
  try {
    const modules: Module[] = [shared.connections, shared.signingKeys, shared.queues];
    // The only one that needs no database.
    const [served] = targets.filter((target) => target !== 'development-provider');
    if (served !== undefined) {
      const { log, stopping } = surroundings;
      modules.push(schemaGate(shared.pool(ENTRIES[served].role), log, stopping));
    }
    for (const target of TARGETS) {
      if (targets.includes(target)) modules.push(...(await ENTRIES[target].build(shared)));
    }
    return { modules, metrics: shared.metrics, uses: shared.uses };
  } catch (error) {
    await shared.connections.stop();
    throw error;
  }
}

/** Whose connections carry the large messages of that target: also the first role that it acts as. */
export function roleOf(target: Target): RoleName {
  return ENTRIES[target].role;
}
