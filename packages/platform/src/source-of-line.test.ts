import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { frameWithSource, sourceOfLine } from './source-of-line.js';

const folder = mkdtempSync(join(tmpdir(), 'countersign-built-'));
const built = join(folder, 'review.js');
const alone = join(folder, 'alone.js');
writeFileSync(
  built,
  [
    'import { a } from "./b.js";',
    '// packages/protocol/src/errors.ts',
    'const first = 1;',
    '// a remark',
    'const second = 2;',
    '// node_modules/pg/lib/client.js',
    'const third = 3;',
  ].join('\n'),
);
writeFileSync(alone, 'const only = 1;\n');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  [1, null],
  [3, 'packages/protocol/src/errors.ts'],
  [5, 'packages/protocol/src/errors.ts'],
  [7, 'node_modules/pg/lib/client.js'],
])('names the source of line %d', (line, source) => {
  expect(sourceOfLine(built, line)).toBe(source);
});

it.each([
  ['a file of one module', alone],
  ['a file that is not there', join(folder, 'missing.js')],
])('names no source in %s', (_, path) => {
  expect(sourceOfLine(path, 1)).toBeNull();
});

it.each([
  [`Refusal.of (file://${built}:3:9)`, `Refusal.of packages/protocol/src/errors.ts (${built}:3:9)`],
  [`file://${built}:5:1`, `packages/protocol/src/errors.ts (${built}:5:1)`],
  [`connect (${built}:7:1)`, `connect node_modules/pg/lib/client.js (${built}:7:1)`],
  [`only (${alone}:1:1)`, `only (${alone}:1:1)`],
  [
    'process.processTicks (node:internal/process:95:5)',
    'process.processTicks (node:internal/process:95:5)',
  ],
])('puts the source into the frame %s', (frame, expected) => {
  expect(frameWithSource(frame)).toBe(expected);
});
