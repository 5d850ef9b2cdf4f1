// Removes from an installation, the folder it is run in, all files that no running process reads: from node_modules types,
// source maps and documentation; from the manifests packages that were not installed, so that they and the bill of
// materials list only installed ones.
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const UNREAD = [/\.d\.[cm]?ts(\.map)?$/, /\.[cm]?js\.map$/, /\.(md|markdown|tsbuildinfo)$/i];
const MAIN = '@countersign/deploy';
/** Licences stay, under any name. */
const KEPT = /licen[cs]e|notice|copying/i;

let bytes = 0;
prune('node_modules');
const installed = readdirSync('node_modules/@countersign').map((name) =>
  JSON.parse(readFileSync(join('node_modules/@countersign', name, 'package.json'), 'utf8')),
);
const names = new Set(installed.map(({ name }) => name));
// npm leaves out packages that are for development, but links workspaces that are.
for (const name of names) {
  const isRun = name === MAIN || installed.some(({ dependencies = {} }) => name in dependencies);
  if (isRun) continue;
  rmSync(join('node_modules', name));
  names.delete(name);
}
const root = manifest('package.json');
const folders = root.workspaces.flatMap((pattern) =>
  pattern.endsWith('/*')
    ? readdirSync(pattern.slice(0, -2)).map((name) => join(pattern.slice(0, -2), name))
    : [pattern],
);
for (const folder of folders) {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) continue;
  const kept = installedPart(manifest(file));
  if (names.has(kept.name)) writeFileSync(file, JSON.stringify(kept, null, 2));
  else rmSync(folder, { recursive: true });
}
writeFileSync('package.json', JSON.stringify(installedPart(root), null, 2));
rmSync('package-lock.json', { force: true });
console.log(`pruned ${Math.round(bytes / 1e6)} MB`);

function installedPart(whole) {
  for (const part of ['devDependencies', 'optionalDependencies', 'scripts']) delete whole[part];
  return whole;
}

function manifest(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function prune(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) prune(path);
    else if (entry.isFile() && !KEPT.test(entry.name) && UNREAD.some((of) => of.test(path))) {
      bytes += statSync(path).size;
      rmSync(path);
    }
  }
}
