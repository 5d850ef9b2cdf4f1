// Postgres, NATS and Redis for the tests: binaries on the machine, or from npm, which the tests start themselves;
// else from Debian's packages; else containers that live as long as the tests. And the browser of test/browser.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Missing } from './prepare.mjs';

const SERVERS = [
  {
    name: 'PostgreSQL',
    finder: 'findPostgres',
    debianPackage: 'postgresql',
    variable: 'DATABASE_URL',
    container: {
      image: 'postgres:17',
      port: 5432,
      env: {
        POSTGRES_USER: 'countersign',
        POSTGRES_DB: 'countersign',
        POSTGRES_HOST_AUTH_METHOD: 'trust',
      },
      url: (host, port) => `postgres://countersign@${host}:${port}/countersign`,
    },
  },
  {
    name: 'NATS',
    finder: 'findNats',
    debianPackage: 'nats-server',
    variable: 'NATS_URL',
    container: {
      image: 'nats:2.12',
      port: 4222,
      env: {},
      url: (host, port) => `nats://${host}:${port}`,
    },
  },
  {
    name: 'Redis',
    finder: 'findRedis',
    debianPackage: 'redis-server',
    variable: 'REDIS_URL',
    container: {
      image: 'redis:8',
      port: 6379,
      env: {},
      url: (host, port) => `redis://${host}:${port}`,
    },
  },
];

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser that the pages are tested with: `CHROMIUM`, else one on this machine; undefined when there is none. */
export function findBrowser() {
  return process.env.CHROMIUM ?? BROWSERS.find((path) => existsSync(path));
}

/**
 * Makes sure that the tests of the pages have a browser. Resolves to the environment that names it. Throws Missing.
 */
export async function provideBrowser(say) {
  const { canInstall, installPackages } = await import('./dist/launcher/debian.js');
  if (findBrowser() === undefined && canInstall()) await installPackages(['chromium'], say);
  const found = findBrowser();
  if (found !== undefined) return { CHROMIUM: found };
  throw new Missing(
    'The tests of the pages need Chromium. Install it (Debian: apt-get install chromium), or name one by CHROMIUM.',
  );
}

/**
 * Makes sure that the tests can have their servers. Resolves to the environment that names those which run in
 * containers, and how to end them. Throws Missing.
 */
export async function provideTestServers(say) {
  const stores = await import('@countersign/platform/stores');
  const { canInstall, installPackages } = await import('./dist/launcher/debian.js');
  const lacking = () =>
    SERVERS.filter(({ finder, variable }) => !process.env[variable] && stores[finder]() === null);

  if (lacking().length > 0 && canInstall()) {
    await installPackages(
      lacking().map(({ debianPackage }) => debianPackage),
      say,
    );
  }
  const missing = lacking();
  if (missing.length === 0) return { env: {}, stop: async () => {} };
  if (spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0)
    return startContainers(missing, say);
  throw new Missing(
    `The tests need ${missing.map(({ name }) => name).join(', ')}. Install what is missing ` +
      `(Debian: apt-get install ${missing.map(({ debianPackage }) => debianPackage).join(' ')}), start Docker, ` +
      `or name running servers by ${missing.map(({ variable }) => variable).join(', ')}.`,
  );
}

async function startContainers(servers, say) {
  const { GenericContainer } = await import('testcontainers');
  const env = {};
  const running = [];
  const stop = async () => {
    for (const container of running) await container.stop();
  };
  try {
    for (const { name, variable, container } of servers) {
      say(`starting a container of ${container.image}, for ${name} is not on this machine …`);
      const started = await new GenericContainer(container.image)
        .withEnvironment(container.env)
        .withExposedPorts(container.port)
        .start();
      running.push(started);
      env[variable] = container.url(started.getHost(), started.getMappedPort(container.port));
    }
  } catch (error) {
    await stop();
    throw new Missing(`Docker could not run it: ${error.message}`);
  }
  return { env, stop };
}

/**
 * Makes a Postgres cluster with the schema, which test files copy instead of making one each (test/support/cluster.ts).
 * Resolves to the environment that names it, empty when the database is another server's, and how to remove it.
 */
export async function provideCluster() {
  if (process.env.DATABASE_URL) return { env: {}, remove() {} };
  const { startPostgres } = await import('@countersign/platform/stores');
  const { bringUpToDate } = await import('./dist/launcher/database.js');
  const home = mkdtempSync(join(tmpdir(), 'countersign-cluster-'));
  chmodSync(home, 0o755);
  const remove = () => rmSync(home, { recursive: true, force: true });
  try {
    const dir = join(home, 'postgres');
    const server = await startPostgres({ dir });
    try {
      await bringUpToDate(server.url);
    } finally {
      await server.stop();
    }
    return { env: { TEST_CLUSTER: dir }, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
