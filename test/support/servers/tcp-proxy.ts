import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/**
 * - `pass`: as if it were not there.
 * - `hang`: takes connections and what comes in, and never answers.
 * - `drip`: lets one byte of every answer through in a while.
 * - `reset`: ends every connection as soon as something comes in.
 * - `page`: answers everything with 200 and a web page, as a captive portal does.
 */
export type ProxyMode = 'pass' | 'hang' | 'drip' | 'reset' | 'page';

export interface TcpProxy {
  readonly url: string;
  /** Of connections from now on; those that are open are ended. */
  mode(mode: ProxyMode): void;
  /** Connections since the last change of the mode. */
  readonly connections: () => number;
  stop(): Promise<void>;
}

const DRIP_MS = 100;
const PAGE =
  'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 21\r\n\r\n<html>Log in</html>\r\n';

/** A proxy in front of a real server of this machine, for faults that a good server does not have. */
export async function startTcpProxy(port: number): Promise<TcpProxy> {
  let mode: ProxyMode = 'pass';
  let connections = 0;
  const open = new Set<Socket>();

  function serve(socket: Socket): void {
    connections += 1;
    keep(socket);
    if (mode === 'hang') socket.resume();
    else if (mode === 'reset') socket.once('data', () => socket.resetAndDestroy());
    else if (mode === 'page') socket.on('data', () => socket.write(PAGE));
    else forward(socket, mode === 'drip');
  }

  function forward(socket: Socket, drip: boolean): void {
    const server = connect(port, '127.0.0.1');
    keep(server);
    socket.pipe(server);
    if (!drip) {
      server.pipe(socket);
      return;
    }
    let waiting = Buffer.alloc(0);
    server.on('data', (chunk) => (waiting = Buffer.concat([waiting, chunk])));
    const timer = setInterval(() => {
      if (waiting.length > 0) socket.write(waiting.subarray(0, 1));
      waiting = waiting.subarray(1);
    }, DRIP_MS);
    socket.once('close', () => clearInterval(timer));
  }

  function keep(socket: Socket): void {
    open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => open.delete(socket));
  }

  const end = (): void => {
    for (const socket of open) socket.destroy();
  };
  const listener = createServer(serve);
  await new Promise<void>((settle) => listener.listen(0, '127.0.0.1', settle));
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    mode(next) {
      mode = next;
      connections = 0;
      end();
    },
    connections: () => connections,
    stop: () =>
      new Promise((settle) => {
        listener.close(() => settle());
        end();
      }),
  };
}
