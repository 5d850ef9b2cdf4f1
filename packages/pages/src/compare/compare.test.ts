import { changedLines, changedMembers } from './compare.js';

const drawn = (before: string, after: string) =>
  changedLines(before, after).changes.map((change) =>
    change.kind === 'gap'
      ? `~${change.count}`
      : `${{ same: ' ', added: '+', removed: '-' }[change.kind]}${change.text}`,
  );

describe('lines', () => {
  it('shows changed lines with three lines around them', () => {
    const lines = Array.from({ length: 30 }, (_none, at) => `line ${at + 1}`);
    const changed = lines.with(14, 'line fifteen').toSpliced(28, 1);
    expect(drawn(lines.join('\n'), changed.join('\n'))).toEqual([
      '~11',
      ...[12, 13, 14].map((at) => ` line ${at}`),
      '-line 15',
      '+line fifteen',
      ...[16, 17, 18].map((at) => ` line ${at}`),
      '~7',
      ...[26, 27, 28].map((at) => ` line ${at}`),
      '-line 29',
      ' line 30',
    ]);
  });

  it('numbers lines as they are now', () => {
    expect(changedLines('a\nb\nc', 'a\nx\nb\nc').changes).toEqual([
      { kind: 'same', line: 1, text: 'a' },
      { kind: 'added', line: 2, text: 'x' },
      { kind: 'same', line: 3, text: 'b' },
      { kind: 'same', line: 4, text: 'c' },
    ]);
  });

  it('finds nothing in equal texts', () => {
    expect(changedLines('a\nb', 'a\nb')).toEqual({ changes: [], more: false });
  });

  it('says that two long texts without a common line have more changes', () => {
    const text = (word: string) => Array.from({ length: 60_000 }, (_n, at) => word + at).join('\n');
    const { changes, more } = changedLines(text('a'), text('b'));
    expect([changes.length, more]).toEqual([1_000, true]);
  });

  it('shows a long line around its first difference', () => {
    const long = 'x'.repeat(10_000);
    const [before] = changedLines(`${long}1${long}`, `${long}2${long}`).changes;
    expect(before).toMatchObject({ kind: 'removed', text: expect.stringContaining('x1x') });
  });
});

describe('members', () => {
  it('names the members that differ', () => {
    const before = { a: 1, b: { c: 'x', gone: null }, d: [1, 2] };
    const after = { a: 1, b: { c: 'y' }, d: [1, 3], new: '2' };
    expect(changedMembers(before, after).changes).toEqual([
      { path: ['b', 'c'], before: 'x', after: 'y' },
      { path: ['b', 'gone'], before: 'null', after: null },
      { path: ['d', '1'], before: '2', after: '3' },
      { path: ['new'], before: null, after: '2' },
    ]);
  });

  it('counts a row that was put in as one change', () => {
    const rows = Array.from({ length: 50_000 }, (_none, id) => ({ id, amount: id * 2 }));
    const after = rows.toSpliced(40, 0, { id: -1, amount: 7 }).with(100, { id: 99, amount: 0 });
    expect(changedMembers({ rows }, { rows: after }).changes).toEqual([
      { path: ['rows', '40'], before: null, after: '{"amount":7,"id":-1}' },
      { path: ['rows', '100', 'amount'], before: '198', after: '0' },
    ]);
  });

  it('tells a number from the text of that number, and an own __proto__ from none', () => {
    expect(changedMembers({ a: 1 }, { a: '1' }).changes).toEqual([
      { path: ['a'], before: '1', after: '1' },
    ]);
    expect(changedMembers({}, JSON.parse('{"__proto__": 1}')).changes).toEqual([
      { path: ['__proto__'], before: null, after: '1' },
    ]);
  });

  it('lists a bounded number of changes', () => {
    const { changes, more } = changedMembers(
      Object.fromEntries(Array.from({ length: 9_000 }, (_none, at) => [`m${at}`, at])),
      {},
    );
    expect([changes.length, more]).toEqual([300, true]);
  });
});
