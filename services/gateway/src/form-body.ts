import type { IncomingMessage } from 'node:http';

import { Refusal } from '@countersign/protocol';

const MOST_BYTES = 16 * 1024;

/** Reads the body of an HTML form. A body of another type is a form without the fields that it should have. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MOST_BYTES) throw new Refusal('body_too_large');
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}
