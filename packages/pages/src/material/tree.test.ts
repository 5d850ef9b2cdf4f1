import { PayloadTree, piecesOfString } from './tree.js';

const labels = (tree: PayloadTree) => tree.rows(0, 10_000).map(({ label }) => label);

describe('a payload as rows', () => {
  test('shows the root open, and each part on one row', () => {
    const tree = new PayloadTree({ a: 1, b: [true, null], c: 'text' });
    expect(
      tree.rows(0, 10).map(({ label, kind, preview, open }) => [label, kind, preview, open]),
    ).toEqual([
      [null, 'object', '', true],
      ['a', 'number', '1', null],
      ['b', 'array', 'true, null', false],
      ['c', 'string', 'text', null],
    ]);
  });

  test('shows the first plain values of a closed object, each with its name', () => {
    const tree = new PayloadTree({
      row: { id: 'row-1', tags: ['a'], amount: 12.5, note: 'first\nsecond', more: 'x'.repeat(99) },
    });
    const preview = () => tree.rows(1, 1)[0]?.preview;
    expect(preview()).toBe('id: row-1, amount: 12.5, note: first');
    tree.toggle(tree.rows(1, 1)[0]!.id);
    expect(preview()).toBe('');
  });

  test('opens and closes a row with all that is open below it', () => {
    const tree = new PayloadTree({ a: { b: { c: 1 } }, z: 2 });
    const id = (label: string) => tree.rows(0, 99).find((row) => row.label === label)!.id;
    tree.toggle(id('a'));
    tree.toggle(id('b'));
    expect(labels(tree)).toEqual([null, 'a', 'b', 'c', 'z']);
    tree.toggle(id('a'));
    expect(labels(tree)).toEqual([null, 'a', 'z']);
    tree.toggle(id('a'));
    expect(labels(tree)).toEqual([null, 'a', 'b', 'c', 'z']);
  });

  test('groups values with too many parts, and finds its way through the groups', () => {
    const tree = new PayloadTree({
      list: Array.from({ length: 1_234 }, (_none, at) => `item ${at}`),
    });
    const [, list] = tree.rows(0, 2);
    tree.toggle(list!.id);
    expect(labels(tree)).toEqual([null, 'list', '0 … 499', '500 … 999', '1000 … 1233']);
    expect(tree.search('ITEM 777')).toBe(1);
    const [row] = tree.rows(tree.reveal(0), 1);
    expect([row!.label, row!.preview]).toEqual(['777', 'item 777']);
  });

  test('finds names and values once each', () => {
    const tree = new PayloadTree({ pay: 'pay', other: { pay: [1, 'payment'] } });
    expect(tree.search('pay')).toBe(3);
    expect([0, 1, 2].map((at) => tree.rows(tree.reveal(at), 1)[0]!.label)).toEqual([
      'pay',
      'pay',
      '1',
    ]);
    expect(tree.search('')).toBe(0);
  });

  test('shows odd names as they are', () => {
    const tree = new PayloadTree(JSON.parse('{"__proto__": 1, "constructor": {"": 2}}'));
    expect(labels(tree)).toEqual([null, '__proto__', 'constructor']);
  });

  test('cuts long strings into pieces that are the string again, whole characters each', () => {
    const text = `${'a'.repeat(119)}😀${'b'.repeat(200)}\nend`;
    const pieces = piecesOfString(text);
    expect(pieces.join('')).toBe(text.replace('\n', ''));
    expect(pieces[1]!.startsWith('😀')).toBe(true);
    const tree = new PayloadTree({ text });
    const row = tree.rows(1, 1)[0]!;
    expect([row.open, row.size]).toEqual([false, text.length]);
    tree.toggle(row.id);
    expect(tree.length).toBe(2 + pieces.length);
  });
});
