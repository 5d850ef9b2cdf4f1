import { BodyWorkers, HINTS } from '@countersign/platform';
import type { Loop, Module } from '@countersign/platform';
import { DEFAULT_RATES } from '@countersign/protocol';

import { createAssets } from './assets.js';
import { createClientAddresses } from './client-address.js';
import { countingUnknown, createAuthenticate } from './authentication.js';
import type { GatewayDeps } from './deps.js';
import type { HttpCounts } from './http-counts.js';
import { createHttpCounts } from './http-counts.js';
import { createHttpTimes } from './http-times.js';
import type { ConnectionLimits, Listener } from './listener.js';
import type { LongPolls } from './long-polls.js';
import { createLongPolls } from './long-polls.js';
import { createIdentityProvider } from './login/identity-provider.js';
import { createLogin } from './login/login.js';
import { metricsTextOperation } from './operations/metrics-text.js';
import { createPeoplePaths } from './people.js';
import { createAskPerson } from './person.js';
import { createPipeline } from './pipeline.js';
import { evidencePage, verifierPage } from './pages/verifier-page.js';
import { errorReference, publicPaths } from './public-paths.js';
import type { Places } from './places.js';
import { createPlaces, unlimitedPlaces } from './places.js';
import type { Rates } from './rates.js';
import { createRates, unlimitedRates } from './rates.js';
import { endLapsedSessions } from './lapsed-sessions.js';
import { createRefusalCounts } from './refusal-counts.js';
import type { RefusalCounts } from './refusal-counts.js';
import { createRefuse } from './refusals.js';
import { createSandboxListener } from './sandbox/listener.js';
import { createServer } from './server.js';
import { createNotificationPaths } from './notification-paths.js';
import { createSessionPaths } from './session-paths.js';
import type { Store } from './store/index.js';
import { createStore } from './store/index.js';
import { treePaths } from './tree-paths.js';
import { createTurns } from './turns.js';

/** Held calls that look again at the same time: many wake together, and callers that wait for an answer come first. */
const LOOKS = 4;

/** Calls under way get this long to end when the process stops. */
const GRACE_MS = 10_000;

/** The HTTP edge: the API, the pages, logins, and the sandbox origin on a listener of its own. */
export function createGateway(deps: GatewayDeps): Module {
  const { config, log } = deps;
  const store = createStore(deps.pool, config.sessionIdleSeconds);
  const rates = config.quotas
    ? createRates({ ...DEFAULT_RATES, ...config.rates }, config.redis, log)
    : unlimitedRates;
  const places = config.quotas ? createPlaces(config.concurrency) : unlimitedPlaces;
  const counts = createHttpCounts(store, log);
  const addresses = createClientAddresses(config.trustedProxies);
  const connections = { ...config.connections, addresses };
  const refusals = createRefusalCounts(store, log);
  const bodies = new BodyWorkers(new URL('./body-worker.js', import.meta.url));
  const longPolls = createLongPolls();
  let lapsing: Loop | null = null;
  let sandbox: Listener | null = null;
  let server: Listener | null = null;

  return {
    name: 'gateway',

    async start() {
      for (const hint of [HINTS.outbox, HINTS.grown]) {
        await deps.bus.subscribe(hint, null, (tenant) => longPolls.wake(hint, tenant));
      }
      server = await createTrusted(
        deps,
        store,
        { rates, places, longPolls, counts, refusals, connections },
        bodies,
      );
      await server.start(config.port, config.host);
      sandbox = await createSandboxListener({
        origin: config.origin,
        pattern: config.sandboxOrigin,
        confinement: config.appConfinement,
        production: config.mode === 'production',
        connections,
      });
      await sandbox.start(config.sandboxPort, config.host);
      lapsing = endLapsedSessions(store, log);
      log.info({ origin: config.origin, sandbox: config.sandboxOrigin }, 'gateway listens');
    },

    async stop() {
      const { lingerMs } = config;
      longPolls.stop();
      await Promise.all([server?.stop(GRACE_MS, lingerMs), sandbox?.stop(GRACE_MS, lingerMs)]);
      await lapsing?.stop();
      await Promise.all([rates.close(), counts.stop(), refusals.stop(), bodies.stop()]);
    },

    ready: () => store.probe(),
  };
}

interface Limits {
  readonly rates: Rates;
  readonly places: Places;
  readonly longPolls: LongPolls;
  readonly counts: HttpCounts;
  readonly refusals: RefusalCounts;
  readonly connections: ConnectionLimits;
}

async function createTrusted(
  deps: GatewayDeps,
  store: Store,
  limits: Limits,
  bodies: BodyWorkers,
): Promise<Listener> {
  const { rates, places, longPolls, counts, refusals, connections } = limits;
  const { config, bus, sealer, log, trust, notifications, offered } = deps;
  const { mode, origin } = config;
  const pipeline = createPipeline({
    authenticate: countingUnknown(createAuthenticate(store), (request) =>
      refusals.count('credential.refused', 'unauthenticated', connections.addresses.of(request)),
    ),
    rates,
    places,
    turns: {
      calls: createTurns(config.shared.calls),
      pages: createTurns(config.shared.pages),
      looks: createTurns(LOOKS, { always: true }),
    },
    longPolls,
    offered,
    addresses: connections.addresses,
    counts,
    bus,
    own: { 'gateway.metrics-text': metricsTextOperation },
    bodies,
    sealer,
    origin,
    timeoutMs: config.serviceTimeoutMs,
    stepUp: config.stepUp,
    stepUpRequired: (caller, route) => store.noteStepUp(caller, route),
  });
  const provider = createIdentityProvider({
    ...config.oidc,
    redirectUri: `${origin}/auth/callback`,
    signedOutUri: `${origin}/signed-out`,
    plainHttp: mode === 'development' && config.oidc.issuer.startsWith('http://'),
  });
  const person = createAskPerson(pipeline);
  return createServer({
    origin,
    requestMs: config.requestTimeoutMs,
    production: mode === 'production',
    connections,
    pipeline,
    publicPaths: publicPaths({
      mode,
      origin,
      notifications,
      offered,
      requestsPerMinute: config.rates.principal ?? DEFAULT_RATES.principal,
      trust,
      store,
      bus,
      securityContact: config.securityContact,
      take: pipeline.takeOfAddress,
      verifier: await verifierPage(),
      evidencePage: await evidencePage(),
    }),
    assets: await createAssets(),
    errors: errorReference(origin),
    trees: treePaths(pipeline),
    login: createLogin({
      store,
      provider,
      stepUp: config.stepUp,
      origin,
      refused: ({ request }, reason) =>
        refusals.count('login.refused', reason, connections.addresses.of(request)),
    }),
    sessions: createSessionPaths(store, person, provider),
    notifications: createNotificationPaths(store, person),
    people: createPeoplePaths(
      store,
      pipeline,
      person,
      config.sandboxOrigin,
      config.stepUp,
      offered,
    ),
    custody: 'proto.legal-hold' in offered,
    refuse: createRefuse(origin, log),
    times: createHttpTimes(deps.metrics),
  });
}
