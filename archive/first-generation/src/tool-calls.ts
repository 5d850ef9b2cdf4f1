import type { Core } from './core.js';
import type { Message } from './envelope.js';
import { Fault } from './fault.js';
import type { Conversation } from './session.js';
import type { Call, ToolExecution } from './tool-execution.js';

export type ToolOutcome = 'OK' | 'CANCELLED' | 'ERROR';

const STATUS_OF = { OK: 'completed', CANCELLED: 'cancelled', ERROR: 'error' } as const;
const REMEMBERED = 1000;

/** TOOL_CALL. @throws {Fault} TOOL_NOT_FOUND, INSUFFICIENT_CREDITS, INVALID_MESSAGE */
export function startCall(core: Core, from: Conversation, message: Message): void {
  const callId = message.payload['call_id'] as string;
  const toolName = message.payload['tool'] as string;
  const args = message.payload['params'] ?? {};
  const origin = { relatedId: message.id };
  const refuse = (code: Fault['code'], text: string, detail: object = {}) =>
    new Fault(code, text, { ...origin, detail: { call_id: callId, ...detail } });

  const tool = core.tools.find(toolName);
  if (tool === undefined) throw refuse('TOOL_NOT_FOUND', 'There is no tool of this name.');
  if (from.calls.has(callId) || from.endedCalls.has(callId)) {
    throw refuse('INVALID_MESSAGE', 'A call of this id has been made.');
  }
  if (from.calls.size >= core.config.maxConcurrentTools) {
    throw refuse('INSUFFICIENT_CREDITS', 'This session has as many calls as it may.');
  }
  const faults = core.tools.faultsOf(toolName, args);
  if (faults.length > 0) {
    throw refuse('INVALID_MESSAGE', "The arguments do not fit the tool's schema.", { faults });
  }
  const call = open(core, from, message, {
    callId,
    toolName,
    arguments: args,
    status: 'pending',
    startTime: core.now(),
  });
  core.emit('toolCall', from.session.id, call.execution);
  // Its listener may have ended it already.
  if (from.calls.get(callId) !== call) return;
  call.execution.status = 'running';
  if (tool.execute !== undefined) void run(core, from, call);
}

function open(core: Core, from: Conversation, message: Message, execution: ToolExecution): Call {
  const timer = setTimeout(() => fail(core, from, execution.callId), core.config.toolTimeout);
  timer.unref();
  const call: Call = {
    execution,
    runId: message.run_id,
    messageId: message.id,
    controller: new AbortController(),
    timer,
  };
  from.calls.set(execution.callId, call);
  return call;
}

async function run(core: Core, from: Conversation, call: Call): Promise<void> {
  const { callId } = call.execution;
  const isOpen = () => from.calls.get(callId) === call;
  try {
    const result = await core.execute(call.execution, from.session.id, call.controller.signal);
    if (isOpen()) endCall(core, from, callId, 'OK', result);
  } catch (error) {
    if (isOpen()) fail(core, from, callId, error);
  }
}

/** The tool threw or took too long. What it threw is told to the server's own listeners alone. */
function fail(core: Core, from: Conversation, callId: string, cause?: unknown): void {
  const call = from.calls.get(callId);
  if (call === undefined) return;
  const text = cause === undefined ? 'The tool took too long.' : 'The tool failed.';
  const fault = new Fault('TOOL_EXECUTION_ERROR', text, {
    relatedId: call.messageId,
    detail: { call_id: callId },
    ...(cause === undefined ? {} : { cause }),
  });
  core.report(from, fault);
  endCall(core, from, callId, 'ERROR', { code: fault.code, message: fault.message });
}

/** Ends a call and says so. A call that has ended says no more; one that the server never saw is passed on. */
export function endCall(
  core: Core,
  from: Conversation,
  callId: string,
  status: ToolOutcome,
  result?: unknown,
): void {
  if (from.endedCalls.has(callId)) return;
  const call = from.calls.get(callId);
  // Sent before it is closed: a result that is no JSON leaves the call open to fail.
  core.outbound.send(from, {
    type: 'TOOL_DONE',
    channel: 'AGENT',
    ...(call?.runId === undefined ? {} : { run_id: call.runId }),
    payload: { call_id: callId, status, ...(result === undefined ? {} : { result }) },
  });
  if (call !== undefined) close(core, from, call, STATUS_OF[status], result);
}

function close(
  core: Core,
  from: Conversation,
  call: Call,
  status: ToolExecution['status'],
  result?: unknown,
): void {
  const { execution } = call;
  clearTimeout(call.timer);
  from.calls.delete(execution.callId);
  from.endedCalls.add(execution.callId);
  if (from.endedCalls.size > REMEMBERED) {
    from.endedCalls.delete(from.endedCalls.values().next().value as string);
  }
  execution.status = status;
  execution.endTime = core.now();
  if (result !== undefined) execution.result = result;
  if (status !== 'completed') call.controller.abort();
}

/** Says how far a call is. */
export function updateCall(
  core: Core,
  from: Conversation,
  callId: string,
  status: string,
  progress: number | undefined,
): void {
  if (from.endedCalls.has(callId)) return;
  const call = from.calls.get(callId);
  if (call !== undefined && progress !== undefined) call.execution.progress = progress;
  core.outbound.send(from, {
    type: 'TOOL_UPDATE',
    channel: 'AGENT',
    ...(call?.runId === undefined ? {} : { run_id: call.runId }),
    payload: { call_id: callId, status, ...(progress === undefined ? {} : { progress }) },
  });
}

/** TOOL_CANCEL. @throws {Fault} TOOL_NOT_FOUND when no such call is running */
export function cancelCall(core: Core, from: Conversation, message: Message): void {
  const callId = message.payload['call_id'] as string;
  if (!from.calls.has(callId)) {
    throw new Fault('TOOL_NOT_FOUND', 'There is no running call of this id.', {
      relatedId: message.id,
      detail: { call_id: callId },
    });
  }
  endCall(core, from, callId, 'CANCELLED');
}

export function cancelCallsOf(core: Core, from: Conversation, runId: string): void {
  for (const call of [...from.calls.values()]) {
    if (call.runId === runId) endCall(core, from, call.execution.callId, 'CANCELLED');
  }
}

/** The session is over, and nobody is there to be told. */
export function abandonCalls(core: Core, of: Conversation): void {
  for (const call of [...of.calls.values()]) close(core, of, call, 'cancelled');
}
