import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the range that Linux, macOS and Windows assign to listeners on port 0 and to connections. */
const FIRST = 10_240;
const COUNT = 22_528;
/** More than any process of ours wants at a time. */
const OF_A_PROCESS = 64;

/**
 * Where a process looks first, second and so on: in a range of its own, and from any port of it on. Ranges come round
 * again after some hundred processes, and an instance that starts again wants the ports it had.
 *
 * `start` is a whole number from 0 to 63; gives every port of ours once for `nth` from 0 to COUNT - 1.
 */
export function portToTry(nth: number, pid: number, start: number): number {
  const range = pid + Math.floor(nth / OF_A_PROCESS);
  return FIRST + ((range * OF_A_PROCESS + ((start + nth) % OF_A_PROCESS)) % COUNT);
}

const start = randomInt(OF_A_PROCESS);
let next = 0;

/**
 * A free TCP port that no other process is likely to take before its owner does: processes that look at the
 * same time look in different places, and one of them finds no port twice.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < COUNT; tries += 1) {
    const port = portToTry(next, process.pid, start);
    next = (next + 1) % COUNT;
    if (await isFreePort(port)) return port;
  }
  throw new Error(`every port from ${FIRST} to ${FIRST + COUNT - 1} is taken`);
}

/** Whether the port is free on all addresses of this machine. */
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
