// A server of the bench: `server` is the first generation, echoing text; `echo` is ws and nothing else.
import { WebSocketServer } from 'ws';
import type { AddressInfo } from 'node:net';
import { Server } from '../server.js';

const [mode, secret = ''] = process.argv.slice(2);

if (mode === 'server') {
  const server = new Server(
    { port: 0, host: '127.0.0.1', jwtSecret: secret, enableLogging: false },
    { variables: {}, write: () => undefined },
  );
  server.on('textMessage', (sessionId, { payload }) => {
    server.sendMessage(sessionId, { type: 'TEXT_MESSAGE_START', channel: 'USER', payload });
  });
  await server.start();
  process.send?.({ port: server.port });
} else {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (socket) => {
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
  });
  server.on('listening', () => process.send?.({ port: (server.address() as AddressInfo).port }));
}

process.on('message', () => {
  (globalThis as { gc?: () => void }).gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  process.send?.({ rss, heap: heapUsed, cpu: user + system });
});
process.on('disconnect', () => process.exit(0));
