import { WebSocket } from 'ws';
import type { RawData } from 'ws';
import type { Link, LinkListener, LinkOptions } from './link.js';

export function openWebSocket({ url, token, headers }: LinkOptions, listener: LinkListener): Link {
  const address = `${url.replace(/^http/, 'ws')}/proto/websocket?token=${encodeURIComponent(token)}`;
  const socket = new WebSocket(address, { headers: { ...headers } });
  let status = 0;
  const opened = new Promise<void>((resolve) => socket.once('open', resolve));
  socket.on('message', (data: RawData, isBinary: boolean) => {
    if (isBinary) listener.binary(data as Buffer);
    else listener.text((data as Buffer).toString('utf8'));
  });
  socket.on('unexpected-response', (_request, response) => {
    status = response.statusCode ?? 0;
    response.resume();
    listener.closed(status, 'refused');
    socket.terminate();
  });
  socket.on('error', () => undefined);
  socket.on('close', (code, reason) => {
    if (status === 0) listener.closed(code, reason.toString('utf8'));
  });
  return {
    async send(text, binary) {
      await opened;
      socket.send(text);
      if (binary !== undefined) socket.send(binary);
      return undefined;
    },
    close: () => socket.close(),
  };
}
