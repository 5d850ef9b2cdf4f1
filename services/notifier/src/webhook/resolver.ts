import { Resolver, lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** Every address of a host name; rejects when there is none. Ends when the signal aborts. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

export interface ResolverOptions {
  /** Asks these servers, as `address:port`, and not the system's. */
  readonly servers?: readonly string[];
}

/**
 * Asks name servers itself: the system's lookup cannot be ended, and a few that hang would hold up all of this
 * process's. IPv4 addresses come first.
 */
export function nameServerResolve({ servers }: ResolverOptions = {}): Resolve {
  return async (name, signal) => {
    if (isIP(unbracketed(name)) !== 0) return [unbracketed(name)];
    const resolver = new Resolver({ timeout: 2000, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = (): void => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      const found = answers.flatMap((answer) =>
        answer.status === 'fulfilled' ? answer.value : [],
      );
      if (found.length > 0) return found;
      throw answers.find((answer) => answer.status === 'rejected')?.reason;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

/** As every other program of this machine, its hosts file included: for development. */
export const systemResolve: Resolve = async (name) => {
  const found = await lookup(unbracketed(name), { all: true, order: 'ipv4first' });
  return found.map(({ address }) => address);
};

/** URLs have IPv6 addresses in brackets. */
function unbracketed(name: string): string {
  return name.startsWith('[') ? name.slice(1, -1) : name;
}
