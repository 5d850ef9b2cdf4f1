import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { newFolder } from '../support/folder.js';

const ROOT = resolve(__dirname, '../..');
/** What installs the packages of a clone. */
const PREPARE = ['tools/prepare.mjs', 'deploy/root.mjs'];

const made: string[] = [];
afterAll(() => made.forEach((folder) => rmSync(folder, { recursive: true })));

/** A clone of a project whose dependency `hostile` runs a script while it is installed. */
function projectWith(allowScripts: Record<string, boolean>): string {
  const root = newFolder('install-scripts');
  made.push(root);
  const write = (path: string, content: unknown) =>
    writeFileSync(join(root, path), JSON.stringify(content));
  mkdirSync(join(root, 'hostile'));
  for (const file of PREPARE) cpSync(join(ROOT, file), join(root, file));
  const engines = { node: '>=20.19' };
  write('package.json', {
    ...{ name: 'clone', version: '1.0.0', engines, workspaces: [], allowScripts },
    dependencies: { hostile: 'file:hostile' },
  });
  write('hostile/package.json', {
    ...{ name: 'hostile', version: '1.0.0' },
    scripts: { postinstall: `node -e "require('fs').writeFileSync('ran', '')"` },
  });
  for (const name of ['.swcrc', 'turbo.json']) write(name, {});
  const npm = (...args: string[]) => spawnSync('npm', args, { cwd: root, encoding: 'utf8' });
  expect(npm('install', '--package-lock-only', '--ignore-scripts', '--offline').status).toBe(0);
  // It fails at the build, of which there is none, after the installation.
  spawnSync(
    process.execPath,
    ['-e', "import('./tools/prepare.mjs').then((it) => it.prepare()).catch(() => {})"],
    { cwd: root, encoding: 'utf8' },
  );
  expect(existsSync(join(root, 'node_modules', 'hostile'))).toBe(true);
  return join(root, 'hostile', 'ran');
}

describe('a dependency’s install script', () => {
  it('does not run when a clone is prepared', () => {
    expect(existsSync(projectWith({}))).toBe(false);
  });

  it('runs for a package that package.json allows', () => {
    expect(existsSync(projectWith({ hostile: true }))).toBe(true);
  });
});
