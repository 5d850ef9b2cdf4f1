import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** JSON of any shape, as tests look into it. */

export type Json = any;

/** A client that writes and reads the frames themselves. */
export interface Session {
  readonly process: ChildProcess;
  /** All that came, in order. */
  readonly lines: string[];
  said(): string;
  write(text: string): void;
  /** The answer to a request, with `result` or `error`. */
  request(method: string, params?: object): Promise<Json>;
  /** Sends a request; its answer may be awaited later, and `id` names it. */
  begin(method: string, params?: object): { readonly id: number; readonly answer: Promise<Json> };
  /** As clients before 2026-07-28 begin. */
  initialize(): Promise<Json>;
  readonly ended: Promise<number | null>;
  /** Closes its input, and gives the code of its end. */
  close(): Promise<number | null>;
}

interface Waiting {
  settle(answer: Json): void;
  fail(error: Error): void;
}

export function sessionOf(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): Session {
  const child = spawn(program, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  const lines: string[] = [];
  const waiting = new Map<number, Waiting>();
  let stderr = '';
  let rest = '';
  let count = 0;
  child.stdin.on('error', () => {});
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdout.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split('\n');
    rest = parts.pop() as string;
    for (const line of parts) {
      lines.push(line);
      const frame = JSON.parse(line) as { id?: number; method?: string };
      if (frame.method === undefined) waiting.get(frame.id as number)?.settle(frame);
    }
  });
  const ended = once(child, 'close').then(([code]) => {
    for (const { fail } of waiting.values()) fail(new Error(`it ended with ${code}: ${stderr}`));
    return code as number | null;
  });
  function begin(method: string, params?: object) {
    count += 1;
    const id = count;
    const answer = new Promise<Json>((settle, fail) => waiting.set(id, { settle, fail }));
    // A test that kills the guard awaits no answer.
    answer.catch(() => {});
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return { id, answer };
  }
  const request = (method: string, params?: object) => begin(method, params).answer;
  return {
    ...{ process: child, lines, ended, begin, request },
    said: () => stderr,
    write: (text) => void child.stdin.write(text),
    async initialize() {
      const answer = await request('initialize', {
        ...{ protocolVersion: '2025-11-25', capabilities: {} },
        clientInfo: { name: 'test', version: '1' },
      });
      child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
      return answer;
    },
    async close() {
      child.stdin.end();
      return ended;
    },
  };
}

/** `_meta` of requests since 2026-07-28. */
export function modern(capabilities: object = {}): object {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
}
