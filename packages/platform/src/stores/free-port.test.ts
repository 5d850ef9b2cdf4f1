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

/** An instance that starts again finds its port free, and another launcher of the same range takes it first. */
it('begins elsewhere than an earlier process of the same range', () => {
  const begins = Array.from({ length: 64 }, (_, start) => portToTry(0, 318, start));
  expect(new Set(begins).size).toBe(64);
  expect(portToTry(0, 318 + 352, 5)).toBe(portToTry(0, 318, 5));
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
