import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

/** Code with a fault that only types show, by the rule that refuses it. */
const PLANTED: readonly (readonly [rule: string, code: string])[] = [
  ['no-floating-promises', 'declare const work: () => Promise<void>; work();'],
  ['await-thenable', 'export async function f() { await 1; }'],
  [
    'no-misused-promises',
    'declare const work: () => Promise<void>; declare const each: (what: () => void) => void; each(work);',
  ],
  ['only-throw-error', "export const fail = () => { throw 'text'; };"],
  [
    'return-await',
    'declare const work: () => Promise<void>; export async function f() { try { return work(); } catch { return undefined; } }',
  ],
  [
    'switch-exhaustiveness-check',
    "export function f(of: 'a' | 'b') { switch (of) { case 'a': return 1; } }",
  ],
];

describe('the lint that reads types', () => {
  const home = mkdtempSync(join(tmpdir(), 'countersign-lint-'));
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it('refuses every planted fault, and nothing else', () => {
    writeFileSync(join(home, 'tsconfig.json'), '{"compilerOptions":{"strict":true}}');
    for (const [rule, code] of PLANTED) writeFileSync(join(home, `${rule}.ts`), `${code}\n`);
    writeFileSync(join(home, 'right.ts'), 'export const one = async () => 1;\n');
    const program = join(ROOT, 'node_modules/.bin/oxlint');
    const flags = [
      '--type-aware',
      '--format',
      'json',
      '--config',
      join(ROOT, 'oxlint.config.json'),
    ];
    const { stdout } = spawnSync(program, [...flags, '.'], { cwd: home, encoding: 'utf8' });
    const { diagnostics } = JSON.parse(stdout) as {
      diagnostics: { code: string; filename: string }[];
    };
    const found = diagnostics.map(({ code, filename }) => [filename, code]).sort();
    expect(found).toEqual(PLANTED.map(([rule]) => [`${rule}.ts`, `typescript(${rule})`]).sort());
  });
});
