import http from 'node:http';
import type { Socket } from 'node:net';

export type Headers = Readonly<Record<string, string>>;

/** A client with one connection of its own. */
export interface Caller {
  readonly origin: string;
  readonly agent: http.Agent;
}

/** Sockets with a listener: an answer may come before its call is sent, and then the rest of it breaks the connection. */
const known = new WeakSet<Socket>();

function listen(socket: Socket): void {
  if (known.has(socket)) return;
  known.add(socket);
  socket.on('error', () => {});
}

/** Sends a call and throws its answer's body away; the status, or the code of the connection's fault. */
export function send(
  { origin, agent }: Caller,
  method: 'GET' | 'POST',
  path: string,
  headers: Headers,
  body?: string | Buffer,
): Promise<number | string> {
  const { hostname, port } = new URL(origin);
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve) => {
    const failed = (error: NodeJS.ErrnoException): void => resolve(error.code ?? error.message);
    const request = http.request({
      ...{ agent, hostname, port, method, path },
      headers: { ...headers, ...type, ...length },
    });
    request.once('socket', listen);
    // More than one may come, also of a body that is no longer read.
    request.on('error', failed);
    request.once('response', (response) => {
      response.on('error', failed);
      response.once('end', () => resolve(response.statusCode ?? 0));
      response.resume();
    });
    request.end(body);
  });
}
