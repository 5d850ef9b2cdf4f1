import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** Real listeners on this machine, to which only an app would connect. */
export interface Canaries {
  readonly origin: string;
  readonly stunPort: number;
  /** Paths that were asked for, and `(connection)` for connections that asked for nothing. */
  arrivals(): string[];
  datagrams(): number;
  /** A page without any confinement, to see that the listeners hear. */
  serve(path: string, html: string): void;
  stop(): Promise<void>;
}

export async function startCanaries(): Promise<Canaries> {
  const seen = new Set<string>();
  const pages = new Map<string, string>();
  const silent = new Set<Socket>();
  let packets = 0;
  const server = createServer((request, response) => {
    silent.delete(request.socket);
    const page = pages.get(request.url ?? '');
    if (page === undefined) seen.add((request.url ?? '').replace(/\?.*/, ''));
    response.setHeader('Content-Type', 'text/html');
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.end(page ?? '');
  });
  server.on('upgrade', (request, socket) => {
    silent.delete(socket as Socket);
    seen.add(request.url ?? '');
    socket.destroy();
  });
  server.on('connection', (socket) => silent.add(socket));
  const udp = createSocket('udp4');
  udp.on('message', () => (packets += 1));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  await new Promise<void>((listening) => udp.bind(0, '127.0.0.1', () => listening()));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stunPort: udp.address().port,
    arrivals: () => [...seen, ...(silent.size > 0 ? ['(connection)'] : [])].sort(),
    datagrams: () => packets,
    serve: (path, html) => void pages.set(path, html),
    async stop() {
      udp.close();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Names of canaries that the browser tried to resolve, by the log of its network (`--log-net-log`). */
export function resolvedNames(netLog: string): string[] {
  const text = readFileSync(netLog, 'utf8');
  const { constants, events } = JSON.parse(text) as {
    constants: { logEventTypes: Record<string, number> };
    events: { type: number; params?: { host?: string } }[];
  };
  const type = constants.logEventTypes['HOST_RESOLVER_MANAGER_REQUEST'];
  const names = events.flatMap((event) =>
    event.type === type && event.params?.host?.includes('canary.example')
      ? [event.params.host]
      : [],
  );
  return [...new Set(names)].sort();
}
