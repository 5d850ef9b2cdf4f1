import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { join, resolve } from 'node:path';

const PROGRAM = resolve(__dirname, '../../../deploy/countersign.mjs');

/** A command that runs on. */
export interface RunningCommand {
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Resolves with the first line of standard output; fails when the command ends before. */
  readonly firstLine: Promise<string>;
  /** Resolves with the exit code; null after a signal. */
  readonly ended: Promise<number | null>;
}

export function startCommand(args: readonly string[]): RunningCommand {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<number | null>((settle) => child.once('close', settle));
  const firstLine = new Promise<string>((settle, fail) => {
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      const end = stdout.indexOf('\n');
      if (end >= 0) settle(stdout.slice(0, end));
    });
    void ended.then((code) => fail(new Error(`it ended with ${code}: ${stderr}`)));
  });
  // The caller may wait for the end alone.
  firstLine.catch(() => {});
  return { child, stdout: () => stdout, stderr: () => stderr, firstLine, ended };
}

export interface RunningWitness extends RunningCommand {
  /** Its verifier key, and the prefix of its add-checkpoint: as `WITNESSES` takes them. */
  readonly setting: string;
  add(body: string): Promise<{ status: number; type: string; text: string }>;
  get(path: string): Promise<{ status: number; text: string }>;
}

/** A witness with the key `w.key` in this folder. */
export async function startWitness(
  folder: string,
  args: readonly string[],
): Promise<RunningWitness> {
  const command = startCommand([
    ...['witness', '--key', join(folder, 'w.key'), '--listen', '127.0.0.1:0', ...args],
  ]);
  const setting = await command.firstLine;
  const [, url = ''] = setting.split(' ');
  return {
    ...command,
    setting,
    async add(body) {
      const response = await fetch(`${url}/add-checkpoint`, { method: 'POST', body });
      const type = response.headers.get('content-type') ?? '';
      return { status: response.status, type, text: await response.text() };
    },
    async get(path) {
      const response = await fetch(`${url}${path}`);
      return { status: response.status, text: await response.text() };
    },
  };
}
