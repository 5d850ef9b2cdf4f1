#!/usr/bin/env node
// Programs that the tests need and the project does not install: built once by Go through its module proxy, or taken from npm, and
// kept in ~/.cache/countersign (or COUNTERSIGN_CACHE). `node obtain.mjs NAME …` prints where they are. On a machine that has none of
// them all are built while the first tests run, which need none: `node obtain.mjs --all`.
import { spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';

const PROGRAMS = {
  // Pinned: the version that a release is checked with, in place of any other on PATH.
  helm: { module: 'helm.sh/helm/v3/cmd/helm', version: 'v3.22.0', pinned: true },
  kubeconform: {
    module: 'github.com/yannh/kubeconform/cmd/kubeconform',
    version: 'v0.8.0',
    pinned: true,
  },
  // An S3 gateway over a folder, with versions, Object Lock and If-None-Match. Apache-2.0; 1 to 2 CPU minutes.
  versitygw: { module: 'github.com/versity/versitygw/cmd/versitygw', version: 'v1.8.0' },
  // The same from another hand, for `S3_SERVER=minio` alone. AGPL-3.0; 4 to 5 CPU minutes.
  minio: {
    module: 'github.com/minio/minio',
    version: 'v0.0.0-20260212201848-7aac2a2c5b7c',
    seldom: true,
  },
  // Vault with its transit engine alone, by the main of ours beside this file; a newer one needs parts that are nowhere
  // published. Two libraries that it never calls, three fifths of all that would be compiled, are left out.
  'vault-parts': {
    module: 'github.com/hashicorp/vault',
    version: 'v1.21.0',
    main: 'vault/main.go',
    without: {
      'github.com/hashicorp/go-discover': 'vault/without/go-discover',
      'github.com/okta/okta-sdk-golang/v5': 'vault/without/okta',
    },
  },
  // For `npm run release` and its registry. 3 CPU minutes together.
  crane: { module: 'github.com/google/go-containerregistry/cmd/crane', version: 'v0.22.1' },
  cosign: { module: 'github.com/sigstore/cosign/v3/cmd/cosign', version: 'v3.1.3' },
  registry: { module: 'github.com/distribution/distribution/v3/cmd/registry', version: 'v3.1.2' },
  // For frameworks that need a newer Node than the project does.
  node: { npm: `node-${process.platform}-${process.arch}`, version: '24.21.0', pinned: true },
  // Control plane, kubelet, kubectl and etcd in one program, for `npm run test:cluster`. 5 to 6 CPU minutes. From 1.35 on a
  // kubelet refuses a machine with version 1 of cgroups.
  kubernetes: {
    module: 'k8s.io/kubernetes',
    version: 'v1.33.4',
    main: 'kubernetes/main.go',
    staged: 'v0.33.4',
    // The API server's answer about its version, which charts compare with theirs.
    stamps: {
      'k8s.io/component-base/version': { gitVersion: 'v1.33.4', gitMajor: '1', gitMinor: '33' },
    },
    seldom: true,
  },
  // A Gateway that routes to the cells of `npm run test:cluster`. The newest line of which all forks are to be had by the proxy.
  traefik: {
    module: 'github.com/traefik/traefik/v3',
    version: 'v3.6.12',
    command: 'cmd/traefik',
    forks: {
      'github.com/abbot/go-http-auth':
        'github.com/containous/go-http-auth@v0.4.1-0.20200324110947-a37a7636d23e',
      'github.com/gorilla/mux': 'github.com/containous/mux@v0.0.0-20250523120546-41b6ec3aed59',
      'github.com/mailgun/minheap':
        'github.com/containous/minheap@v0.0.0-20190809180810-6e71eb837595',
    },
    seldom: true,
  },
};

// Built for tests, and often while tests run: without inlining a build takes two thirds of the time, and less again without
// debug information and without C. The same for all, so that shared code is compiled once.
const flags = (stamps = {}) => [
  '-trimpath',
  '-ldflags',
  ['-s -w', ...stamped(stamps)].join(' '),
  '-gcflags',
  'all=-l -dwarf=false',
];
const CACHE = process.env.COUNTERSIGN_CACHE ?? join(homedir(), '.cache', 'countersign');

/** Path of the program. Throws with the remedy when it cannot be had. */
async function obtain(name, say) {
  if (!Object.hasOwn(PROGRAMS, name)) {
    throw new Error(`It knows no program ${name}: --all, or ${Object.keys(PROGRAMS).join(', ')}.`);
  }
  const { npm, module, version, command, main, pinned } = PROGRAMS[name];
  const found = pinned ? null : onPath(name);
  if (found !== null) return found;
  const path = join(CACHE, `${name}-${version}`);
  if (existsSync(path)) return path;
  mkdirSync(CACHE, { recursive: true });
  return locked(`${path}.lock`, () => {
    if (existsSync(path)) return path;
    say(`getting ${name} ${version}, once for this machine …`);
    const begin = performance.now();
    const folder = `${path}.new`;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    const go = (...args) => runGo(args, folder, name);
    if (npm !== undefined) {
      fromNpm(`${npm}@${version}`, folder);
      renameSync(join(folder, 'node_modules', npm, 'bin', name), join(folder, name));
    } else if (main === undefined && command === undefined) {
      go('install', ...flags(), `${module}@${version}`);
    } else {
      if (main !== undefined) copyFileSync(ours(main), join(folder, 'main.go'));
      goBuild(PROGRAMS[name], name, go);
    }
    renameSync(join(folder, name), path);
    rmSync(folder, { recursive: true });
    say(`got ${name} in ${Math.round((performance.now() - begin) / 1000)} s: ${path}`);
    return path;
  });
}

/** Builds a `main` of ours that uses a module, or a command of a module that wants forks of others, which only a module of ours can name. */
function goBuild({ module, version, command, without = {}, forks = {}, staged, stamps }, name, go) {
  go('mod', 'init', 'countersign.test/server');
  for (const [left, folder] of Object.entries(without))
    go('mod', 'edit', '-replace', `${left}=${ours(folder)}`);
  for (const [of, fork] of Object.entries(forks)) go('mod', 'edit', '-replace', `${of}=${fork}`);
  if (staged !== undefined) useStaged(`${module}@${version}`, staged, go);
  go('get', `${module}@${version}`);
  const what = command === undefined ? '.' : `${module}/${command}`;
  go('build', '-mod=mod', ...flags(stamps), '-o', name, what);
}

/** Kubernetes asks for its own libraries in v0.0.0, which are folders of its checkout; they are published under another version. */
function useStaged(module, version, go) {
  const { GoMod } = JSON.parse(go('mod', 'download', '-json', module));
  for (const [, path] of readFileSync(GoMod, 'utf8').matchAll(/^\s(\S+) v0\.0\.0$/gm))
    go('mod', 'edit', '-replace', `${path}=${path}@${version}`);
}

function stamped(stamps) {
  return Object.entries(stamps).flatMap(([path, variables]) =>
    Object.entries(variables).map(([name, value]) => `-X ${path}.${name}=${value}`),
  );
}

/** A path beside this file. */
function ours(path) {
  return fileURLToPath(new URL(path, import.meta.url));
}

/** Installs one package, whose scripts do not run. */
function fromNpm(spec, folder) {
  const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', spec];
  const { status, error, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`The tests need ${spec} from npm: ${error?.message ?? stderr.slice(-2000)}`);
}

function runGo(args, folder, name) {
  const { status, error, stdout, stderr } = spawnSync('go', args, {
    cwd: folder,
    env: { ...process.env, GOBIN: folder, GOFLAGS: '-buildvcs=false', CGO_ENABLED: '0' },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return stdout;
  throw new Error(
    `The tests need ${name} ${PROGRAMS[name].version}, and it cannot be built: ${error?.message ?? stderr.slice(-2000)}\n` +
      `Install Go 1.26 or newer (https://go.dev/dl; its module proxy must be reachable), or put ${name} ${whereElse(name)}.`,
  );
}

function whereElse(name) {
  const { pinned, version } = PROGRAMS[name];
  return pinned ? `of that version at ${join(CACHE, `${name}-${version}`)}` : 'on PATH';
}

function onPath(name) {
  for (const directory of (process.env.PATH ?? '').split(delimiter)) {
    try {
      accessSync(join(directory, name), constants.X_OK);
      return join(directory, name);
    } catch {
      // Not there.
    }
  }
  return null;
}

/** One process of this machine at a time; one that was killed holds nothing. */
async function locked(lock, work) {
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (isAlive(holderOf(lock))) await delay(250);
      else rmSync(lock, { force: true });
    }
  }
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** 0 when it is let go at this moment. */
function holderOf(lock) {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch {
    return 0;
  }
}

function isAlive(pid) {
  // Taken a moment ago, and not signed yet.
  if (pid === 0) return true;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

const asked = process.argv.slice(2);
const usual = Object.keys(PROGRAMS).filter((name) => !PROGRAMS[name].seldom);
const names = asked.includes('--all') ? usual : asked;
try {
  for (const name of names) console.log(await obtain(name, console.error));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
