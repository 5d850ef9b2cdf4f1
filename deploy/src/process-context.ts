import { PostgresParcels, QUEUES_ROLE, Traces, databaseNow } from '@countersign/database';
import type { Pool, RoleName } from '@countersign/database';
import {
  HINTS,
  Notary,
  TransitEngine,
  createDatabaseClock,
  createWorkerMetrics,
  loadConfig,
  recordedTraceparent,
  throttle,
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
import { clockGauge } from './clock-gauge.js';
import { databaseGauges } from './database-gauges.js';
import { commonConfig } from './configuration.js';
import type { CommonConfig } from './configuration.js';
import { keyGauge } from './key-gauge.js';
import { messageVerifier } from './message-settings.js';
import { connectedOnce, createBusContext, requireConnected } from './bus-context.js';
import type { BusContext, ProcessInputs } from './bus-context.js';
import type { Hint, Rights } from './permissions.js';
import { databaseUrl, poolOf } from './pool.js';
import type { PoolSettings } from './pool.js';
import { redisConfig } from './redis-settings.js';
import { RemoteKey } from './remote-key.js';
import { mayAlsoSign, serviceSigner } from './service-signer.js';
import { signingKeyOf, transitOf } from './signing-settings.js';
import { WORKER } from './worker-settings.js';
import type { WorkerConfig } from './worker-settings.js';

/** Services shared by the targets of one process. Each member throws where the targets lack the right to use it. */
export interface ProcessContext extends BusContext {
  readonly config: CommonConfig;
  readonly trust: TrustManifest;
  /** The runtime of a service behind the gateway. */
  runtime(service: AskedService): ServiceRuntime;
  /** The clock by which tokens and messages are checked. */
  clock(): DatabaseClock;
  /** Connections that act as one database role. */
  pool(role: RoleName): Pool;
  notary(service: SigningService): Notary;
  /** Links records to traces; null while tracing is off. */
  traces(role: RoleName): Traces | null;
  /** Sends that hint about a tenant, never awaited. */
  hint(name: Hint): (tenant: string) => void;
  /** The runtime of the worker with that name. */
  worker(name: string): Promise<WorkerRuntime>;
  /** The queues of this process's workers, when it has any: they end before the connections. */
  readonly queues: Module;
  /** Keys held by a key service: a service that signs with one is not ready while the key service does not answer. */
  readonly signingKeys: Module;
  /** Reads the clock, where this process checks times by it. */
  readonly clockReader: Module;
  /** The bus and the pools that everything else uses: first to start, last to stop. */
  readonly connections: Module;
}

/** The identity of a process. */
export interface Identity {
  readonly name: string;
  /** The role whose connections carry its large messages, and whose login its queues use. */
  readonly role: RoleName;
  readonly may: Rights;
  /** Whether callers reach it. */
  readonly listens: boolean;
  /** The role that takes a large message of that subject, or for null an answer. */
  takerOf(subject: string | null): RoleName;
}

export async function createProcessContext(
  inputs: ProcessInputs,
  { name, role, may, listens, takerOf }: Identity,
): Promise<ProcessContext> {
  const { env, log } = inputs;
  const config = commonConfig(env);
  const settings = { config, env, log };
  const pools = new Map<RoleName, Pool>();
  const pool = (of: RoleName): Pool => {
    permit(may.roles.includes(of), `act as the role ${of}`);
    return remembered(pools, of, () => poolOf(of, settings));
  };
  const trust = trustOf(config);
  const parcels = parcelsOf(new PostgresParcels(pool(role), pool), takerOf);
  const busContext = await createBusContext(inputs, name, may, parcels);
  const { bus, metrics } = busContext;
  const checkBus = listens ? connectedOnce(bus) : () => requireConnected(bus);
  function permit(allowed: boolean, doing: string): void {
    if (!allowed) throw new Error(`${name} may not ${doing}`);
  }
  databaseGauges(metrics, pools, config.DATABASE_CONNECTIONS);
  const traced = tracerInUse() !== null;
  const notaries = new Map<SigningService, Notary>();
  const remotes: RemoteKey[] = [];
  const signers = new Map<SigningService, Pick<RemoteSigner, 'window'>>();
  keyGauge(metrics, signers);
  let engine: TransitEngine | undefined;
  let clock: ReturnType<typeof createDatabaseClock> | undefined;
  clockGauge(metrics, () => clock?.offsetMs() ?? null);
  const clockOf = () =>
    (clock ??= createDatabaseClock({ read: () => databaseNow(pool(role).ofNoTenant), log }));
  let jobs: Promise<Jobs> | undefined;
  const queuesOf = (): Promise<Jobs> => {
    permit(may.queues, 'have queues');
    return jobsOf(role, settings);
  };
  return {
    ...busContext,
    config,
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
        permit(may.keys.includes(service), `sign as ${service}`);
        const key = signingKeyOf(service, env);
        const noted = traced && may.roles.includes(service) ? noteTrace(pool(service)) : null;
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
      permit(may.publishes.includes(hint), `publish the hint ${hint}`);
      return throttle((tenant) => bus.publish(HINTS[hint], tenant), HINT_INTERVAL_MS);
    },
    traces: (of) => (traced ? new Traces(pool(of)) : null),
    worker: async (worker) => ({
      name: worker,
      jobs: await (jobs ??= queuesOf()),
      settings: workerSettings(loadConfig(WORKER, env)),
      metrics: createWorkerMetrics(metrics, worker),
      log,
    }),
    queues: {
      name: 'queues',
      start: async () => {},
      stop: async () => (await jobs)?.close(),
      ready: async () => (await jobs)?.ready(),
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
        checkBus();
        await Promise.all([...pools.values()].map((open) => databaseNow(open.ofNoTenant)));
      },
    },
  };
}

/** A large message is for the role of the target that serves its subject, and a large answer for the gateway. */
function parcelsOf(parcels: PostgresParcels, takerOf: Identity['takerOf']): ParcelStore {
  return {
    put: async (body, subject) => parcels.put(body, takerOf(subject)),
    take: async (id, subject) => parcels.take(id, takerOf(subject)),
  };
}

/** Of hints about one tenant: as long as the drain, which receives most of them, pauses between its batches. */
const HINT_INTERVAL_MS = 4;

/** docs/architecture.md, "The path of a deadline". */
const AHEAD_MS = 600_000;

function workerSettings(config: WorkerConfig): WorkerRuntime['settings'] {
  return {
    sweepMs: config.SWEEP_SECONDS * 1000,
    aheadMs: AHEAD_MS,
    batch: config.SWEEP_BATCH,
    concurrency: config.WORKER_CONCURRENCY,
    perSecond: config.WORKER_PER_SECOND,
  };
}

/** Queues in Redis, or without one beside the data, by the login of the process and in their own role. */
async function jobsOf(role: RoleName, { config, env, log }: PoolSettings): Promise<Jobs> {
  // Loaded only where there are queues: BullMQ is a large part of a small process.
  const { createJobs } = await import('@countersign/platform/jobs');
  const lockMs = loadConfig(WORKER, env).WORKER_LOCK_SECONDS * 1000;
  const redis = redisConfig(config, env);
  if (redis !== undefined) return createJobs({ log, lockMs, redis });
  const current = databaseUrl(role, { config, env, log });
  return createJobs({ log, lockMs, databaseUrl: () => inRole(current(), QUEUES_ROLE) });
}

function inRole(databaseUrl: string, role: string): string {
  const url = new URL(databaseUrl);
  const options = url.searchParams.get('options') ?? '';
  url.searchParams.set('options', `${options} -c role=${role}`.trim());
  return url.href;
}

async function all<T>(parts: readonly T[], work: (part: T) => Promise<void>): Promise<void> {
  await Promise.all(parts.map(work));
}

/** Records that other processes commit and chain belong to the trace of their issuer. */
function noteTrace(pool: Pool): NoteIssued {
  return (type, tenant, id) => {
    const traceparent = UNCHAINED.includes(type) ? null : recordedTraceparent();
    return traceparent === null ? null : new Traces(pool).note(tenant, id, traceparent);
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
