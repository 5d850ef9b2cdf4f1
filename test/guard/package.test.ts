import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { newFolder } from '../support/folder.js';

// The packages as their users get them.

const ROOT = resolve(__dirname, '../..');
/** Bytes, compressed, that the guard adds to a program that has the client. */
const MOST_BYTES = 12_000;

let folder: string;

beforeAll(() => {
  folder = newFolder('guard-package');
  const npm = (args: readonly string[], cwd: string) =>
    execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const packed = ['client', 'guard'].map((name) => {
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
    const [made] = JSON.parse(npm(args, join(ROOT, 'packages', name))) as { filename: string }[];
    return `./${made!.filename}`;
  });
  writeFileSync(join(folder, 'package.json'), '{"name":"user","private":true,"type":"module"}');
  npm(['install', '--offline', '--no-audit', '--no-fund', ...packed], folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const installed = (file: string) =>
  readFileSync(join(folder, 'node_modules/@countersign/guard', file), 'utf8');

it('brings its tables, and nothing but the client', () => {
  const manifest = JSON.parse(installed('package.json')) as Record<string, unknown>;
  expect(manifest['dependencies']).toBeUndefined();
  expect(Object.keys(manifest['peerDependencies'] as object)).toEqual(['@countersign/client']);
  expect(installed('postgres.sql')).toContain('CREATE TABLE countersign_guard_entry');
});

it('runs where it is installed', () => {
  const program = `
    import { guard, Refused } from '@countersign/guard';
    import { fileJournal } from '@countersign/guard/node';
    try { guard({ verifies: false }, { name: 'a' }, () => 1); } catch ({ name }) { console.log(name); }
    console.log(typeof fileJournal('x').open, new Refused('id', {}, 1).name);`;
  writeFileSync(join(folder, 'program.js'), program);
  const output = execFileSync(process.execPath, ['program.js'], { cwd: folder, encoding: 'utf8' });
  expect(output).toBe('TypeError\nfunction Refused\n');
});

/** The first TypeScript of a Markdown file. */
const exampleIn = (file: string) =>
  /```ts\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, file), 'utf8'))![1]!;

it.each([
  ['bundler', 'esnext'],
  ['node16', 'node16'],
])('has types that the five lines compile with, as they are printed: %s', (resolution, module) => {
  const sources = join(folder, `src-${resolution}`);
  mkdirSync(sources);
  const payments = `declare const payments: {
    refund(a: { charge: string; amount: number }, o: { signal: AbortSignal; idempotencyKey: string }): Promise<string>;
  };`;
  const wrong = `
    // @ts-expect-error the amount is a number
    void refund({ charge: 'ch_1', amount: '2000' });
    export const result: string = await refund({ charge: 'ch_1', amount: 2000 });`;
  for (const [at, file] of ['docs/guard.md', 'packages/guard/README.md'].entries())
    writeFileSync(join(sources, `program-${at}.ts`), `${exampleIn(file)}${payments}${wrong}`);
  const compilerOptions = {
    ...{ module, moduleResolution: resolution, target: 'es2022', lib: ['es2022', 'dom'] },
    ...{ types: [], strict: true, exactOptionalPropertyTypes: true, noEmit: true },
  };
  writeFileSync(join(sources, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  const tsc = join(ROOT, 'node_modules/@typescript/native/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', sources], { stdio: 'pipe', encoding: 'utf8' });
});

it('adds little to a program, and no module of Node where it is neutral', () => {
  writeFileSync(join(folder, 'entry.js'), "export { guard } from '@countersign/guard';");
  const rolldown = join(ROOT, 'node_modules/rolldown/bin/cli.mjs');
  const options = ['--file', 'bundled.js', '--format', 'esm', '--platform', 'browser', '--minify'];
  const external = ['--external', '@countersign/client'];
  execFileSync(process.execPath, [rolldown, 'entry.js', ...options, ...external], {
    ...{ cwd: folder, stdio: 'pipe' },
  });
  const code = readFileSync(join(folder, 'bundled.js'), 'utf8');
  expect(code).not.toMatch(/["']node:|\bprocess\./);
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(MOST_BYTES);
});
