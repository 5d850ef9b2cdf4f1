import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface ImageConfig {
  readonly Entrypoint: readonly string[];
  readonly User?: string;
  readonly Env?: readonly string[];
}

/** Writes an image that `ctr images import` reads: one layer with the files of a folder. Gives the path of the archive. */
export function imageOf(folder: string, name: string, config: ImageConfig): string {
  const work = `${folder}.image`;
  mkdirSync(work, { recursive: true });
  const pack = (from: string, to: string, ...files: string[]) =>
    execFileSync('tar', ['--owner=0', '--group=0', '-C', from, '-cf', to, ...files]);
  pack(folder, join(work, 'layer.tar'), '.');
  const digest = execFileSync('sha256sum', [join(work, 'layer.tar')], { encoding: 'utf8' }).slice(
    0,
    64,
  );
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
  pack(work, archive, 'manifest.json', file, 'layer.tar');
  rmSync(work, { recursive: true });
  return archive;
}

/** Puts a program of this machine into a folder, with the libraries that it is linked to. */
function addProgram(folder: string, program: string, as: string): void {
  const put = (from: string, to: string): void => {
    mkdirSync(dirname(join(folder, to)), { recursive: true });
    copyFileSync(from, join(folder, to));
  };
  put(program, as);
  const libraries = execFileSync('ldd', [program], { encoding: 'utf8' });
  for (const [library] of libraries.matchAll(/\/\S+(?= \()/g)) put(library, library);
}

/** Of pods themselves: a process that does nothing. */
export function pauseImage(folder: string, name: string): string {
  addProgram(folder, '/bin/sleep', '/bin/sleep');
  return imageOf(folder, name, { Entrypoint: ['/bin/sleep', 'infinity'] });
}

/** What deploy/Dockerfile makes, by the same steps, of a built checkout and this machine's node. */
export function countersignImage(root: string, folder: string, name: string): string {
  const out = `${folder}.out`;
  execFileSync(process.execPath, ['deploy/image/collect.mjs', out], { cwd: root });
  const app = join(folder, 'app');
  mkdirSync(folder, { recursive: true });
  cpSync(join(out, 'manifests'), app, { recursive: true });
  const options =
    '--no-audit --no-fund --omit=dev --omit=optional --ignore-scripts --prefer-offline';
  const workspace = '--workspace=@countersign/deploy --include-workspace-root=false';
  execFileSync('npm', ['ci', ...options.split(' '), ...workspace.split(' ')], {
    cwd: app,
    stdio: 'pipe',
  });
  execFileSync(process.execPath, [join(out, 'prune.mjs')], { cwd: app, stdio: 'pipe' });
  cpSync(join(out, 'app'), app, { recursive: true });
  rmSync(out, { recursive: true });
  addProgram(folder, process.execPath, '/usr/bin/node');
  for (const library of ['libnss_dns.so.2', 'libnss_files.so.2', 'libresolv.so.2']) {
    const path = `/lib/x86_64-linux-gnu/${library}`;
    if (existsSync(path)) copyFileSync(path, join(folder, path));
  }
  mkdirSync(join(folder, 'etc'), { recursive: true });
  writeFileSync(join(folder, 'etc', 'passwd'), 'root:x:0:0::/:\nnonroot:x:65532:65532::/tmp:\n');
  writeFileSync(join(folder, 'etc', 'nsswitch.conf'), 'hosts: files dns\n');
  mkdirSync(join(folder, 'tmp'), { mode: 0o1777 });
  execFileSync('chmod', ['-R', 'a+rX', folder]);
  return imageOf(folder, name, {
    Entrypoint: ['node', '/app/deploy/dist/main.js'],
    User: '65532:65532',
    Env: ['PATH=/usr/bin:/bin', 'NODE_ENV=production', 'HEALTH_PORT=9090'],
  });
}
