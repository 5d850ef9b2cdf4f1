import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeDataDirectory } from './data-directory.js';
import type { OwnDirectory } from './data-directory.js';
import { choosePorts } from './ports.js';

const FREE = { port: 0, sandboxPort: 0 };
const AS_BEFORE = { port: undefined, sandboxPort: undefined };

let data: OwnDirectory;
const servers: Server[] = [];

beforeEach(() => {
  data = takeDataDirectory(mkdtempSync(join(tmpdir(), 'countersign-ports-')));
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((done) => server.close(done))));
  rmSync(data.path, { recursive: true });
});

/** Listens on a port of the loopback address, any free one for 0, and resolves to it. */
async function occupy(port: number): Promise<number> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

describe('ports', () => {
  it('takes three different free ones for 0', async () => {
    const { origin, sandbox, provider } = await choosePorts(data, FREE);
    expect(new Set([origin, sandbox, provider]).size).toBe(3);
  });

  it.each([FREE, AS_BEFORE])('finds those of the last start again with %j', async (wanted) => {
    const first = await choosePorts(data, FREE);
    expect(await choosePorts(data, wanted)).toEqual(first);
  });

  it('refuses a given port that is taken, and says how to choose another', async () => {
    const port = await occupy(0);
    await expect(choosePorts(data, { port, sandboxPort: 0 })).rejects.toThrow(
      `Port ${port} is taken. Choose another with \`npm start -- --port PORT\``,
    );
  });

  it('takes another one for 0 when that of the last start is taken', async () => {
    const first = await choosePorts(data, FREE);
    await occupy(first.origin);
    expect((await choosePorts(data, FREE)).origin).not.toBe(first.origin);
  });

  it('never moves the provider, because people are known by its address', async () => {
    const first = await choosePorts(data, FREE);
    const other = await choosePorts(data, { port: first.sandbox, sandboxPort: first.origin });
    expect(other).toEqual({ ...first, origin: first.sandbox, sandbox: first.origin });
    await occupy(first.provider);
    await expect(choosePorts(data, FREE)).rejects.toThrow('log in, is taken');
  });

  it('refuses one port for both origins', async () => {
    const { origin } = await choosePorts(data, FREE);
    await expect(choosePorts(data, { port: origin, sandboxPort: origin })).rejects.toThrow(
      '--sandbox-port',
    );
  });
});
