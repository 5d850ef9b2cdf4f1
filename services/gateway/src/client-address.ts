import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';

type Peer = Pick<IncomingMessage, 'headers'> & {
  readonly socket: { readonly remoteAddress?: string | undefined };
};

/** Who is on the other side of a connection, and of a call that came through proxies of ours. */
export interface ClientAddresses {
  /** Whether the address is one of `TRUSTED_PROXIES`, whose words about a call count. */
  isTrusted(address: string | undefined): boolean;
  /**
   * Names the client's network for rates: its IPv4 address, or the /64 of its IPv6 address, of which a client has all.
   * `X-Forwarded-For` counts only as far as trusted proxies wrote it, from the right.
   */
  of(request: Peer): string;
}

/** Reads a comma-separated list of addresses and networks in CIDR form. Throws TypeError that names the wrong entry. */
export function parseNetworks(text: string): BlockList {
  const networks = new BlockList();
  for (const entry of text.split(',').map((one) => one.trim())) {
    if (entry === '') continue;
    const [address = '', bits, ...rest] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const most = family === 'ipv6' ? 128 : 32;
    const prefix = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : NaN;
    if (isIP(address) === 0 || rest.length > 0 || !(prefix <= most)) {
      throw new TypeError(`${entry} is no address or network`);
    }
    networks.addSubnet(address, prefix, family);
  }
  return networks;
}

export function createClientAddresses(trusted: BlockList): ClientAddresses {
  const none = trusted.rules.length === 0;

  function isTrusted(address: string | undefined): boolean {
    if (none || address === undefined) return false;
    const plain = unmapped(address);
    return isIP(plain) !== 0 && trusted.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6');
  }

  return {
    isTrusted,
    of({ socket, headers }) {
      let address = socket.remoteAddress ?? '';
      const header = none ? undefined : headers['x-forwarded-for'];
      const hops = header === undefined ? [] : String(header).split(',');
      while (isTrusted(address)) {
        const next = addressIn(hops.pop()?.trim() ?? '');
        if (next === null) break;
        address = next;
      }
      return networkOf(unmapped(address));
    },
  };
}

/** An entry of X-Forwarded-For, which some proxies write with the port. */
function addressIn(entry: string): string | null {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1];
  const address = bare ?? entry;
  return isIP(address) === 0 ? null : address;
}

/** `::ffff:192.0.2.1` is an IPv4 client of a listener for both. */
function unmapped(address: string): string {
  const plain = address.replace(/^::ffff:(?=[\d.]+$)/i, '');
  return plain.replace(/%.*$/, '');
}

function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.toLowerCase().split('::');
  const front = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const behind = tail === '' ? 0 : tail.split(':').length + (tail.includes('.') ? 1 : 0);
    while (front.length + behind < 8) front.push('0');
    front.push(...(tail === '' ? [] : tail.split(':')));
  }
  return `${front
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
