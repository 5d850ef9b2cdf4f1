import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '../support/client.js';
import { attempt, newAttempts } from './support/insist.js';

// What the tests of faults say of each answer (invariant I13), over answers that a service must never give.

let answer: RequestListener;
let server: Server;
let client: Client;

beforeAll(async () => {
  server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  client = new Client(`http://127.0.0.1:${port}`, { token: 'any' });
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** The name of the answer as it is counted. Rejects when no operation gives such an answer. */
async function judged(listener: RequestListener): Promise<string> {
  answer = listener;
  const attempts = newAttempts();
  await attempt(client, attempts, '/v2/requests', { body: {} });
  expect(attempts.undeclared).toEqual([]);
  return [...attempts.counts.keys()].join();
}
const says =
  (status: number, body: object | string): RequestListener =>
  (_, response) =>
    response
      .writeHead(status, { 'content-type': 'application/problem+json', 'retry-after': '1' })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
const problem = (status: number, error: string) => ({
  ...{ type: `https://example.test/errors/${error}`, title: 'No', status, detail: 'No.', error },
  instance: '0'.repeat(32),
});

it('a declared refusal passes', async () => {
  const refused = says(503, problem(503, 'service_unavailable'));
  expect(await judged(refused)).toBe('503 service_unavailable');
});

it.each<[string, RequestListener]>([
  ['a failure without a code', says(500, { message: 'Internal Server Error' })],
  ['a code that the catalogue lacks', says(503, problem(503, 'database_down'))],
  ['a code with the status of another', says(500, problem(500, 'service_unavailable'))],
  ['a code of other operations', says(409, problem(409, 'nonce_reused'))],
  ['a success without a body', says(201, '')],
  ['a success with another body', says(201, { request: {} })],
  ['a page instead of an answer', says(502, '<html>Bad Gateway</html>')],
])('%s ends the run', async (_, listener) => {
  await expect(judged(listener)).rejects.toThrow('against its description');
});

it('half an answer counts as lost, and no answer is taken from it', async () => {
  const half: RequestListener = (_, response) => {
    response.writeHead(201, { 'content-type': 'application/json', 'content-length': '100' });
    response.write('{"id":');
    setImmediate(() => response.destroy());
  };
  expect(await judged(half)).toBe('lost');
});
