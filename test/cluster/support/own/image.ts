import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findNats, findPostgres, findRedis } from '@countersign/dev-servers';
import { obtained } from '../../../support/programs/obtained.js';

interface ImageConfig {
  readonly Entrypoint: readonly string[];
  readonly User?: string;
  readonly Env?: readonly string[];
}

const run = (command: string, args: readonly string[], cwd?: string): Promise<string> =>
  promisify(execFile)(command, args, { cwd, maxBuffer: 1 << 28 }).then(({ stdout }) => stdout);

/** Writes an image that `ctr images import` reads: one layer with the files of a folder. Gives the path of the archive. */
async function imageOf(folder: string, name: string, config: ImageConfig): Promise<string> {
  const work = `${folder}.image`;
  mkdirSync(work, { recursive: true });
  const pack = (from: string, to: string, ...files: string[]): Promise<string> =>
    run('tar', ['--owner=0', '--group=0', '-C', from, '-cf', to, ...files]);
  await run('chmod', ['-R', 'a+rX', folder]);
  await pack(folder, join(work, 'layer.tar'), '.');
  const digest = (await run('sha256sum', [join(work, 'layer.tar')])).slice(0, 64);
  const text = JSON.stringify({
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    os: 'linux',
    config,
    rootfs: { type: 'layers', diff_ids: [`sha256:${digest}`] },
  });
  const file = `${createHash('sha256').update(text).digest('hex')}.json`;
  writeFileSync(join(work, file), text);
  const manifest = [{ Config: file, RepoTags: [name], Layers: ['layer.tar'] }];
  writeFileSync(join(work, 'manifest.json'), JSON.stringify(manifest));
  const archive = `${folder}.tar`;
  await pack(work, archive, 'manifest.json', file, 'layer.tar');
  for (const path of [work, folder]) rmSync(path, { recursive: true });
  return archive;
}

/** Puts a program of this machine into a folder, with the libraries that it is linked to. */
async function addProgram(folder: string, program: string, as: string): Promise<void> {
  const put = (from: string, to: string): void => {
    mkdirSync(dirname(join(folder, to)), { recursive: true });
    copyFileSync(from, join(folder, to));
  };
  put(realpathSync(program), as);
  // A program that is linked to nothing is an error to ldd.
  const libraries = await run('ldd', [program]).catch(() => '');
  for (const [library] of libraries.matchAll(/\/\S+(?= \()/g)) put(library, library);
}

/** The users that pods of the tests run as, names by DNS, and a folder for anybody. */
function addSystem(folder: string): void {
  const write = (file: string, text: string): void => writeFileSync(join(folder, file), text);
  mkdirSync(join(folder, 'etc'), { recursive: true });
  write('etc/passwd', 'root:x:0:0::/:\npostgres:x:999:999::/tmp:\nnonroot:x:65532:65532::/tmp:\n');
  write('etc/group', 'root:x:0:\npostgres:x:999:\nnonroot:x:65532:\n');
  write('etc/nsswitch.conf', 'hosts: files dns\n');
  for (const library of ['libnss_dns.so.2', 'libnss_files.so.2', 'libresolv.so.2']) {
    const path = `/lib/x86_64-linux-gnu/${library}`;
    if (!existsSync(path)) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(path, join(folder, path));
  }
  mkdirSync(join(folder, 'tmp'));
  chmodSync(join(folder, 'tmp'), 0o1777);
}

/** Of pods themselves: a process that does nothing. */
export async function pauseImage(folder: string, name: string): Promise<string> {
  await addProgram(folder, '/bin/sleep', '/bin/sleep');
  return imageOf(folder, name, { Entrypoint: ['/bin/sleep', 'infinity'] });
}

/** This machine's Postgres, NATS, Redis and S3 server in one image. Programs are on its PATH. */
export async function storesImage(folder: string, name: string): Promise<string> {
  const postgres = realpathSync(join(findPostgres()?.directory ?? '', 'postgres'));
  const home = dirname(dirname(postgres));
  const programs = {
    ...Object.fromEntries(
      ['postgres', 'initdb', 'pg_isready', 'pg_basebackup'].map((program) => [
        join(home, 'bin', program),
        join(home, 'bin', program),
      ]),
    ),
    [findNats() ?? '']: '/bin/nats-server',
    [findRedis() ?? '']: '/bin/redis-server',
    [await obtained('versitygw')]: '/bin/versitygw',
    // initdb asks for it, and the command of a store may.
    '/bin/sh': '/bin/sh',
  };
  for (const [program, as] of Object.entries(programs)) await addProgram(folder, program, as);
  for (const part of sharedFilesOf(home))
    cpSync(realpathSync(part), join(folder, part), { recursive: true, dereference: true });
  addSystem(folder);
  return imageOf(folder, name, {
    Entrypoint: ['/bin/sh'],
    Env: [`PATH=/bin:${join(home, 'bin')}`],
  });
}

/** A Gateway, which is on its PATH. */
export async function edgeImage(folder: string, name: string): Promise<string> {
  await addProgram(folder, await obtained('traefik'), '/bin/traefik');
  addSystem(folder);
  return imageOf(folder, name, { Entrypoint: ['/bin/traefik'] });
}

/** Debian keeps what its Postgres shares apart; others keep it beside the programs. */
function sharedFilesOf(home: string): string[] {
  const version = /\/postgresql\/(\d+)$/.exec(home)?.[1];
  const shared = version === undefined ? [] : [`/usr/share/postgresql/${version}`];
  return [...shared, join(home, 'share'), join(home, 'lib'), '/usr/share/zoneinfo'].filter(
    existsSync,
  );
}

/** The image of deploy/Dockerfile, by the same steps, of a built checkout and this machine's node. */
export async function countersignImage(
  root: string,
  folder: string,
  name: string,
): Promise<string> {
  const out = `${folder}.out`;
  await run(process.execPath, ['deploy/image/collect.mjs', out], root);
  const app = join(folder, 'app');
  mkdirSync(folder, { recursive: true });
  cpSync(join(out, 'manifests'), app, { recursive: true });
  const options =
    '--no-audit --no-fund --omit=dev --omit=optional --ignore-scripts --prefer-offline';
  const workspace = '--workspace=@countersign/deploy --include-workspace-root=false';
  await run('npm', ['ci', ...options.split(' '), ...workspace.split(' ')], app);
  await run(process.execPath, [join(out, 'prune.mjs')], app);
  cpSync(join(out, 'app'), app, { recursive: true });
  rmSync(out, { recursive: true });
  await addProgram(folder, process.execPath, '/usr/bin/node');
  addSystem(folder);
  return imageOf(folder, name, {
    Entrypoint: ['node', '/app/deploy/dist/main.js'],
    User: '65532:65532',
    Env: ['PATH=/usr/bin:/bin', 'NODE_ENV=production', 'HEALTH_PORT=9090'],
  });
}
