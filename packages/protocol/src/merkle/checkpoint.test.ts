import { createPrivateKey, sign } from 'node:crypto';
import {
  NOTE_ALGORITHM,
  cosignedText,
  entryBundle,
  isTreeHead,
  noteText,
  readTilePath,
  readTlogProof,
  readVerifierKey,
  signatureLine,
  tilePath,
  tlogProofText,
  treeHeadText,
  treeOrigin,
  verifierKeyText,
  verifyCheckpoint,
  verifyTlogProof,
} from './index.js';
import { leafHash, nodeHash, treeEntry } from './hash.js';
import type { NoteAlgorithm, NoteKey } from './note.js';

// Of the worked example, protocol §2.6.
const seed = '96176e1069df54bfb25b64fb78666854eb84a689fa5a41c0ddc4a98332707fc1';
const privateKey = createPrivateKey({
  key: Buffer.from(`302e020100300506032b657004220420${seed}`, 'hex'),
  format: 'der',
  type: 'pkcs8',
});
const publicKey = Buffer.from(
  'a335ae62f88e2896f2c0a6ce215494128f9c824e78c6ec67357ac6309548882e',
  'hex',
);
const keyOf = (name: string, algorithm: NoteAlgorithm): NoteKey => ({ name, algorithm, publicKey });

const LEDGER = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const GENERATION = '7d444840-9dc0-41d1-b245-5ffdce74fad2';
const origin = treeOrigin('https://review.example', LEDGER, GENERATION);
const log = keyOf(origin, NOTE_ALGORITHM.ed25519);
const witness = keyOf('witness.example/w1', NOTE_ALGORITHM.cosignature);

const digests = [1, 2].map((number) => `sha256:${String(number).repeat(64)}`);
const leaves = digests.map((digest) => leafHash(treeEntry(digest)));
const root = nodeHash(leaves[0] as Buffer, leaves[1] as Buffer);
const body = treeHeadText({ origin, size: 2, root });
const own = signatureLine(log, sign(null, Buffer.from(body), privateKey));

function cosign(time: number, text = body): string {
  const signature = sign(null, Buffer.from(cosignedText(text, time)), privateKey);
  const stamp = Buffer.alloc(8);
  stamp.writeBigUInt64BE(BigInt(time));
  return signatureLine(witness, Buffer.concat([stamp, signature]));
}

describe('a checkpoint', () => {
  it('has the origin of its log: where it is served, without the scheme', () => {
    expect(body.split('\n')).toEqual([
      `review.example/log/${LEDGER}/${GENERATION}`,
      '2',
      root.toString('base64'),
      '',
    ]);
  });

  it('holds under the key of the log', () => {
    expect(verifyCheckpoint(noteText(body, [own]), log)).toEqual({
      head: { origin, size: 2, root },
      cosignatures: [],
    });
  });

  it('returns the newest cosignature of each known witness', () => {
    const text = noteText(body, [own, cosign(1_700_000_000), cosign(1_700_000_100)]);
    const found = verifyCheckpoint(text, log, [witness]);
    expect(found?.cosignatures.map(({ witness: name, time }) => [name, time])).toEqual([
      ['witness.example/w1', 1_700_000_100],
    ]);
    expect(verifyCheckpoint(text, log, [])?.cosignatures).toEqual([]);
  });

  const other = treeHeadText({ origin, size: 3, root });
  it.each<[string, string]>([
    ['another size', noteText(other, [own])],
    ['an altered root', noteText(body, [own]).replace(/\n[A-Za-z0-9+/]/, '\nB')],
    ['no signature of the log', noteText(body, [cosign(1)])],
    ['a further line', noteText(`${body}more\n`, [own])],
    ['no empty line', `${body}${own}\n`],
    ['no end', noteText(body, [own]).slice(0, -1)],
    ['a carriage return', noteText(body, [own]).replace('\n', '\r\n')],
    ['a size with a zero before it', noteText(body.replace('\n2\n', '\n02\n'), [own])],
    [
      'a key id of another',
      noteText(body, [signatureLine({ ...log, name: `${origin}x` }, Buffer.alloc(64))]),
    ],
  ])('does not hold with %s', (_, text) => {
    expect(verifyCheckpoint(text, log, [witness])).toBeNull();
  });

  it('passes over a cosignature of another head, time or witness', () => {
    const moved = cosign(5).replace(/ \S+$/, (old) => {
      const bytes = Buffer.from(old.trim(), 'base64');
      bytes[11] = 6;
      return ` ${bytes.toString('base64')}`;
    });
    for (const line of [cosign(5, other), moved, cosign(5).replace('/w1', '/w2')]) {
      expect(verifyCheckpoint(noteText(body, [own, line]), log, [witness])?.cosignatures).toEqual(
        [],
      );
    }
  });
});

it('is nothing that could pass for a record', () => {
  expect(isTreeHead(Buffer.from(body))).toBe(true);
  expect(isTreeHead(Buffer.from('{"payload":1}\n2\n'))).toBe(false);
  expect(isTreeHead(Buffer.from(body.replace('review', '{review')))).toBe(false);
  expect(isTreeHead(Buffer.from(`${body}{"type":"DecisionReceipt"}}\n`))).toBe(false);
  expect(isTreeHead(Buffer.from('{"payload":{},"protected":{"type":"AuditCheckpoint"}}'))).toBe(
    false,
  );
});

describe('a key of a verifier', () => {
  it('survives its text', () => {
    for (const key of [log, witness]) {
      const read = readVerifierKey(verifierKeyText(key));
      expect({ ...read, publicKey: Buffer.from(read?.publicKey ?? []) }).toEqual(key);
    }
  });

  it.each([
    ['another name', verifierKeyText(witness).replace('/w1', '/w2')],
    ['a kind that we do not know', verifierKeyText({ ...log, algorithm: 6 as NoteAlgorithm })],
    ['no key', 'witness.example/w1'],
  ])('is none with %s', (_, text) => {
    expect(readVerifierKey(text)).toBeNull();
  });
});

describe('a proof in one text', () => {
  const checkpoint = noteText(body, [own, cosign(7)]);
  const proof = { index: 0, path: [leaves[1] as Buffer], checkpoint };

  it('shows that a record is in the log, and the witnesses of the log', () => {
    const text = tlogProofText(proof);
    expect(readTlogProof(text)).toEqual(proof);
    const found = verifyTlogProof(text, digests[0] as string, log, [witness]);
    expect([found?.index, found?.head.size, found?.cosignatures[0]?.time]).toEqual([0, 2, 7]);
  });

  it('may carry lines of unknown signers', () => {
    const text = tlogProofText(proof).replace('\nindex', '\nextra AAAA\nindex');
    expect(verifyTlogProof(text, digests[0] as string, log)).not.toBeNull();
  });

  it.each<[string, string]>([
    ['another index', tlogProofText({ ...proof, index: 1 })],
    ['no path', tlogProofText({ ...proof, path: [] })],
    ['another version', tlogProofText(proof).replace('@v1', '@v2')],
    ['an index with a zero before it', tlogProofText(proof).replace('index 0', 'index 00')],
    ['no checkpoint', tlogProofText({ ...proof, checkpoint: '' })],
  ])('does not hold with %s', (_, text) => {
    expect(verifyTlogProof(text, digests[0] as string, log)).toBeNull();
  });

  it('does not hold for another record', () => {
    expect(verifyTlogProof(tlogProofText(proof), digests[1] as string, log)).toBeNull();
  });
});

describe('paths of tiles', () => {
  it.each<[string, ReturnType<typeof readTilePath>]>([
    ['checkpoint', { kind: 'checkpoint' }],
    ['tile/0/000', { kind: 'tile', tile: { level: 0, index: 0 }, width: 256 }],
    ['tile/1/x001/x234/067', { kind: 'tile', tile: { level: 1, index: 1_234_067 }, width: 256 }],
    ['tile/0/273.p/112', { kind: 'tile', tile: { level: 0, index: 273 }, width: 112 }],
    ['tile/entries/x001/000.p/1', { kind: 'entries', index: 1000, width: 1 }],
  ])('%s is read, and written alike', (path, request) => {
    expect(readTilePath(path)).toEqual(request);
    if (request?.kind === 'tile') {
      expect(tilePath(request.tile.level, request.tile.index, request.width)).toBe(path);
    } else if (request?.kind === 'entries') {
      expect(tilePath('entries', request.index, request.width)).toBe(path);
    }
  });

  it.each([
    '',
    'tile/0/0',
    'tile/00/000',
    'tile/64/000',
    'tile/0/x000/001',
    'tile/0/001/002',
    'tile/0/000.p/256',
    'tile/0/000.p/0',
    'tile/0/000.p/01',
    'tile/-1/000',
    'tile/0/x999/x999/x999/x999/x999/x999/999',
    'tile/data/000',
    '../checkpoint',
  ])('%p is none', (path) => {
    expect(readTilePath(path)).toBeNull();
  });

  it('a bundle has each entry after its length', () => {
    expect(entryBundle([Buffer.of(7), Buffer.of(8, 9)]).toString('hex')).toBe('00010700020809');
  });
});
