import { csvOf } from './csv.js';

it('quotes texts, keeps numbers, and leaves no formula', () => {
  expect(
    csvOf(
      ['a', 'b'],
      [
        ['say "hi"', 1.5],
        ['=cmd()', null],
        [' @x', -2],
      ],
    ),
  ).toBe('"a","b"\r\n"say ""hi""",1.5\r\n"\'=cmd()",""\r\n"\' @x",-2\r\n');
});
