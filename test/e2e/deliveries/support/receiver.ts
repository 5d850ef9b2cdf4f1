import { once } from 'node:events';
import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { TestCertificate } from './certificate.js';

/** One request as it came over the wire. */
export interface Received {
  readonly method: string;
  readonly path: string;
  /** Names and values as sent, in their order. */
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** Epoch milliseconds of its arrival. */
  readonly at: number;
}

/** How a receiver answers; the request is complete when it is asked. */
export type Answering = (response: ServerResponse, received: Received) => void | Promise<void>;

export interface Receiver {
  readonly port: number;
  /** Every complete request, in the order of arrival. */
  readonly received: Received[];
  /** Connections so far, whether or not a request came over them. */
  connections(): number;
  /** Answers requests whose path starts with this from now on; the others get 204. */
  answer(prefix: string, how: Answering): void;
  url(path: string, host?: string): string;
  at(prefix: string): Received[];
  close(): Promise<void>;
}

/** A real HTTPS server that keeps its requests. */
export async function startReceiver(
  certificate: TestCertificate,
  address = '127.0.0.1',
): Promise<Receiver> {
  const received: Received[] = [];
  const answers = new Map<string, Answering>();
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ ...certificate }, (request, response) => {
    void read(request).then(async (complete) => {
      received.push(complete);
      const known = [...answers.keys()].filter((prefix) => complete.path.startsWith(prefix));
      const [longest] = known.sort((a, b) => b.length - a.length);
      const how = longest === undefined ? undefined : answers.get(longest);
      if (how === undefined) response.writeHead(204).end();
      else await how(response, complete);
    });
  });
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => {});
  server.listen(0, address);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    received,
    connections: () => connections,
    answer: (prefix, how) => void answers.set(prefix, how),
    url: (path, host = 'localhost') => `https://${host}:${port}${path}`,
    at: (prefix) => received.filter(({ path }) => path.startsWith(prefix)),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function read(request: IncomingMessage): Promise<Received> {
  const at = Date.now();
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    // Cut off: the received part counts.
  }
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    rawHeaders: request.rawHeaders,
    headers: request.headers,
    body: Buffer.concat(chunks),
    at,
  };
}
