import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { extname } from 'node:path';

import { Refusal } from '@countersign/protocol';

import type { Call, Handler } from './call.js';
import { isKnown } from './pipeline.js';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const prefix = '/assets/';
const folder = new URL('../web/', import.meta.url);

interface Asset {
  readonly type: string;
  readonly tag: string;
  readonly content: Buffer;
}

/** Serves the files of `web/` out of memory; names are looked up, never paths. */
export async function createAssets(): Promise<Handler> {
  const assets = new Map<string, Asset>();
  for (const name of await readdir(folder)) {
    const type = types[extname(name)];
    if (type === undefined) continue;
    const content = await readFile(new URL(name, folder));
    const tag = `"${createHash('sha256').update(content).digest('base64url')}"`;
    assets.set(prefix + name, { type, tag, content });
  }

  return (call: Call) => {
    const asset = assets.get(call.path);
    if (!asset) throw new Refusal('not_found');
    const { request, response } = call;
    response.setHeader('Cache-Control', 'public, max-age=0, must-revalidate');
    response.setHeader('ETag', asset.tag);
    if (isKnown(request.headers['if-none-match'], asset.tag)) {
      response.statusCode = 304;
      response.end();
      return;
    }
    response.setHeader('Content-Type', asset.type);
    response.setHeader('Content-Length', asset.content.length);
    response.end(asset.content);
  };
}
