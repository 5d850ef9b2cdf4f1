import { once } from 'node:events';
import { Agent, get } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';

import type { ClientAddresses } from './client-address.js';
import { createListener } from './listener.js';

const addresses: ClientAddresses = { isTrusted: () => true, of: () => '127.0.0.1' };

async function setup(handler: RequestListener) {
  const listener = createListener({
    handler,
    headerLines: '',
    origin: 'https://review.example',
    requestMs: 60_000,
    connections: { most: 10, perAddress: 10, addresses },
  });
  const port = await listener.start(0, '127.0.0.1');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const call = () =>
    new Promise<{ readonly answer: IncomingMessage; readonly reused: boolean }>(
      (resolve, reject) => {
        const request = get({ port, agent }, (answer) => {
          answer.resume().once('end', () => resolve({ answer, reused: request.reusedSocket }));
        }).once('error', reject);
      },
    );
  return { listener, call, port };
}

it('answers a call that comes on an open connection while it stops, and closes that connection', async () => {
  const { listener, call } = await setup((_request, response) => void response.end('answered'));
  const { headers } = (await call()).answer;
  expect(headers).toMatchObject({ connection: 'keep-alive', 'keep-alive': 'timeout=5' });
  const stopped = listener.stop(1_000, 100);
  const { answer, reused } = await call();
  expect([reused, answer.statusCode, answer.headers.connection]).toEqual([true, 200, 'close']);
  expect(answer.headers).not.toHaveProperty('keep-alive');
  await stopped;
  await expect(call()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

it('goes on answering while connections come, though its time is over', async () => {
  const { listener, call } = await setup((_request, response) => void response.end('answered'));
  let stopping = true;
  const stopped = listener.stop(1_000, 1).then(() => (stopping = false));
  const begin = performance.now();
  // Each on a connection of its own, as each answer is the last of one.
  while (performance.now() < begin + 1_500) expect((await call()).answer.statusCode).toBe(200);
  expect(stopping).toBe(true);
  await stopped;
  await expect(call()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

it.each([
  ['the first', 0],
  ['a further', 1],
])('waits for %s call of an open connection, though its time is over', async (_which, before) => {
  const { listener, port } = await setup((_request, response) => void response.end('answered'));
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => (text += part));
  const ended = once(socket, 'close');
  await once(socket, 'connect');
  const ask = () => socket.write('GET / HTTP/1.1\r\nhost: review.example\r\n\r\n');
  if (before > 0) {
    ask();
    await once(socket, 'data');
  }
  const stopped = listener.stop(1_000, 1);
  // Longer than it waits for further connections.
  await delay(4_000);
  ask();
  await Promise.all([stopped, ended]);
  expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(before + 1);
});

it('answers a call that has come before the end, though the process was too busy to read it', async () => {
  const { listener, port } = await setup((_request, response) => void response.end('answered'));
  const socket = connect(port, '127.0.0.1');
  const answers: string[] = [];
  socket.setEncoding('utf8').on('data', (text: string) => answers.push(text));
  const ended = new Promise((resolve) => socket.once('close', resolve));
  socket.write('GET / HTTP/1.1\r\nhost: review.example\r\n\r\n');
  await new Promise((resolve) => socket.once('data', resolve));
  const begin = performance.now();
  const stopped = listener.stop(1_000, 100);
  // Written at once, and the end is due before the process reads again.
  setTimeout(() => {
    setImmediate(() => {
      socket.write('GET / HTTP/1.1\r\nhost: review.example\r\n\r\n');
      while (performance.now() < begin + 150);
    });
  }, 20);
  await Promise.all([stopped, ended]);
  expect(answers.map((text) => text.split('\r\n')[0])).toEqual([
    'HTTP/1.1 200 OK',
    'HTTP/1.1 200 OK',
  ]);
});

it('closes the connection of a call that is under way when it stops', async () => {
  let begun: (response: ServerResponse) => void;
  const begins = new Promise<ServerResponse>((resolve) => (begun = resolve));
  const { listener, call } = await setup((_request, response) => begun(response));
  const called = call();
  const response = await begins;
  // Longer than a test may take: the connection is not left open until then.
  const stopped = listener.stop(3_600_000, 0);
  response.end('answered');
  expect((await called).answer.headers.connection).toBe('close');
  await stopped;
});

it('reads a body that was refused unread in pieces, so that a fast client leaves turns to others', async () => {
  let socket: Socket | undefined;
  const { listener, port } = await setup((request, response) => {
    socket = request.socket;
    // Some of the body has come by then.
    request.once('readable', () => {
      response.statusCode = 413;
      response.end('too large');
    });
  });
  const length = 16 * 1024 * 1024;
  const client = connect(port, '127.0.0.1');
  const closed = new Promise((resolve) => client.once('close', resolve));
  const answered = new Promise((resolve) => client.once('data', resolve));
  client.on('error', () => {});
  client.write(`POST / HTTP/1.1\r\nhost: review.example\r\ncontent-length: ${length}\r\n\r\n`);
  client.write(Buffer.alloc(length));
  await answered;
  const read = () => socket?.bytesRead ?? 0;
  let most = 0;
  for (let before = read(); read() < length / 2; await turn()) {
    most = Math.max(most, read() - before);
    before = read();
  }
  client.destroy();
  await closed;
  await listener.stop(1_000, 0);
  // Two reads of the most that one gives, 64 KiB.
  expect(most).toBeLessThanOrEqual(128 * 1024);
});
