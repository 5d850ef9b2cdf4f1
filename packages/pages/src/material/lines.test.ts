import { TextRows, occurrences } from './lines.js';

describe('a text as rows', () => {
  test('has a row for each line, and more for lines that are too wide', () => {
    const rows = new TextRows('ab\n\nabcdef\n', 4);
    expect(rows.rows(0, 99)).toEqual([
      { line: 0, begins: true, text: 'ab' },
      { line: 1, begins: true, text: '' },
      { line: 2, begins: true, text: 'abcd' },
      { line: 2, begins: false, text: 'ef' },
      { line: 3, begins: true, text: '' },
    ]);
    expect(rows.lineCount).toBe(4);
  });

  test('leaves nothing out, with any characters', () => {
    const text = '日本語 and 😀😀😀 and \u202e\u0000 ' + 'x'.repeat(50);
    const rows = new TextRows(text, 7).rows(0, 999);
    expect(rows.map((row) => row.text).join('')).toBe(text);
    expect(rows.every((row) => !/[\ud800-\udbff]$/.test(row.text))).toBe(true);
  });

  test('knows the row of a place', () => {
    const rows = new TextRows('one\ntwo two\nthree', 4);
    expect(rows.rows(rows.rowAt(8), 1)[0]!.text).toBe('two');
    expect(rows.rowAt(0)).toBe(0);
    expect(rows.rows(rows.rowAt(16), 1)[0]!.text).toBe('e');
  });

  test('finds text in any case', () => {
    expect(occurrences('Ab ab AB', 'aB')).toEqual([0, 3, 6]);
    expect(occurrences('İstanbul x', 'x')).toEqual([9]);
    expect(occurrences('abc', '')).toEqual([]);
  });
});
