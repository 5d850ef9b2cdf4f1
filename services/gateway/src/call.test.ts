import { createServer, get } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sendLong } from './call.js';
import type { Call } from './call.js';

const long = new Uint8Array(8 * 1024 * 1024).fill(0x61);
let server: Server;
/** Of the one call: resolves when `sendLong` does. */
let sent: Promise<void>;
/** The most bytes that were given to the connection within one turn of the loop. */
let mostInTurn: number;

beforeEach(async () => {
  mostInTurn = 0;
  server = createServer((_, response) => {
    const over = watchTurns(response);
    sent = sendLong({ response } as Call, 'text/plain', long).finally(over);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => server.close());

function watchTurns(response: ServerResponse): () => void {
  let watching = true;
  let before = 0;
  const look = () => {
    const now = response.socket?.bytesWritten ?? before;
    mostInTurn = Math.max(mostInTurn, now - before);
    before = now;
    if (watching) setImmediate(look);
  };
  look();
  return () => (watching = false);
}

function ask(): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', agent: false }, resolve).on('error', reject);
  });
}

it('sends a long answer whole, and no more than two pieces of it in one turn', async () => {
  const answer = await ask();
  expect(answer.headers['content-length']).toBe(String(long.length));
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).equals(long)).toBe(true);
  await sent;
  expect(mostInTurn).toBeGreaterThan(0);
  expect(mostInTurn).toBeLessThan(3 * 64 * 1024);
});

it('ends when a caller that does not read goes away', async () => {
  const answer = await ask();
  answer.pause();
  answer.destroy();
  await sent;
});
