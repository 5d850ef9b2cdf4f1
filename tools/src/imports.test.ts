import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

/** Files and their imports. */
const PLANTED = {
  'values/a.ts': "import { b } from './b.js'; export const a = (): unknown => b;",
  'values/b.ts': "import { a } from './a.js'; export const b = (): unknown => a;",
  'types/a.ts': "import type { B } from './b.js'; export interface A { b: B }",
  'types/b.ts': "import type { A } from './a.js'; export interface B { a: A }",
  'inline/a.ts': "export interface A { b: import('./b.js').B }",
  'inline/b.ts': "import type { A } from './a.js'; export interface B { a: A }",
  'late/a.ts': "export const a = () => import('./b.js');",
  'late/b.ts': "import { a } from './a.js'; export const b = () => a();",
  'pages/A.tsx': "import type { B } from './B.js'; export const A = (b: B) => <p>{b}</p>;",
  'pages/B.tsx': "export type { A as B } from './A.js';",
  'packages/one/package.json': manifest('@house/one'),
  'packages/one/src/index.ts':
    "import type { Two } from '@house/two'; export interface One { two: Two }",
  'packages/two/package.json': manifest('@house/two'),
  'packages/two/src/index.ts':
    "import type { One } from '@house/one'; export interface Two { one: One }",
  'deploy/src/cli/probe.ts':
    "import { api } from '../../../tools/src/demo/api.js'; export const probe = api;",
  'deploy/src/cli/migrate.ts':
    "import { start } from '@countersign/dev-servers'; export const migrate = start;",
  'packages/dev-servers/package.json': manifest('@countersign/dev-servers'),
  'packages/dev-servers/src/index.ts': 'export const start = 1;',
  'deploy/src/cli/doctor.ts':
    "import type { Ports } from '../../../tools/src/launcher/ports.js'; export type Doctor = Ports;",
  'tools/src/commands.ts': "export const demo = () => import('./demo/demo.js');",
  'tools/src/demo/api.ts': 'export const api = 1;',
  'tools/src/demo/demo.ts':
    "import type { Ports } from '../launcher/ports.js'; export type Demo = Ports;",
  'tools/src/launcher/ports.ts': 'export type Ports = number;',
  'straight/a.ts': "import type { B } from './b.js'; export interface A { b: B }",
  'straight/b.ts': "import type { C } from './c.js'; export interface B { c: C }",
  'straight/c.ts': 'export interface C { c: string }',
};

function manifest(name: string): string {
  const exports = { '.': { types: './src/index.ts', default: './dist/index.js' } };
  return JSON.stringify({ name, version: '1.0.0', type: 'module', exports });
}

interface Report {
  summary: { violations: { from: string; rule: { name: string } }[] };
}

describe('the check of imports', () => {
  const home = mkdtempSync(join(tmpdir(), 'countersign-imports-'));
  let violations: Report['summary']['violations'];
  const refusedBy = (rule: string) =>
    violations.filter((of) => of.rule.name === rule).map(({ from }) => from);
  const circles = () => refusedBy('circle').map((path) => path.split('/')[0]);

  beforeAll(() => {
    for (const [path, text] of Object.entries(PLANTED)) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), text);
    }
    for (const name of ['@house/one', '@house/two', '@countersign/dev-servers']) {
      const link = join(home, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(home, 'packages', basename(name)), link);
    }
    const words = ['--config', join(ROOT, 'imports.config.mjs'), '--output-type', 'json', '.'];
    const program = join(ROOT, 'node_modules/.bin/depcruise');
    const report = JSON.parse(execFileSync(program, words, { cwd: home }).toString()) as Report;
    violations = report.summary.violations;
  });

  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it.each([
    ['values', 'values'],
    ['types alone', 'types'],
    ['a type that is imported where it is used', 'inline'],
    ['a file that is loaded later', 'late'],
    ['components of pages', 'pages'],
    ['two packages', 'packages'],
  ])('refuses a circle of %s', (_, folder) => {
    expect(circles()).toContain(folder);
  });

  it('takes imports that lead one way', () => {
    expect(circles()).not.toContain('straight');
  });

  it('refuses launcher, demonstration and servers of developers in the product, and lets the commands for developers have them', () => {
    expect(refusedBy('development-in-product').sort()).toEqual([
      'deploy/src/cli/doctor.ts',
      'deploy/src/cli/migrate.ts',
      'deploy/src/cli/probe.ts',
    ]);
  });
});
