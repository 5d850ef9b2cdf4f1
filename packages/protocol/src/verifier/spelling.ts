const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const SHORT_ESCAPES = new Set([...'"\\bfnrt'].map((letter) => letter.charCodeAt(0)));
/** The form in which JSON.stringify writes control characters without a short escape. */
const LONG_ESCAPE = /^00(?:0[0-7bef]|1[0-9a-f])$/;
const LONGEST_NUMBER = 25;
/** The characters of numbers. */
const NUMBER = new Set([...'-+.0123456789eE'].map((letter) => letter.charCodeAt(0)));

/**
 * Whether the same JSON is written differently from the service's form: white space, escapes, other forms of numbers. Its
 * meaning is the same, so no digest can show the difference. The document was read as JSON before.
 */
export function isRespelled(document: Uint8Array): boolean {
  const bytes = withoutEnd(document);
  let i = 0;
  while (i < bytes.length) {
    const byte = bytes[i] as number;
    if (byte === QUOTE) {
      for (i++; bytes[i] !== QUOTE && i < bytes.length; i++) {
        if (bytes[i] !== BACKSLASH) continue;
        i++;
        if (SHORT_ESCAPES.has(bytes[i] as number)) continue;
        if (!LONG_ESCAPE.test(letters(bytes, i + 1, i + 5))) return true;
        i += 4;
      }
      i++;
    } else if (byte <= SPACE) {
      return true;
    } else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      const start = i;
      while (i < bytes.length && NUMBER.has(bytes[i] as number)) i++;
      if (i - start > LONGEST_NUMBER) return true;
      const number = letters(bytes, start, i);
      if (String(Number(number)) !== number) return true;
    } else {
      i++;
    }
  }
  return false;
}

/** Editors and shells end files with a line break. */
function withoutEnd(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && (bytes[end - 1] === 0x0a || bytes[end - 1] === 0x0d)) end--;
  return bytes.subarray(0, end);
}

function letters(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}
