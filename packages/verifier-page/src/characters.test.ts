import { hasHidden, piecesOf } from './characters.js';

const shown = (text: string) =>
  piecesOf(text)
    .map((piece) => (piece.kind === 'text' ? piece.text : `[${piece.label}]`))
    .join('');

test.each([
  ['plain text, tabs\tand lines\n', 'plain text, tabs\tand lines\n'],
  ['pay\u202e001\u202c now', 'pay[RLO]001[PDF] now'],
  ['a\u200bb\u2060c\ufeff', 'a[ZWSP]b[WJ]c[BOM]'],
  ['tag \u{e0041}\u{e007f}', 'tag [TAG A][U+E007F]'],
  ['no\u00a0break', 'no[NBSP]break'],
  ['\u0000\u001b[31m\r\n', '[NUL][ESC][31m[CR]\n'],
  ['half \ud800', 'half [U+D800]'],
  ['\u3164filler\u115f', '[U+3164]filler[U+115F]'],
  ['👩‍💻 ✔️', '👩‍💻 ✔️'],
  ['a‍b️', 'a[ZWJ]b[U+FE0F]'],
  ['שלום مرحبا 日本', 'שלום مرحبا 日本'],
])('%j is shown as %j', (text, expected) => {
  expect(shown(text)).toBe(expected);
  expect(hasHidden(text)).toBe(shown(text) !== text);
});
