#!/usr/bin/env node
// Files that are made from declarations and committed, so that a change of the interface shows in its review.
// `npm run generate` writes them; `--check` (part of `npm run check`) only says which of them are out of date.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as prettier from 'prettier';
import { openApiDocument } from '@countersign/protocol';
import { ROOT } from './prepare.mjs';

/** To generate another file, add a line: where it lies, and what makes its content. */
const GENERATED = [
  {
    file: 'docs/openapi.json',
    make: () => JSON.stringify(openApiDocument('https://review.example')),
  },
];

const stale = [];
for (const { file, make } of GENERATED) {
  const path = join(ROOT, file);
  const options = await prettier.resolveConfig(path);
  const content = await prettier.format(await make(), { ...options, filepath: path });
  if (existsSync(path) && readFileSync(path, 'utf8') === content) continue;
  stale.push(file);
  if (process.argv.includes('--check')) continue;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  console.log(`wrote ${file}`);
}
if (process.argv.includes('--check') && stale.length > 0) {
  console.error(
    `Out of date: ${stale.join(', ')}. Run \`npm run generate\` and commit what it writes.`,
  );
  process.exit(1);
}
