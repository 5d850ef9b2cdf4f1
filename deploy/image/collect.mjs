// Gathers the content of the image, below the folder that is given: `manifests` to install packages from, `app` to run.
// Which workspaces those are follows from the dependencies of @countersign/deploy, so no list has to be kept.
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readJson, workspaces } from '../root.mjs';

const MAIN = '@countersign/deploy';
/** Beside package.json, the files that a workspace needs to run. */
const RUN = ['dist', 'prisma/migrations', 'countersign.mjs', 'image/health.mjs'];

const out = process.argv[2];
if (out === undefined) throw new Error('usage: node deploy/image/collect.mjs <folder>');

const folders = new Map(
  workspaces().map((folder) => [readJson(join(folder, 'package.json')).name, folder]),
);

// npm wants to see every workspace that the lock names.
for (const file of ['package.json', 'package-lock.json']) copy(file, join('manifests', file));
for (const folder of folders.values()) {
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
  const folder = folders.get(name);
  if (folder === undefined || seen.has(folder)) return seen;
  seen.add(folder);
  for (const used of Object.keys(readJson(join(folder, 'package.json')).dependencies ?? {})) {
    reached(used, seen);
  }
  return seen;
}

function copy(from, to) {
  const target = join(out, to);
  mkdirSync(dirname(target), { recursive: true });
  // Maps of our own sources stay: a stack in a log should name them.
  cpSync(from, target, { recursive: true });
}
