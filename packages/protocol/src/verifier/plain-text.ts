const LONGEST = 600;

/** Control characters, and what is invisible, turns the direction of writing or ends a line. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu;

/** A text out of a hostile file, fit for a terminal and for one line: nothing in it acts or hides. */
export function plainText(text: string): string {
  // Not more than needed: a cut may fall into a surrogate pair, which is then written as an escape.
  const short = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return short.replace(
    UNPRINTABLE,
    (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`,
  );
}
