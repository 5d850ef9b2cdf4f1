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
  createDatabaseClock,
  createWorkerMetrics,
  inSpan,
  recordedTraceparent,
  spaced,
  tracerInUse,
} from '@countersign/platform';
import type {
  AskedService,
  DatabaseClock,
  Module,
  NoteIssued,
  ParcelStore,
  ServiceRuntime,
  WorkerRuntime,
} from '@countersign/platform';
import type { Jobs } from '@countersign/platform/jobs';
import { SIGNING_POLICY, readTrustManifest, restrictRemoteSigner } from '@countersign/protocol';
import type { RemoteSigner, SigningService, TrustManifest } from '@countersign/protocol';
import { databaseGauges } from './database-gauges.js';
import { commonConfig, databaseUrlOf } from './configuration.js';
import type { CommonConfig } from './configuration.js';
import { keyGauge } from './key-gauge.js';
import { messageVerifier } from './message-settings.js';
import { link, requireConnected } from './linked.js';
import type { Linked, Surroundings } from './linked.js';
import { takerOf } from './permissions.js';
import type { Hint } from './permissions.js';
import type { Target } from './modules.js';
import { RemoteKey } from './remote-key.js';
import { mayAlsoSign, serviceSigner } from './service-signer.js';
import { signingKeyOf, transitOf } from './signing-settings.js';

export type Pool = ReturnType<typeof createPool>;

/** What a process was given to work with: compared with the chart, which lets each target have just that. */
export interface Uses {
  readonly roles: Set<RoleName>;
  readonly keys: Set<SigningService>;
  readonly publishes: Set<Hint>;
  queues: boolean;
}

/** What the targets of one process share. */
export interface Shared extends Linked {
  readonly config: CommonConfig;
  readonly env: NodeJS.ProcessEnv;
  readonly trust: TrustManifest;
  /** What that service runs on behind the gateway. */
  runtime(service: AskedService): ServiceRuntime;
  /** Which tokens and messages are judged by. */
  clock(): DatabaseClock;
  /** Connections that act as one database role. */
  pool(role: RoleName): Pool;
  notary(service: SigningService): Notary;
  /** To which traces records belong; null while tracing is off. */
  traces(role: RoleName): Traces | null;
  /** Sends that hint about a tenant, never awaited. Throws unless a target of this process may. */
  hint(name: Hint): (tenant: string) => void;
  /** What the worker of that name runs on. */
  worker(name: string): Promise<WorkerRuntime>;
  /** The queues of this process's workers, when it has any: they end before the connections. */
  readonly queues: Module;
  /** Keys that are in a key service: whoever signs with one is not ready while it does not answer. */
  readonly signingKeys: Module;
  /** Reads the clock, where something of this process is judged by it. */
  readonly clockReader: Module;
  /** First to start, last to stop: the bus and the pools that everything else stands on. */
  readonly connections: Module;
  readonly uses: Uses;
}

/** What connections are made of. */
type Settings = Pick<Shared, 'config' | 'env' | 'log'>;

/** `name` says which process this is, `role` whose connections carry its large messages. */
export async function share(
  surroundings: Surroundings,
  targets: readonly Target[],
  name: string,
  role: RoleName,
): Promise<Shared> {
  const { env, log } = surroundings;
  const config = commonConfig(env);
  const settings = { config, env, log };
  const uses: Uses = { roles: new Set(), keys: new Set(), publishes: new Set(), queues: false };
  const pools = new Map<RoleName, Pool>();
  const pool = (of: RoleName): Pool => {
    uses.roles.add(of);
    return remembered(pools, of, () => poolOf(of, settings));
  };
  const trust = trustOf(config);
  const parcels = parcelsOf(new PostgresParcels(pool(role), pool));
  const linked = await link(surroundings, targets, name, parcels);
  const { bus, metrics, permissions } = linked;
  databaseGauges(metrics, pools, config.DATABASE_CONNECTIONS);
  const traced = tracerInUse() !== null;
  const notaries = new Map<SigningService, Notary>();
  const remotes: RemoteKey[] = [];
  const signers = new Map<SigningService, Pick<RemoteSigner, 'window'>>();
  keyGauge(metrics, signers);
  let engine: TransitEngine | undefined;
  let clock: ReturnType<typeof createDatabaseClock> | undefined;
  const clockOf = () =>
    (clock ??= createDatabaseClock({ read: () => databaseNow(pool(role).ofNoTenant), log }));
  let jobs: Promise<Jobs> | undefined;
  const queuesOf = (): Promise<Jobs> => {
    uses.queues = true;
    return jobsOf(role, settings);
  };
  return {
    ...linked,
    ...settings,
    pool,
    trust,
    runtime: (service) => ({
      bus,
      verifier: messageVerifier(service, { bus, env, clock: clockOf(), log }),
      log,
    }),
    clock: clockOf,
    clockReader: {
      name: 'database clock',
      start: async () => clock?.start(),
      stop: async () => clock?.stop(),
      ready: async () => clock?.ready?.(),
    },
    notary: (service) =>
      remembered(notaries, service, () => {
        uses.keys.add(service);
        const key = signingKeyOf(service, env);
        const noted = traced ? noteTrace(() => pool(service)) : null;
        if ('pem' in key) {
          const signer = serviceSigner(service, key.pem, trust, config.ORIGIN, Date.now());
          signers.set(service, signer);
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
        signers.set(service, remote);
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
        requireConnected(bus);
        await Promise.all([...pools.values()].map((open) => databaseNow(open.ofNoTenant)));
      },
    },
  };
}

/** A large message is for the role of the target that serves its subject, and a large answer for the gateway. */
function parcelsOf(parcels: PostgresParcels): ParcelStore {
  return {
    put: async (body, subject) => parcels.put(body, takerOf(subject)),
    take: async (id, subject) => parcels.take(id, takerOf(subject)),
  };
}

/** Of hints about one tenant: as long as the drain, which hears most of them, pauses between its batches. */
const HINT_SPACE_MS = 4;

/** docs/architecture.md, "How one deadline travels". */
const AHEAD_MS = 600_000;

/** Queues in Redis, or without one beside the data, by the login of the process and in their own role. */
async function jobsOf(role: RoleName, { config, env, log }: Settings): Promise<Jobs> {
  // Loaded only where there are queues: BullMQ is a large part of a small process.
  const { createJobs } = await import('@countersign/platform/jobs');
  const lockMs = config.WORKER_LOCK_SECONDS * 1000;
  if (config.REDIS_URL !== undefined) {
    return createJobs({ log, lockMs, redisUrl: config.REDIS_URL, redisCa: config.REDIS_CA });
  }
  const url = new URL(databaseUrlOf(role, config, env));
  const options = url.searchParams.get('options') ?? '';
  url.searchParams.set('options', `${options} -c role=${QUEUES_ROLE}`.trim());
  return createJobs({ log, lockMs, databaseUrl: url.href });
}

function poolOf(role: RoleName, { config, env, log }: Settings): Pool {
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
