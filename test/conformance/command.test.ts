import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { trustManifest } from './evidence/keys.js';
import { buildEvidence } from './evidence/build-evidence.js';
import { wholeEvidence } from './evidence/whole.js';

const COMMAND = resolve(__dirname, '../../deploy/countersign.mjs');
const { document, ledger } = buildEvidence();

let folder: string;
let trust: string;
let exported: string;
let store: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-verify-'));
  trust = file('trust.json', JSON.stringify(trustManifest()));
  exported = file('export.json', JSON.stringify(document));
  store = join(folder, 'store');
  for (const [key, text] of Object.entries(ledger.store)) file(join('store', key), text);
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

function verify(args: readonly string[], input = '') {
  const run = spawnSync(process.execPath, [COMMAND, 'verify', ...args], {
    input,
    encoding: 'utf8',
  });
  return { code: run.status, stdout: run.stdout, stderr: run.stderr };
}

/** The milliseconds of processor time that Node takes for a command. */
function processorTimeOf(args: readonly string[]): number {
  const run = `${[process.execPath, ...args].join(' ')} > /dev/null; times`;
  const { stdout } = spawnSync('bash', ['-c', run], { encoding: 'utf8' });
  const [user, system] = [...(stdout.split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, seconds]) => Number(minutes) * 60_000 + Number(seconds) * 1000,
  );
  return (user ?? Number.NaN) + (system ?? Number.NaN);
}

describe('countersign verify', () => {
  it('exits with 0 for a document that holds, and prints the timeline', () => {
    const { code, stdout, stderr } = verify([exported, '--trust', trust, '--store', store]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('runner-1/run-88 claimed invoice-4711/payment-1');
  });

  it('prints every check with --details, after the verdict for people', () => {
    const args = [exported, '--trust', trust, '--store', store];
    const [short, long] = [verify(args).stdout, verify([...args, '--details']).stdout];
    expect(long.startsWith(short.trimEnd())).toBe(true);
    expect([short, long].map((text) => text.includes('[record_signature]'))).toEqual([false, true]);
  });

  it('takes little processor time for evidence of 9 entries, most of it to start', () => {
    const evidence = file('evidence.json', JSON.stringify(wholeEvidence().document));
    // In turn with a program that does nothing: a machine that computes for others slows both.
    const turns = [1, 2, 3, 4].map(() => ({
      nothing: processorTimeOf(['--eval', '0']),
      verify: processorTimeOf([COMMAND, 'verify', evidence, '--trust', trust]),
    }));
    const nothing = Math.min(...turns.map((turn) => turn.nothing));
    const spent = Math.min(...turns.map((turn) => turn.verify));
    console.log(
      `countersign verify took ${spent} ms of processor time, an empty program ${nothing}`,
    );
    expect(spent / nothing).toBeLessThanOrEqual(7);
  });

  it('exits with 3 for a document that stays open', () => {
    expect(verify([exported, '--trust', trust]).code).toBe(3);
  });

  it('reads standard input, and exits with 1 for a document that fails', () => {
    const altered = JSON.stringify(document).replace('1200.50', '1200.51');
    const { code, stdout } = verify(['-', '--trust', trust, '--store', store, '--json'], altered);
    expect([code, JSON.parse(stdout).verdict]).toEqual([1, 'fails']);
  });

  it.each<[string, () => readonly string[]]>([
    ['no manifest is named', () => [exported]],
    ['an option is unknown', () => [exported, '--trust', trust, '--force']],
    ['the file is not there', () => [join(folder, 'none.json'), '--trust', trust]],
    ['the file is a directory', () => [folder, '--trust', trust]],
    ['the file is no document', () => [trust, '--trust', trust]],
    ['the manifest is no manifest', () => [exported, '--trust', exported]],
    [
      'the manifest lists a key twice',
      () => {
        const { keys, ...manifest } = trustManifest();
        const twice = { ...manifest, keys: [...keys, keys[0]] };
        return [exported, '--trust', file('twice.json', JSON.stringify(twice))];
      },
    ],
    ['the store is not there', () => [exported, '--trust', trust, '--store', join(folder, 'none')]],
    ['the store is of no known kind', () => [exported, '--trust', trust, '--store', 'gs://bucket']],
    ['the bucket has no name', () => [exported, '--trust', trust, '--store', 's3:///prefix']],
    [
      'the list of people is none',
      () => [exported, '--trust', trust, '--people', file('people.json', '[{}]')],
    ],
    ['a time is none', () => [exported, '--trust', trust, '--at', 'noon']],
  ])('exits with 2 when %s', (_, args) => {
    const { code, stdout, stderr } = verify(args());
    expect(code).toBe(2);
    expect(`${stdout}${stderr}`).not.toMatch(/^\s+at /m);
  });

  it('lists its exit codes', () => {
    const { code, stdout } = verify(['--help']);
    expect([code, ...[0, 1, 2, 3].map((each) => stdout.includes(`\n  ${each}  `))]).toEqual([
      0,
      true,
      true,
      true,
      true,
    ]);
  });
});
