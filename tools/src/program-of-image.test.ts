import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { readLdd, wrapperOf } from './program-of-image.js';

// Of two programs, as `ldd` prints them.
const SAID = `/usr/bin/one:
\tlinux-vdso.so.1 (0x00007f2535f8c000)
\tlibssl.so.3 => /lib/x86_64-linux-gnu/libssl.so.3 (0x00007f25355a9000)
\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f2534d7b000)
\t/lib64/ld-linux-x86-64.so.2 (0x00007f2535f8e000)
/usr/bin/two:
\tlinux-vdso.so.1 (0x00007ffd3a1c2000)
\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f2534d7b000)
\t/lib64/ld-linux-x86-64.so.2 (0x00007f2535f8e000)
`;

describe('the output of ldd', () => {
  it('names the loader and each library once', () => {
    expect(readLdd(SAID)).toEqual({
      loader: '/lib64/ld-linux-x86-64.so.2',
      libraries: ['/lib/x86_64-linux-gnu/libssl.so.3', '/lib/x86_64-linux-gnu/libc.so.6'],
    });
  });

  it('may name the loader as the library that it is with musl', () => {
    const said = `\t/lib/ld-musl-x86_64.so.1 (0x7f11c0a5d000)
\tlibz.so.1 => /usr/lib/libz.so.1 (0x7f11c0a3f000)
\tlibc.musl-x86_64.so.1 => /lib/ld-musl-x86_64.so.1 (0x7f11c0a5d000)\n`;
    expect(readLdd(said)).toEqual({
      loader: '/lib/ld-musl-x86_64.so.1',
      libraries: ['/usr/lib/libz.so.1'],
    });
  });

  it('is refused when a library is missing', () => {
    expect(() => readLdd(`${SAID}\tlibnone.so.1 => not found\n`)).toThrow('libnone.so.1');
  });

  it.each(['\tstatically linked\n', '\tnot a dynamic executable\n', ''])(
    'is refused without a loader: %j',
    (said) => {
      expect(() => readLdd(said)).toThrow('no loader');
    },
  );
});

it('quotes paths for the shell', () => {
  const text = wrapperOf({ program: "/it's/p", loader: '/a b/ld.so', libraries: '/a b' });
  expect(text).toBe(
    `#!/bin/sh\nexec '/a b/ld.so' --argv0 "$0" --library-path '/a b' '/it'\\''s/p' "$@"\n`,
  );
});

// Elsewhere there is neither ldd nor a loader of this kind.
(process.platform === 'linux' ? describe : describe.skip)('a wrapped program', () => {
  const home = mkdtempSync(join(tmpdir(), "countersign-wrapper's-"));
  const wrapper = join(home, 'wrapped');

  beforeAll(() => {
    // Node is a dynamic program that `ldd` can describe.
    const { loader, libraries } = readLdd(
      execFileSync('ldd', [process.execPath], { encoding: 'utf8' }),
    );
    const folder = join(home, 'libraries');
    mkdirSync(folder);
    for (const path of [loader, ...libraries]) copyFileSync(path, join(folder, basename(path)));
    writeFileSync(
      wrapper,
      wrapperOf({
        program: process.execPath,
        loader: join(folder, basename(loader)),
        libraries: folder,
      }),
      { mode: 0o755 },
    );
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it('is the process that was started, by its loader and libraries, and ends by kill -9', async () => {
    const script = `
      const maps = require('fs').readFileSync('/proc/self/maps', 'utf8');
      const libc = /\\S+\\/(libc\\.so|ld-musl)\\S*/.exec(maps)[0];
      console.log(JSON.stringify([process.pid, process.argv0, libc, ...process.argv.slice(1)]));
      setInterval(() => {}, 1000);`;
    const child = spawn(wrapper, ['-e', script, 'an argument'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    expect(JSON.parse(line.toString())).toEqual([
      child.pid,
      wrapper,
      expect.stringContaining(join(home, 'libraries')),
      'an argument',
    ]);
    child.kill('SIGKILL');
    expect(await exited).toEqual([null, 'SIGKILL']);
  });
});
