import { PassThrough } from 'node:stream';
import { request } from 'undici';
import type { Link, LinkListener, LinkOptions } from './link.js';
import { post } from './post.js';

/** The first message opens the stream; the later ones are posts of their own. */
export function openHttpStream(options: LinkOptions, listener: LinkListener): Link {
  const controller = new AbortController();
  const { url, token, headers } = options;
  let isOpen = false;

  async function begin(text: string): Promise<number> {
    isOpen = true;
    const { statusCode, body } = await request(`${url}/proto/stream`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: text,
      signal: controller.signal,
      bodyTimeout: 0,
    });
    void read(body.pipe(new PassThrough()), statusCode);
    body.on('error', () => listener.closed(statusCode, 'closed'));
    return statusCode;
  }

  async function read(lines: PassThrough, statusCode: number): Promise<void> {
    let rest = '';
    lines.setEncoding('utf8');
    for await (const chunk of lines as AsyncIterable<string>) {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      for (const part of parts) listener.text(part);
    }
    if (rest !== '') listener.text(rest);
    listener.closed(statusCode, 'ended');
  }

  return {
    send: async (text) => (isOpen ? post(options, text, listener) : begin(text)),
    close: () => controller.abort(),
  };
}
