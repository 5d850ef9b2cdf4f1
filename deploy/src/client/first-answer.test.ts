import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiRefusal, apiOf, Unreachable } from './api.js';
import { firstAnswer } from './first-answer.js';

const server = createServer((_, response) => {
  response.writeHead(403, { 'content-type': 'application/problem+json' });
  response.end('{"error":"not_permitted"}');
});
let port: number;

beforeAll(async () => {
  await listen(0);
  port = (server.address() as AddressInfo).port;
});
beforeEach(() => new Promise<void>((ended) => server.close(() => ended())));
afterAll(() => server.close());

function listen(at: number): Promise<void> {
  return new Promise((listening) => server.listen(at, '127.0.0.1', listening));
}

const ask = (): Promise<unknown> => apiOf(`http://127.0.0.1:${port}`, { token: 't' }).get('/');

describe('the first answer', () => {
  it('comes from an address that is reached only at the second try', async () => {
    let tries = 0;
    const answer = firstAnswer(async () => {
      tries += 1;
      if (tries === 2) await listen(port);
      return ask();
    });
    await expect(answer).rejects.toThrow(ApiRefusal);
    expect(tries).toBe(2);
  });

  it('is not awaited any longer than it may be', async () => {
    await expect(firstAnswer(ask, -1)).rejects.toThrow(Unreachable);
  });
});
