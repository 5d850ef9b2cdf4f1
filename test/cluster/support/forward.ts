import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';

/** Connections to that address go to the same port of this machine's loopback, where the tests' stores listen. */
export async function forwardToLoopback(host: string, port: number): Promise<{ stop(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((incoming) => {
    const outgoing = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    incoming.pipe(outgoing).pipe(incoming);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    stop: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
