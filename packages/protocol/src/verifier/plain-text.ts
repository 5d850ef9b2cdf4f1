const LONGEST = 600;

/** Control characters, and characters that are invisible, change the writing direction or end a line. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu;

/** Makes a text of a hostile file safe for a terminal and for one line: no character acts or hides. */
export function plainText(text: string): string {
  // The cut may fall into a surrogate pair, which is then written as an escape.
  const short = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return short.replace(
    UNPRINTABLE,
    (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`,
  );
}
