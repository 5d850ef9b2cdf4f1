import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@countersign/client/node';

import type { State } from '../tool-calls/state.js';
import type { Asked, ToolCall } from './calls.js';

/** A call that goes on while its client asks now and then (extension io.modelcontextprotocol/tasks). */
export interface Task {
  readonly id: string;
  readonly call: ToolCall;
  readonly asked: Asked;
  readonly createdAt: string;
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  readonly updatedAt: string;
  /** What its tool wants to know. */
  readonly inputRequests?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: JsonObject;
}

/** Two days for the people and the start, as a guard asks for, and a window. */
const LIVES_MS = 3 * 86_400_000;
const POLL_MS = 5_000;

export interface Tasks {
  create(call: ToolCall, asked: Asked): Task;
  /** Null for an id that is none of this guard's. */
  find(id: unknown): Task | null;
  end(task: Task, end: Pick<Task, 'status' | 'result' | 'error'>): void;
  /** Shows what its tool wants to know; null once it knows. */
  ask(task: Task, inputRequests: JsonObject | null): void;
  /** Those that a process before this one left. */
  open(): Task[];
}

export function tasksIn({ folder }: State): Tasks {
  const at = join(folder, 'tasks');
  mkdirSync(at, { recursive: true, mode: 0o700 });
  // The id is what its client knows: a reader of the folder's names learns none.
  const fileOf = (id: string) => join(at, createHash('sha256').update(id).digest('hex'));

  function write(task: Task): Task {
    const file = fileOf(task.id);
    writeFileSync(`${file}.new`, JSON.stringify(task), { mode: 0o600, flush: true });
    renameSync(`${file}.new`, file);
    return task;
  }

  return {
    create(call, asked) {
      const now = new Date().toISOString();
      const id = randomBytes(32).toString('base64url');
      return write({ ...{ id, call, asked, createdAt: now, updatedAt: now }, status: 'working' });
    },
    find(id) {
      if (typeof id !== 'string') return null;
      try {
        return JSON.parse(readFileSync(fileOf(id), 'utf8')) as Task;
      } catch {
        return null;
      }
    },
    end(task, end) {
      write({ ...task, ...end, updatedAt: new Date().toISOString() });
    },
    ask(task, inputRequests) {
      const updatedAt = new Date().toISOString();
      const asks = inputRequests && { status: 'input_required' as const, inputRequests };
      write({ ...task, updatedAt, ...asks });
    },
    open() {
      const tasks: Task[] = [];
      for (const name of readdirSync(at).filter((each) => /^[0-9a-f]{64}$/.test(each))) {
        const task = JSON.parse(readFileSync(join(at, name), 'utf8')) as Task;
        if (Date.parse(task.createdAt) + LIVES_MS < Date.now()) rmSync(join(at, name));
        else if (isOpen(task)) tasks.push({ ...task, status: 'working' });
      }
      return tasks;
    },
  };
}

export function isOpen({ status }: Task): boolean {
  return status === 'working' || status === 'input_required';
}

/** As the extension writes it; the result of a call belongs to an answer to `tasks/get` alone. */
export function shownTask(task: Task, resultType: 'task' | 'complete'): JsonObject {
  const { id, status, createdAt, updatedAt, asked, inputRequests, result, error } = task;
  return {
    ...{ resultType, taskId: id, status, createdAt, lastUpdatedAt: updatedAt },
    ...{ ttlMs: LIVES_MS, pollIntervalMs: POLL_MS },
    ...(status === 'working' && {
      statusMessage: `A person has to authorise this call first: ${asked.link}`,
    }),
    ...(status === 'input_required' && { inputRequests: inputRequests ?? {} }),
    ...(resultType === 'complete' && result !== undefined && { result }),
    ...(resultType === 'complete' && error !== undefined && { error }),
  };
}
