import { createServer } from 'node:net';
import { freePort, isFreePort } from './free-port.js';

it('finds no port twice', async () => {
  const ports: number[] = [];
  for (let found = 0; found < 50; found += 1) ports.push(await freePort());
  expect(new Set(ports).size).toBe(50);
  for (const port of ports) expect(port).toBeLessThan(32_768);
});

it.each([['127.0.0.1'], [undefined]])('passes over a port taken on %s', async (host) => {
  const taken = (await freePort()) + 1;
  const server = createServer();
  await new Promise<void>((listening) =>
    server.listen({ port: taken, ...(host === undefined ? {} : { host }) }, listening),
  );
  try {
    expect(await isFreePort(taken)).toBe(false);
    expect(await freePort()).toBeGreaterThan(taken);
  } finally {
    await new Promise((closed) => server.close(closed));
  }
  expect(await isFreePort(taken)).toBe(true);
});
