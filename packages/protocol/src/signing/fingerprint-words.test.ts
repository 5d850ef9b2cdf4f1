import { textDigest } from '../json/canonical.js';
import { fingerprintWords, isFingerprint, readFingerprint } from './fingerprint-words.js';

const fingerprint = textDigest('a manifest');
const words = fingerprintWords(fingerprint);
const hexOf = (typed: string) => {
  const read = readFingerprint(typed);
  return 'hex' in read ? read.hex : read.fault;
};

describe('a typed fingerprint', () => {
  it('has 256 words of which no two begin alike', () => {
    const all = new Set<string>();
    // Every byte stands somewhere in enough fingerprints.
    for (let at = 0; at < 2000; at += 1) {
      for (const word of fingerprintWords(textDigest(String(at))).split(' ')) all.add(word);
    }
    expect(all.size).toBe(256);
    expect(all).not.toContain('undefined');
    expect(new Set([...all].map((word) => word.slice(0, 4))).size).toBe(256);
  });

  it('is read as words and as hex', () => {
    expect(words.split(' ')).toHaveLength(17);
    const [hex] = [fingerprint.slice(7)];
    expect(hexOf(words)).toBe(hex.slice(0, 32));
    expect(hexOf(` ${words.toUpperCase().replaceAll(' ', '-')}\n`)).toBe(hex.slice(0, 32));
    expect(hexOf(hex)).toBe(hex);
    expect(hexOf(fingerprint)).toBe(hex);
  });

  it('is compared', () => {
    for (const typed of [words, fingerprint]) {
      const read = readFingerprint(typed);
      if (!('hex' in read)) throw new Error(read.fault);
      expect(isFingerprint(fingerprint, read)).toBe(true);
      expect(isFingerprint(textDigest('another'), read)).toBe(false);
    }
  });

  it.each([
    ['', 'neither'],
    ['abc', 'neither'],
    [fingerprint.slice(0, -1), 'neither'],
    [words.split(' ').slice(1).join(' '), '16 words'],
    [`${words} able`, '18 words'],
    [words.replace(/^\S+/, 'zzz'), 'none of the words'],
    [words.split(' ').reverse().join(' '), 'out of place'],
  ])('is refused: %s', (typed, says) => {
    expect(hexOf(typed)).toContain(says);
  });
});
