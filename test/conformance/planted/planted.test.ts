import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { transformSync } from '@swc/core';
import { allVectors } from '../vectors/all.js';
import { documentOf, expectationOf } from '../vectors/vector.js';
import { PLANTED_BUGS } from './bugs.js';
import type { PlantedBug } from './bugs.js';

const ROOT = resolve(__dirname, '../../..');
const PROTOCOL = join(ROOT, 'packages', 'protocol');

/** The verifier as it is built, with one bug; beside the packages that it uses. Gives its entry. */
function plant({ file, passage, becomes }: PlantedBug, folder: string): string {
  const source = readFileSync(join(PROTOCOL, 'src', file), 'utf8');
  const pieces = source.split(passage);
  // A passage that is gone would plant nothing, and one that occurs twice somewhere else.
  expect([file, passage, pieces.length - 1]).toEqual([file, passage, 1]);
  cpSync(join(PROTOCOL, 'dist'), folder, {
    recursive: true,
    filter: (path) => !path.endsWith('.map'),
  });
  writeFileSync(join(dirname(folder), 'package.json'), '{"type":"module"}');
  const { code } = transformSync(pieces.join(becomes), {
    configFile: join(ROOT, '.swcrc'),
    filename: join(PROTOCOL, 'src', file),
    swcrc: false,
    sourceMaps: false,
  });
  writeFileSync(join(folder, file.replace('.ts', '.js')), code);
  return join(folder, 'index.js');
}

/**
 * The vector that noticed each bug when this file was written, which is tried first: a verifier that was just loaded is slow, and
 * trying the others before it takes three times as long. `NOTICED=write` writes it anew.
 */
const NOTICED_BY = join(__dirname, 'noticed-by.json');
const noticedBy = JSON.parse(readFileSync(NOTICED_BY, 'utf8')) as Record<string, string>;
const nameOf = ({ file, bug }: PlantedBug) => `${file}: ${bug}`;

/** For each build a vector that comes out otherwise under it, after `first` the short ones; null when all come out as they should. */
function judge(
  builds: readonly { readonly entry: string; readonly first?: string }[],
): (string | null)[] {
  const vectors = allVectors()
    .map((vector) => ({
      ...vector,
      document: Buffer.from(documentOf(vector)).toString('base64'),
      expected: expectationOf(vector),
    }))
    .sort((one, other) => one.document.length - other.document.length);
  const { stdout, stderr } = spawnSync(process.execPath, [join(__dirname, 'judge.mjs')], {
    input: JSON.stringify({ vectors, builds }),
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as (string | null)[];
}

it('every bug planted in the verifier is noticed by a vector, and the sound verifier by none', () => {
  // Where it finds the packages that it uses.
  const cache = join(PROTOCOL, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const home = mkdtempSync(join(cache, 'planted-'));
  try {
    const builds = PLANTED_BUGS.map((bug, number) => {
      const first = noticedBy[nameOf(bug)];
      return {
        entry: plant(bug, join(home, String(number))),
        ...(first === undefined ? {} : { first }),
      };
    });
    const [sound, ...found] = judge([{ entry: join(PROTOCOL, 'dist', 'index.js') }, ...builds]);
    expect(sound).toBeNull();
    const missed = PLANTED_BUGS.filter((_, at) => found[at] === null).map(({ bug }) => bug);
    const caught = PLANTED_BUGS.length - missed.length;
    console.log(`conformance: planted bugs caught: ${caught} of ${PLANTED_BUGS.length}`);
    expect(missed).toEqual([]);
    if (process.env['NOTICED'] === 'write') {
      const entries = PLANTED_BUGS.map((bug, at) => [nameOf(bug), found[at]]);
      writeFileSync(NOTICED_BY, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
    }
  } finally {
    rmSync(home, { recursive: true });
  }
});
