import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as client from '@countersign/client';
import { newFolder } from '../support/folder.js';

// The package as its users get it.

const ROOT = resolve(__dirname, '../..');
const PACKAGE = join(ROOT, 'packages/client');

/** Bytes, compressed, of a program that makes one kind of call: with Node's modules, without them, and without verification. */
const MOST_BYTES = { node: 20_300, neutral: 36_000, unverified: 10_100 };

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
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const folderOf = (name: string) => join(folder, 'node_modules/@countersign/client', name);
const installed = (file: string) => readFileSync(folderOf(file), 'utf8');
const isCode = (name: string) => name.endsWith('.js');

it('depends on nothing', () => {
  const { dependencies, peerDependencies } = JSON.parse(installed('package.json'));
  expect([dependencies, peerDependencies]).toEqual([undefined, undefined]);
  for (const folder of ['node', 'neutral'])
    for (const name of readdirSync(join(folderOf('dist'), folder)).filter(isCode)) {
      const code = installed(`dist/${folder}/${name}`);
      const imported = [...code.matchAll(/^(?:import|export)\b[^;]*?\bfrom "([^"]+)";$/gm)];
      const others = imported.map(([, from]) => from!).filter((from) => !from.startsWith('./'));
      const foreign = others.filter((from) => folder === 'neutral' || !from.startsWith('node:'));
      expect([folder, name, foreign]).toEqual([folder, name, []]);
      expect(code).not.toMatch(/\bimport\s*\(|\brequire\s*\(/);
      if (folder === 'neutral')
        expect(code).not.toMatch(/["']node:|globalThis\.Buffer|\bprocess\./);
    }
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
  const tsc = join(ROOT, 'node_modules/@typescript/native/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', sources], { stdio: 'pipe', encoding: 'utf8' });
});

/** A program that makes one kind of call, out of that file. */
function bundled(file: string): string {
  const entry = join(folder, 'entry.js');
  writeFileSync(entry, `export { countersign, create } from ${JSON.stringify(file)};`);
  const output = join(folder, 'bundled.js');
  const rolldown = join(ROOT, 'node_modules/rolldown/bin/cli.mjs');
  const options = ['--file', output, '--format', 'esm', '--platform', 'browser', '--minify'];
  execFileSync(process.execPath, [rolldown, entry, ...options, '--external', 'node:crypto'], {
    ...{ cwd: folder, stdio: 'pipe' },
  });
  return readFileSync(output, 'utf8');
}
const sizeOf = (code: string) => gzipSync(code, { level: 9 }).length;

it.each(['node', 'neutral'] as const)(
  'leaves little in a program that makes one kind of call: %s',
  (name) => {
    const code = bundled(folderOf(`dist/${name}/index.js`));
    expect(sizeOf(code)).toBeLessThanOrEqual(MOST_BYTES[name]);
    const paths = (Object.values(client) as object[]).flatMap((each) =>
      'path' in each ? [String(each.path)] : [],
    );
    expect(paths.length).toBeGreaterThan(20);
    const isHeld = (path: string) => ['"', "'", '`'].some((q) => code.includes(q + path + q));
    const found = new Set(paths.filter(isHeld));
    // The one that it imports, and those by which a client waits, reads its feed and compares the manifest.
    const own = [client.create, client.events, client.status, client.trust];
    expect([...found].sort()).toEqual(own.map(({ path }) => path).sort());
  },
);

it('is small but for its verification', () => {
  // The same sources, with nothing in the place of the verifier.
  const nothing = join(folder, 'nothing.js');
  writeFileSync(
    nothing,
    'export const newVerification = null, driftOf = null, digestOf = null, keyOf = null;',
  );
  const sources = join(folder, 'sources');
  cpSync(join(PACKAGE, 'src'), sources, { recursive: true });
  cpSync(nothing, join(sources, 'verification.ts'));
  const protocol = join(folder, 'protocol');
  cpSync(join(ROOT, 'packages/protocol/src'), protocol, { recursive: true });
  // As packages/client/build.mjs leaves them out.
  const reader = join(protocol, 'json/strict-reader.ts');
  const silenced = readFileSync(reader, 'utf8').replaceAll(/(['`])[A-Z][a-z]+ [^'`]+\.\1/g, "''");
  writeFileSync(reader, silenced);
  for (const [name, path] of [
    ['strict-reader', 'json/strict-reader.ts'],
    ['timestamp', 'records/timestamp.ts'],
  ] as const)
    for (const file of readdirSync(sources).filter((each) => each.endsWith('.ts'))) {
      const text = readFileSync(join(sources, file), 'utf8');
      const from = JSON.stringify(join(protocol, path));
      writeFileSync(
        join(sources, file),
        text.replaceAll(`from '@countersign/protocol/${name}'`, `from ${from}`),
      );
    }
  expect(sizeOf(bundled(join(sources, 'index.ts')))).toBeLessThanOrEqual(MOST_BYTES.unverified);
});
