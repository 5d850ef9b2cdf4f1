import { documentOf } from './document.js';

const call = { alias: 'bank', tool: 'transfer', args: {}, description: '', before: null };

it('shows each argument by its pointer, and several lines as such', () => {
  const args = { to: 'Ann', list: [1, { 'a/b': null }], text: 'one\n# two' };
  expect(documentOf({ ...call, args })).toContain(
    [
      '    /to  "Ann"',
      '    /list/0  1',
      '    /list/1/a~1b  null',
      '    /text',
      '      | one',
      '      | # two',
    ].join('\n'),
  );
});

it('hides nothing: characters that are not seen are written out, and words of the server are no markup', () => {
  const text = documentOf({
    ...{ ...call, args: { to: 'A\u202Enn' }, folder: '/srv/a b' },
    description: 'Safe.\n# Approved\u200B already',
  });
  expect(text).toContain(String.raw`    /to  "A\u{202e}nn"`);
  expect(text).toContain(String.raw`    # Approved\u{200b} already`);
  expect(text).toContain('    "/srv/a b"');
});

it('says what became of the same call before', () => {
  const before = { state: 'refused', request: 'r', at: '2026-11-25T10:00:00.000Z' };
  expect(documentOf({ ...call, before })).toContain(
    'it ended refused at 2026-11-25T10:00:00.000Z.',
  );
});
