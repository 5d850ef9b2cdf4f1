import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { Client } from '../support/client.js';
import { startInstance } from '../support/instance.js';
import type { Instance } from '../support/instance.js';
import { inParallel } from '../support/parallel.js';
import { until } from '../support/requests.js';

// The resources that clients without credentials can hold or keep busy by connections alone.

const CLIENTS = 300;
const MOST = 400;
const MOST_OF_ADDRESS = 350;

let instance: Instance;
const sockets: Socket[] = [];

beforeAll(async () => {
  instance = await startInstance({
    env: { MAX_CONNECTIONS: `${MOST}`, MAX_CONNECTIONS_PER_ADDRESS: `${MOST_OF_ADDRESS}` },
  });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => {
  await instance?.stop();
});

const portOf = (origin: string) => Number(new URL(origin).port);

/** Sockets of the server's process on that port, in any state: the kernel knows no inode of closed ones. */
function socketsOf(origin: string): number {
  const [, ...rows] = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n');
  const port = portOf(origin).toString(16).toUpperCase().padStart(4, '0');
  return rows.filter((row) => {
    const [, local = '', , state, , , , , , inode] = row.trim().split(/\s+/);
    const LISTEN = '0A';
    return local.endsWith(`:${port}`) && state !== LISTEN && inode !== '0';
  }).length;
}

function open(origin: string, localAddress = '127.0.0.1'): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect({
      port: portOf(origin),
      host: '127.0.0.1',
      localAddress,
      allowHalfOpen: true,
    });
    sockets.push(socket);
    socket.on('error', () => {});
    socket.once('connect', () => resolve(socket));
  });
}

const openMany = (origin: string, count: number, localAddress?: string) =>
  inParallel(Array(count).fill(null), 50, () => open(origin, localAddress));

describe('connections', () => {
  it.each(['origin', 'sandboxOrigin'] as const)(
    'of 300 clients of the %s that send a header line every two seconds are gone within 3 s of their refusal',
    async (which) => {
      const origin = instance.demo[which];
      const before = socketsOf(origin);
      let refused = 0;
      let lastRefusal = 0;
      const clients = await openMany(origin, CLIENTS);
      for (const socket of clients) {
        socket.write('GET /v2/requests HTTP/1.1\r\nHost: localhost\r\n');
        socket.once('data', () => {
          refused += 1;
          lastRefusal = performance.now();
        });
      }
      // They go on after their refusal, and never close.
      const drip = setInterval(() => {
        for (const socket of clients) if (!socket.destroyed) socket.write('X-More: yes\r\n');
      }, 2_000);
      try {
        await until(
          async () => refused,
          (count) => count === CLIENTS,
          30_000,
        );
        await until(
          async () => socketsOf(origin),
          (count) => count <= before,
          10_000,
        );
        const after = performance.now() - lastRefusal;
        console.log(`${which}: no socket is left ${Math.round(after)} ms after the last refusal`);
        expect(after).toBeLessThan(3_000);
      } finally {
        clearInterval(drip);
      }
    },
  );

  it('of one address are limited, and so are those of all together', async () => {
    const { origin } = instance.demo;
    const livez = () => new Client(origin, null).get('/livez');
    await openMany(origin, MOST_OF_ADDRESS + 30, '127.0.0.2');
    await until(
      async () => socketsOf(origin),
      (count) => count <= MOST_OF_ADDRESS + 5,
    );
    expect((await livez()).status).toBe(200);
    await openMany(origin, MOST, '127.0.0.3');
    await until(
      async () => socketsOf(origin),
      (count) => count <= MOST,
    );
  });
});
