import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { extname } from 'node:path';
import { gzipSync } from 'node:zlib';

import { Refusal } from '@countersign/protocol';

import type { Call, Handler } from './call.js';
import { isKnown } from './etag.js';
import { BUILT_PAGES } from './pages/folder.js';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const prefix = '/assets/';
const folder = new URL('assets/', BUILT_PAGES);

interface Form {
  readonly tag: string;
  readonly content: Buffer;
}

interface Asset {
  readonly type: string;
  readonly plain: Form;
  readonly packed: Form;
}

function formOf(content: Buffer): Form {
  return { tag: `"${createHash('sha256').update(content).digest('base64url')}"`, content };
}

/**
 * Serves the built files of the pages out of memory; names are looked up, never paths. A name says its content by a
 * digest, and yet a browser asks again each time (protocol §8.5): an answer of 304 is a few bytes.
 */
export async function createAssets(): Promise<Handler> {
  const assets = new Map<string, Asset>();
  for (const name of await readdir(folder)) {
    const type = types[extname(name)];
    if (type === undefined) continue;
    const content = await readFile(new URL(name, folder));
    const packed = gzipSync(content, { level: 9 });
    assets.set(prefix + name, { type, plain: formOf(content), packed: formOf(packed) });
  }

  return (call: Call) => {
    const asset = assets.get(call.path);
    if (!asset) throw new Refusal('not_found');
    const { request, response } = call;
    response.setHeader('Cache-Control', 'public, max-age=0, must-revalidate');
    const gzip = /(^|,)\s*gzip\s*(,|$)/.test(request.headers['accept-encoding'] ?? '');
    const { tag, content } = gzip ? asset.packed : asset.plain;
    response.setHeader('Vary', 'Accept-Encoding');
    response.setHeader('ETag', tag);
    if (isKnown(request.headers['if-none-match'], tag)) {
      response.statusCode = 304;
      response.end();
      return;
    }
    response.setHeader('Content-Type', asset.type);
    if (gzip) response.setHeader('Content-Encoding', 'gzip');
    response.setHeader('Content-Length', content.length);
    response.end(content);
  };
}
