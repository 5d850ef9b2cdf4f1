import { createWriteStream, existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';

const KEPT_BYTES = 20 * 1024 * 1024;
const SHOWN_LEVELS: readonly unknown[] = ['error', 'fatal'];

export interface LogFile {
  /** Sends a child's output here, and each of its lines to `onLine`. */
  follow(stream: Readable, onLine: (line: string) => void): void;
  close(): void;
}

/** The log of one target, appended to; the former one is put aside when it has grown large. */
export function openLog(path: string): LogFile {
  if (existsSync(path) && statSync(path).size > KEPT_BYTES) renameSync(path, `${path}.1`);
  const file = createWriteStream(path, { flags: 'a', mode: 0o600 });
  return {
    follow(stream, onLine) {
      let rest = '';
      stream.setEncoding('utf8');
      stream.on('data', (text: string) => {
        file.write(text);
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        lines.forEach(onLine);
      });
    },
    close: () => file.end(),
  };
}

/** A line of a target's log: that it serves, something worth showing, or nothing to anybody but the file. */
export function readLogLine(line: string): { ready: true } | { show: string } | null {
  if (!line.startsWith('{')) return null;
  try {
    const entry = JSON.parse(line) as Record<string, unknown>;
    if (entry['ready'] === true) return { ready: true };
    if (!SHOWN_LEVELS.includes(entry['level'])) return null;
    const { err } = entry as { err?: { message?: string } };
    return { show: [entry['msg'], err?.message].filter(Boolean).join(': ') };
  } catch {
    return null;
  }
}

/** The last lines of a log, for a person who has to see why something ended. */
export function endOfLog(path: string, lines = 12): string {
  return existsSync(path)
    ? readFileSync(path, 'utf8').trimEnd().split('\n').slice(-lines).join('\n')
    : '(no output)';
}
