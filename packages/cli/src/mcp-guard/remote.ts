import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';

import { INTERNAL_ERROR, answerFrom, errorFrame, isObject } from './frames.js';
import type { Id, Params } from './frames.js';
import { newParamHeaders } from './param-headers.js';
import type { Upstream } from './upstream.js';

/** A server at an address, over streamable HTTP of both eras, by the official transport. */
export async function remoteUpstream(url: URL, token: (() => string) | null): Promise<Upstream> {
  const transport = new StreamableHTTPClientTransport(url, {
    ...(token !== null && { authProvider: { token: async () => token() } }),
  });
  const paramHeaders = newParamHeaders();
  const lists = new Set<Id>();
  let over = (_: string) => {};
  const ended = new Promise<string>((settle) => (over = settle));
  const upstream = {
    send(line: Uint8Array | string) {
      const text = typeof line === 'string' ? line : Buffer.from(line).toString('utf8');
      const message = JSON.parse(text) as JSONRPCMessage;
      const { id, method, params } = message as { id?: Id; method?: string; params?: Params };
      if (method === 'tools/list' && id !== undefined) lists.add(id);
      const headers = method === 'tools/call' ? paramHeaders.of(params) : {};
      transport.send(message, { headers }).catch((error: unknown) => {
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
  transport.onmessage = (message) => {
    const line = JSON.stringify(message);
    const answer = lists.size === 0 ? null : answerFrom(line);
    if (answer !== null && lists.delete(answer.id) && isObject(answer.value['result']))
      paramHeaders.learn(answer.value['result']);
    upstream.onLine(line);
  };
  transport.onerror = () => {};
  transport.onclose = () => over('the connection to the server was closed');
  await transport.start();
  return upstream;
}
