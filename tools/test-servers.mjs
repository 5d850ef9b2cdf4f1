// Postgres, NATS and Redis for the tests, which start them themselves: programs on the machine, or from npm; else from
// Debian's packages; else in containers. And the browser of test/browser.
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
    image: 'postgres=postgres:17',
  },
  {
    name: 'NATS',
    finder: 'findNats',
    debianPackage: 'nats-server',
    variable: 'NATS_URL',
    image: 'nats=nats:2.12-alpine',
  },
  {
    name: 'Redis',
    finder: 'findRedis',
    debianPackage: 'redis-server',
    variable: 'REDIS_URL',
    image: 'redis=redis:8',
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
 * Makes sure that the tests can start their servers, where the environment names no running ones. Resolves to the
 * environment that names the images of those that are started in containers. Throws Missing.
 */
export async function provideTestServers(say) {
  const stores = await import('@countersign/dev-servers');
  const { canInstall, installPackages } = await import('./dist/launcher/debian.js');
  const lacking = () =>
    SERVERS.filter(({ finder, variable }) => !process.env[variable] && stores[finder]() === null);

  // Images that somebody has named are used without a look at this machine.
  if (process.env.TEST_IMAGES) return {};
  if (lacking().length > 0 && canInstall()) {
    await installPackages(
      lacking().map(({ debianPackage }) => debianPackage),
      say,
    );
  }
  const missing = lacking();
  if (missing.length === 0) return {};
  // They share the network of this machine with the tests, which containers do on Linux alone.
  const onLinux = process.platform === 'linux';
  if (onLinux && spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0) {
    const images = missing.map(({ image }) => image).join(',');
    say(`not on this machine, started in containers: ${images}`);
    return { TEST_IMAGES: images };
  }
  // npm brings PostgreSQL, unless optional packages were left out.
  const byNpm = missing.some(({ finder }) => finder === 'findPostgres')
    ? '; PostgreSQL also comes with npm install --include=optional'
    : '';
  throw new Missing(
    `The tests need ${missing.map(({ name }) => name).join(', ')}. Install what is missing ` +
      `(Debian: apt-get install ${missing.map(({ debianPackage }) => debianPackage).join(' ')}${byNpm}), ` +
      `${onLinux ? 'start Docker, ' : ''}or name running servers by ${missing.map(({ variable }) => variable).join(', ')}.`,
  );
}

/**
 * Makes a Postgres cluster with the schema, which test files copy instead of making one each (test/support/cluster.ts).
 * Resolves to the environment that names it, empty when the database is another server's, and how to remove it.
 */
export async function provideCluster() {
  if (process.env.DATABASE_URL) return { env: {}, remove() {} };
  const { startPostgres } = await import('@countersign/dev-servers');
  const { bringUpToDate } = await import('@countersign/deploy/database');
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
