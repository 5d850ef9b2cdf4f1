import {
  PostgresParcels,
  QUEUES_ROLE,
  ROLES,
  Traces,
  createPool,
  databaseNow,
} from '@countersign/database';
import type { RoleName } from '@countersign/database';
import {
  HINTS,
  Notary,
  TransitEngine,
  createCallerVerifier,
  createInProcessBus,
  createMetrics,
  createNatsBus,
  createWorkerMetrics,
  inSpan,
  meteredBus,
  recordedTraceparent,
  spaced,
  traceBus,
  tracerInUse,
} from '@countersign/platform';
import type {
  Bus,
  Logger,
  Module,
  NoteIssued,
  Registry,
  ServiceRuntime,
  WorkerRuntime,
} from '@countersign/platform';
import type { Jobs } from '@countersign/platform/jobs';
import { SIGNING_POLICY, readTrustManifest, restrictRemoteSigner } from '@countersign/protocol';
import type { SigningService, TrustManifest } from '@countersign/protocol';
import { databaseGauges } from './database-gauges.js';
import { databaseUrlOf } from './configuration.js';
import type { CommonConfig } from './configuration.js';
import { permissionsOf, permittedBus } from './permissions.js';
import type { Hint } from './permissions.js';
import type { Target } from './modules.js';
import { RemoteKey } from './remote-key.js';
import { mayAlsoSign, serviceSigner } from './service-signer.js';
import { signingKeyOf, transitOf } from './signing-settings.js';

export type Pool = ReturnType<typeof createPool>;

export interface Surroundings {
  readonly config: CommonConfig;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
  /** Aborted when the process is asked to end, perhaps before it has started. */
  readonly stopping?: AbortSignal;
  /** Instead of the one that the configuration names: that of the process's threads, or a test's. */
  readonly bus?: Bus | undefined;
  /** Which further thread of the process this is. */
  readonly thread?: string;
}

/** What a process was given to work with: compared with the chart, which lets each target have just that. */
export interface Uses {
  readonly roles: Set<RoleName>;
  readonly keys: Set<SigningService>;
  readonly publishes: Set<Hint>;
  queues: boolean;
}

/** What the targets of one process share. */
export interface Shared extends Surroundings {
  readonly bus: Bus;
  readonly trust: TrustManifest;
  readonly runtime: ServiceRuntime;
  /** Connections that act as one database role. */
  pool(role: RoleName): Pool;
  notary(service: SigningService): Notary;
  /** To which traces records belong; null while tracing is off. */
  traces(role: RoleName): Traces | null;
  /** Sends that hint about a tenant, never awaited. Throws unless a target of this process may. */
  hint(name: Hint): (tenant: string) => void;
  /** This process's own figures. */
  readonly metrics: Registry;
  /** What the worker of that name runs on. */
  worker(name: string): Promise<WorkerRuntime>;
  /** The queues of this process's workers, when it has any: they end before the connections. */
  readonly queues: Module;
  /** Keys that are in a key service: whoever signs with one is not ready while it does not answer. */
  readonly signingKeys: Module;
  /** First to start, last to stop: the bus and the pools that everything else stands on. */
  readonly connections: Module;
  readonly uses: Uses;
}

/** `name` says which process this is, `role` whose connections carry its large messages. */
export async function share(
  surroundings: Surroundings,
  targets: readonly Target[],
  name: string,
  role: RoleName,
): Promise<Shared> {
  const { config, env, log } = surroundings;
  const uses: Uses = { roles: new Set(), keys: new Set(), publishes: new Set(), queues: false };
  const pools = new Map<RoleName, Pool>();
  const pool = (of: RoleName) => {
    uses.roles.add(of);
    return remembered(pools, of, () => poolOf(of, surroundings));
  };
  const trust = trustOf(config);
  const metrics = createMetrics(name, surroundings.thread);
  databaseGauges(metrics, pools, config.DATABASE_CONNECTIONS);
  const permissions = permissionsOf(targets);
  const transport =
    surroundings.bus ??
    (config.NATS_URL === undefined
      ? createInProcessBus({ log })
      : await createNatsBus({
          servers: config.NATS_URL.split(','),
          name,
          log,
          user: config.NATS_USER,
          password: config.NATS_PASSWORD,
          credentials: config.NATS_CREDENTIALS,
          parcels: new PostgresParcels(pool(role)),
        }));
  const permitted = permittedBus(meteredBus(transport, metrics), permissions);
  const traced = tracerInUse() !== null;
  const bus = traced ? traceBus(permitted) : permitted;
  const notaries = new Map<SigningService, Notary>();
  const remotes: RemoteKey[] = [];
  let engine: TransitEngine | undefined;
  let jobs: Promise<Jobs> | undefined;
  const queuesOf = (): Promise<Jobs> => {
    uses.queues = true;
    return jobsOf(role, surroundings);
  };
  return {
    ...surroundings,
    pool,
    bus,
    trust,
    runtime: { bus, verifier: createCallerVerifier({ caller: config.CALLER_PUBLIC_KEY }), log },
    notary: (service) =>
      remembered(notaries, service, () => {
        uses.keys.add(service);
        const key = signingKeyOf(service, env);
        const noted = traced ? noteTrace(() => pool(service)) : null;
        if ('pem' in key) {
          const signer = serviceSigner(service, key.pem, trust, config.ORIGIN, Date.now());
          return new Notary(signer, config.ORIGIN, noted);
        }
        const remote = new RemoteKey({
          service,
          engine: (engine ??= new TransitEngine(transitOf(config, env))),
          key: key.vaultKey,
          manifest: trust,
          origin: config.ORIGIN,
          log,
          now: () => Date.now(),
        });
        remotes.push(remote);
        return new Notary(
          restrictRemoteSigner(remote, SIGNING_POLICY[service], mayAlsoSign(service)),
          config.ORIGIN,
          noted,
        );
      }),
    hint: (hint) => {
      if (!permissions.publishes.includes(hint)) {
        throw new Error(`${targets.join(', ')} may not publish the hint ${hint}`);
      }
      uses.publishes.add(hint);
      return spaced((tenant) => bus.publish(HINTS[hint], tenant), HINT_SPACE_MS);
    },
    traces: (of) => (traced ? new Traces(pool(of)) : null),
    metrics,
    uses,
    worker: async (worker) => ({
      name: worker,
      jobs: await (jobs ??= queuesOf()),
      settings: {
        sweepMs: config.SWEEP_SECONDS * 1000,
        aheadMs: AHEAD_MS,
        batch: config.SWEEP_BATCH,
        concurrency: config.WORKER_CONCURRENCY,
        perSecond: config.WORKER_PER_SECOND,
      },
      metrics: createWorkerMetrics(metrics, worker),
      log,
    }),
    queues: {
      name: 'queues',
      start: async () => {},
      stop: async () => (await jobs)?.close(),
    },
    signingKeys: {
      name: 'signing keys',
      start: () => all(remotes, (remote) => remote.start()),
      stop: () => all(remotes, (remote) => remote.stop()),
      ready: () => all(remotes, (remote) => remote.ready()),
    },
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

/** Of hints about one tenant: as long as the drain, which hears most of them, pauses between its batches. */
const HINT_SPACE_MS = 4;

/** Architecture §5. */
const AHEAD_MS = 600_000;

/** Queues in Redis, or without one beside the data, by the login of the process and in their own role. */
async function jobsOf(role: RoleName, { config, env, log }: Surroundings): Promise<Jobs> {
  // Loaded only where there are queues: BullMQ is a large part of a small process.
  const { createJobs } = await import('@countersign/platform/jobs');
  const lockMs = config.WORKER_LOCK_SECONDS * 1000;
  if (config.REDIS_URL !== undefined) {
    return createJobs({ log, lockMs, redisUrl: config.REDIS_URL });
  }
  const url = new URL(databaseUrlOf(role, config, env));
  const options = url.searchParams.get('options') ?? '';
  url.searchParams.set('options', `${options} -c role=${QUEUES_ROLE}`.trim());
  return createJobs({ log, lockMs, databaseUrl: url.href });
}

function poolOf(role: RoleName, { config, env, log }: Surroundings): Pool {
  return createPool({
    url: databaseUrlOf(role, config, env),
    role: ROLES[role],
    application: `countersign-${role}`,
    max: config.DATABASE_CONNECTIONS,
    onError: (error) => log.warn({ err: error, role }, 'a database connection broke'),
    around: tracerInUse() === null ? undefined : traceStatement,
  });
}

async function all<T>(parts: readonly T[], work: (part: T) => Promise<void>): Promise<void> {
  await Promise.all(parts.map(work));
}

/** By its name alone: texts and values of statements are nobody's business. */
function traceStatement<T>(statement: string, run: () => Promise<T>): Promise<T> {
  return inSpan(statement, { kind: 'client', attributes: POSTGRES }, run);
}
const POSTGRES = { 'db.system.name': 'postgresql' } as const;

/** Records that are committed and chained by others belong to the trace of whoever issued them. */
function noteTrace(poolOfService: () => Pool): NoteIssued {
  return (type, tenant, id) => {
    const traceparent = UNCHAINED.includes(type) ? null : recordedTraceparent();
    return traceparent === null ? null : new Traces(poolOfService()).note(tenant, id, traceparent);
  };
}
const UNCHAINED = ['AuditCheckpoint', 'WebhookDelivery'];

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
