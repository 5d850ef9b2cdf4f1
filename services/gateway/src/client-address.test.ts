import { createClientAddresses, parseNetworks } from './client-address.js';

const addresses = createClientAddresses(parseNetworks('10.0.0.0/8, 192.0.2.7,2001:db8:1::/48'));

function of(remoteAddress: string, forwarded?: string): string {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return addresses.of({ socket: { remoteAddress }, headers });
}

describe("a client's address", () => {
  test.each([
    ['203.0.113.9', undefined, '203.0.113.9'],
    ['::ffff:203.0.113.9', undefined, '203.0.113.9'],
    // No other sender's header counts.
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['::ffff:10.1.2.3', '198.51.100.1', '198.51.100.1'],
    // Addresses to the left of those that our proxies wrote are the client's own invention.
    ['10.1.2.3', '127.0.0.1, 198.51.100.1', '198.51.100.1'],
    ['10.1.2.3', '127.0.0.1, 198.51.100.1,192.0.2.7, 10.9.9.9', '198.51.100.1'],
    ['10.1.2.3', '198.51.100.1:4711', '198.51.100.1'],
    ['10.1.2.3', '[2001:db8:2::1]:4711', '2001:db8:2:0::/64'],
    // Without a usable header it is the proxy that called.
    ['10.1.2.3', undefined, '10.1.2.3'],
    ['10.1.2.3', 'unknown', '10.1.2.3'],
    ['10.1.2.3', '10.4.5.6', '10.4.5.6'],
    ['2001:db8:1::5', '203.0.113.9', '203.0.113.9'],
    // A client has all addresses of its /64.
    ['2001:DB8:2:3:4:5:6:7', undefined, '2001:db8:2:3::/64'],
    ['2001:db8:2:3::1', undefined, '2001:db8:2:3::/64'],
    ['2001:db8::1', undefined, '2001:db8:0:0::/64'],
    ['2001:0db8:0002::192.0.2.1', undefined, '2001:db8:2:0::/64'],
    ['fe80::1%eth0', undefined, 'fe80:0:0:0::/64'],
    ['::1', undefined, '0:0:0:0::/64'],
    ['', undefined, ''],
  ])('of %s with X-Forwarded-For %s is %s', (remote, forwarded, expected) => {
    expect(of(remote, forwarded)).toBe(expected);
  });

  test('is the peer where no proxy is trusted', () => {
    const { of: plain, isTrusted } = createClientAddresses(parseNetworks(''));
    const headers = { 'x-forwarded-for': '198.51.100.1' };
    expect(plain({ socket: { remoteAddress: '10.1.2.3' }, headers })).toBe('10.1.2.3');
    expect(isTrusted('10.1.2.3')).toBe(false);
  });

  test.each(['10.0.0.0/33', 'proxy.example', '10.0.0.0/8/8', '::/129', '10.0.0.0/', '10.0.0.0/x'])(
    'cannot be behind %s',
    (text) => {
      expect(() => parseNetworks(`127.0.0.1,${text}`)).toThrow(text);
    },
  );
});
