import { freePort, isFreePort } from '@countersign/dev-servers';
import type { OwnDirectory } from './data-directory.js';
import { PlainError } from '@countersign/deploy/plain-error';

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
  data: OwnDirectory,
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
    return last !== undefined && !used.includes(last) && (await isFreePort(last))
      ? last
      : freePortBeside(used);
  }
  const port = wanted ?? last ?? usual;
  if (!used.includes(port) && (await isFreePort(port))) return port;
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
    if (!used.includes(last.provider) && (await isFreePort(last.provider))) return last.provider;
    throw new PlainError(
      `Port ${last.provider}, where the people of this data directory log in, is taken. ` +
        'Free it, or start anew with another directory: npm start -- --data DIR',
    );
  }
  const usual = origin + 2;
  const suits =
    wanted !== 0 && usual <= 65_535 && !used.includes(usual) && (await isFreePort(usual));
  return suits ? usual : freePortBeside(used);
}

/** A port of the last start may be free still, and wanted for something else. */
async function freePortBeside(used: readonly number[]): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (!used.includes(port)) return port;
  }
}
