import { createPrivateKey, sign } from 'node:crypto';
import { decideWitness, readAddCheckpoint } from './add-checkpoint.js';
import type { AddCheckpoint } from './add-checkpoint.js';
import { cosignaturesOf, treeHeadText } from './checkpoint.js';
import type { TreeHead } from './checkpoint.js';
import { cosignerText, readCosigner } from './cosigner.js';
import { EMPTY_ROOT, treeEntry } from './hash.js';
import { byOrigin, readLogKey, readLogList } from './log-list.js';
import type { NoteKey } from './note.js';
import { NOTE_ALGORITHM, noteText, signatureLine, verifierKeyText } from './note.js';
import { consistencyPath } from './range.js';
import { appendEntries, rangeHash, treeRoot } from './tiles.js';
import type { TileReader } from './tiles.js';

const ORIGIN = 'review.example/log/1';
const seedOf = (of: number): Buffer => Buffer.alloc(32, of);
const privateKey = (of: number) =>
  createPrivateKey({
    key: Buffer.from(`302e020100300506032b657004220420${seedOf(of).toString('hex')}`, 'hex'),
    format: 'der',
    type: 'pkcs8',
  });
const logKeyOf = (of: number): NoteKey => ({
  name: ORIGIN,
  algorithm: NOTE_ALGORITHM.ed25519,
  publicKey: readCosigner(cosignerText('any', seedOf(of)))!.key.publicKey,
});
const log = logKeyOf(1);
const nextKey = logKeyOf(2);

/** A tree whose leaf `n` is the digit of `tag`, n times over. */
function treeOf(tag: string, size: number): TileReader {
  const entries = Array.from({ length: size }, (_, n) =>
    treeEntry(`sha256:${tag}${n.toString(16).padStart(63, '0')}`),
  );
  const tiles = new Map(
    appendEntries(0, () => undefined, entries).map((tile) => [
      `${tile.level}/${tile.index}`,
      tile.hashes,
    ]),
  );
  return ({ level, index }) => tiles.get(`${level}/${index}`);
}
const tree = treeOf('a', 600);
const other = treeOf('b', 600);
const headOf = (size: number, of = tree): TreeHead => ({
  origin: ORIGIN,
  size,
  root: treeRoot(of, size),
});

function checkpointOf(head: TreeHead, seed = 1, extension = ''): string {
  const body = `${treeHeadText(head)}${extension}`;
  return noteText(body, [
    signatureLine(logKeyOf(seed), sign(null, Buffer.from(body), privateKey(seed))),
  ]);
}
const proofOf = (old: number, size: number, of = tree) =>
  consistencyPath(old, size)
    .map((range) => `${rangeHash(of, range).toString('base64')}\n`)
    .join('');

function asked(text: string): AddCheckpoint {
  const read = readAddCheckpoint(text);
  if (read === null) throw new Error('malformed');
  return read;
}
const request = (old: number, size: number, of = tree) =>
  asked(`old ${old}\n${proofOf(old, size, of)}\n${checkpointOf(headOf(size, of))}`);
const refusal = (given: AddCheckpoint, latest: TreeHead | null, keys = [log]) => {
  const decision = decideWitness(given, keys, latest);
  return decision.refused === null ? null : [decision.refused, decision.isFork];
};

describe('a witness asked for its signature', () => {
  it('signs the first tree that it sees, and every tree that continues the last one', () => {
    expect(refusal(request(0, 0), null)).toBeNull();
    for (const [old, size] of [
      [0, 1],
      [1, 2],
      [1, 600],
      [255, 256],
      [256, 257],
      [300, 600],
      [600, 600],
    ] as const) {
      expect(refusal(request(old, size), old === 0 ? null : headOf(old))).toBeNull();
    }
  });

  it('refuses a tree that does not continue the last one', () => {
    expect(refusal(request(300, 600, other), headOf(300))).toEqual(['inconsistent', false]);
    const longer = `old 0\n${EMPTY_ROOT.toString('base64')}\n\n${checkpointOf(headOf(5))}`;
    expect(refusal(asked(longer), null)).toEqual(['inconsistent', false]);
    const empty = { ...headOf(5), size: 0 };
    expect(refusal(asked(`old 0\n\n${checkpointOf(empty)}`), null)).toEqual([
      'inconsistent',
      false,
    ]);
  });

  it('names a fork: two trees of one size, whatever size the request claims to continue', () => {
    expect(refusal(request(300, 300, other), headOf(300))).toEqual(['fork', true]);
    expect(refusal(request(0, 300, other), headOf(300))).toEqual(['other_size', true]);
  });

  it('refuses a smaller tree, and one from another size than the last', () => {
    expect(refusal(request(200, 200), headOf(300))).toEqual(['other_size', false]);
    expect(refusal(request(0, 600), headOf(300))).toEqual(['other_size', false]);
    expect(refusal(request(300, 600), null)).toEqual(['other_size', false]);
    const back = `old 300\n\n${checkpointOf(headOf(200))}`;
    expect(refusal(asked(back), headOf(300))).toEqual(['old_size_too_large', false]);
  });

  it('takes either key while a log changes its key, and no other', () => {
    const renewed = asked(`old 0\n\n${checkpointOf(headOf(3), 2)}`);
    expect(refusal(renewed, null)).toEqual(['not_signed', false]);
    expect(refusal(renewed, null, [log, nextKey])).toBeNull();
    const forged = checkpointOf(headOf(3)).replace(/[^\n]{7}=\n$/, 'AAAAAAA=\n');
    expect(refusal(asked(`old 0\n\n${forged}`), null)).toEqual(['not_signed', false]);
  });

  it('refuses a note in which one of two signatures is not of its key', () => {
    const good = checkpointOf(headOf(3));
    const bad = signatureLine(nextKey, Buffer.alloc(64));
    const given = asked(`old 0\n\n${good}${bad}\n`);
    expect(refusal(given, null)).toBeNull();
    expect(refusal(given, null, [log, nextKey])).toEqual(['not_signed', false]);
  });

  it('reads only bodies of the right form', () => {
    const good = checkpointOf(headOf(3));
    const hash = EMPTY_ROOT.toString('base64');
    expect(readAddCheckpoint(`old 0\n\n${checkpointOf(headOf(3), 1, 'more\n')}`)).not.toBeNull();
    for (const wrong of [
      '',
      good,
      `old 00\n\n${good}`,
      `old -1\n\n${good}`,
      `old 9007199254740992\n\n${good}`,
      `Old 0\n\n${good}`,
      `old 0\n${hash.slice(1)}\n\n${good}`,
      `old 1\n${`${hash}\n`.repeat(64)}\n${good}`,
      `old 0\n${good}`,
      `old 0\n\n${good.replace('\n3\n', '\n03\n')}`,
      `old 0\n\n${good.split('\n\n')[0]}\n`,
      `old 0\n\n${checkpointOf(headOf(3), 1, '\nmore\n')}`,
    ]) {
      expect(readAddCheckpoint(wrong)).toBeNull();
    }
  });
});

describe('the key of a witness', () => {
  const text = cosignerText('witness.example/w1', seedOf(7));
  const cosigner = readCosigner(text)!;

  it('is read back from its text, and no other text is', () => {
    expect(verifierKeyText(cosigner.key)).toMatch(/^witness\.example\/w1\+[0-9a-f]{8}\+B/);
    for (const wrong of [
      text.replace('w1', 'w2'),
      text.slice(0, -4),
      text.replace('PRIVATE', 'PUBLIC'),
      `${text}\n`,
      '',
    ]) {
      expect(readCosigner(wrong)).toBeNull();
    }
  });

  it('signs as of a time', () => {
    const body = treeHeadText(headOf(3));
    const { note } = asked(`old 0\n\n${noteText(body, [cosigner.cosign(body, 1_700_000_000)])}`);
    expect(cosignaturesOf(body, note.signatures, [cosigner.key])).toMatchObject([
      { witness: 'witness.example/w1', time: 1_700_000_000 },
    ]);
  });
});

describe('a list of logs', () => {
  const [one, two] = [verifierKeyText(log), verifierKeyText(nextKey)];

  it('has the keys of each origin', () => {
    const text = `# ours\nlogs/v0\n\nvkey ${one}\nqpd 86400\nvkey ${two}\nvkey ${two}\norigin another log\n`;
    const { logs } = readLogList(text);
    expect(logs).toEqual([
      { key: log, origin: ORIGIN },
      { key: nextKey, origin: ORIGIN },
      { key: nextKey, origin: 'another log' },
    ]);
    expect(byOrigin([...logs!, ...logs!]).get(ORIGIN)).toEqual([log, nextKey]);
  });

  it('is refused with the line that is wrong', () => {
    expect(readLogList(`vkey ${one}`).fault).toMatch(/^line 1: /);
    expect(readLogList(`logs/v0\norigin x`).fault).toMatch(/^line 2: /);
    expect(readLogList(`logs/v0\nvkey x`).fault).toMatch(/^line 2: /);
    const witness = verifierKeyText({ ...log, algorithm: NOTE_ALGORITHM.cosignature });
    expect(readLogList(`logs/v0\nvkey ${witness}`).fault).toMatch(/^line 2: /);
    expect(readLogKey(witness)).toBeNull();
  });
});
