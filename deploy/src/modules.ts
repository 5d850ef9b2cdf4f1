import type pg from 'pg';
import { Directory, PostgresParcels, ROLES, createPool } from '@countersign/database';
import type { RoleName } from '@countersign/database';
import { ExecutionStore, executionModule } from '@countersign/execution-authority';
import {
  FileAnchorStore,
  LedgerStore,
  MetricsStore,
  anchorWorkerModule,
  ledgerModule,
} from '@countersign/ledger';
import type { LedgerDeps } from '@countersign/ledger';
import { NotifierStore, notifierModule } from '@countersign/notifier';
import {
  HINTS,
  Notary,
  SchemaWorkers,
  createCallerVerifier,
  createInProcessBus,
  createNatsBus,
} from '@countersign/platform';
import type { Bus, Logger, Module, ServiceRuntime } from '@countersign/platform';
import { readTrustManifest } from '@countersign/protocol';
import type { SigningService, TrustManifest } from '@countersign/protocol';
import {
  BundleStore,
  CreationStore,
  DirectoryStore,
  ListStore,
  QUOTA_AMOUNTS,
  RequestStore,
  rememberGood,
  requestModule,
} from '@countersign/request';
import { ReviewStore, reviewModule } from '@countersign/review';
import { databaseUrlOf, sandboxOriginPatternOf, signingKeyOf } from './configuration.js';
import type { CommonConfig } from './configuration.js';
import { developmentProviderModules, gatewayModules } from './gateway.js';
import { serviceSigner } from './keys-in-use.js';

/** In the order in which they start; they stop in reverse. */
export const TARGETS = [
  'development-provider',
  'request',
  'review',
  'execution-authority',
  'ledger',
  'notifier',
  'worker-anchor',
  'gateway',
] as const;

export type Target = (typeof TARGETS)[number];

export interface Process {
  readonly config: CommonConfig;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
  readonly targets: readonly Target[];
}

/** What the targets of one process share. */
export interface Shared extends Process {
  readonly bus: Bus;
  readonly trust: TrustManifest;
  readonly runtime: ServiceRuntime;
  pool(role: RoleName): pg.Pool;
  notary(service: SigningService): Notary;
}

/** Every module of the process, the same ones whether it runs one target or all. */
export async function assemble(process: Process): Promise<Module[]> {
  const shared = await share(process);
  const modules: Module[] = [connections(shared)];
  for (const target of TARGETS) {
    if (process.targets.includes(target)) modules.push(...(await BUILDERS[target](shared)));
  }
  return modules;
}

async function share(process: Process): Promise<Shared & { pools: Map<string, pg.Pool> }> {
  const { config, env, log } = process;
  const pools = new Map<string, pg.Pool>();
  const pool = (role: RoleName): pg.Pool => {
    let found = pools.get(role);
    if (found === undefined) {
      found = createPool({
        url: databaseUrlOf(role, config, env),
        role: ROLES[role],
        application: `countersign-${role}`,
        max: config.DATABASE_CONNECTIONS,
        onError: (error) => log.warn({ err: error, role }, 'a database connection broke'),
      });
      pools.set(role, found);
    }
    return found;
  };
  const trust = trustOf(config);
  const bus =
    config.NATS_URL === undefined
      ? createInProcessBus({ log })
      : await createNatsBus({
          servers: config.NATS_URL.split(','),
          name: process.targets[0] ?? 'countersign',
          log,
          parcels: new PostgresParcels(pool(roleOf(process.targets[0]))),
        });
  const verifier = createCallerVerifier({ caller: config.CALLER_PUBLIC_KEY });
  const notaries = new Map<SigningService, Notary>();
  return {
    ...process,
    pools,
    pool,
    bus,
    trust,
    runtime: { bus, verifier, log },
    notary(service) {
      let found = notaries.get(service);
      if (found === undefined) {
        const key = signingKeyOf(service, env);
        found = new Notary(
          serviceSigner(service, key, trust, config.ORIGIN, Date.now()),
          config.ORIGIN,
        );
        notaries.set(service, found);
      }
      return found;
    },
  };
}

function trustOf(config: CommonConfig): TrustManifest {
  const manifest = JSON.parse(config.TRUST) as TrustManifest;
  const { faults } = readTrustManifest(manifest, config.ORIGIN);
  if (faults.length > 0) {
    throw new Error(
      `The trust manifest cannot be used: ${faults.map((fault) => fault.message).join(' ')}`,
    );
  }
  return manifest;
}

function roleOf(target: Target | undefined): RoleName {
  if (target === 'worker-anchor') return 'ledger';
  return target === undefined || target === 'development-provider' ? 'gateway' : target;
}

/** First to start, last to stop: the bus and the pools that everything else stands on. */
function connections(shared: Shared & { pools: Map<string, pg.Pool> }): Module {
  return {
    name: 'connections',
    start: async () => {},
    stop: async () => {
      await shared.bus.close();
      await Promise.all([...shared.pools.values()].map((pool) => pool.end()));
    },
    ready: async () => {
      if (!shared.bus.ready()) throw new Error('the bus is not connected');
      await Promise.all([...shared.pools.values()].map((pool) => pool.query('SELECT 1')));
    },
  };
}

const BUILDERS: Record<Target, (shared: Shared) => Promise<Module[]> | Module[]> = {
  'development-provider': developmentProviderModules,
  request: (shared) => {
    const { runtime, config } = shared;
    const pool = shared.pool('request');
    const schemas = new SchemaWorkers();
    const amounts = config.QUOTAS === 'on' ? QUOTA_AMOUNTS : null;
    return [
      schemaWorkers(schemas),
      requestModule(runtime, {
        requests: new RequestStore(pool),
        lists: new ListStore(pool),
        creations: new CreationStore(pool, amounts),
        bundles: new BundleStore(pool, amounts),
        configuration: new DirectoryStore(pool),
        directory: new Directory(pool),
        notary: shared.notary('request'),
        checkSchema: rememberGood((tenant, schemaText) =>
          schemas.check(tenant, { schemaText, responseText: null }),
        ),
        webhookHosts: config.WEBHOOK_HOSTS,
        mode: config.MODE,
        sandboxOrigin: sandboxOriginPatternOf(shared.env),
        chained: hint(shared),
      }),
    ];
  },
  review: (shared) => {
    const pool = shared.pool('review');
    const schemas = new SchemaWorkers();
    return [
      schemaWorkers(schemas),
      reviewModule(shared.runtime, {
        store: new ReviewStore(pool),
        directory: new Directory(pool),
        notary: shared.notary('review'),
        schemas,
        chained: hint(shared),
      }),
    ];
  },
  'execution-authority': (shared) => {
    const pool = shared.pool('execution-authority');
    return [
      executionModule(shared.runtime, {
        store: new ExecutionStore(pool),
        directory: new Directory(pool),
        notary: shared.notary('execution-authority'),
        chained: hint(shared),
      }),
    ];
  },
  ledger: (shared) => [ledgerModule(shared.runtime, ledgerDeps(shared))],
  notifier: (shared) => {
    const pool = shared.pool('notifier');
    return [
      notifierModule(shared.runtime, {
        store: new NotifierStore(pool),
        directory: new Directory(pool),
        notary: shared.notary('notifier'),
        notification: 'polling-only',
        chained: hint(shared),
      }),
    ];
  },
  'worker-anchor': (shared) => {
    const { ANCHOR_DIR } = shared.config;
    // Without an anchor store reviews work, their audit state stays pending and execution stays closed (contract §4.2).
    if (ANCHOR_DIR === undefined) {
      shared.log.warn(
        'ANCHOR_DIR is not set: nothing will be anchored, and no grant becomes available',
      );
      return [];
    }
    return [
      anchorWorkerModule(shared.runtime, {
        ...ledgerDeps(shared),
        anchors: new FileAnchorStore(ANCHOR_DIR),
      }),
    ];
  },
  gateway: gatewayModules,
};

function ledgerDeps(shared: Shared): LedgerDeps {
  const pool = shared.pool('ledger');
  return {
    store: new LedgerStore(pool),
    metrics: new MetricsStore(pool),
    directory: new Directory(pool),
    notary: shared.notary('ledger'),
    log: shared.log,
    monotonicMs: () => performance.now(),
    chained: hint(shared),
    checkpointed: (tenant) => shared.bus.publish(HINTS.checkpoint, tenant),
  };
}

function hint(shared: Shared): (tenant: string) => void {
  return (tenant) => shared.bus.publish(HINTS.outbox, tenant);
}

function schemaWorkers(schemas: SchemaWorkers): Module {
  return {
    name: 'schema-workers',
    start: () => schemas.start(),
    stop: () => schemas.stop(),
  };
}
