#!/usr/bin/env node
// `npm run bench`: the product against a yardstick on this machine. Works on a clone with nothing installed.
// The bench is TypeScript that nothing else needs built, so it is built here and not with the rest.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Missing, ROOT, prepare, run } from './prepare.mjs';

try {
  await prepare();
  await build();
  const { main } = await import(pathToFileURL(join(ROOT, 'test', 'dist', 'bench', 'main.js')).href);
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Missing ? error.message : error);
  process.exit(1);
}

async function build() {
  const swc = join(ROOT, 'node_modules', '.bin', 'swc');
  // The rivals' programs run elsewhere, and as they are (test/bench/peers/rivals.ts).
  const flags = [
    '-d',
    join('test', 'dist'),
    '--strip-leading-paths',
    '--quiet',
    '--extensions',
    '.ts',
  ];
  const support = ['folder.ts', 'people.ts', 'slow-schemas.ts'].map((name) =>
    join('test', 'support', name),
  );
  const sources = [join('test', 'bench'), ...support];
  const { code, output } = await run(swc, [...sources, ...flags]);
  if (code !== 0) throw new Missing(`The bench could not be built:\n${output}`);
}
