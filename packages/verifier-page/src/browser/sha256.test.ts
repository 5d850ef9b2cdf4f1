import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { sha256 } from './sha256.js';

it('is the same as that of Node, whatever the length', () => {
  for (let length = 0; length <= 200; length += 1) {
    const message = new Uint8Array(length).fill(length);
    expect(sha256(message)).toBe(createHash('sha256').update(message).digest('hex'));
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5000 }), (message) => {
      expect(sha256(message)).toBe(createHash('sha256').update(message).digest('hex'));
    }),
  );
});
