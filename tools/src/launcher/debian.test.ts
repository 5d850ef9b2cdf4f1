import { isAllowed } from './debian.js';

test('packages are not installed without a terminal to ask in', async () => {
  const { isTTY } = process.stdin;
  Object.assign(process.stdin, { isTTY: false });
  try {
    expect(await isAllowed(['redis-server'])).toBe(false);
  } finally {
    Object.assign(process.stdin, { isTTY });
  }
});
