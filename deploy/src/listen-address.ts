import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PlainError } from './plain-error.js';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Reads `host:port`, with an address of IPv6 in brackets. Throws PlainError. */
export function listenAddress(flag: string, text: string): ListenAddress {
  const [, host = '', digits = ''] = /^(\[[0-9a-f:.]+\]|[^\s:[\]]+):(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  if (host === '' || port > 65_535) {
    throw new PlainError(`${flag} ${text}: not an address such as 127.0.0.1:8460.`);
  }
  return { host: host.replace(/^\[|\]$/g, ''), port };
}

/** Resolves with the URL at which the server listens. Throws PlainError when it cannot. */
export function listenAt(server: Server, { host, port }: ListenAddress): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      reject(new PlainError(`${host}:${port}: cannot be listened at (${code}).`));
    });
    server.listen({ host, port }, () => {
      const { address, family, port: taken } = server.address() as AddressInfo;
      resolve(`http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`);
    });
  });
}

const REQUESTS_END_WITHIN_MS = 5000;

/** Takes no further request and waits for those under way. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    // A client that keeps its connection, or is slow, must not keep the process.
    setTimeout(() => server.closeAllConnections(), REQUESTS_END_WITHIN_MS).unref();
  });
}
