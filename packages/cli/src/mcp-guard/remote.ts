import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';

import { INTERNAL_ERROR, errorFrame } from './frames.js';
import type { Id } from './frames.js';
import type { Upstream } from './upstream.js';

/** A server at an address, over streamable HTTP of both eras, by the official transport. */
export async function remoteUpstream(url: URL, token: (() => string) | null): Promise<Upstream> {
  const transport = new StreamableHTTPClientTransport(url, {
    ...(token !== null && { authProvider: { token: async () => token() } }),
  });
  let over = (_: string) => {};
  const ended = new Promise<string>((settle) => (over = settle));
  const upstream = {
    send(line: Uint8Array | string) {
      const text = typeof line === 'string' ? line : Buffer.from(line).toString('utf8');
      const message = JSON.parse(text) as JSONRPCMessage;
      transport.send(message).catch((error: unknown) => {
        const { id, method } = message as { id?: Id; method?: string };
        // Only a request is waited for.
        if (id === undefined || method === undefined) return;
        upstream.onLine(
          errorFrame(id, INTERNAL_ERROR, `The server cannot be reached: ${String(error)}`, {
            countersign: 'lost',
          }),
        );
      });
    },
    onLine: (_: string) => {},
    setProtocolVersion: (version: string) => transport.setProtocolVersion(version),
    ended,
    async close() {
      await transport.terminateSession().catch(() => {});
      await transport.close();
    },
  };
  transport.onmessage = (message) => upstream.onLine(JSON.stringify(message));
  transport.onerror = () => {};
  transport.onclose = () => over('the connection to the server was closed');
  await transport.start();
  return upstream;
}
