import { TREE_SUBJECT } from '@countersign/platform';
import { Refusal } from '@countersign/protocol';

import { hasCredentials } from './authentication.js';
import type { Authenticated } from './authentication.js';
import type { Handler } from './call.js';
import type { Pipeline } from './pipeline.js';

const PREFIX = /^\/log\/([a-f0-9-]{36})\/([a-f0-9-]{36})\/(.+)$/;

/** `/log/<ledger>/<generation>/…`: the tree of a ledger (docs/merkle.md), for whom the ledger lets read it. */
export function treePaths(pipeline: Pipeline): Handler {
  return async (call) => {
    const { request, response } = call;
    const [, ledger = '', generation = '', path] = PREFIX.exec(call.path) ?? [];
    let caller: Authenticated | null = null;
    if (hasCredentials(request)) {
      caller = await pipeline.admit(call, 'principal');
    } else {
      await pipeline.takeOfAddress(call, 'tree', [{ bucket: 'unauthenticated' }]);
    }
    if (path === undefined) throw new Refusal('not_found');
    const params = { ledger, generation, path };
    const reply = await pipeline.forward(call, caller, TREE_SUBJECT, { params });
    const { 'content-encoding': encoding, ...headers } = reply.headers ?? {};
    const content = Buffer.from(reply.body, encoding === 'base64' ? 'base64' : 'utf8');
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.setHeader('Content-Length', content.length);
    response.end(content);
  };
}
