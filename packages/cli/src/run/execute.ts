import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { NotDone, PartlyDone } from '@countersign/guard/node';
import type { ProbeAnswer, Run } from '@countersign/guard/node';

import { newHeldFiles } from './bound.js';
import type { Held } from './bound.js';
import { changeSince } from './proposal.js';
import type { Proposal } from './proposal.js';

/** How the command ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Execution {
  /** Copies that were made when the command was asked for, by path. */
  readonly held: ReadonlyMap<string, Held>;
  /** Between SIGTERM and SIGKILL, when it has to stop. */
  readonly graceMs: number;
  /** The variable with the producer's token, which the command has no use for. */
  readonly tokenVariable: string | undefined;
  /** Where its output goes: 1 for stdout, 2 when stdout is for the result. */
  readonly output: 1 | 2;
  onEnded(ended: Ended): void;
  onChanged(what: string): void;
  /** A signal came before the command started, which it then does not. */
  onSignal(): void;
}

/**
 * Runs exactly what was approved, and says by what it throws how it ended.
 *
 * @throws NotDone when it did not start, NotDone or PartlyDone for a code other than 0, as the proposal says, and Error for an
 *   end of which nothing is known
 */
export async function execute(proposal: Proposal, run: Run, execution: Execution): Promise<number> {
  const signals = takeSignals();
  try {
    const change = await changeSince(proposal);
    if (change !== null) throw changed(change, execution);
    return await executeUnchanged(proposal, run, execution, signals);
  } finally {
    signals.release();
  }
}

async function executeUnchanged(
  proposal: Proposal,
  run: Run,
  execution: Execution,
  signals: Signals,
): Promise<number> {
  const copies = await newHeldFiles();
  try {
    const files = new Map<string, string>();
    for (const { path, digest } of proposal.files) {
      // Bytes that were read again are those that run: what stands at the path may change meanwhile.
      const held = await copies.hold(execution.held.get(path)?.copy ?? path).catch(() => null);
      if (held?.digest !== digest) throw changed(`the file ${path} changed`, execution);
      files.set(path, held.copy);
    }
    const early = signals.early();
    if (early !== null) {
      execution.onSignal();
      throw new NotDone(`${early} came before the command started`);
    }
    const ended = await untilEnded(proposal, files, run, execution, signals);
    execution.onEnded(ended);
    return endOf(proposal, ended, run.signal.aborted);
  } finally {
    await copies.release();
  }
}

function changed(what: string, { onChanged }: Execution): NotDone {
  onChanged(what);
  return new NotDone(`${what} since it was approved`);
}

function endOf({ nonzero }: Proposal, { code, signal }: Ended, isStopped: boolean): number {
  if (code === 0) return 0;
  // The code of a command that was told to stop says nothing of what it did before.
  if (isStopped) throw new Error('the command was stopped');
  if (code === null) throw new Error(`the command was ended by ${signal}`);
  const reason = `the command ended with code ${code}`;
  if (nonzero === 'failed') throw new NotDone(reason);
  if (nonzero === 'failed_partial') throw new PartlyDone(reason);
  throw new Error(reason);
}

interface Signals {
  /** The first that came while there was no command. */
  early(): NodeJS.Signals | null;
  passTo(child: ChildProcess): void;
  release(): void;
}

const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;

/** Taken before there is a command: a signal in between would end this process, and leave a command that nothing stops. */
function takeSignals(): Signals {
  let early: NodeJS.Signals | null = null;
  let child: ChildProcess | null = null;
  const take = (signal: NodeJS.Signals) => {
    if (child === null) early ??= signal;
    else child.kill(signal);
  };
  for (const signal of PASSED_ON) process.on(signal, take);
  return {
    early: () => early,
    passTo: (started) => (child = started),
    release() {
      for (const signal of PASSED_ON) process.off(signal, take);
    },
  };
}

async function untilEnded(
  { argv, cwd, program }: Proposal,
  files: ReadonlyMap<string, string>,
  run: Run,
  { graceMs, tokenVariable, output }: Execution,
  signals: Signals,
): Promise<Ended> {
  const [, ...words] = argv;
  const child = spawn(
    program.path,
    words.map((word) => inPlace(word, files)),
    {
      argv0: argv[0],
      cwd,
      env: environment(run, tokenVariable),
      stdio: ['inherit', output, 2],
    },
  );
  signals.passTo(child);
  const stop = () => stopped(child, graceMs);
  run.signal.addEventListener('abort', stop, { once: true });
  if (run.signal.aborted) stop();
  try {
    return await new Promise<Ended>((resolve, reject) => {
      child.once('error', (error: NodeJS.ErrnoException) => {
        // An error after the start is one of a signal, and the end still comes.
        if (child.pid === undefined)
          reject(new NotDone(`the program could not be started (${error.code})`));
      });
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
  } finally {
    run.signal.removeEventListener('abort', stop);
  }
}

function stopped(child: ChildProcess, graceMs: number): void {
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), graceMs);
  child.once('exit', () => clearTimeout(kill));
}

/** A bound file's path, alone or behind `=`, becomes that of its copy. */
function inPlace(word: string, files: ReadonlyMap<string, string>): string {
  for (const [path, copy] of files) {
    if (word === path) return copy;
    if (word.endsWith(`=${path}`)) return word.slice(0, -path.length) + copy;
  }
  return word;
}

function environment(run: Run, tokenVariable: string | undefined): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    COUNTERSIGN_OCCURRENCE: run.occurrence,
    COUNTERSIGN_REQUEST: run.requestId,
    COUNTERSIGN_KEY: run.key,
    COUNTERSIGN_DEADLINE: run.deadline.toISOString(),
    ...(run.response !== undefined && { COUNTERSIGN_RESPONSE: JSON.stringify(run.response) }),
  };
  if (tokenVariable !== undefined) delete env[tokenVariable];
  return env;
}

/** Asks the probe: 0 is done, 1 is not done, and all else unknown. */
export function probe(
  { probe: command, cwd }: Proposal,
  { key, requestId }: { readonly key: string; readonly requestId: string },
  tokenVariable: string | undefined,
): Promise<ProbeAnswer> {
  if (command === null) return Promise.resolve('unknown');
  const env = { ...process.env, COUNTERSIGN_KEY: key, COUNTERSIGN_REQUEST: requestId };
  if (tokenVariable !== undefined) delete env[tokenVariable as keyof typeof env];
  const child = spawn('/bin/sh', ['-c', command], { cwd, env, stdio: ['ignore', 2, 2] });
  return new Promise((resolve) => {
    child.once('error', () => resolve('unknown'));
    child.once('exit', (code) =>
      resolve(code === 0 ? 'done' : code === 1 ? 'not done' : 'unknown'),
    );
  });
}
