import { createServer } from 'node:net';
import type { DataDirectory } from './data-directory.js';
import { PlainError } from '../plain-error.js';

/** The ports of an instance, kept in its data directory: records name the origin, people their login. */
export interface Ports {
  origin: number;
  sandbox: number;
  provider: number;
}

const FILE = 'ports.json';

/**
 * The ports to serve on. A given one must be free; 0 means any free one, and the same again at the next start;
 * not given means those of the last start, else the defaults. Throws PlainError when one is taken.
 */
export async function choosePorts(
  data: DataDirectory,
  wanted: { port: number | undefined; sandboxPort: number | undefined },
): Promise<Ports> {
  const last = data.read<Ports>(FILE);
  const origin = await choose('--port', wanted.port, last?.origin, 8080, []);
  const sandbox = await choose('--sandbox-port', wanted.sandboxPort, last?.sandbox, 8081, [origin]);
  const ports = {
    origin,
    sandbox,
    provider: await providerPort(last, wanted.port, origin, sandbox),
  };
  data.write(FILE, ports);
  return ports;
}

async function choose(
  option: string,
  wanted: number | undefined,
  last: number | undefined,
  usual: number,
  used: number[],
): Promise<number> {
  if (wanted === 0) {
    return last !== undefined && !used.includes(last) && (await isFree(last))
      ? last
      : freePort(used);
  }
  const port = wanted ?? last ?? usual;
  if (!used.includes(port) && (await isFree(port))) return port;
  throw new PlainError(
    `Port ${port} is taken. Choose another with \`npm start -- ${option} PORT\`; 0 takes a free one.`,
  );
}

/** People are known by the address of their provider, so it never moves once there are people. */
async function providerPort(
  last: Ports | null,
  wanted: number | undefined,
  origin: number,
  sandbox: number,
): Promise<number> {
  const used = [origin, sandbox];
  if (last !== null) {
    if (!used.includes(last.provider) && (await isFree(last.provider))) return last.provider;
    throw new PlainError(
      `Port ${last.provider}, where the people of this data directory log in, is taken. ` +
        'Free it, or start anew with another directory: npm start -- --data DIR',
    );
  }
  const usual = origin + 2;
  const suits = wanted !== 0 && usual <= 65_535 && !used.includes(usual) && (await isFree(usual));
  return suits ? usual : freePort(used);
}

/** Whether nobody listens there, on any address of this machine. */
async function isFree(port: number): Promise<boolean> {
  return (await listens(port, '127.0.0.1')) !== null && (await listens(port, undefined)) !== null;
}

async function freePort(used: number[]): Promise<number> {
  for (;;) {
    const port = await listens(0, undefined);
    if (port !== null && !used.includes(port)) return port;
  }
}

/** Listens for a moment and resolves to the port, null when that cannot be. */
function listens(port: number, host: string | undefined): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      const address = server.address();
      server.close(() =>
        resolve(typeof address === 'object' && address !== null ? address.port : null),
      );
    });
  });
}
