import { createHash } from 'node:crypto';

/** Kinds of signatures under a note: a log's own, and a witness's with its time. */
export const NOTE_ALGORITHM = { ed25519: 1, cosignature: 4 } as const;
export type NoteAlgorithm = (typeof NOTE_ALGORITHM)[keyof typeof NOTE_ALGORITHM];

/** A signer of notes: a name and a key (c2sp.org/signed-note). */
export interface NoteKey {
  readonly name: string;
  readonly algorithm: NoteAlgorithm;
  /** The 32 bytes of an Ed25519 public key. */
  readonly publicKey: Uint8Array;
}

export interface NoteSignature {
  readonly name: string;
  /** Four bytes, as eight hex digits. */
  readonly keyId: string;
  readonly signature: Buffer;
  /** The whole line, without its end. */
  readonly line: string;
}

export interface Note {
  /** The signed text: lines, each with its end. */
  readonly body: string;
  readonly signatures: readonly NoteSignature[];
}

const MOST_SIGNATURES = 100;
const MOST_BYTES = 1_000_000;
const KEY_NAME = /^[^\s+\p{Cc}]+$/u;
const SIGNATURE = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/u;
/** Control characters, the end of a line apart, are in no note. */
const FORBIDDEN = /[^\P{Cc}\n]/u;

/** Four bytes that tell keys of one name apart, as eight hex digits. */
export function noteKeyId({ name, algorithm, publicKey }: NoteKey): string {
  const hash = createHash('sha256').update(`${name}\n`).update(Buffer.of(algorithm));
  return hash.update(publicKey).digest('hex').slice(0, 8);
}

/** `<name>+<key id>+<base64>`: the verifier key in the format of other tools. */
export function verifierKeyText(key: NoteKey): string {
  const material = Buffer.concat([Buffer.of(key.algorithm), key.publicKey]);
  return `${key.name}+${noteKeyId(key)}+${material.toString('base64')}`;
}

/** Reads such a text; null when it is none, or of another kind of key. */
export function readVerifierKey(text: string): NoteKey | null {
  const [, name = '', keyId = '', base64 = ''] =
    /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const material = decodeBase64(base64);
  if (!KEY_NAME.test(name) || material?.length !== 33) return null;
  const algorithm = Object.values(NOTE_ALGORITHM).find((known) => known === material[0]);
  if (algorithm === undefined) return null;
  const key = { name, algorithm, publicKey: material.subarray(1) };
  return noteKeyId(key) === keyId ? key : null;
}

export function signatureLine(key: NoteKey, signature: Uint8Array): string {
  const bytes = Buffer.concat([Buffer.from(noteKeyId(key), 'hex'), signature]);
  return `— ${key.name} ${bytes.toString('base64')}`;
}

/** A note with these lines of signatures under it. */
export function noteText(body: string, lines: readonly string[]): string {
  return `${body}\n${lines.map((line) => `${line}\n`).join('')}`;
}

/** Takes a note apart without judging its signatures; null when it is malformed. */
export function readNote(text: string): Note | null {
  if (text.length > MOST_BYTES || FORBIDDEN.test(text)) return null;
  const split = text.lastIndexOf('\n\n');
  if (split < 0 || !text.endsWith('\n')) return null;
  const body = text.slice(0, split + 1);
  const signatures = readSignatures(text.slice(split + 2));
  return signatures === null || signatures.length === 0 ? null : { body, signatures };
}

/** Lines of signatures by themselves, as a witness answers with them; null when one is malformed. */
export function readSignatures(text: string): NoteSignature[] | null {
  if (text !== '' && !text.endsWith('\n')) return null;
  const lines = text.split('\n').slice(0, -1);
  if (lines.length > MOST_SIGNATURES) return null;
  const signatures = lines.map(readLine);
  return signatures.every((signature) => signature !== null) ? signatures : null;
}

function readLine(line: string): NoteSignature | null {
  const [, name = '', base64 = ''] = SIGNATURE.exec(line) ?? [];
  const bytes = decodeBase64(base64);
  if (bytes === null || bytes.length < 5 || !KEY_NAME.test(name)) return null;
  return { name, keyId: bytes.subarray(0, 4).toString('hex'), signature: bytes.subarray(4), line };
}

/** Bytes of a base64 text in the one spelling that encodes them. */
export function decodeBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}
