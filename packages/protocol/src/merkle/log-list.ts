import type { NoteKey } from './note.js';
import { NOTE_ALGORITHM, readVerifierKey, verifierKeyText } from './note.js';

/** A key that may sign for the log with this origin. */
export interface ListedLog {
  readonly key: NoteKey;
  readonly origin: string;
}

/** Logs by origin, each with its keys: more than one while a log changes its key. */
export type LogKeys = ReadonlyMap<string, readonly NoteKey[]>;

export type LogListReading =
  | { readonly logs: readonly ListedLog[]; readonly fault: null }
  | { readonly logs: null; readonly fault: string };

const HEADER = 'logs/v0';

/**
 * Reads a list of logs in the form of the public witness network: the line `logs/v0`, then of each key a line
 * `vkey <verifier key>` and, where the log's origin is not the name of the key, a line `origin <origin>`. Other words are for
 * other readers; `#` begins a comment.
 */
export function readLogList(text: string): LogListReading {
  const logs: ListedLog[] = [];
  let isBegun = false;
  for (const [at, line] of text.split('\n').entries()) {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    if (!isBegun && trimmed !== HEADER) return fault(at, `a list begins with the line ${HEADER}`);
    const [word, rest] = isBegun ? cut(trimmed) : ['', ''];
    isBegun = true;
    if (word === 'vkey') {
      const key = readLogKey(rest);
      if (key === null) return fault(at, 'the key is malformed or no Ed25519 key of a log');
      logs.push({ key, origin: key.name });
    } else if (word === 'origin') {
      const last = logs.pop();
      if (last === undefined) return fault(at, 'an origin follows the key of its log');
      logs.push({ ...last, origin: rest });
    }
  }
  return { logs, fault: null };
}

/** The verifier key of a log; null when the text is none, or the key is a witness's. */
export function readLogKey(text: string): NoteKey | null {
  const key = readVerifierKey(text);
  return key?.algorithm === NOTE_ALGORITHM.ed25519 ? key : null;
}

/** The keys of each origin, each key once. */
export function byOrigin(logs: readonly ListedLog[]): LogKeys {
  const keys = new Map<string, Map<string, NoteKey>>();
  for (const { key, origin } of logs) {
    const known = keys.get(origin) ?? new Map<string, NoteKey>();
    keys.set(origin, known.set(verifierKeyText(key), key));
  }
  return new Map([...keys].map(([origin, known]) => [origin, [...known.values()]]));
}

function cut(line: string): [string, string] {
  const at = line.search(/\s/);
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at).trim()];
}

function fault(at: number, says: string): LogListReading {
  return { logs: null, fault: `line ${at + 1}: ${says}.` };
}
