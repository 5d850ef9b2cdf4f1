import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { newFolder } from './support/folder.js';

// The packages that are published, as npm packs them: what bundlers, Node and TypeScript make of their manifests.

const ROOT = resolve(__dirname, '..');
const PACKAGES = join(ROOT, 'packages');

const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
const PUBLISHED = readdirSync(PACKAGES).filter(
  (name) => manifestOf(join(PACKAGES, name))['publishConfig'] !== undefined,
);

/** It is a script, whose text authors put into a page. */
const NO_MODULES = ['./inline'];

let folder: string;

beforeAll(() => (folder = newFolder('published')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function packed(cwd: string): string {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return join(folder, filename);
}

function checked(program: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(join(ROOT, 'node_modules/.bin', program), args, {
    ...{ cwd: folder, encoding: 'utf8' },
  });
  return { status, said: stdout + stderr };
}
const linted = (tarball: string) => checked('publint', tarball, '--strict');
const typed = (tarball: string) =>
  checked('attw', tarball, '--profile', 'esm-only', '--exclude-entrypoints', ...NO_MODULES);

it('are those for producers, executors, pipelines, agents and authors of apps', () => {
  expect(PUBLISHED).toEqual([
    'ai-sdk',
    'cli',
    'client',
    'guard',
    'langgraph',
    'mastra',
    'openai-agents',
    'view',
  ]);
});

it.each(PUBLISHED)('%s says its licence, and where it was built', (name) => {
  expect(manifestOf(join(PACKAGES, name))).toMatchObject({
    ...{ license: 'Apache-2.0', type: 'module', engines: { node: '>=20.19' } },
    publishConfig: { access: 'public', provenance: true },
  });
});

it.each(PUBLISHED)('%s is found right by Node and bundlers, as are its types', (name) => {
  const tarball = packed(join(PACKAGES, name));
  expect(linted(tarball)).toMatchObject({ status: 0 });
  expect(typed(tarball)).toMatchObject({ status: 0 });
});

describe('npm run pack', () => {
  const pack = (...args: readonly string[]) =>
    spawnSync(process.execPath, ['tools/pack.mjs', ...args], { cwd: ROOT, encoding: 'utf8' });

  it('makes packages under another scope that need none of ours', () => {
    const { status, stdout } = pack('--scope', '@acme', '--out', folder);
    expect(status).toBe(0);
    const tarballs = stdout.trim().split('\n');
    expect(tarballs.map((path) => basename(path))).toEqual(
      PUBLISHED.map((name) => `acme-${name}-0.1.0.tgz`),
    );
    const user = join(folder, 'user');
    mkdirSync(user);
    writeFileSync(join(user, 'package.json'), '{"name":"user","private":true,"type":"module"}');
    // Frameworks are for their users to install.
    const quiet = ['--offline', '--no-audit', '--no-fund', '--legacy-peer-deps'];
    expect(spawnSync('npm', ['install', ...quiet, ...tarballs], { cwd: user }).status).toBe(0);
    const traces = spawnSync('grep', ['-rl', '@countersign/', 'node_modules'], { cwd: user });
    expect(traces.stdout.toString()).toBe('');
    const program = "import('@acme/guard/node').then(({ fileJournal }) => fileJournal('x'))";
    expect(spawnSync(process.execPath, ['-e', program], { cwd: user }).status).toBe(0);
    const command = join(user, 'node_modules/.bin/countersign');
    expect(spawnSync(command, ['--version'], { encoding: 'utf8' }).stdout.trim()).toBe('0.1.0');
  });

  it('says what a scope looks like', () => {
    const { status, stderr } = pack('--scope', 'Acme');
    expect([status, stderr]).toEqual([
      2,
      '--scope is an @ and a name in lower case, such as @countersign.\n',
    ]);
  });
});

it('a package whose files are not where its manifest says is found out', () => {
  const broken = join(folder, 'broken');
  mkdirSync(broken);
  const exports = { '.': { types: './missing.d.ts', default: './index.js' } };
  const manifest = { name: 'broken', version: '1.0.0', type: 'module', exports };
  writeFileSync(join(broken, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(broken, 'index.js'), 'export const a = 1;\n');
  writeFileSync(join(broken, 'other.d.ts'), 'export {};\n');
  const tarball = packed(broken);
  expect(linted(tarball).status).not.toBe(0);
  expect(typed(tarball).status).not.toBe(0);
});
