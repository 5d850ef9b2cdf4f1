import type { TreeHead } from './checkpoint.js';
import { isSignedBy, readTreeHead } from './checkpoint.js';
import type { Note, NoteKey } from './note.js';
import { noteKeyId, readNote } from './note.js';

/** A checkpoint of any log; its signatures are not judged. */
export interface ReadCheckpoint {
  readonly note: Note;
  readonly head: TreeHead;
}

/** The first three lines, and lines that the log may have added (c2sp.org/tlog-checkpoint). */
const BODY = /^((?:[^\n]+\n){3})(?:[^\n]+\n)*$/;

/** Reads a checkpoint of any log, with its extension lines; null when it is malformed. */
export function readCheckpoint(text: string): ReadCheckpoint | null {
  const note = readNote(text);
  const [, lines = ''] = BODY.exec(note?.body ?? '') ?? [];
  const head = readTreeHead(lines);
  return note === null || head === null ? null : { note, head };
}

/**
 * The lines with which the log signed, by any of its keys: their number grows while a log changes its key. Null when there is
 * none, or when one has the name and id of a key and is not its signature: such a note is malformed (c2sp.org/signed-note).
 */
export function logSignatures(note: Note, keys: readonly NoteKey[]): string[] | null {
  const good: string[] = [];
  for (const signature of note.signatures) {
    const key = keys.find(
      (known) => known.name === signature.name && noteKeyId(known) === signature.keyId,
    );
    if (key === undefined) continue;
    if (!isSignedBy(key, note, signature)) return null;
    good.push(signature.line);
  }
  return good.length === 0 ? null : good;
}
