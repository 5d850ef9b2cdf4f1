import { randomUUID } from 'node:crypto';
import type { Core } from './core.js';
import type { Message } from './envelope.js';
import { Fault } from './fault.js';
import type { Run } from './run.js';
import type { Conversation } from './session.js';
import { cancelCallsOf } from './tool-calls.js';

const STATUS_OF = { OK: 'finished', CANCELLED: 'cancelled', ERROR: 'error' } as const;

/** @throws {Fault} MAX_RUNS_EXCEEDED; INVALID_MESSAGE when a run of this id is active */
export function startRun(core: Core, from: Conversation, message: Message): void {
  if (from.runs.size >= core.config.maxConcurrentRuns) {
    throw new Fault('MAX_RUNS_EXCEEDED', 'This session has as many runs as it may.', {
      relatedId: message.id,
    });
  }
  const runId = runIdOf(message) ?? randomUUID();
  if (from.runs.has(runId)) {
    throw new Fault('INVALID_MESSAGE', 'A run of this id is active.', { relatedId: message.id });
  }
  const threadId = nameIn(message.payload['thread_id']) ?? message.thread_id;
  const { metadata } = message.payload;
  const run: Run = {
    runId,
    ...(threadId === undefined ? {} : { threadId }),
    status: 'active',
    startTime: core.now(),
    ...(metadata === undefined ? {} : { metadata }),
  };
  from.runs.set(runId, run);
  from.session.activeRuns.add(runId);
  const thread = threadId === undefined ? {} : { thread_id: threadId };
  core.outbound.send(from, {
    type: 'RUN_STARTED',
    channel: 'SYSTEM',
    run_id: runId,
    ...thread,
    payload: { run_id: runId, ...thread },
  });
  core.emit('runStarted', from.session.id, run);
}

/** RUN_FINISHED of a client. @throws {Fault} MISSING_RUN_ID, RUN_NOT_FOUND */
export function finishRun(core: Core, from: Conversation, message: Message): void {
  const { status = 'OK', summary } = message.payload;
  const run = runOf(from, message);
  if (summary !== undefined) run.summary = summary;
  end(core, from, run, STATUS_OF[status as keyof typeof STATUS_OF]);
}

/** @throws {Fault} MISSING_RUN_ID, RUN_NOT_FOUND */
export function cancelRun(core: Core, from: Conversation, message: Message): void {
  end(core, from, runOf(from, message), 'cancelled');
}

/** RUN_ERROR of a client. @throws {Fault} MISSING_RUN_ID, RUN_NOT_FOUND */
export function failRun(core: Core, from: Conversation, message: Message): void {
  const run = runOf(from, message);
  const { code, message: text, related_id, detail } = message.payload;
  run.error = { code, message: text, related_id, detail };
  end(core, from, run, 'error');
}

/** The session is over, and nobody is there to be told. */
export function abandonRuns(core: Core, of: Conversation): void {
  for (const run of of.runs.values()) {
    run.status = 'cancelled';
    run.endTime = core.now();
    core.emit('runCancelled', of.session.id, run);
  }
  of.runs.clear();
  of.session.activeRuns.clear();
}

function end(core: Core, from: Conversation, run: Run, status: Exclude<Run['status'], 'active'>) {
  run.status = status;
  run.endTime = core.now();
  from.runs.delete(run.runId);
  from.session.activeRuns.delete(run.runId);
  if (status !== 'finished') cancelCallsOf(core, from, run.runId);
  const answer = { finished: 'OK', cancelled: 'CANCELLED', error: 'ERROR' }[status];
  core.outbound.send(from, {
    type: 'RUN_FINISHED',
    channel: 'SYSTEM',
    run_id: run.runId,
    payload: { run_id: run.runId, status: answer },
  });
  core.emit(status === 'cancelled' ? 'runCancelled' : 'runFinished', from.session.id, run);
}

function runOf(from: Conversation, message: Message): Run {
  const runId = runIdOf(message);
  const relatedId = message.id;
  if (runId === undefined)
    throw new Fault('MISSING_RUN_ID', 'A run id is required.', { relatedId });
  const run = from.runs.get(runId);
  if (run === undefined) {
    throw new Fault('RUN_NOT_FOUND', 'There is no active run of this id.', { relatedId });
  }
  return run;
}

function runIdOf(message: Message): string | undefined {
  return nameIn(message.payload['run_id']) ?? message.run_id;
}

function nameIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
