import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataDirectory } from '@countersign/deploy/data-directory';
import { commandOf, takeDataDirectory } from './data-directory.js';

let path: string;

beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'countersign-data-')), 'data');
});
afterEach(() => rmSync(join(path, '..'), { recursive: true }));

describe('the data directory', () => {
  it('keeps the written files, for its owner only', () => {
    takeDataDirectory(path).write('demo.json', { token: 'secret' });
    expect(dataDirectory(path).read('demo.json')).toEqual({ token: 'secret' });
    expect(statSync(join(path, 'demo.json')).mode & 0o777).toBe(0o600);
  });

  it('reads a missing file as null', () => {
    expect(takeDataDirectory(path).read('demo.json')).toBeNull();
  });

  it('refuses a second launcher while the first one lives, and takes over from a dead one', async () => {
    takeDataDirectory(path);
    // A process that looks like a launcher: the name is in its command line.
    const launcher = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', 'start.mjs']);
    await new Promise((resolve) => launcher.once('spawn', resolve));
    writeFileSync(join(path, 'launcher.pid'), `${launcher.pid}\n`);
    expect(() => takeDataDirectory(path)).toThrow(
      `running already on ${path} (process ${launcher.pid})`,
    );

    const ended = new Promise((resolve) => launcher.once('exit', resolve));
    launcher.kill('SIGKILL');
    await ended;
    expect(() => takeDataDirectory(path)).not.toThrow();
  });

  it('takes over when the number of a dead launcher belongs to something else now', () => {
    takeDataDirectory(path);
    expect(commandOf(process.pid)).not.toContain('start.mjs');
    writeFileSync(join(path, 'launcher.pid'), `${process.ppid}\n`);
    expect(() => takeDataDirectory(path)).not.toThrow();
  });

  it('is free again after its release', () => {
    takeDataDirectory(path).release();
    expect(() => takeDataDirectory(path)).not.toThrow();
  });
});
