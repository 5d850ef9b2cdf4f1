import { NOTE_ALGORITHM, noteKeyId, verifierKeyText } from './note.js';
import type { NoteKey } from './note.js';
import { readWitnessPolicy, signersOf } from './witness-policy.js';

const witness = (name: string, byte: number): NoteKey => ({
  name,
  algorithm: NOTE_ALGORITHM.cosignature,
  publicKey: Buffer.alloc(32, byte),
});
const [a, b, c] = [witness('a.example', 1), witness('b.example', 2), witness('c.example', 3)];
const log = { ...witness('log.example', 9), algorithm: NOTE_ALGORITHM.ed25519 };
const lines = (...rest: string[]) =>
  [
    '# Who has to have seen it',
    `log ${verifierKeyText(log)} https://log.example/`,
    '',
    `witness a ${verifierKeyText(a)} https://a.example/`,
    `witness b ${verifierKeyText(b)}`,
    `\twitness  c ${verifierKeyText(c)}`,
    ...rest,
  ].join('\n');
const isMet = (text: string, ...by: NoteKey[]) => {
  const { policy, fault } = readWitnessPolicy(text);
  if (policy === null) throw new Error(fault);
  const cosignatures = by.map((key) => ({ witness: key.name, keyId: noteKeyId(key) }));
  return policy.isMet(signersOf(policy, cosignatures));
};

describe('a policy', () => {
  it('counts witnesses, groups and groups of groups', () => {
    expect(isMet(lines('quorum b'), b)).toBe(true);
    expect(isMet(lines('quorum b'), a, c)).toBe(false);
    const two = lines('group two 2 a b c', 'quorum two');
    expect(isMet(two, a)).toBe(false);
    expect(isMet(two, a, c)).toBe(true);
    const nested = lines('group any any a b', 'group all all any c', 'quorum all');
    expect(isMet(nested, a, b)).toBe(false);
    expect(isMet(nested, b, c)).toBe(true);
    expect(isMet(lines('quorum none'))).toBe(true);
  });

  it('knows a witness by its key, not by its name', () => {
    const impostor = witness(a.name, 7);
    expect(isMet(lines('quorum a'), impostor)).toBe(false);
  });

  it.each([
    ['names no quorum', lines()],
    ['a quorum that is not there', lines('quorum d')],
    ['a second quorum', lines('quorum a', 'quorum b')],
    ['an empty group', lines('group g 1', 'quorum g')],
    ['a group of more than it has', lines('group g 3 a b', 'quorum g')],
    ['a group of none', lines('group g 0 a b', 'quorum g')],
    ['a member twice', lines('group g 2 a a', 'quorum g')],
    ['a member that comes later', lines('group g 1 h', 'group h 1 a', 'quorum g')],
    ['a name twice', lines(`witness a ${verifierKeyText(witness('d.example', 4))}`, 'quorum a')],
    ['a key twice', lines(`witness d ${verifierKeyText(a)}`, 'quorum d')],
    ['the key of a log as a witness', lines(`witness d ${verifierKeyText(log)}`, 'quorum d')],
    ['the key of a witness as a log', `log ${verifierKeyText(a)}\nquorum none`],
    ['a broken key', 'witness a a.example+00000000+AAAA\nquorum a'],
    ['an unknown word', lines('cosigner a', 'quorum a')],
    ['no text', ''],
    ['too much text', '#'.repeat(100_001)],
  ])('is refused for %s', (_, text) => {
    const { policy, fault } = readWitnessPolicy(text);
    expect([policy, typeof fault]).toEqual([null, 'string']);
  });
});
