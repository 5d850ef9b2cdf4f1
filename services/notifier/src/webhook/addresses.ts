import ipaddr from 'ipaddr.js';

type Ranges = [ipaddr.IPv4 | ipaddr.IPv6, number][];

/** Protocol §11.5, as it stands there. The chart's `networkPolicy.publicAddresses` repeats it, and a test compares them. */
export const PUBLIC_ADDRESSES = {
  ipv4: {
    allowed: '0.0.0.0/0',
    except: [
      '0.0.0.0/8',
      '10.0.0.0/8',
      '100.64.0.0/10',
      '127.0.0.0/8',
      '169.254.0.0/16',
      '172.16.0.0/12',
      '192.0.0.0/16',
      '192.2.0.0/16',
      '192.88.99.0/24',
      '192.168.0.0/16',
      '198.18.0.0/15',
      '198.51.0.0/16',
      '203.0.0.0/16',
      '224.0.0.0/3',
    ],
  },
  ipv6: {
    allowed: '2000::/3',
    except: ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
  },
} as const;

const REFUSED_IPV4 = ranges(PUBLIC_ADDRESSES.ipv4.except);
const ALLOWED_IPV6 = ranges([PUBLIC_ADDRESSES.ipv6.allowed]);
const REFUSED_IPV6 = ranges(PUBLIC_ADDRESSES.ipv6.except);

/** Whether a webhook may be sent to that address: a public one, in one of the usual spellings. */
export function isPublicAddress(text: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) {
    return !isWithin(ipaddr.IPv4.parse(text), REFUSED_IPV4);
  }
  // An IPv4 address in an IPv6 one, or a zone of this machine, is nothing that a resolver answers.
  if (!ipaddr.IPv6.isValid(text) || /[.%]/.test(text)) return false;
  const address = ipaddr.IPv6.parse(text);
  return isWithin(address, ALLOWED_IPV6) && !isWithin(address, REFUSED_IPV6);
}

function ranges(texts: readonly string[]): Ranges {
  return texts.map((text) => ipaddr.parseCIDR(text));
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, list: Ranges): boolean {
  return list.some(([start, bits]) => address.match(start, bits));
}
