// The published program: one file with all that it needs but Node.
import { chmodSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const { version } = JSON.parse(readFileSync(path('package.json'), 'utf8'));

const bundle = await rolldown({
  input: path('src/main.ts'),
  platform: 'node',
  transform: { define: { __VERSION__: JSON.stringify(version) } },
  onLog(level, { message }) {
    if (level === 'warn') throw new Error(message);
  },
});
rmSync(path('dist'), { recursive: true, force: true });
const { output } = await bundle.write({
  file: path('dist/countersign.js'),
  format: 'esm',
  banner: '#!/usr/bin/env node',
  codeSplitting: false,
});
chmodSync(path('dist/countersign.js'), 0o755);

// The licences of all that is inside want to go wherever it goes.
const inside = output.flatMap(({ modules = {} }) => Object.keys(modules));
const packages = new Set(inside.map(packageOf).filter((folder) => folder !== null));
writeFileSync(path('dist/LICENSES'), [...packages].sort().map(licenceOf).join('\n'));

/** The folder of the library that a module belongs to; null for our own. */
function packageOf(module) {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module)?.[0] ?? null;
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (file === undefined) throw new Error(`${name} has no licence file`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8')}`;
}
