import { EventSource } from 'eventsource';
import { fetch } from 'undici';
import type { Link, LinkListener, LinkOptions } from './link.js';
import { post } from './post.js';

export function openEventSource(options: LinkOptions, listener: LinkListener): Link {
  const { url, token, headers } = options;
  const address = `${url}/proto/sse?token=${encodeURIComponent(token)}`;
  const source = new EventSource(address, {
    fetch: async (target, init) =>
      fetch(target, { ...(init as object), headers: { ...init.headers, ...headers } }) as never,
  });
  source.onmessage = ({ data }) => listener.text(String(data));
  source.onerror = ({ code, message }) => {
    // It would connect again by itself; a client that resumes wants to say where.
    source.close();
    listener.closed(code ?? 0, message ?? '');
  };
  return {
    send: async (text) => post(options, text, listener),
    close() {
      source.close();
      listener.closed(0, 'closed');
    },
  };
}
