import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@countersign/client/node';

import { INTERNAL_ERROR, answerFrom, isObject } from './frames.js';
import type { Id, Params } from './frames.js';
import { ConnectionLost, RpcFault } from './upstream.js';
import type { Upstream } from './upstream.js';

/** Requests of the guard itself to the server, beside those of the client. */
export interface Peer {
  /** @throws RpcFault for an error, ConnectionLost, and the signal's reason */
  request(method: string, params: Params, signal?: AbortSignal): Promise<JsonObject>;
  /** Whether a message of the server answered one of these requests. */
  take(line: string): boolean;
}

interface Open {
  settle(value: JsonObject): void;
  fail(error: Error): void;
}

export function newPeer(upstream: Upstream): Peer {
  // No id of a client begins like this.
  const prefix = `countersign-${randomBytes(12).toString('base64url')}-`;
  const open = new Map<Id, Open>();
  let count = 0;
  let gone: string | null = null;
  void upstream.ended.then((why) => {
    gone = why;
    for (const { fail } of open.values()) fail(new ConnectionLost(why));
    open.clear();
  });

  return {
    request(method, params, signal) {
      if (gone !== null) return Promise.reject(new ConnectionLost(gone));
      count += 1;
      const id = `${prefix}${count}`;
      return new Promise<JsonObject>((settle, fail) => {
        const abort = () => {
          open.delete(id);
          const reason = String(signal?.reason);
          upstream.send(
            JSON.stringify({
              ...{ jsonrpc: '2.0', method: 'notifications/cancelled' },
              params: { requestId: id, reason },
            }),
          );
          fail(new Error(`stopped: ${reason}`));
        };
        signal?.addEventListener('abort', abort, { once: true });
        const end = () => signal?.removeEventListener('abort', abort);
        open.set(id, {
          settle: (value) => (end(), settle(value)),
          fail: (error) => (end(), fail(error)),
        });
        upstream.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      });
    },
    take(line) {
      if (!line.includes(prefix)) return false;
      const answer = answerFrom(line);
      const waiting = answer === null ? undefined : open.get(answer.id);
      if (answer === null || waiting === undefined) {
        // An answer that comes too late is dropped: the client has no such request.
        return answer !== null && String(answer.id).startsWith(prefix);
      }
      open.delete(answer.id);
      const { result, error } = answer.value;
      if (isObject(result)) waiting.settle(result);
      else waiting.fail(faultOf(error));
      return true;
    },
  };
}

function faultOf(error: unknown): Error {
  if (!isObject(error)) return new ConnectionLost('the server gave no answer of JSON-RPC');
  const { code, message, data } = error;
  if (isObject(data) && data['countersign'] === 'lost') return new ConnectionLost(String(message));
  return new RpcFault(
    typeof code === 'number' ? code : INTERNAL_ERROR,
    typeof message === 'string' ? message : 'the server gave an error',
    error,
  );
}
