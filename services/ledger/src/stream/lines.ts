import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { StreamedEntry } from '../store/security-stream.js';
import { SEND_MS, SinkUnavailable, faultOf, lineOf } from './sink.js';
import type { Sink } from './sink.js';

const { O_APPEND, O_CREAT, O_NONBLOCK, O_RDWR, O_WRONLY } = constants;
const LINE_END = Buffer.from('\n');
const FULL_PIPE_MS = 20;

/**
 * JSON lines into a file, which is opened for each batch so that it may be renamed meanwhile, or into a named pipe. A pipe
 * that has no reader is a collector that is away.
 */
export function fileSink(path: string): Sink {
  let pipe: FileHandle | null = null;
  /** Whether the last line in the pipe has no end. */
  let torn = false;

  async function closePipe(): Promise<void> {
    const open = pipe;
    pipe = null;
    await open?.close();
  }

  async function write(text: Buffer): Promise<void> {
    pipe ??= await openedPipe(path);
    if (pipe === null) return append(path, text);
    if (torn) await writeAll(pipe, LINE_END);
    torn = true;
    await writeAll(pipe, text);
    torn = false;
  }

  return {
    name: 'lines',
    async send(entries) {
      try {
        await write(linesOf(entries));
        return { refused: 0 };
      } catch (error) {
        await closePipe();
        throw error instanceof SinkUnavailable ? error : new SinkUnavailable(faultOf(error));
      }
    },
    close: closePipe,
  };
}

/** JSON lines on the standard output of the process, between the lines of its own log. */
export function stdoutSink(): Sink {
  return {
    name: 'lines',
    async send(entries) {
      await new Promise<void>((resolve, reject) => {
        process.stdout.write(linesOf(entries), (error) => {
          if (error) reject(new SinkUnavailable(faultOf(error)));
          else resolve();
        });
      });
      return { refused: 0 };
    },
  };
}

function linesOf(entries: readonly StreamedEntry[]): Buffer {
  return Buffer.from(entries.map((entry) => `${lineOf(entry)}\n`).join(''));
}

/** The named pipe of that path, or null for a file. A pipe without a reader fails to open instead of waiting for one. */
async function openedPipe(path: string): Promise<FileHandle | null> {
  const file = await open(path, O_WRONLY | O_CREAT | O_NONBLOCK, 0o600);
  if ((await file.stat()).isFIFO()) return file;
  await file.close();
  return null;
}

/** On its disk before it counts as sent. */
async function append(path: string, text: Buffer): Promise<void> {
  const file = await open(path, O_RDWR | O_APPEND);
  try {
    if (await endsInMidLine(file)) await writeAll(file, LINE_END);
    await writeAll(file, text);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** As a process leaves a file that dies, or whose disk is full. */
async function endsInMidLine(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return !buffer.equals(LINE_END);
}

/** Waits while a pipe is full, but not for ever. */
async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  const until = performance.now() + SEND_MS;
  let rest = bytes;
  while (rest.length > 0) {
    try {
      const { bytesWritten } = await file.write(rest);
      rest = rest.subarray(bytesWritten);
    } catch (error) {
      if (faultOf(error) !== 'EAGAIN') throw error;
      if (performance.now() > until) throw new SinkUnavailable('the pipe has no reader');
      await delay(FULL_PIPE_MS);
    }
  }
}
