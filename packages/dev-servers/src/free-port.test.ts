import { createServer } from 'node:net';
import { freePort, isFreePort, portToTry } from './free-port.js';

it('finds no port twice', async () => {
  const ports: number[] = [];
  for (let found = 0; found < 50; found += 1) ports.push(await freePort());
  expect(new Set(ports).size).toBe(50);
  for (const port of ports) expect(port).toBeLessThan(32_768);
});

it('looks everywhere once', () => {
  const ports = Array.from({ length: 22_528 }, (_, nth) => portToTry(nth, 4711, 63));
  expect(new Set(ports).size).toBe(22_528);
  expect([Math.min(...ports), Math.max(...ports)]).toEqual([10_240, 32_767]);
});

it('looks first where no process of about the same time does', () => {
  const firstOf = (pid: number, start: number) =>
    Array.from({ length: 64 }, (_, nth) => portToTry(nth, pid, start));
  const ports = Array.from({ length: 352 }, (_, pid) => firstOf(pid, (pid * 7) % 64)).flat();
  expect(new Set(ports).size).toBe(ports.length);
});

/** Else an instance that starts again could find that a launcher of the same range took its ports meanwhile. */
it('begins elsewhere than another process of the same range', async () => {
  const begins = new Set<number>();
  for (let process = 0; process < 8; process += 1) {
    await jest.isolateModulesAsync(async () => {
      const { freePort: ofAnother } = await import('./free-port.js');
      begins.add(await ofAnother());
    });
  }
  expect(begins.size).toBeGreaterThan(1);
});

it.each([['127.0.0.1'], [undefined]])('passes over a port taken on %s', async (host) => {
  const taken = (await freePort()) + 1;
  const server = createServer();
  await new Promise<void>((listening) =>
    server.listen({ port: taken, ...(host === undefined ? {} : { host }) }, listening),
  );
  try {
    expect(await isFreePort(taken)).toBe(false);
    for (let found = 0; found < 64; found += 1) expect(await freePort()).not.toBe(taken);
  } finally {
    await new Promise((closed) => server.close(closed));
  }
  expect(await isFreePort(taken)).toBe(true);
});
