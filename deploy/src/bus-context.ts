import {
  SCHEMA_SUBJECT,
  changing,
  createInProcessBus,
  createMetrics,
  createNatsBus,
  meteredBus,
  traceBus,
  tracerInUse,
} from '@countersign/platform';
import type { Bus, Logger, Module, NatsLogin, ParcelStore, Registry } from '@countersign/platform';
import { busConfig } from './configuration.js';
import type { BusConfig } from './configuration.js';
import { permittedBus } from './permissions.js';
import type { BusPermissions } from './permissions.js';

export interface ProcessInputs {
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
  /** Aborted when the process is asked to end, perhaps before it has started. */
  readonly stopping?: AbortSignal;
  /** Instead of the bus that the configuration names; for tests. */
  readonly bus?: Bus;
}

/** A process's connection to the bus; a target without a database and keys has nothing else. */
export interface BusContext {
  readonly bus: Bus;
  readonly config: BusConfig;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
  /** This process's own metrics. */
  readonly metrics: Registry;
}

/** `name` identifies the process, `may` lists its rights; `parcels` carries large messages, null without a database. */
export async function createBusContext(
  { env, log, bus }: ProcessInputs,
  name: string,
  may: BusPermissions,
  parcels: ParcelStore | null,
): Promise<BusContext> {
  const config = busConfig(env);
  const metrics = createMetrics(name);
  const transport =
    bus ??
    (config.NATS_URL === undefined
      ? createInProcessBus({ log })
      : await createNatsBus({
          servers: config.NATS_URL.split(','),
          name,
          log,
          login: natsLogin(env, log),
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

/** As its files have it now. */
function natsLogin(env: NodeJS.ProcessEnv, log: Logger): () => NatsLogin {
  const settings = changing(() => busConfig(env), 'login to NATS', log);
  return () => {
    const config = settings.again();
    return {
      user: config.NATS_USER,
      password: config.NATS_PASSWORD,
      credentials: config.NATS_CREDENTIALS,
      tls: { ca: config.NATS_CA, cert: config.NATS_CERT, key: config.NATS_KEY },
    };
  };
}

/** Ends the bus last, and says whether it is connected. */
export function busModule({ bus }: BusContext): Module {
  return {
    name: 'connections',
    start: async () => {},
    stop: () => bus.close(),
    ready: async () => requireConnected(bus),
  };
}

/**
 * Leaves the bus. Behind the services in the order of modules, so that no request arrives when the parts that answer it end; before
 * the gateway, which still asks them for its own callers.
 */
export function subscriptionsModule({ bus }: BusContext): Module {
  return { name: 'subscriptions', start: async () => {}, stop: () => bus.leave() };
}

export function requireConnected(bus: Bus): void {
  if (!bus.ready()) throw new Error('the bus is not connected');
}

/**
 * Of a process that callers reach: it must have been connected once, so that a rollout with a wrong address or password stops.
 * Afterwards it stays ready without the bus. All gateways lose it together, and callers then get its 503 and the pages instead of
 * refused connections.
 */
export function connectedOnce(bus: Bus): () => void {
  let connected = false;
  return () => {
    connected ||= bus.ready();
    if (!connected) requireConnected(bus);
  };
}
