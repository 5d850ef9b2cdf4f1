import { randomBytes } from 'node:crypto';
import { canonicalText } from '@countersign/protocol/json';
import { cancel, keyOf } from '@countersign/client/node';
import type { Client, JsonObject, JsonValue } from '@countersign/client/node';

import { USUAL } from '../policy/policy.js';
import type { Policy } from '../policy/policy.js';
import type { CallEnd } from '../tool-calls/ends.js';
import { CHANGED } from './calls.js';
import type { Calls, Ended, Judged, OpenCall, ToolCall } from './calls.js';
import {
  FrameFault,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  MISSING_CAPABILITY,
  answerFrom,
  errorFrame,
  frameFrom,
  hasTwins,
  isObject,
  parsed,
  requireNames,
  resultFrame,
} from './frames.js';
import type { Frame, Id, Params } from './frames.js';
import { shownTools, withTasks } from './lists.js';
import type { Lock } from './lock.js';
import type { Peer } from './peer.js';
import {
  TASKS,
  abilitiesOf,
  isModern,
  metaFor,
  metaForOwn,
  progressTokenOf,
  resultOf,
  takesTasks,
} from './results.js';
import type { Question } from './rounds.js';
import { isOpen, shownTask } from './tasks.js';
import type { Task, Tasks } from './tasks.js';
import type { Upstream } from './upstream.js';

interface Parts {
  readonly client: Client;
  readonly policy: Policy;
  readonly lock: Lock;
  readonly calls: Calls;
  readonly tasks: Tasks;
  readonly peer: Peer;
  readonly upstream: Upstream;
  /** Writes one message to the client. */
  answer(line: string): void;
}

/** Between a client and a server: passes messages as they are, but those about tools. */
export interface Relay {
  /** One line of the client. */
  fromClient(line: Uint8Array): void;
  /** One line of the server. */
  fromServer(line: string): void;
  /** Goes on with the tasks of a process before this one. */
  resume(): void;
  /** Resolves once no call is open. */
  idle(): Promise<void>;
}

type Request = Extract<Frame, { kind: 'request' }>;

const CALL_MEMBERS = ['name', 'arguments', '_meta', 'task', 'requestState', 'inputResponses'];
const PROGRESS_MS = 10_000;
const NOT_ASKED =
  'No tool waits for this input: it was given before, belongs to other arguments, or its call is over. Call without requestState and inputResponses.';
const NO_TASKS = (id: Id) =>
  errorFrame(id, MISSING_CAPABILITY, `A client of tasks declares ${TASKS} in each request.`, {
    requiredCapabilities: { extensions: { [TASKS]: {} } },
  });

export function newRelay(parts: Parts): Relay {
  const { client, policy, lock, calls, tasks, peer, upstream, answer } = parts;
  /** Requests whose answers are changed on their way back. */
  const changing = new Map<Id, (result: JsonObject) => JsonObject>();
  /** Calls that are open here, to be cancelled. */
  const open = new Map<Id, AbortController>();
  /** Tasks that go on in this process; null until their request is found. */
  const working = new Map<string, OpenCall | null>();
  /** The progress that waiting calls have reported, by their tokens. */
  const reported = new Map<Id, number>();
  /** Tasks whose tools wait for input. */
  const questions = new Map<string, (given: JsonObject) => void>();

  function fromClient(line: Uint8Array): void {
    try {
      const frame = frameFrom(line);
      if (frame.kind === 'request' && take(frame, line)) return;
      if (frame.kind === 'notification' && isOwnCancel(frame.method, frame.params)) return;
      upstream.send(line);
    } catch (error) {
      if (!(error instanceof FrameFault)) throw error;
      answer(errorFrame(error.id, error.code, error.message));
    }
  }

  /** Whether the guard answers the request itself, now or later. @throws FrameFault */
  function take(request: Request, line: Uint8Array): boolean {
    const { id, method, params } = request;
    switch (method) {
      case 'tools/call':
        void callTool(request, toolCallOf(request), line);
        return true;
      case 'tools/list':
        changing.set(id, (result) => shownTools(policy, lock, result, isModern(params)));
        return false;
      case 'server/discover':
        changing.set(id, withTasks);
        return false;
      case 'initialize':
        changing.set(id, agreed);
        return false;
      case 'tasks/get':
      case 'tasks/update':
      case 'tasks/cancel': {
        const task = tasks.find(params?.['taskId']);
        if (task === null) return false;
        if (takesTasks(params)) void aboutTask(id, method, task, params?.['inputResponses']);
        else answer(NO_TASKS(id));
        return true;
      }
      default:
        return false;
    }
  }

  function isOwnCancel(method: string, params: Params): boolean {
    if (method !== 'notifications/cancelled') return false;
    const call = open.get(params?.['requestId'] as Id);
    call?.abort();
    return call !== undefined;
  }

  async function callTool(request: Request, call: ToolCall, line: Uint8Array): Promise<void> {
    const { id, params } = request;
    const control = new AbortController();
    open.set(id, control);
    try {
      const seen = await calls.judge(call, false);
      if (seen.match.do === 'allow' && !seen.isChanged) {
        open.delete(id);
        // Its arguments decided: the server must not read them otherwise.
        if (seen.match.rule !== null && seen.match.rule.when.length > 0 && hasTwins(call.args))
          throw new FrameFault(id, INVALID_PARAMS, 'Two names differ in their case alone.');
        upstream.send(line);
        return;
      }
      const judged = seen.match.do === 'ask' ? await calls.judge(call, true) : seen;
      const end = stopped(judged, call);
      if (end !== null) return tell(request, judged, { kind: 'end', end, asked: null });
      const { requestState: state, inputResponses: responses } = params ?? {};
      const isMore = state !== undefined || responses !== undefined;
      if (isMore && !calls.isAsking(call, state))
        throw new FrameFault(id, INVALID_PARAMS, NOT_ASKED);
      const opened = await calls.open(call, judged);
      if ('kind' in opened) return tell(request, judged, opened);
      if (isMore && !opened.answer(state as string, { responses, meta: call.meta }))
        throw new FrameFault(id, INVALID_PARAMS, NOT_ASKED);
      if (takesTasks(params) && !isMore) {
        const task = tasks.create(call, opened.asked);
        answer(resultFrame(id, shownTask(task, 'task')));
        return void work(task, opened, judged);
      }
      const stop = reporting(params, opened);
      const ended = await opened
        .settle({ holdMs: judged.match.rule?.holdMs ?? USUAL.holdMs, signal: control.signal })
        .finally(stop);
      // The end goes to the next call of the same words.
      if (control.signal.aborted) return;
      tell(request, judged, ended);
      opened.told(ended);
    } catch (error) {
      if (error instanceof FrameFault) answer(errorFrame(id, error.code, error.message));
      else
        answer(errorFrame(id, INTERNAL_ERROR, `The guard cannot judge the call: ${String(error)}`));
    } finally {
      open.delete(id);
    }
  }

  function tell({ id, params }: Request, { definition }: Judged, ended: Ended): void {
    if (ended.kind === 'error') {
      answer(JSON.stringify({ jsonrpc: '2.0', id, error: ended.fault.error }));
      return;
    }
    answer(
      resultFrame(id, resultFor(ended, isModern(params), definition?.hasOutputSchema ?? true)),
    );
  }

  /** Tells a client that wants it that a person is awaited. */
  function reporting(params: Params, opened: OpenCall): () => void {
    const progressToken = progressTokenOf(params);
    if (progressToken === null) return () => {};
    const report = () => {
      if (opened.isLaunched()) return;
      const message = `Waits for a person: ${opened.asked.link}`;
      const progress = (reported.get(progressToken) ?? 0) + 1;
      reported.set(progressToken, progress);
      const about = { progressToken, progress, message };
      answer(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: about }));
    };
    report();
    const timer = setInterval(report, PROGRESS_MS);
    return () => {
      clearInterval(timer);
      reported.delete(progressToken);
    };
  }

  /** The tool's own progress goes on from that of the wait: it may only rise. */
  function raised(line: string): string {
    if (reported.size === 0 || !line.includes('notifications/progress')) return line;
    const message = parsed(line);
    const params = isObject(message) ? message['params'] : undefined;
    if (!isObject(message) || !isObject(params)) return line;
    const { progress, total, progressToken } = params;
    const last = reported.get(progressToken as Id);
    if (last === undefined || typeof progress !== 'number') return line;
    const by = last + 1;
    const risen = {
      progress: progress + by,
      ...(typeof total === 'number' && { total: total + by }),
    };
    return JSON.stringify({ ...message, params: { ...params, ...risen } });
  }

  /** Goes on with a task to its end. */
  async function work(task: Task, opened: OpenCall, judged: Judged): Promise<void> {
    working.set(task.id, opened);
    let ended = await opened.settle({});
    while (ended.kind === 'question') {
      await answered(task, opened, ended.question);
      ended = await opened.settle({});
    }
    working.delete(task.id);
    // The service is away: the task goes on when its client looks at it again, or with the next process.
    if (ended.kind === 'end' && ended.end.state === 'unavailable') return;
    if (ended.kind === 'error') tasks.end(task, { status: 'failed', error: ended.fault.error });
    else {
      const isCancelled = ended.kind === 'end' && tasks.find(task.id)?.status === 'cancelled';
      const result = resultFor(ended, true, judged.definition?.hasOutputSchema ?? true);
      if (!isCancelled) tasks.end(task, { status: 'completed', result });
    }
    opened.told(ended);
  }

  /** Shows the question of a tool with its task until the client has answered all of it. */
  function answered(task: Task, opened: OpenCall, question: Question): Promise<void> {
    const round = randomBytes(6).toString('base64url');
    const requests = Object.entries(isObject(question.requests) ? question.requests : {});
    const responses: Record<string, JsonValue> = {};
    return new Promise((settle) => {
      const take = (given: JsonObject) => {
        for (const [name] of requests) {
          const response = given[`${round}-${name}`];
          if (response !== undefined) responses[name] ??= response;
        }
        const left = requests.filter(([name]) => responses[name] === undefined);
        if (left.length > 0) {
          // A name stands for one question in the whole life of a task.
          const shown = left.map(([name, request]) => [`${round}-${name}`, request]);
          tasks.ask(task, Object.fromEntries(shown) as JsonObject);
          return;
        }
        questions.delete(task.id);
        tasks.ask(task, null);
        const { meta } = task.call;
        opened.answer(question.state, {
          responses: requests.length > 0 ? responses : undefined,
          meta,
        });
        settle();
      };
      questions.set(task.id, take);
      void opened.ended().then(() => {
        questions.delete(task.id);
        settle();
      });
      take({});
    });
  }

  /** Goes on with a task of a process that is gone, or whose service was away. */
  function goOn(task: Task): void {
    if (working.has(task.id)) return;
    working.set(task.id, null);
    void (async () => {
      const judged = await calls.judge(task.call, true);
      const end = stopped(judged, task.call);
      const opened =
        end === null
          ? await calls.open(task.call, judged)
          : ({ kind: 'end', end, asked: task.asked } as const);
      if (!('kind' in opened)) return work(task, opened, judged);
      if (opened.kind === 'end' && opened.end.state !== 'unavailable')
        tasks.end(task, { status: 'completed', result: resultFor(opened, true, false) });
    })()
      .catch(() => {})
      .finally(() => working.delete(task.id));
  }

  async function aboutTask(
    id: Id,
    method: string,
    task: Task,
    inputResponses: JsonValue | undefined,
  ): Promise<void> {
    if (method === 'tasks/get' && isOpen(task)) goOn(task);
    if (method === 'tasks/get') return answer(resultFrame(id, shownTask(task, 'complete')));
    if (method === 'tasks/update' && isObject(inputResponses))
      questions.get(task.id)?.(inputResponses);
    try {
      const isLaunched = working.get(task.id)?.isLaunched() === true;
      if (method === 'tasks/cancel' && task.status === 'working' && !isLaunched) {
        const key = keyOf(
          'cancel',
          client.tenant as string,
          client.producer as string,
          task.asked.id,
        );
        await client.call(cancel, { id: task.asked.id, body: {}, key });
        tasks.end(task, { status: 'cancelled' });
      }
    } catch {
      // People have decided meanwhile: the task goes its way, which the next look shows.
    }
    answer(resultFrame(id, { resultType: 'complete' }));
  }

  function fromServer(line: string): void {
    if (peer.take(line)) return;
    if (line.includes('notifications/tools/list_changed')) calls.forget();
    const found = changing.size === 0 ? null : answerFrom(line);
    const change = found === null ? undefined : changing.get(found.id);
    if (found === null || change === undefined) return answer(raised(line));
    changing.delete(found.id);
    const { result } = found.value;
    if (!isObject(result)) return answer(line);
    answer(JSON.stringify({ ...found.value, result: change(result) }));
  }

  function agreed(result: JsonObject): JsonObject {
    const { protocolVersion } = result;
    if (typeof protocolVersion === 'string') upstream.setProtocolVersion(protocolVersion);
    return result;
  }

  return {
    ...{ fromClient, fromServer },
    resume() {
      for (const task of tasks.open()) goOn(task);
    },
    async idle() {
      await calls.idle();
      // Nothing but writing the answer is left between the end of a run and its client.
      await new Promise((resume) => setImmediate(resume));
    },
  };
}

/** Why a call does not come before people; null where it does. */
function stopped({ match, isChanged, definition }: Judged, { tool }: ToolCall): CallEnd | null {
  if (match.do === 'deny' || definition === null)
    return {
      ...{ state: 'denied', isFinal: false },
      sentence: `The tool ${tool} is not there, or the policy denies this call of it. It did not run.`,
    };
  return isChanged ? CHANGED : null;
}

function resultFor(
  ended: Exclude<Ended, { kind: 'error' }>,
  modern: boolean,
  hasOutputSchema: boolean,
): JsonObject {
  if (ended.kind === 'result') return ended.result;
  if (ended.kind === 'question') {
    const { state, requests } = ended.question;
    const asks = { ...(requests !== undefined && { inputRequests: requests }) };
    return { resultType: 'input_required', ...asks, requestState: state };
  }
  const { end, asked } = ended;
  const told = { request: asked?.id ?? null, link: asked?.link ?? null };
  return resultOf(end, told, { isModern: modern, hasOutputSchema });
}

/** @throws FrameFault */
function toolCallOf({ id, params = {} }: Request): ToolCall {
  requireNames(params, CALL_MEMBERS, id, INVALID_PARAMS);
  const { name, arguments: args = {} } = params;
  if (typeof name !== 'string' || !isObject(args))
    throw new FrameFault(id, INVALID_PARAMS, 'name has to be a text, and arguments an object.');
  // In canonical order: the same call is the same bytes for the server, in whatever order its client writes it.
  const canonical = JSON.parse(canonicalText(args)) as JsonObject;
  return {
    tool: name,
    args: canonical,
    meta: metaFor(params),
    ownMeta: metaForOwn(params),
    abilities: abilitiesOf(params),
  };
}
