import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export interface RawAnswer {
  /** Milliseconds to the first byte. */
  readonly after: number;
  /** All that came, as it came. */
  readonly text: string;
  /** Whether the service ended the connection. */
  readonly ended: boolean;
  /** Of the first answer; NaN without one. */
  readonly status: number;
  /** Of the problem document; undefined without one. */
  readonly code: string | undefined;
}

/** A whole answer with a JSON object as its body. */
const COMPLETE = /\r\n\r\n.*\}$/s;

/**
 * Writes the parts as they are to the service, and reads until the connection ends or `enough` was seen. A part that is
 * a number is a pause of so many milliseconds.
 */
export function rawCall(
  origin: string,
  parts: readonly (string | Uint8Array | number)[],
  enough: RegExp = COMPLETE,
): Promise<RawAnswer> {
  const port = Number(new URL(origin).port);
  return new Promise((resolve, reject) => {
    const begin = performance.now();
    const socket = connect(port, '127.0.0.1');
    let after = 0;
    let text = '';
    const settled = new AbortController();
    const settle = (ended: boolean) => {
      settled.abort();
      socket.destroy();
      const code = /"error":"(\w+)"/.exec(text)?.[1];
      resolve({ after, text, ended, status: Number(text.split(' ')[1] ?? NaN), code });
    };
    socket.on('data', (chunk) => {
      after ||= performance.now() - begin;
      text += chunk.toString('latin1');
      // Data that is only sent and kept open was seen; an end comes at once or not at all.
      if (enough.test(text)) setTimeout(() => settle(false), 50);
    });
    socket.on('end', () => settle(true));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // An answer that was read counts, though the rest of our data has nowhere to go.
      if (text !== '' && ['EPIPE', 'ECONNRESET'].includes(error.code ?? '')) settle(true);
      else reject(error);
    });
    write().catch(() => {});

    async function write(): Promise<void> {
      for (const part of parts) {
        if (settled.signal.aborted) return;
        if (typeof part === 'number') await pause(part, null, { signal: settled.signal });
        else if (socket.writable) socket.write(part);
      }
    }
  });
}

/** Writes the parts, and is gone before any answer. */
export function abandonedCall(origin: string, parts: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    socket.on('error', reject);
    socket.on('close', () => resolve());
    socket.write(parts.join(''), () => socket.destroy());
  });
}

/** Request line and headers of a call, with the empty line behind them. */
export function head(method: string, path: string, headers: Record<string, string> = {}): string {
  const lines = Object.entries({ Host: 'localhost', ...headers }).map(([a, b]) => `${a}: ${b}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
