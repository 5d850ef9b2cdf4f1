import type { Bus, CallerMinter, Logger, Module, Registry } from '@countersign/platform';
import { DEFAULT_RATES } from '@countersign/protocol';
import type { TrustManifest } from '@countersign/protocol';

import { createAssets } from './assets.js';
import { createAuthenticate } from './authentication.js';
import type { GatewayConfig } from './config.js';
import type { HttpCounts } from './http-counts.js';
import { createHttpCounts } from './http-counts.js';
import { createHttpTimes } from './http-times.js';
import type { Notifications } from './discovery.js';
import type { Listener } from './listener.js';
import { createIdentityProvider } from './login/identity-provider.js';
import { createLogin } from './login/login.js';
import { createPeoplePaths } from './people.js';
import { createPipeline } from './pipeline.js';
import { verifierPage } from './pages/verifier-page.js';
import { errorReference, publicPaths } from './public-paths.js';
import type { Rates } from './rates.js';
import { createRates, unlimitedRates } from './rates.js';
import { createRefuse } from './refusals.js';
import { createSandboxListener } from './sandbox/listener.js';
import { createServer } from './server.js';
import type { Pool, Store } from './store.js';
import { createStore } from './store.js';
import { treePaths } from './tree-paths.js';

/** Calls under way get this long to end when the process stops. */
const GRACE_MS = 10_000;

export interface GatewayDeps {
  readonly config: GatewayConfig;
  /** Connections that act as the gateway's database role. */
  readonly pool: Pool;
  readonly bus: Bus;
  readonly minter: CallerMinter;
  readonly log: Logger;
  /** As it was configured; operation #2 serves it as it is. */
  readonly trust: TrustManifest;
  readonly notifications: Notifications;
  /** This process's own figures. */
  readonly metrics: Registry;
}

/** The HTTP edge: the API, the pages, logins, and the sandbox origin on a listener of its own. */
export function createGateway(deps: GatewayDeps): Module {
  const { config, bus, log } = deps;
  const store = createStore(deps.pool);
  const rates = config.quotas
    ? createRates({ ...DEFAULT_RATES, ...config.rates }, config.redisUrl, log)
    : unlimitedRates;
  const counts = createHttpCounts(store, log);
  let sandbox: Listener | null = null;
  let server: Listener | null = null;

  return {
    name: 'gateway',

    async start() {
      server = await createTrusted(deps, store, rates, counts);
      await server.start(config.port, config.host);
      sandbox = await createSandboxListener({
        origin: config.origin,
        pattern: config.sandboxOrigin,
        confinement: config.appConfinement,
        production: config.mode === 'production',
      });
      await sandbox.start(config.sandboxPort, config.host);
      log.info({ origin: config.origin, sandbox: config.sandboxOrigin }, 'gateway listens');
    },

    async stop() {
      await Promise.all([server?.stop(GRACE_MS), sandbox?.stop(GRACE_MS)]);
      await Promise.all([rates.close(), counts.stop()]);
    },

    async ready() {
      if (!bus.ready()) throw new Error('the bus is not connected');
      await store.probe();
    },
  };
}

async function createTrusted(
  deps: GatewayDeps,
  store: Store,
  rates: Rates,
  counts: HttpCounts,
): Promise<Listener> {
  const { config, bus, minter, log, trust, notifications } = deps;
  const { mode, origin } = config;
  const pipeline = createPipeline({
    authenticate: createAuthenticate(store),
    rates,
    counts,
    bus,
    minter,
    origin,
    timeoutMs: config.serviceTimeoutMs,
    stepUp: config.stepUp,
  });
  const provider = createIdentityProvider({
    ...config.oidc,
    redirectUri: `${origin}/auth/callback`,
    plainHttp: mode === 'development' && config.oidc.issuer.startsWith('http://'),
  });
  return createServer({
    origin,
    requestMs: config.requestTimeoutMs,
    production: mode === 'production',
    pipeline,
    publicPaths: publicPaths({
      mode,
      origin,
      notifications,
      requestsPerMinute: config.rates.principal ?? DEFAULT_RATES.principal,
      trust,
      store,
      bus,
      take: pipeline.take,
      verifier: await verifierPage(),
    }),
    assets: await createAssets(),
    errors: errorReference(origin),
    trees: treePaths(bus, pipeline, config.serviceTimeoutMs),
    login: createLogin(store, provider, config.stepUp),
    people: createPeoplePaths(store, pipeline, config.sandboxOrigin, config.stepUp),
    refuse: createRefuse(origin, log),
    times: createHttpTimes(deps.metrics),
  });
}
