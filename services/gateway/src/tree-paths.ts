import { TREE_SUBJECT, traceparentOf } from '@countersign/platform';
import type { Bus } from '@countersign/platform';
import { Refusal } from '@countersign/protocol';

import { hasCredentials } from './authentication.js';
import type { Handler } from './call.js';
import type { Pipeline } from './pipeline.js';

const PREFIX = /^\/log\/([a-f0-9-]{36})\/([a-f0-9-]{36})\/(.+)$/;

/** `/log/<ledger>/<generation>/…`: the tree of a ledger (docs/merkle.md), for whom the ledger lets read it. */
export function treePaths(bus: Bus, pipeline: Pipeline, timeoutMs: number): Handler {
  return async (call) => {
    const { request, response } = call;
    const [, ledger, generation, path] = PREFIX.exec(call.path) ?? [];
    let caller: string | undefined;
    if (hasCredentials(request)) {
      caller = await pipeline.callerToken(await pipeline.admit(call, 'principal'));
    } else {
      await pipeline.take(call, 'tree');
    }
    if (path === undefined) throw new Refusal('not_found');
    const reply = await bus.call(
      TREE_SUBJECT,
      {
        ...(caller === undefined ? {} : { caller }),
        params: JSON.stringify({ ledger, generation, path }),
        traceparent: traceparentOf(call.trace),
        timeoutMs,
      },
      '',
    );
    const { 'content-encoding': encoding, ...headers } = reply.headers ?? {};
    const content = Buffer.from(reply.body, encoding === 'base64' ? 'base64' : 'utf8');
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.setHeader('Content-Length', content.length);
    response.end(content);
  };
}
