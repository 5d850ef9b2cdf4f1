import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cosignaturesOf, readCheckpoint, verifierKeyText } from '@countersign/protocol';
import type { LogKeys, NoteKey, TreeHead } from '@countersign/protocol';
import { writeDurably } from '../durable-file.js';
import { holdFolder } from '../folder-hold.js';
import { PlainError } from '../plain-error.js';

/** The checkpoint of a log that a witness signed last: the log's signatures, and the witness's own. */
export interface Signed {
  readonly head: TreeHead;
  readonly checkpoint: string;
}

/** What a witness has signed, in a folder: nothing else keeps it from signing a second history. */
export interface WitnessState {
  latest(origin: string): Signed | null;
  /** By the SHA-256 of an origin, in hex. */
  byHash(hash: string): Signed | null;
  /** Resolves when no crash can take it back. */
  save(signed: Signed): Promise<void>;
  /** Keeps the first checkpoint of a log that contradicts the signed one: proof for everybody. */
  keepFork(origin: string, checkpoint: string): Promise<void>;
  /** Lets another process have the folder. */
  release(): Promise<void>;
}

/** Binds the folder to the key: an empty folder, or another witness's, is not taken for the state of this witness. */
const OWNER = 'witness';

/** Makes a folder for a new witness, which has signed nothing. Throws PlainError. */
export async function createState(folder: string, key: NoteKey): Promise<void> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    await writeDurably(join(folder, OWNER), `${verifierKeyText(key)}\n`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new PlainError(`${folder}: cannot be written (${code}).`);
  }
}

/**
 * Takes the folder for this process and reads what this witness signed of these logs.
 *
 * @throws PlainError when the folder is not its own or in use, or a file is not as it wrote it
 */
export async function openState(
  folder: string,
  key: NoteKey,
  logs: LogKeys,
): Promise<WitnessState> {
  if (textOf(join(folder, OWNER))?.trim() !== verifierKeyText(key)) {
    throw new PlainError(
      `${folder}: it is not the state of this witness. A witness that has lost its state must not sign again with its key: restore the folder, or make a new key with --new-key.`,
    );
  }
  const release = await holdFolder(folder);
  const signed = signedIn(folder, key, logs);
  return {
    latest: (origin) => signed.get(hashOf(origin)) ?? null,
    byHash: (hash) => signed.get(hash) ?? null,
    async save(next) {
      await writeDurably(fileOf(folder, next.head.origin), next.checkpoint);
      signed.set(hashOf(next.head.origin), next);
    },
    async keepFork(origin, checkpoint) {
      const file = join(folder, `${hashOf(origin)}.fork`);
      if (!existsSync(file)) await writeDurably(file, checkpoint);
    },
    release,
  };
}

/** By the hash of the origin. */
function signedIn(folder: string, key: NoteKey, logs: LogKeys): Map<string, Signed> {
  const signed = new Map<string, Signed>();
  for (const origin of logs.keys()) {
    const file = fileOf(folder, origin);
    const checkpoint = textOf(file);
    if (checkpoint === null) continue;
    const read = readCheckpoint(checkpoint);
    const isOwn =
      read !== null && cosignaturesOf(read.note.body, read.note.signatures, [key]).length > 0;
    if (!isOwn || read.head.origin !== origin) {
      throw new PlainError(
        `${file}: it is no checkpoint of ${origin} that this witness signed; restore the newest copy of the file.`,
      );
    }
    signed.set(hashOf(origin), { head: read.head, checkpoint });
  }
  return signed;
}

function fileOf(folder: string, origin: string): string {
  return join(folder, `${hashOf(origin)}.checkpoint`);
}

function hashOf(origin: string): string {
  return createHash('sha256').update(origin).digest('hex');
}

/** Null when there is no such file. */
function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new PlainError(`${file}: cannot be read (${code}).`);
  }
}
