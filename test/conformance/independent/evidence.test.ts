import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { evidenceVectors } from '../vectors/cases/evidence.js';
import { documentOf } from '../vectors/vector.js';
import type { Vector } from '../vectors/vector.js';

const missing = [
  ['python3', '--version'],
  ['openssl', 'version'],
].flatMap(([tool = '', argument = '']) => (spawnSync(tool, [argument]).status === 0 ? [] : [tool]));
if (missing.length > 0)
  console.warn(`SKIPPED: ${missing.join(' and ')} not here, so no other program judges evidence`);
const there = missing.length === 0 ? describe : describe.skip;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-independent-evidence-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** Runs the script on a vector, with all that its reader knows. */
function judged(vector: Vector) {
  const { name, trust, policy, store, expected } = vector;
  const args = [
    file(`${name}/evidence`, documentOf(vector)),
    file(`${name}/trust.json`, JSON.stringify(trust)),
  ];
  if (policy !== undefined) args.push('--policy', file(`${name}/policy`, policy));
  if (expected['ledger'] !== undefined) args.push('--ledger', expected['ledger']);
  if (store !== null) {
    for (const [key, text] of Object.entries(store)) file(`${name}/store/${key}`, text);
    args.push('--store', join(folder, name, 'store'));
  }
  const script = join(__dirname, 'evidence.py');
  const { status, stdout, stderr } = spawnSync('python3', [script, ...args], { encoding: 'utf8' });
  return { status, stderr, verdict: stdout.trim().split('\n').at(-1)?.split(':')[0] };
}

const VERDICTS = { 0: 'HOLDS', 1: 'FAILS', 2: 'UNREADABLE', 3: 'INCOMPLETE' } as Readonly<
  Record<number, string>
>;

there('evidence, judged in Python and openssl without any code of ours', () => {
  const vectors = evidenceVectors();

  it('has enough vectors, two thirds of which are no good', () => {
    const bad = vectors.filter(({ verdict }) => verdict === 'fails');
    expect(vectors.length).toBeGreaterThanOrEqual(30);
    expect(bad.length).toBeGreaterThanOrEqual((vectors.length * 2) / 3);
  });

  it.each(vectors.map((vector): [string, Vector] => [vector.name, vector]))(
    'judges %s as the verifier does',
    (_, vector) => {
      const { status, stderr, verdict } = judged(vector);
      expect({ status, stderr, verdict }).toEqual({
        ...{ status: vector.exit_code, stderr: '' },
        verdict: VERDICTS[vector.exit_code],
      });
    },
  );
});
