import { readFileSync } from 'node:fs';
import { isJsonObject, parseStrictJson, readCheckpoint } from '@countersign/protocol';
import type { JsonValue, TreeHead } from '@countersign/protocol';
import { writeDurably } from '../durable-file.js';
import { PlainError } from '../plain-error.js';
import { VIOLATIONS } from './violation.js';
import type { ViolationKind } from './violation.js';

/** What a monitor remembers. */
export interface WatchState {
  /** The checkpoint verified last; null before there is one. */
  readonly checkpoint: string | null;
  /** Violations that were reported and still last. */
  readonly told: readonly ViolationKind[];
}

export interface SeenCheckpoint {
  readonly state: WatchState;
  readonly head: TreeHead | null;
}

/** Reads the file of a state, which need not exist. Throws PlainError. */
export function readState(file: string, origin: string): SeenCheckpoint {
  let content: Uint8Array;
  try {
    content = readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { state: { checkpoint: null, told: [] }, head: null };
    throw new PlainError(`${file}: cannot be read (${code}).`);
  }
  const state = stateIn(content);
  if (state === null) throw new PlainError(`${file}: it is no state of \`countersign watch\`.`);
  const head = state.checkpoint === null ? null : (readCheckpoint(state.checkpoint)?.head ?? null);
  if (state.checkpoint !== null && head?.origin !== origin) {
    throw new PlainError(`${file}: it is not the state of ${origin}.`);
  }
  return { state, head };
}

/** Throws PlainError. */
export async function writeState(file: string, state: WatchState): Promise<void> {
  try {
    await writeDurably(file, `${JSON.stringify(state, null, 2)}\n`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new PlainError(`${file}: cannot be written (${code}).`);
  }
}

function stateIn(content: Uint8Array): WatchState | null {
  let value: JsonValue;
  try {
    value = parseStrictJson(content);
  } catch {
    return null;
  }
  if (!isJsonObject(value)) return null;
  const { checkpoint, told } = value;
  if (checkpoint !== null && typeof checkpoint !== 'string') return null;
  if (!Array.isArray(told)) return null;
  const kinds = told.map((kind) => VIOLATIONS.find((known) => known === kind));
  return kinds.every((kind) => kind !== undefined) ? { checkpoint, told: kinds } : null;
}
