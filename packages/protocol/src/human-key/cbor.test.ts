import { readCbor } from './cbor.js';

const read = (hex: string) => readCbor(Buffer.from(hex, 'hex'));

it.each<[string, unknown, string]>([
  ['00', 0, 'a number'],
  ['17', 23, 'a number in its head'],
  ['1818', 24, 'a number in one byte'],
  ['190100', 256, 'a number in two bytes'],
  ['1affffffff', 4294967295, 'a number in four bytes'],
  ['26', -7, 'a negative number'],
  ['390100', -257, 'a negative number in two bytes'],
  ['4401020304', Buffer.of(1, 2, 3, 4), 'bytes'],
  ['6568656c6c6f', 'hello', 'a text'],
  ['820102', [1, 2], 'a list'],
  [
    'a2010226a0',
    new Map<any, any>([
      [1, 2],
      [-7, new Map()],
    ]),
    'a map',
  ],
  ['f4', false, 'no'],
  ['f5', true, 'yes'],
  ['f6', null, 'nothing'],
])('reads %s as %j: %s', (hex, value) => {
  const item = read(hex);
  expect(item?.length).toBe(hex.length / 2);
  expect(item?.value).toEqual(value);
});

it('reads one item, and says how long it is', () => {
  expect(read('0102')).toEqual({ value: 1, length: 1 });
});

it.each<[string, string]>([
  ['', 'nothing'],
  ['1817', 'a longer head than needed'],
  ['190017', 'a longer head than needed, of two bytes'],
  ['1a0000ffff', 'a longer head than needed, of four bytes'],
  ['1b0000000100000000', 'an integer of 64 bits'],
  ['1c', 'a reserved head'],
  ['19ff', 'a head that ends too soon'],
  ['4401', 'bytes that end too soon'],
  ['9affffffff00', 'a list that ends too soon'],
  ['baffffffff', 'a map that ends too soon'],
  ['5f4101ff', 'bytes of indefinite length'],
  ['9fff', 'a list of indefinite length'],
  ['bfff', 'a map of indefinite length'],
  ['61ff', 'a text that is no UTF-8'],
  ['c000', 'a tag'],
  ['f90000', 'a floating-point number'],
  ['f7', 'undefined'],
  ['f0', 'another simple value'],
  ['ff', 'a break'],
  ['a201020103', 'a key twice'],
  ['a1410100', 'bytes as a key'],
  ['818181818181', 'lists that are nested too deep'],
])('refuses %s: %s', (hex) => {
  expect(read(hex)).toBeNull();
});
