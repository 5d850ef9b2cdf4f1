// Servers out of their images, for `npm test` on Linux where Docker is and the server is not. Test files run side by side,
// want servers of their own with settings of their own, and kill them: containers started once could not serve them. So a
// container only lends its files: the program, with the loader and the libraries that it was made for, becomes a program
// of this machine for as long as the tests run.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Missing } from './prepare.mjs';

/** Where a container's files are gathered, in the container and below the server's folder here. */
const GATHERED = 'countersign-programs';

/** Longer than copying takes; the container is stopped before. */
const STAY_SECONDS = '600';

/** Within this time, servers have ended that a killed run of the tests left behind. */
const SECONDS_TO_END = 30;

/**
 * Takes the programs of `servers` out of their images and puts them in front on this process's PATH, which the tests
 * inherit. Resolves to how to remove them when no test runs any more. Throws Missing.
 */
export async function takePrograms(servers, say) {
  const home = mkdtempSync(join(tmpdir(), 'countersign-servers-'));
  // Ended by a signal, servers outlive this process for moments, and PostgreSQL still loads files while it ends.
  const removeLater = () =>
    spawn('sh', ['-c', `sleep ${SECONDS_TO_END}; rm -rf "$0"`, home], {
      detached: true,
      stdio: 'ignore',
    }).unref();
  process.once('exit', removeLater);
  const remove = () => {
    process.removeListener('exit', removeLater);
    rmSync(home, { recursive: true, force: true });
  };
  // PostgreSQL has a user of its own where the tests are root.
  chmodSync(home, 0o755);
  const directories = new Set();
  for (const { name, image } of servers) {
    say(`taking ${name} out of the image ${image.tag}, for it is not on this machine …`);
    try {
      const folder = join(home, name);
      mkdirSync(folder);
      for (const program of await takeOut(image, folder)) {
        // An image for another processor, or a folder whose programs may not be run, is found here and not in each test.
        execFileSync(program, ['--version'], { stdio: ['ignore', 'ignore', 'pipe'] });
        directories.add(dirname(program));
      }
    } catch (error) {
      remove();
      throw new Missing(
        `${name} is not on this machine, and could not be taken out of the image ${image.tag}: ${error.message}`,
      );
    }
  }
  process.env.PATH = [...directories, process.env.PATH].join(delimiter);
  return { remove };
}

/** Copies the programs that `image` names into `folder`; resolves to the paths of those that can be started there. */
async function takeOut(image, folder) {
  const { GenericContainer } = await import('testcontainers');
  // It needs no network and no port.
  const plan = new GenericContainer(image.tag).withNetworkMode('none');
  // An image's own program may end at once for lack of settings. One without a shell has nothing else to start.
  if (!image.isStatic) plan.withEntrypoint(['sleep', STAY_SECONDS]);
  const container = await plan.start();
  try {
    return image.isStatic
      ? await takeStatic(container, image, folder)
      : await takeDynamic(container, image, folder);
  } finally {
    await container.stop();
  }
}

async function takeStatic(container, { programs }, folder) {
  for (const path of programs) await unpack(await container.copyArchiveFromContainer(path), folder);
  return programs.map((path) => join(folder, basename(path)));
}

/**
 * Below the folder, everything has the place that it has in the image, for PostgreSQL finds its `share` and `lib` from
 * where its programs are. In the place of the programs themselves stand scripts that run them.
 */
async function takeDynamic(container, { programs, folders = [], without = [] }, folder) {
  const { readLdd, wrapperOf } = await import('./dist/program-of-image.js');
  const { loader, libraries } = readLdd(await runIn(container, ['ldd', ...programs]));
  const there = `/${GATHERED}`;
  await runIn(container, ['mkdir', there, `${there}/programs`, `${there}/libraries`]);
  // Files and not links: a link's target need not be where the copy is.
  await runIn(container, ['cp', '-L', ...programs, `${there}/programs`]);
  await runIn(container, ['cp', '-L', loader, ...libraries, `${there}/libraries`]);
  if (folders.length > 0) await runIn(container, ['cp', '-a', '--parents', ...folders, there]);
  for (const path of without) await runIn(container, ['rm', '-rf', there + path]);
  await unpack(await container.copyArchiveFromContainer(there), folder);

  const here = join(folder, GATHERED);
  return programs.map((path) => {
    const wrapper = join(here, path);
    mkdirSync(dirname(wrapper), { recursive: true });
    const text = wrapperOf({
      program: join(here, 'programs', basename(path)),
      loader: join(here, 'libraries', basename(loader)),
      libraries: join(here, 'libraries'),
    });
    writeFileSync(wrapper, text, { mode: 0o755 });
    return wrapper;
  });
}

async function runIn(container, command) {
  const { exitCode, output } = await container.exec(command);
  if (exitCode === 0) return output;
  throw new Error(`in its container, ${command[0]} said: ${output.trim()}`);
}

async function unpack(archive, folder) {
  const tar = spawn('tar', ['-x', '-f', '-', '--no-same-owner', '-C', folder], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const [[code]] = await Promise.all([once(tar, 'exit'), pipeline(archive, tar.stdin)]);
  if (code !== 0) throw new Error(`tar ended with ${code}`);
}
