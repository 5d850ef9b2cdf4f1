import * as fc from 'fast-check';

import { readingOf } from './blocks.js';
import { mayBeLaidOut } from './laid-out.js';

const kinds = (text: string) => readingOf(text).blocks.map(({ kind }) => kind);
const text = (value: string) => ({ kind: 'text', text: value });

it('lays out headings, lists, tables, quotes and code', () => {
  const document = [
    '# Title\n',
    'Some *words* and `code`.\n',
    '- [x] done\n- [ ] open\n',
    '3. third\n4. fourth\n',
    '| a | b |\n|---|--:|\n| 1 | 2 |\n',
    '> quoted\n',
    '```diff\n-old\n+new\n```\n',
    '---\n',
  ].join('\n');
  const { blocks, structured } = readingOf(document);
  expect(structured).toBe(true);
  expect(blocks).toEqual([
    { kind: 'heading', level: 1, of: [text('Title')] },
    {
      kind: 'paragraph',
      of: [
        text('Some '),
        { kind: 'emphasis', of: [text('words')] },
        text(' and '),
        { kind: 'code', text: 'code' },
        text('.'),
      ],
    },
    {
      kind: 'list',
      start: null,
      items: [
        { checked: true, of: [{ kind: 'paragraph', of: [text('done')] }] },
        { checked: false, of: [{ kind: 'paragraph', of: [text('open')] }] },
      ],
    },
    {
      kind: 'list',
      start: 3,
      items: [
        { checked: null, of: [{ kind: 'paragraph', of: [text('third')] }] },
        { checked: null, of: [{ kind: 'paragraph', of: [text('fourth')] }] },
      ],
    },
    {
      kind: 'table',
      head: [[text('a')], [text('b')]],
      align: [null, 'right'],
      rows: [[[text('1')], [text('2')]]],
    },
    { kind: 'quote', of: [{ kind: 'paragraph', of: [text('quoted')] }] },
    { kind: 'exact', text: '-old\n+new', language: 'diff' },
    { kind: 'rule' },
  ]);
});

it('keeps markup, images and links as text', () => {
  expect(readingOf('<script>alert(1)</script>\n\nan <b>inline</b> one').blocks).toEqual([
    { kind: 'exact', text: '<script>alert(1)</script>', language: '' },
    {
      kind: 'paragraph',
      of: [text('an '), text('<b>'), text('inline'), text('</b>'), text(' one')],
    },
  ]);
  expect(readingOf('[click](javascript:alert(1)) ![logo](https://a.example/x.png)').blocks).toEqual(
    [
      {
        kind: 'paragraph',
        of: [
          { kind: 'link', of: [text('click')], target: 'javascript:alert(1)' },
          text(' '),
          { kind: 'image', of: [text('logo')], target: 'https://a.example/x.png' },
        ],
      },
    ],
  );
});

it('shows text that is lined up by spaces as it is', () => {
  const aligned = '  1  Nordwind Paper GmbH      1,840.50\n  2  Atelier Brun               620.00';
  expect(readingOf(aligned).blocks).toEqual([{ kind: 'exact', text: aligned, language: '' }]);
});

it('keeps the line breaks of a plain text, which has no structure', () => {
  expect(readingOf('one\ntwo')).toEqual({
    blocks: [{ kind: 'paragraph', of: [text('one'), { kind: 'break' }, text('two')] }],
    structured: false,
  });
});

it('leaves entities and escapes as the characters that they stand for in no other way than the text says', () => {
  expect(readingOf('a &lt;b&gt; \\*c\\*').blocks).toEqual([
    {
      kind: 'paragraph',
      of: [text('a &lt;b&gt; '), text('*'), text('c'), text('*')],
    },
  ]);
});

it('shows a table as it is where a row has more cells than the head', () => {
  const table = '| a | b |\n|---|---|\n| 1 | 2 | and 3 |\n';
  expect(readingOf(table).blocks).toEqual([{ kind: 'exact', text: table.trim(), language: '' }]);
});

it('keeps the titles of links', () => {
  expect(readingOf('[a](b "c")').blocks).toEqual([
    { kind: 'paragraph', of: [{ kind: 'link', of: [text('a')], target: 'b “c”' }] },
  ]);
});

it('ends on text that is nested deeply or long', () => {
  expect(kinds('>'.repeat(40))).toEqual(['quote']);
  expect(kinds('>'.repeat(9_000))).toEqual(['exact']);
  expect(kinds(`${'*'.repeat(3_000)}a${'_'.repeat(3_000)}`)).toHaveLength(1);
  expect(kinds('- '.repeat(2_000))).toHaveLength(1);
});

test('a text without a sign of layout has none, whatever else is in it', () => {
  const piece = fc.constantFrom(
    ...'# = - + * _ ` ~ > < [ ] | ) . 1 9 a é \u00a0 \u2028 \t \\ ! & : / @'.split(' '),
    ' ',
    '  ',
    '    ',
    '\n',
    '\n\n',
    'https://a.example',
    'words',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const document = pieces.join('');
      expect(mayBeLaidOut(document) || !readingOf(document).structured).toBe(true);
    }),
    { numRuns: 5_000 },
  );
  expect(mayBeLaidOut('Pay 12.50 to A (of 3 rows).\n\nThe second line, too.')).toBe(false);
});
