import { digestOf } from '@countersign/client/node';
import type { JsonObject, JsonValue } from '@countersign/client/node';
import { NotDone, PartlyDone } from '@countersign/guard/node';
import type { Run } from '@countersign/guard/node';

import type { Rule } from '../policy/policy.js';
import { INVALID_PARAMS, METHOD_NOT_FOUND, isObject } from './frames.js';
import type { Peer } from './peer.js';
import { metaWith } from './results.js';
import type { Rounds } from './rounds.js';
import { RpcFault } from './upstream.js';

/** Between two looks at a task of the server that names no time of its own. */
const POLL_MS = 1_000;

/** A call that people authorised, on its way to the server. */
export interface RunningCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly meta: JsonObject | undefined;
  /** What its client can be asked for. */
  readonly abilities: JsonObject;
  readonly rule: Rule | null;
}

/** What the server answered, where that is no result. */
export interface Seen {
  fault: RpcFault | null;
  result: JsonObject | null;
}

/**
 * Sends an authorised call and follows it to its end: through a task of the server, and through questions of the tool where the
 * rule permits them.
 *
 * @throws NotDone, PartlyDone, or what leaves the outcome unknown
 */
export async function runCall(
  peer: Peer,
  { tool, args, meta, abilities, rule }: RunningCall,
  { run, rounds, seen }: { readonly run: Run; readonly rounds: Rounds; readonly seen: Seen },
): Promise<JsonObject> {
  const { signal } = run;
  const mayAsk = rule?.moreInput === 'permit';
  const inputs: JsonValue[] = [];

  /** The client's answer to a question, under a permit of its own. */
  async function asked(requests: JsonValue | undefined) {
    if (!mayAsk) throw new PartlyDone('the tool asked for more input, which people have not seen');
    const { responses, meta: newer } = await rounds.ask(requests, signal).catch(() => {
      throw new PartlyDone('the tool asked for more input, which did not come in time');
    });
    await run.permit().catch(() => {
      throw new PartlyDone('the tool asked for more input, and a second permit was refused');
    });
    // The words may be private: the signed outcome has their digests.
    inputs.push({ asked: digestOf(requests ?? null), answered: digestOf(responses ?? null) });
    run.note({ more_input: [...inputs] });
    return { responses, meta: newer };
  }

  const known = metaWith(meta, mayAsk ? abilities : {});
  const send = (more: JsonObject, _meta: JsonObject | undefined) =>
    peer.request(
      'tools/call',
      { name: tool, arguments: args, ...more, ...(_meta !== undefined && { _meta }) },
      signal,
    );

  /** A task of the server, to its end. */
  async function followed(taskId: string): Promise<JsonObject> {
    const about = { taskId, ...(known !== undefined && { _meta: known }) };
    const cancel = () => void peer.request('tasks/cancel', about).catch(() => {});
    signal.addEventListener('abort', cancel, { once: true });
    const answered = new Set<string>();
    try {
      for (;;) {
        const task = await peer.request('tasks/get', about, signal);
        switch (task['status']) {
          case 'completed':
            return isObject(task['result']) ? task['result'] : {};
          case 'failed':
            throw faultIn(task['error']);
          case 'cancelled':
            throw new Error('the server cancelled its task');
          case 'input_required': {
            const open = unanswered(task['inputRequests'], answered);
            if (Object.keys(open).length === 0) break;
            const { responses } = await asked(open).catch((error: unknown) => {
              cancel();
              throw error;
            });
            for (const key of Object.keys(open)) answered.add(key);
            await peer.request(
              'tasks/update',
              { ...about, inputResponses: responses ?? {} },
              signal,
            );
            break;
          }
          default:
          // It works on.
        }
        const { pollIntervalMs: wait } = task;
        await paused(typeof wait === 'number' && wait > 0 ? wait : POLL_MS, signal);
      }
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  try {
    let result = await send({}, known);
    while (result['resultType'] === 'input_required') {
      const { responses, meta: newer } = await asked(result['inputRequests']);
      const { requestState } = result;
      const more = {
        ...(responses !== undefined && { inputResponses: responses }),
        ...(requestState !== undefined && { requestState }),
      };
      result = await send(more, metaWith(newer, abilities));
    }
    if (result['resultType'] === 'task') result = await followed(String(result['taskId']));
    if (result['isError'] === true && rule?.errorMeans === 'failed_partial') {
      seen.result = result;
      throw new PartlyDone('the tool says that it failed');
    }
    return result;
  } catch (error) {
    if (!(error instanceof RpcFault)) throw error;
    seen.fault = error;
    const isRefused = error.code === METHOD_NOT_FOUND || error.code === INVALID_PARAMS;
    // Its words may hold arguments: they stay out of the signed outcome. Behind a question a part may have happened.
    if (isRefused && inputs.length === 0)
      throw new NotDone(`the server refused the call (${error.code})`);
    throw error;
  }
}

function unanswered(requests: JsonValue | undefined, answered: ReadonlySet<string>): JsonObject {
  const open = Object.entries(isObject(requests) ? requests : {});
  return Object.fromEntries(open.filter(([key]) => !answered.has(key)));
}

function faultIn(error: JsonValue | undefined): Error {
  if (!isObject(error) || typeof error['code'] !== 'number') return new Error('the task failed');
  return new RpcFault(error['code'], String(error['message']), error);
}

function paused(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resume, fail) => {
    const stop = () => {
      clearTimeout(timer);
      fail(new Error(`stopped: ${String(signal.reason)}`));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resume();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
