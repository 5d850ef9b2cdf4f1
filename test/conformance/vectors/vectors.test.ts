import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CHECKS, loadTrust, verifyDocument } from '@countersign/protocol';
import type { CheckCode, Verdict } from '@countersign/protocol';
import { copiesIn } from '../evidence/store.js';
import { allVectors } from './all.js';
import { documentOf, expectationOf, peopleOf, witnessesOf } from './vector.js';
import type { Vector } from './vector.js';

const made = allVectors();
const text = (vector: Vector): string => `${JSON.stringify(vector, null, 2)}\n`;

// generate.mjs sets it.
if (process.env['VECTORS_WRITE'] === '1') {
  for (const name of readdirSync(__dirname).filter((file) => file.endsWith('.json'))) {
    rmSync(join(__dirname, name));
  }
  for (const vector of made) writeFileSync(join(__dirname, `${vector.name}.json`), text(vector));
}

const kept = readdirSync(__dirname)
  .filter((file) => file.endsWith('.json'))
  .map((file) => JSON.parse(readFileSync(join(__dirname, file), 'utf8')) as Vector);

describe('the vectors', () => {
  it('equal the generator’s output', () => {
    expect(kept.map(({ name }) => name).sort()).toEqual(made.map(({ name }) => name).sort());
    for (const vector of made) {
      expect(readFileSync(join(__dirname, `${vector.name}.json`), 'utf8')).toBe(text(vector));
    }
  });

  it('are at least 60, two thirds of which fail', () => {
    expect(kept.length).toBeGreaterThanOrEqual(60);
    const failing = kept.filter(({ verdict }) => verdict === 'fails');
    expect(failing.length).toBeGreaterThanOrEqual((kept.length * 2) / 3);
  });

  it('fail by every check that can fail: one that never fails would be missed', () => {
    // The security log is no part of the protocol's evidence: packages/protocol/src/verifier/security-log.test.ts fails each.
    const never: readonly string[] = [
      'verifier_works',
      'ledger_end',
      // Another manifest inside is no fault: it is not used.
      'manifest_inside',
      'security_ledger',
      'security_entry',
      'security_checkpoint',
      'security_store',
    ];
    const failing = new Set(
      kept.flatMap(({ check }) => (check.status === 'fails' ? [check.code] : [])),
    );
    expect(Object.keys(CHECKS).filter((code) => !failing.has(code as CheckCode))).toEqual(never);
  });

  it.each(kept.map((vector) => [vector.name, vector]))('%s by the function', (_, vector) => {
    const trust = loadTrust(vector.trust);
    const copies = vector.store === null ? null : copiesIn(vector.store);
    const expected = expectationOf(vector);
    const witnesses = witnessesOf(vector);
    const people = peopleOf(vector);
    expectVerdict(
      vector,
      verifyDocument(documentOf(vector), trust, { expected, copies, witnesses, people }),
    );
  });

  it('by the command', () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-vectors-'));
    try {
      const runs = runCommands(
        kept.map((vector) => argumentsOf(join(folder, vector.name), vector)),
      );
      for (const [at, vector] of kept.entries()) {
        const { code, stdout, stderr } = runs[at] as Run;
        expect([vector.name, code, stderr]).toEqual([vector.name, vector.exit_code, '']);
        expectVerdict(vector, JSON.parse(stdout) as Verdict);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

function expectVerdict(vector: Vector, { verdict, checks }: Verdict): void {
  const like = checks.filter(
    ({ code, status }) => code === vector.check.code && status === vector.check.status,
  );
  // Show the whole verdict when it differs.
  const failed = checks.filter(({ status }) => status === 'fails');
  expect([vector.name, verdict, verdict === vector.verdict ? [] : failed]).toEqual([
    vector.name,
    vector.verdict,
    [],
  ]);
  expect(like).toContainEqual(expect.objectContaining(vector.check));
}

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Writes the vector's files and names them. */
function argumentsOf(folder: string, vector: Vector): string[] {
  mkdirSync(folder);
  const file = (name: string, content: string | Uint8Array): string => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  };
  const flags = ['--json', '--trust', file('trust.json', JSON.stringify(vector.trust))];
  if (vector.store !== null) {
    for (const [key, content] of Object.entries(vector.store)) file(join('store', key), content);
    flags.push('--store', join(folder, 'store'));
  }
  if (vector.policy !== undefined) flags.push('--witness-policy', file('policy', vector.policy));
  if (vector.people !== undefined) {
    flags.push('--people', file('people.json', JSON.stringify(vector.people)));
  }
  for (const [name, value] of Object.entries(vector.expected)) {
    flags.push(name === 'now' ? '--at' : `--${name}`, value);
  }
  return ['verify', file('document.json', documentOf(vector)), ...flags];
}

function runCommands(commands: readonly (readonly string[])[]): Run[] {
  const { stdout, stderr } = spawnSync(process.execPath, [join(__dirname, 'command.mjs')], {
    input: JSON.stringify(commands),
    encoding: 'utf8',
    maxBuffer: 256 * 2 ** 20,
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Run[];
}
