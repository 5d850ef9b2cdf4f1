import type { IncomingMessage } from 'node:http';

import { Refusal } from '@countersign/protocol';

import { CallerGone } from './refusals.js';

const charset = /^utf-8$/i;

/**
 * Reads a whole body within its limit (contract §6.1 step 6). Throws `json_required` →
 * `unsupported_encoding` → `utf8_required` → `body_too_large`, the last one as soon as it is known.
 * `begin` is called when nothing that was announced speaks against the body.
 */
export async function readBody(
  request: IncomingMessage,
  limit: number,
  begin: () => void,
): Promise<Buffer> {
  checkHeaders(request);
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limit) throw new Refusal('body_too_large');
  begin();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = (settle: () => void) => {
      request.off('data', take).off('end', end).off('error', gone).off('close', gone);
      settle();
    };
    const take = (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > limit) finish(() => reject(new Refusal('body_too_large')));
    };
    const end = () =>
      finish(() => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    const gone = () => finish(() => reject(new CallerGone()));
    request.on('data', take).on('end', end).on('error', gone).on('close', gone);
  });
}

function checkHeaders({ headers }: IncomingMessage): void {
  const announced =
    headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';');
  if (!announced || type.trim().toLowerCase() !== 'application/json') {
    throw new Refusal('json_required');
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    throw new Refusal('unsupported_encoding');
  }
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=', 2);
    if (name.trim().toLowerCase() !== 'charset') continue;
    if (!charset.test(value.trim().replace(/^"(.*)"$/, '$1'))) throw new Refusal('utf8_required');
  }
}
