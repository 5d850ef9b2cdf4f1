import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { extname } from 'node:path';

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
  /** By the coding's name, the smallest first. */
  readonly packed: readonly (readonly [coding: string, form: Form])[];
}

/** The codings that the pages are built in (packages/pages/pack.mjs), with the endings of their files. */
const CODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

function formOf(content: Buffer): Form {
  return { tag: `"${createHash('sha256').update(content).digest('base64url')}"`, content };
}

/** The codings of `Accept-Encoding` that have no weight, as browsers send them. */
function codingsIn(header = ''): ReadonlySet<string> {
  return new Set(header.split(',').map((coding) => coding.trim()));
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
    const read = async (ending = '') => formOf(await readFile(new URL(name + ending, folder)));
    const packed = CODINGS.map(async ([coding, ending]) => [coding, await read(ending)] as const);
    assets.set(prefix + name, { type, plain: await read(), packed: await Promise.all(packed) });
  }

  return (call: Call) => {
    const asset = assets.get(call.path);
    if (!asset) throw new Refusal('not_found');
    const { request, response } = call;
    response.setHeader('Cache-Control', 'public, max-age=0, must-revalidate');
    const taken = codingsIn(request.headers['accept-encoding']);
    const [coding, form] = asset.packed.find(([name]) => taken.has(name)) ?? [null, asset.plain];
    const { tag, content } = form;
    response.setHeader('Vary', 'Accept-Encoding');
    response.setHeader('ETag', tag);
    if (isKnown(request.headers['if-none-match'], tag)) {
      response.statusCode = 304;
      response.end();
      return;
    }
    response.setHeader('Content-Type', asset.type);
    if (coding !== null) response.setHeader('Content-Encoding', coding);
    response.setHeader('Content-Length', content.length);
    response.end(content);
  };
}
