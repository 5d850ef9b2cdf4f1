import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonicalText } from '@countersign/protocol';
import type { Signed } from '@countersign/protocol';
import { copyOf } from '../evidence/forging.js';
import { serviceManifest, trustManifest } from '../evidence/keys.js';
import { buildEvidence } from '../evidence/build-evidence.js';
import { keyVectors } from '../vectors/cases/keys.js';

const missing = [
  ['python3', '--version'],
  ['openssl', 'version'],
].flatMap(([tool = '', argument = '']) => (spawnSync(tool, [argument]).status === 0 ? [] : [tool]));
if (missing.length > 0)
  console.warn(`SKIPPED: ${missing.join(' and ')} not here, so no other program checks our proofs`);
const there = missing.length === 0 ? describe : describe.skip;

const { document, ledger, records } = buildEvidence();
const receipt = (records['receipt'] as Signed).record;
const proof = document.anchor;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-independent-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the check on values as files; they are written with white space, so canonical forms are really made. */
function check(command: 'chain' | 'receipt' | 'record', ...values: readonly unknown[]) {
  const files = values.map((value, at) => {
    const path = join(folder, `${at}.json`);
    writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value, null, 1));
    return path;
  });
  const script = join(__dirname, 'verify.py');
  const { status, stdout, stderr } = spawnSync('python3', [script, command, ...files], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

function altered<Value>(value: Value, change: (copy: any) => void): Value {
  const copy = copyOf(value);
  change(copy);
  return copy;
}

there(
  `the check in Python and openssl${missing.length > 0 ? ` (missing: ${missing.join(', ')})` : ''}`,
  () => {
    const trust = trustManifest();
    const [checkpoint = ''] = Object.values(ledger.store);

    it('verifies the chain through the checkpoint', () => {
      expect(check('chain', ledger.entries, trust, checkpoint)).toEqual({
        status: 0,
        stderr: '',
        stdout:
          `chain: ${ledger.entries.length} entries, ${ledger.entries.length} signatures, head ${ledger.entries.at(-1)?.head}\n` +
          'checkpoint: the chain passes through it at entry 7\n',
      });
    });

    it('verifies the receipt up to the checkpoint', () => {
      const { status, stdout } = check('receipt', receipt, proof, trust);
      expect([status, stdout]).toEqual([
        0,
        'receipt: rev-2 decided authorise at 2026-05-01T09:05:00.000Z, proven up to entry 7\n',
      ]);
    });

    it.each<[string, (copy: any) => void]>([
      ['an entry left out', (it) => it.splice(2)],
      ['two entries swapped', (it) => it.splice(4, 2, it[5], it[4])],
      ['a head', (it) => (it[4].head = it[3].head)],
      ['a record', (it) => (it[4].record = it[4].record.replace('authorise"', 'refuse"'))],
      ['a number', (it) => (it[0].sequence = '2')],
      ['a tenant', (it) => (it[4].tenant = 'other')],
      ['an end before the checkpoint', (it) => it.splice(5)],
    ])('refuses a chain with %s altered', (_, change) => {
      expect(check('chain', altered(ledger.entries, change), trust, checkpoint).status).toBe(1);
    });

    it.each<[string, unknown, unknown]>([
      ['another decision', altered(receipt, (it) => (it.payload.decision = 'refuse')), proof],
      ['a padded signature', altered(receipt, (it) => (it.signature += '==')), proof],
      ['a proof of another record', (records['claim'] as Signed).record, proof],
      ['a node left out', receipt, altered(proof, (it) => it.proof.splice(1))],
      ['a node altered', receipt, altered(proof, (it) => (it.proof[1].head = it.proof[0].head))],
      ['another acceptance', receipt, altered(proof, (it) => (it.acceptance.digest = 'sha256:0'))],
      [
        'an altered checkpoint',
        receipt,
        altered(proof, (it) => (it.checkpoint.payload.sequence = 8)),
      ],
      [
        'a member twice',
        JSON.stringify(receipt).replace('"payload":', '"payload":{},"payload":'),
        proof,
      ],
    ])('refuses a receipt with %s', (_, record, its) => {
      expect(check('receipt', record, its, trust).status).toBe(1);
    });

    it('refuses each record by a key of a service that may not sign it, and no other', () => {
      const vectors = keyVectors().filter(
        ({ check }) => check.code === 'record_signature' && check.path === '',
      );
      const may = keyVectors().filter(({ verdict }) => verdict === 'incomplete');
      const trusted = serviceManifest();
      const documents = (of: typeof vectors) => of.map(({ document }) => document);
      const refused = check('record', trusted, ...documents(vectors));
      expect(refused.status).toBe(1);
      const lines = refused.stdout.trim().split('\n');
      expect(
        lines.filter((line) => /^FAILS: .*: the key [^ ]+ may not sign a \w+$/.test(line)),
      ).toHaveLength(vectors.length);
      expect(vectors.length).toBeGreaterThanOrEqual(5 * 8);
      expect(check('record', trusted, ...documents(may))).toMatchObject({ status: 0, stderr: '' });
      expect(may.length).toBeGreaterThan(15);
    });

    it.each([
      ['key-ledger-receipt-by-notifier', 'chain'],
      ['key-proof-by-notifier', 'receipt'],
    ] as const)(
      'refuses %s, where one signature of several is by the wrong service',
      (name, command) => {
        const document = (of: string) =>
          keyVectors().find((vector) => vector.name === of)?.document;
        const files = command === 'chain' ? [] : [document('key-review-1-DecisionReceipt')];
        const { status, stdout } = check(command, ...files, document(name), serviceManifest());
        expect([status, stdout]).toEqual([
          1,
          expect.stringMatching(/^FAILS: the key notifier-1 may not sign a /),
        ]);
      },
    );

    it('writes numbers and strings as RFC 8785 does', () => {
      const values = [
        1e21,
        1e-7,
        1.5e-7,
        123456789012345680000,
        0.1,
        5e-324,
        1.7976931348623157e308,
        100,
        -0.5,
        4.5e15,
        1e20,
        333333333.3333333,
        'é\u0001\n"\\/𝄞\u2028',
        { '\ufb33': 1, '😀': 2, a: 3, é: 4, '1': 5 },
      ];
      const program = [
        'import importlib.util, json, sys',
        `spec = importlib.util.spec_from_file_location("verify", ${JSON.stringify(join(__dirname, 'verify.py'))})`,
        'verify = importlib.util.module_from_spec(spec)',
        'spec.loader.exec_module(verify)',
        'sys.stdout.buffer.write(verify.canonical([float(v) if isinstance(v, int) and abs(v) > 2**53 else v for v in json.load(sys.stdin)]).encode())',
      ].join('\n');
      const { stdout } = spawnSync('python3', ['-B', '-c', program], {
        input: JSON.stringify(values),
        encoding: 'utf8',
      });
      expect(stdout).toBe(canonicalText(values));
    });
  },
);
