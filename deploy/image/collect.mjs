// Gathers the content of the image, below the folder that is given: `manifests` to install packages from, `app` to run.
// Which workspaces those are follows from the dependencies of @countersign/deploy, so no list has to be kept.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

const MAIN = '@countersign/deploy';
/** Beside package.json, the files that a workspace needs to run. */
const RUN = ['dist', 'prisma/migrations', 'countersign.mjs', 'image/health.mjs'];

const out = process.argv[2];
if (out === undefined) throw new Error('usage: node deploy/image/collect.mjs <folder>');

const workspaces = new Map();
for (const pattern of read('package.json').workspaces) {
  const folders = pattern.endsWith('/*')
    ? readdirSync(pattern.slice(0, -2)).map((name) => join(pattern.slice(0, -2), name))
    : [pattern];
  for (const folder of folders) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest)) workspaces.set(read(manifest).name, folder);
  }
}

// npm wants to see every workspace that the lock names.
for (const file of ['package.json', 'package-lock.json']) copy(file, join('manifests', file));
for (const folder of workspaces.values()) {
  copy(join(folder, 'package.json'), join('manifests', folder, 'package.json'));
}

for (const folder of reached(MAIN)) {
  for (const part of RUN) {
    if (existsSync(join(folder, part))) copy(join(folder, part), join('app', folder, part));
  }
}
copy('LICENSE', 'app/LICENSE');
copy('deploy/image/prune.mjs', 'prune.mjs');

function reached(name, seen = new Set()) {
  const folder = workspaces.get(name);
  if (folder === undefined || seen.has(folder)) return seen;
  seen.add(folder);
  for (const used of Object.keys(read(join(folder, 'package.json')).dependencies ?? {})) {
    reached(used, seen);
  }
  return seen;
}

function read(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function copy(from, to) {
  const target = join(out, to);
  mkdirSync(dirname(target), { recursive: true });
  // Maps of our own sources stay: a stack in a log should name them.
  cpSync(from, target, { recursive: true });
}
