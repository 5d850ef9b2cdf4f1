import {
  SCHEMA_SUBJECT,
  createInProcessBus,
  createMetrics,
  createNatsBus,
  meteredBus,
  traceBus,
  tracerInUse,
} from '@countersign/platform';
import type { Bus, Logger, Module, ParcelStore, Registry } from '@countersign/platform';
import { busConfig } from './configuration.js';
import type { BusConfig } from './configuration.js';
import { permittedBus } from './permissions.js';
import type { BusPermissions } from './permissions.js';

export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
  /** Aborted when the process is asked to end, perhaps before it has started. */
  readonly stopping?: AbortSignal;
  /** Instead of the bus that the configuration names; for tests. */
  readonly bus?: Bus;
}

/** A process's connection to the bus: all that a target without a database and without keys has. */
export interface Linked {
  readonly bus: Bus;
  readonly config: BusConfig;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
  /** This process's own figures. */
  readonly metrics: Registry;
}

/** `name` says which process this is, `may` what it may do; `parcels` carries large messages, null where there is no database. */
export async function link(
  { env, log, bus }: Surroundings,
  name: string,
  may: BusPermissions,
  parcels: ParcelStore | null,
): Promise<Linked> {
  const config = busConfig(env);
  const metrics = createMetrics(name);
  const transport =
    bus ??
    (config.NATS_URL === undefined
      ? createInProcessBus({ log })
      : await createNatsBus({
          servers: config.NATS_URL.split(','),
          tls: { ca: config.NATS_CA, cert: config.NATS_CERT, key: config.NATS_KEY },
          name,
          log,
          user: config.NATS_USER,
          password: config.NATS_PASSWORD,
          credentials: config.NATS_CREDENTIALS,
          parcels,
          whole: [SCHEMA_SUBJECT],
        }));
  const permitted = permittedBus(meteredBus(transport, metrics), may);
  return {
    bus: tracerInUse() === null ? permitted : traceBus(permitted),
    config,
    env,
    log,
    metrics,
  };
}

/** Ends the bus last, and says whether it is connected. */
export function busModule({ bus }: Linked): Module {
  return {
    name: 'connections',
    start: async () => {},
    stop: () => bus.close(),
    ready: async () => requireConnected(bus),
  };
}

export function requireConnected(bus: Bus): void {
  if (!bus.ready()) throw new Error('the bus is not connected');
}
