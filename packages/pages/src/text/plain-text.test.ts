import { plainText } from './plain-text.js';

it('writes out characters that hide or turn others, and shortens', () => {
  expect(plainText('Pay \u202e001\u200b', 100)).toBe('Pay [RLO]001[ZWSP]');
  expect(plainText('abcdef', 3)).toBe('abc…');
});
