import { PostgresParcels, ROLES, createPool, databaseNow } from '@countersign/database';
import type { RoleName } from '@countersign/database';
import {
  HINTS,
  Notary,
  createCallerVerifier,
  createInProcessBus,
  createNatsBus,
} from '@countersign/platform';
import type { Bus, Logger, Module, ServiceRuntime } from '@countersign/platform';
import { readTrustManifest } from '@countersign/protocol';
import type { SigningService, TrustManifest } from '@countersign/protocol';
import { databaseUrlOf, signingKeyOf } from './configuration.js';
import type { CommonConfig } from './configuration.js';
import { serviceSigner } from './keys-in-use.js';

export type Pool = ReturnType<typeof createPool>;

export interface Surroundings {
  readonly config: CommonConfig;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
}

/** What the targets of one process share. */
export interface Shared extends Surroundings {
  readonly bus: Bus;
  readonly trust: TrustManifest;
  readonly runtime: ServiceRuntime;
  /** Connections that act as one database role. */
  pool(role: RoleName): Pool;
  notary(service: SigningService): Notary;
  /** Tells the ledger that a tenant has something new to chain: a hint, never awaited. */
  chained(tenant: string): void;
  /** First to start, last to stop: the bus and the pools that everything else stands on. */
  readonly connections: Module;
}

/** `name` says which process this is, `role` whose connections carry its large messages. */
export async function share(
  surroundings: Surroundings,
  name: string,
  role: RoleName,
): Promise<Shared> {
  const { config, env, log } = surroundings;
  const pools = new Map<RoleName, Pool>();
  const pool = (of: RoleName) => remembered(pools, of, () => poolOf(of, surroundings));
  const trust = trustOf(config);
  const bus =
    config.NATS_URL === undefined
      ? createInProcessBus({ log })
      : await createNatsBus({
          servers: config.NATS_URL.split(','),
          name,
          log,
          parcels: new PostgresParcels(pool(role)),
        });
  const notaries = new Map<SigningService, Notary>();
  return {
    ...surroundings,
    pool,
    bus,
    trust,
    runtime: { bus, verifier: createCallerVerifier({ caller: config.CALLER_PUBLIC_KEY }), log },
    notary: (service) =>
      remembered(notaries, service, () => {
        const key = signingKeyOf(service, env);
        const signer = serviceSigner(service, key, trust, config.ORIGIN, Date.now());
        return new Notary(signer, config.ORIGIN);
      }),
    chained: (tenant) => bus.publish(HINTS.outbox, tenant),
    connections: {
      name: 'connections',
      start: async () => {},
      stop: async () => {
        await bus.close();
        await Promise.all([...pools.values()].map((open) => open.end()));
      },
      ready: async () => {
        if (!bus.ready()) throw new Error('the bus is not connected');
        await Promise.all([...pools.values()].map((open) => databaseNow(open)));
      },
    },
  };
}

function poolOf(role: RoleName, { config, env, log }: Surroundings): Pool {
  return createPool({
    url: databaseUrlOf(role, config, env),
    role: ROLES[role],
    application: `countersign-${role}`,
    max: config.DATABASE_CONNECTIONS,
    onError: (error) => log.warn({ err: error, role }, 'a database connection broke'),
  });
}

function remembered<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  const found = known.get(key) ?? make();
  known.set(key, found);
  return found;
}

function trustOf(config: CommonConfig): TrustManifest {
  const manifest = JSON.parse(config.TRUST) as TrustManifest;
  const { faults } = readTrustManifest(manifest, config.ORIGIN);
  if (faults.length > 0) {
    const reasons = faults.map((fault) => fault.message).join(' ');
    throw new Error(`The trust manifest cannot be used: ${reasons}`);
  }
  return manifest;
}
