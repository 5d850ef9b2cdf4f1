import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A way over the network from some processes to one server, which can fail as networks do. */
export interface Link {
  readonly port: number;
  /** Where connections lead from now on; those that are open break. */
  lead(port: number): void;
  /** Nothing passes in either direction, and nothing is refused, until it is healed. */
  cut(): void;
  /** What passes is late by so many milliseconds. */
  slow(ms: number): void;
  /** All open connections break at once; new ones pass. */
  reset(): void;
  /** What comes is answered with a web page, as a portal does that wants a login first. */
  lie(): void;
  /** As if nothing had happened; connections that were cut go on with what was held back. */
  heal(): void;
  /** How many were opened so far. */
  connections(): number;
  stop(): Promise<void>;
}

const PAGE =
  'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 21\r\n\r\n<html>Log in</html>\r\n';

/** On loopback, to a server of this machine. */
export async function startLink(port: number): Promise<Link> {
  let target = port;
  let passes = true;
  let lies = false;
  let delayMs = 0;
  let connections = 0;
  const open = new Set<Socket>();
  /** Continues what a cut holds back. */
  const held: (() => void)[] = [];

  const keep = (socket: Socket): void => {
    open.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy()).once('close', () => open.delete(socket));
  };
  /** Does `work` when it could have arrived. */
  const arrive = (work: () => void): void => {
    const now = (): void => {
      if (passes) work();
      else held.push(now);
    };
    if (delayMs === 0) now();
    else setTimeout(now, delayMs);
  };
  const pass = (from: Socket, to: Socket): void => {
    from.on('data', (chunk: Buffer) => {
      from.pause();
      arrive(() => {
        if (to.destroyed) return;
        if (to.write(chunk)) from.resume();
        else to.once('drain', () => from.resume());
      });
    });
    from.on('close', () => arrive(() => to.destroySoon()));
  };
  const listener = createServer((incoming) => {
    connections += 1;
    keep(incoming);
    if (lies) {
      incoming.on('data', () => incoming.write(PAGE));
      return;
    }
    arrive(() => {
      if (incoming.destroyed) return;
      const outgoing = connect(target, '127.0.0.1');
      keep(outgoing);
      pass(incoming, outgoing);
      pass(outgoing, incoming);
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const reset = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: (listener.address() as AddressInfo).port,
    lead(next) {
      target = next;
      reset();
    },
    cut: () => void (passes = false),
    slow: (ms) => void (delayMs = ms),
    reset,
    lie() {
      lies = true;
      reset();
    },
    heal() {
      if (lies) reset();
      lies = false;
      passes = true;
      delayMs = 0;
      for (const go of held.splice(0)) go();
    },
    connections: () => connections,
    stop: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        reset();
      }),
  };
}
