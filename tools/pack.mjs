#!/usr/bin/env node
// `npm run pack`: the packages that are published, as tarballs, under the scope below or another one.
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Missing, ROOT, endWithNpm, prepare } from './prepare.mjs';

/** The scope that sources and documents are written with. A registry under another one takes what `--scope` makes. */
const SCOPE = '@countersign';

const HELP = `npm run pack -- [options]

Builds the packages that are published and packs each as a tarball.

  --scope S    scope of their names on the registry (default ${SCOPE})
  --out D      folder for the tarballs (default packed)
  --help       this text`;

const OPTIONS = {
  scope: { type: 'string', default: SCOPE },
  out: { type: 'string', default: 'packed' },
  help: { type: 'boolean', default: false },
};

endWithNpm();
try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Missing ? error.message : error);
  process.exitCode = 1;
}

async function main() {
  const values = parsed();
  if (values === null || values.help) {
    console.log(HELP);
    return values === null ? 2 : 0;
  }
  await prepare(console.error);
  const out = resolve(values.out);
  mkdirSync(out, { recursive: true });
  for (const folder of publishedFolders())
    console.log(join(out, packAs(values.scope, folder, out)));
  return 0;
}

/** The options, or null when they cannot be meant. */
function parsed() {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    // https://docs.npmjs.com/cli/using-npm/scope
    if (/^@[a-z0-9][a-z0-9._-]*$/.test(values.scope)) return values;
    console.error(`--scope is an @ and a name in lower case, such as ${SCOPE}.`);
  } catch (error) {
    console.error(error.message);
  }
  return null;
}

function publishedFolders() {
  const packages = join(ROOT, 'packages');
  const folders = readdirSync(packages).map((name) => join(packages, name));
  return folders.filter((folder) => manifestOf(folder).publishConfig !== undefined);
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** Packs the files that npm would, with `scope` in place of ours; returns the tarball's name. */
function packAs(scope, folder, out) {
  const copy = mkdtempSync(join(tmpdir(), 'countersign-pack-'));
  try {
    const [{ files }] = npmPack(folder, '--dry-run');
    for (const { path } of files) {
      const target = join(copy, path);
      mkdirSync(dirname(target), { recursive: true });
      // With its mode: a program stays one.
      cpSync(join(folder, path), target);
      const text = readFileSync(target, 'utf8');
      writeFileSync(target, text.replaceAll(`${SCOPE}/`, `${scope}/`));
    }
    const [{ filename }] = npmPack(copy, '--pack-destination', out);
    return filename;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function npmPack(cwd, ...flags) {
  const args = ['pack', '--json', '--ignore-scripts', ...flags];
  return JSON.parse(
    execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
}
