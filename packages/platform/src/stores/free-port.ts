import { createServer } from 'node:net';

/** Below what Linux, macOS and Windows give out by themselves, to whoever listens on port 0 and to every connection. */
const FIRST = 10_240;
const COUNT = 22_528;
/** More than any process of ours wants at a time. */
const OF_A_PROCESS = 64;

let next = (process.pid * OF_A_PROCESS) % COUNT;

/**
 * A TCP port that nobody listens on, and that nobody is likely to take before its owner does: processes that look at the
 * same time look in different places, and one of them finds no port twice.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < COUNT; tries += 1) {
    const port = FIRST + next;
    next = (next + 1) % COUNT;
    if (await isFreePort(port)) return port;
  }
  throw new Error(`every port from ${FIRST} to ${FIRST + COUNT - 1} is taken`);
}

/** Whether nobody listens there, on any address of this machine. */
export async function isFreePort(port: number): Promise<boolean> {
  return (await canListen(port, '127.0.0.1')) && (await canListen(port, undefined));
}

function canListen(port: number, host: string | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () =>
      server.close(() => resolve(true)),
    );
  });
}
