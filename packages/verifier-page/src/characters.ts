/** A piece of a text: as it is, or one character that a reader could not see. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'mark'; readonly code: number; readonly label: string };

// Ranges of characters that a reader cannot see, or not tell apart from a space.
const ranges: readonly (readonly [number, number])[] = [
  // Controls but tab and line feed; the no-break space ends the second row of them.
  [0x0000, 0x0008],
  [0x000b, 0x001f],
  [0x007f, 0x00a0],
  // Soft hyphen, joiner, bidirectional letter mark, fillers, vowels without shape, selectors.
  [0x00ad, 0x00ad],
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x1680, 0x1680],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  // Spaces, zero-width and bidirectional signs, line and paragraph separators, invisible operators.
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x3000, 0x3000],
  [0x3164, 0x3164],
  // Variation selectors, byte-order mark, another filler, annotations, and noncharacters.
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0xfffe, 0xffff],
  [0xd800, 0xdfff],
  // Signs of shorthand and music that format, tags, more variation selectors.
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];
const escaped = (code: number) => `\\u{${code.toString(16)}}`;
const hidden = new RegExp(
  `[${ranges.map(([from, to]) => `${escaped(from)}-${escaped(to)}`).join('')}]`,
  'gu',
);

const names: Readonly<Record<number, string>> = {
  0x00: 'NUL',
  0x07: 'BEL',
  0x08: 'BS',
  0x0b: 'VT',
  0x0c: 'FF',
  0x0d: 'CR',
  0x1b: 'ESC',
  0x7f: 'DEL',
  0x85: 'NEL',
  0xa0: 'NBSP',
  0xad: 'SHY',
  0x034f: 'CGJ',
  0x061c: 'ALM',
  0x200b: 'ZWSP',
  0x200c: 'ZWNJ',
  0x200d: 'ZWJ',
  0x200e: 'LRM',
  0x200f: 'RLM',
  0x2028: 'LSEP',
  0x2029: 'PSEP',
  0x202a: 'LRE',
  0x202b: 'RLE',
  0x202c: 'PDF',
  0x202d: 'LRO',
  0x202e: 'RLO',
  0x202f: 'NNBSP',
  0x2060: 'WJ',
  0x2066: 'LRI',
  0x2067: 'RLI',
  0x2068: 'FSI',
  0x2069: 'PDI',
  0x3000: 'IDSP',
  0xfeff: 'BOM',
};

/** The label of a character that cannot be seen: its short name, the letter that a tag stands for, or its number. */
export function labelOf(code: number): string {
  const name = names[code];
  if (name !== undefined) return name;
  if (code > 0xe0020 && code < 0xe007f) return `TAG ${String.fromCharCode(code - 0xe0000)}`;
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Splits a text into visible and invisible parts. Joiners and selectors inside an emoji are part of it and stay. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const found of text.matchAll(hidden)) {
    const at = found.index;
    const sign = found[0];
    if (belongsToEmoji(text, at, sign)) continue;
    if (at > from) pieces.push({ kind: 'text', text: text.slice(from, at) });
    const code = sign.codePointAt(0) as number;
    pieces.push({ kind: 'mark', code, label: labelOf(code) });
    from = at + sign.length;
  }
  if (from < text.length) pieces.push({ kind: 'text', text: text.slice(from) });
  return pieces;
}

/** Whether a text holds anything that a reader could not see. */
export function hasHidden(text: string): boolean {
  for (const found of text.matchAll(hidden)) {
    if (!belongsToEmoji(text, found.index, found[0])) return true;
  }
  return false;
}

function belongsToEmoji(text: string, at: number, sign: string): boolean {
  if (sign !== '\u200d' && sign !== '\ufe0f') return false;
  const before = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]$/u.test(
    text.slice(Math.max(0, at - 2), at),
  );
  if (sign === '\ufe0f') return before;
  return before && /^\p{Extended_Pictographic}/u.test(text.slice(at + 1, at + 3));
}
