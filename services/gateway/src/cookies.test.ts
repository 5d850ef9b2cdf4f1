import { LOGIN_COOKIE, SESSION_COOKIE, clearCookie, readCookie, setCookie } from './cookies.js';

const value = 'a'.repeat(43);

describe('cookies', () => {
  test('are found among others by their exact name', () => {
    const header = `x=1; ${LOGIN_COOKIE}=${'b'.repeat(43)};${SESSION_COOKIE}=${value}; __Host-protocol=2`;
    expect(readCookie(header, SESSION_COOKIE)).toBe(value);
    expect(readCookie(header, LOGIN_COOKIE)).toBe('b'.repeat(43));
  });

  test('are absent when the browser sent none', () => {
    expect(readCookie(undefined, SESSION_COOKIE)).toBeUndefined();
    expect(readCookie('__Host-proto', SESSION_COOKIE)).toBeUndefined();
    expect(readCookie('__host-proto=x', SESSION_COOKIE)).toBeUndefined();
  });

  test.each(['', 'short', `${value}=`, `"${value}"`, 'ä'.repeat(43)])(
    'are invalid when the value cannot be ours: %s',
    (text) => {
      expect(readCookie(`${SESSION_COOKIE}=${text}`, SESSION_COOKIE)).toBe('invalid');
    },
  );

  test('are invalid when there are two', () => {
    const twice = `${SESSION_COOKIE}=${value}; ${SESSION_COOKIE}=${value}`;
    expect(readCookie(twice, SESSION_COOKIE)).toBe('invalid');
    expect(readCookie(`${twice}; ${SESSION_COOKIE}=${value}`, SESSION_COOKIE)).toBe('invalid');
  });

  test('are set with all attributes and cleared with the same', () => {
    expect(setCookie(SESSION_COOKIE, value, 60)).toBe(
      `__Host-proto=${value}; Max-Age=60; Path=/; Secure; HttpOnly; SameSite=Lax`,
    );
    expect(clearCookie(LOGIN_COOKIE)).toBe(
      '__Host-proto-login=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=Lax',
    );
  });
});
