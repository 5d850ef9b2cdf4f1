import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as client from '@countersign/client';
import { newFolder } from '../support/folder.js';

// The package as its users get it.

const ROOT = resolve(__dirname, '../..');
const PACKAGE = join(ROOT, 'packages/client');

/** Bytes, compressed, of a program that makes one kind of call. */
const MOST_BYTES = 10_000;

let folder: string;

beforeAll(() => {
  folder = newFolder('client-package');
  const npm = (args: readonly string[], cwd: string) =>
    execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const [packed] = JSON.parse(
    npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], PACKAGE),
  ) as { filename: string }[];
  writeFileSync(join(folder, 'package.json'), '{"name":"user","private":true,"type":"module"}');
  npm(['install', '--offline', '--no-audit', '--no-fund', `./${packed!.filename}`], folder);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const installed = (file: string) =>
  readFileSync(join(folder, 'node_modules/@countersign/client', file), 'utf8');

it('depends on nothing', () => {
  const { dependencies, peerDependencies } = JSON.parse(installed('package.json'));
  expect([dependencies, peerDependencies]).toEqual([undefined, undefined]);
  const code = installed('dist/index.js');
  expect(code).not.toMatch(
    /\bfrom\s*["']|\bimport\s*[("']|\brequire\s*\(|node:|\bBuffer\b|\bprocess\b/,
  );
});

it('runs where it is installed', () => {
  const program = `
    import { countersign, status } from '@countersign/client';
    const origin = 'http://127.0.0.1:1';
    const client = countersign({ origin, token: 't', trust: 'unverified', budget: { attempts: 1 } });
    await client.call(status, { id: 'x' }).catch(({ name, effect }) => console.log(name, effect));`;
  writeFileSync(join(folder, 'program.js'), program);
  const output = execFileSync(process.execPath, ['program.js'], { cwd: folder, encoding: 'utf8' });
  expect(output).toBe('Unreachable none\n');
});

it.each([
  ['bundler', 'esnext'],
  ['node16', 'node16'],
])('has types that programs compile with: %s', (moduleResolution, module) => {
  const sources = join(folder, `src-${moduleResolution}`);
  mkdirSync(sources);
  writeFileSync(
    join(sources, 'program.ts'),
    `import { claim, countersign, events, status, ServiceRefusal } from '@countersign/client';
     import type { RequestStatus } from '@countersign/client';
     const client = countersign({ origin: 'https://review.example', token: 't', trust: 'unverified' });
     export const read: Promise<RequestStatus> = client.call(status, { id: 'x' });
     export const next: number = (await client.call(events)).next;
     export const coded = (fault: unknown) => fault instanceof ServiceRefusal && fault.code === 'not_found';
     // @ts-expect-error a read of one request needs its id
     void client.call(status);
     // @ts-expect-error a claim needs its body
     void client.call(claim, { id: 'x' });
     // @ts-expect-error and its own members
     void client.call(claim, { id: 'x', body: { execution_identity: 'e' } });
     // @ts-expect-error there is no such code
     export const never = (fault: ServiceRefusal) => fault.code === 'no_such_code';
     // @ts-expect-error events have no occurrence
     void client.call(events, { query: { occurrence: 'x' } });\n`,
  );
  const compilerOptions = {
    ...{ module, moduleResolution, target: 'es2022', lib: ['es2022', 'dom'], types: [] },
    ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: false },
  };
  writeFileSync(join(sources, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', sources], { stdio: 'pipe', encoding: 'utf8' });
});

it('leaves little in a program that makes one kind of call', () => {
  const file = join(folder, 'entry.js');
  writeFileSync(file, `export { countersign, create } from '@countersign/client';`);
  const bundled = join(folder, 'bundled.js');
  const rolldown = join(ROOT, 'node_modules/rolldown/bin/cli.mjs');
  const options = ['--file', bundled, '--format', 'esm', '--platform', 'browser', '--minify'];
  execFileSync(process.execPath, [rolldown, file, ...options], { cwd: folder, stdio: 'pipe' });
  const code = readFileSync(bundled, 'utf8');
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(MOST_BYTES);
  const paths = (Object.values(client) as object[]).flatMap((each) =>
    'path' in each ? [String(each.path)] : [],
  );
  expect(paths.length).toBeGreaterThan(20);
  const found = new Set(paths.filter((path) => code.includes(path)));
  // The one that it imports, and the one by which a wait looks.
  expect([...found].sort()).toEqual([client.create.path, client.status.path]);
});
