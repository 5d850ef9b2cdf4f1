const NEWLINE = 0x0a;
/** Of one message. */
const MOST_BYTES = 32 * 1_024 * 1_024;

/** Cuts a stream into lines, byte for byte; a line without its end is none. @throws RangeError for a line that is too long */
export async function* linesIn(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (;;) {
      const end = rest.indexOf(NEWLINE);
      const part = end < 0 ? rest : rest.subarray(0, end);
      parts.push(part);
      length += part.length;
      if (length > MOST_BYTES) throw new RangeError('a message is longer than 32 MiB');
      if (end < 0) break;
      const line = parts.length === 1 ? part : Buffer.concat(parts);
      [parts, length] = [[], 0];
      if (!isBlank(line)) yield line;
      rest = rest.subarray(end + 1);
    }
  }
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
