import type { RoleName } from '@countersign/database';
import type { Module } from '@countersign/platform';
import { share } from './shared.js';
import type { Shared, Surroundings } from './shared.js';

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
  gateway: {
    role: 'gateway',
    build: async (shared) => (await import('./targets/gateway.js')).gatewayModules(shared),
  },
} as const satisfies Record<string, TargetEntry>;

export type Target = keyof typeof ENTRIES;
export const TARGETS = Object.keys(ENTRIES) as readonly Target[];

/** Every module of a process, the same ones whether it runs one target or all. */
export async function assemble(
  surroundings: Surroundings,
  targets: readonly Target[],
): Promise<Module[]> {
  const [first = 'gateway'] = targets;
  const name = targets.length === 1 ? first : 'countersign';
  const shared = await share(surroundings, name, ENTRIES[first].role);
  const modules: Module[] = [shared.connections];
  for (const target of TARGETS) {
    if (targets.includes(target)) modules.push(...(await ENTRIES[target].build(shared)));
  }
  return modules;
}
