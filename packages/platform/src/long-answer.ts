import type { Answer } from './answer.js';
import type { BusReply } from './bus/types.js';
import { turn } from './turn.js';

/** UTF-8 in pieces, none of which is much work. */
type Pieces = readonly Uint8Array[];

/** JSON text, or a text that becomes a JSON string. */
export type AnswerPart = string | Pieces | { readonly quoted: string | Uint8Array | Pieces | null };

/** How much is copied before others get their turn. */
const COPIED_AT_ONCE = 2 * 1024 * 1024;

/**
 * An answer of parts one after the other, which together are a value of that type. Where one of them is in pieces the answer
 * is bytes, made piece by piece: others get their turn between two.
 */
export async function answerOf<Output, Status extends number = 200>(
  status: Status,
  parts: readonly AnswerPart[],
): Promise<Answer<Output, Status>> {
  return (await joinedReply(status, parts)) as Answer<Output, Status>;
}

async function joinedReply(status: number, parts: readonly AnswerPart[]): Promise<BusReply> {
  if (!parts.some(isInPieces)) return { status, body: parts.map(textOfPart).join('') };
  const chunks: Uint8Array[] = [];
  for (const part of parts) {
    if (!isInPieces(part)) chunks.push(Buffer.from(textOfPart(part)));
    else if (isPieces(part)) chunks.push(...part);
    else {
      chunks.push(Buffer.from('"'));
      for (const piece of part.quoted) {
        chunks.push(escaped(piece));
        await turn();
      }
      chunks.push(Buffer.from('"'));
    }
  }
  return { status, body: '', bytes: await joined(chunks) };
}

function isPieces(value: AnswerPart | Uint8Array | null): value is Pieces {
  return Array.isArray(value);
}

function isInPieces(part: AnswerPart): part is Pieces | { readonly quoted: Pieces } {
  return isPieces(part) || (typeof part !== 'string' && isPieces(part.quoted as never));
}

/** Of one that is not in pieces. */
function textOfPart(part: AnswerPart): string {
  if (typeof part === 'string') return part;
  const { quoted } = part as { readonly quoted: string | Uint8Array | null };
  return JSON.stringify(quoted instanceof Uint8Array ? Buffer.from(quoted).toString() : quoted);
}

/**
 * The text between the quotes of a JSON string. Bytes are escaped one by one: none in a character of several bytes is one
 * that JSON escapes, so a piece may end anywhere.
 */
function escaped(utf8: Uint8Array): Uint8Array {
  const { buffer, byteOffset, length } = utf8;
  const text = Buffer.from(buffer, byteOffset, length).toString('latin1');
  return Buffer.from(JSON.stringify(text).slice(1, -1), 'latin1');
}

/** One run of bytes, copied in turns with others' work. */
async function joined(chunks: readonly Uint8Array[]): Promise<Uint8Array> {
  const whole = Buffer.allocUnsafeSlow(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  let copied = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
    copied += chunk.length;
    if (copied < COPIED_AT_ONCE) continue;
    copied = 0;
    await turn();
  }
  return whole;
}
