import { documentOf } from './document.js';

it('shows every value by its pointer', () => {
  const args = { charge: 'ch_1', lines: [{ amount: 2_000 }], 'a/b': {}, note: null };
  expect(documentOf('refund', 'refund:ch_1', args)).toBe(
    [
      'Action:     refund',
      'Occurrence: refund:ch_1',
      '',
      'Arguments',
      '  /charge          "ch_1"',
      '  /lines/0/amount  2000',
      '  /a~1b            {}',
      '  /note            null',
      '',
    ].join('\n'),
  );
});

it('shows characters that cannot be seen', () => {
  const document = documentOf('pay', 'o', {
    to: 'Ann\u202Eeve\u200B',
    'na\u2066me': '\u00A0\u3164',
  });
  expect(document).toContain('"AnnU+202EeveU+200B"');
  expect(document).toContain('/naU+2066me');
  expect(document).toContain('U+3164');
  expect(document).not.toMatch(/[\u202E\u200B\u2066\u3164]/u);
});

it('shows a value without members', () => {
  expect(documentOf('pay', 'o', 7)).toContain('  (all)  7');
});
