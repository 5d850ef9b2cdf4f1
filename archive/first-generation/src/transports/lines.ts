import type { IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';

export interface LineHandlers {
  line(text: string): void;
  /** A line, or what stands after the last one, is longer than it may be. */
  tooLong(): void;
  /** The client has said everything; also called after `tooLong`. */
  end(): void;
}

/** Reads a request's body line by line; a last line needs no line feed. Empty lines are nothing. */
export function readLines(request: IncomingMessage, longest: number, handlers: LineHandlers): void {
  const decoder = new StringDecoder('utf8');
  let parts: string[] = [];
  let length = 0;
  let over = false;

  function finish(): void {
    const text = parts.join('').trim();
    parts = [];
    length = 0;
    if (text !== '') handlers.line(text);
  }

  function stop(): void {
    if (over) return;
    over = true;
    handlers.end();
  }

  request.on('data', (chunk: Buffer) => {
    if (over) return;
    const [first = '', ...rest] = decoder.write(chunk).split('\n');
    take(first);
    for (const part of rest) {
      if (over) return;
      finish();
      take(part);
    }
  });
  request.on('end', () => {
    if (!over) finish();
    stop();
  });
  request.on('close', stop);
  request.on('error', stop);

  function take(part: string): void {
    parts.push(part);
    length += part.length;
    if (length <= longest) return;
    handlers.tooLong();
    stop();
  }
}
