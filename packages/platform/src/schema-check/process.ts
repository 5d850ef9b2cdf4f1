import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isErrorCode, statusesOf } from '@countersign/protocol';
import type { SchemaJob, SchemaJobResult } from '@countersign/protocol';
import { confined } from './confined.js';
import type { SchemaCheckLimits } from './limits.js';

/** A process that checks schemas and holds nothing else. */
export interface CheckProcess {
  readonly pid: number | undefined;
  give(job: SchemaJob): void;
  kill(): void;
  readonly ended: Promise<void>;
}

/** None of these is called after `ended`. */
export interface CheckProcessEvents {
  ready(): void;
  answered(result: SchemaJobResult): void;
  /** It is gone. `outOfMemory`: by its own limits. `said`: its error output while it was loading. */
  ended(why: { outOfMemory: boolean; said: string }): void;
}

const PROGRAM = fileURLToPath(new URL('./program.js', import.meta.url));

/** Longer than any code: one that says more was taken over, and is ended. */
const LONGEST_ANSWER = 100;
const MOST_SAID = 2000;

/** The signals by which V8 ends when its heap is full or a stack overran its limit. */
const MEMORY_SIGNALS: readonly (NodeJS.Signals | null)[] = ['SIGABRT', 'SIGSEGV'];

export function startCheckProcess(
  limits: SchemaCheckLimits,
  events: CheckProcessEvents,
): CheckProcess {
  const { command, args, env } = confined([PROGRAM], limits);
  const child = spawn(command, args, { env, cwd: '/', stdio: ['pipe', 'pipe', 'pipe'] });
  let ready = false;
  let said = '';
  let line = '';

  child.stdout.setEncoding('latin1').on('data', (chunk: string) => {
    line += chunk;
    const end = line.indexOf('\n');
    if (end < 0 && line.length <= LONGEST_ANSWER) return;
    const answer = line.slice(0, Math.max(0, end));
    // It answers once for each job, and gets the next one only then.
    const alone = end === line.length - 1;
    line = '';
    const result = resultOf(answer);
    if (!ready && answer === 'ready' && alone) {
      ready = true;
      events.ready();
    } else if (ready && alone && result !== null) {
      events.answered(result);
    } else {
      child.kill('SIGKILL');
    }
  });
  // Later complaints could quote a schema.
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    if (!ready) said = (said + chunk).slice(0, MOST_SAID);
  });
  // One that is gone takes no more: its end says so.
  child.stdin.on('error', () => {});

  const ended = new Promise<void>((resolve) => {
    const end = (outOfMemory: boolean): void => {
      resolve();
      events.ended({ outOfMemory, said });
    };
    child.once('error', (error) => {
      said = error.message;
      if (child.pid === undefined) end(false);
    });
    // After the last of its output was read.
    child.once('close', (code, signal) => {
      if (child.pid !== undefined) end(MEMORY_SIGNALS.includes(signal) || code === 134);
    });
  });
  return {
    pid: child.pid,
    give: ({ schemaText, responseText }) =>
      void child.stdin.write(`${schemaText}\n${responseText ?? ''}\n`),
    kill: () => void child.kill('SIGKILL'),
    ended,
  };
}

/** Null for an answer that no check gives. */
function resultOf(answer: string): SchemaJobResult | null {
  if (answer === 'ok') return { ok: true };
  if (!isErrorCode(answer)) return null;
  const ofInput = statusesOf(answer).every((status) => status === 400 || status === 413);
  return ofInput ? { ok: false, code: answer } : null;
}

const TICK_MS = 10;

/** Processor time that a process has used, in milliseconds; null where the system does not say (other than Linux). */
export function processorTimeOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // Behind the name, which may hold anything.
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13);
    return (Number(user) + Number(system)) * TICK_MS;
  } catch {
    return null;
  }
}
