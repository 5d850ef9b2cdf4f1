import { changing } from './changing.js';
import type { Logger } from './log.js';

it('is read again after ten seconds, or a second where it must be', () => {
  let now = 0;
  let content = 'first';
  const read = jest.fn(() => content);
  const setting = changing(read, 'KEYS', {} as Logger, () => now);
  content = 'second';
  now = 900;
  expect([setting.current(), setting.again()]).toEqual(['first', 'first']);
  expect(read).toHaveBeenCalledTimes(1);
  now = 1_100;
  expect([setting.current(), setting.again(), setting.again()]).toEqual([
    'first',
    'second',
    'second',
  ]);
  expect(read).toHaveBeenCalledTimes(2);
  content = 'third';
  now = 11_200;
  expect(setting.current()).toBe('third');
});

it('keeps the last good value, and says once that there is none', () => {
  let now = 0;
  let broken = false;
  const error = jest.fn();
  const setting = changing(
    () => {
      if (broken) throw new TypeError('half a file');
      return 'good';
    },
    'KEYS',
    { error } as unknown as Logger,
    () => now,
  );
  broken = true;
  for (const at of [11_000, 22_000]) {
    now = at;
    expect(setting.current()).toBe('good');
  }
  expect(error).toHaveBeenCalledTimes(1);
});

it('must be right at the start', () => {
  const read = (): never => {
    throw new TypeError('no key');
  };
  expect(() => changing(read, 'KEYS', {} as Logger)).toThrow('no key');
});
