import { valueDigest } from '../json/index.js';
import { chainHead } from './chain.js';

const digest = `sha256:${'0f'.repeat(32)}`;

describe('chainHead', () => {
  it('is the digest of previous head, record digest and number', () => {
    expect(chainHead(digest, digest, 2)).toBe(
      valueDigest({ sequence: 2, record_digest: digest, previous: digest }),
    );
    expect(chainHead('', digest, 1)).toBe(
      valueDigest({ sequence: 1, record_digest: digest, previous: '' }),
    );
    expect(chainHead(digest, digest, Number.MAX_SAFE_INTEGER)).toMatch(/^sha256:/);
  });

  it.each([
    ['', digest, 2],
    [digest, digest, 1],
    ['', digest, 0],
    [digest, digest, 1.5],
    [digest, digest, 2 ** 53],
    [digest, digest.toUpperCase(), 2],
    [`${digest}"`, digest, 2],
    [digest, `${digest}\n`, 2],
    [digest, '', 2],
  ])('refuses %j, %j, %j', (previous, record, sequence) => {
    expect(() => chainHead(previous, record, sequence)).toThrow(TypeError);
  });
});
