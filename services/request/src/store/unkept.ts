/** Stands for U+0000, which JSON carries and Postgres keeps in no text, in columns that only help to find and to list. */
export const UNKEPT = '\ufffd';

/** Whether canonical text spells U+0000, which jsonb cannot hold; `\\u0000` is a backslash and five characters. */
export function spellsNul(canonical: string): boolean {
  return /(?:^|[^\\])(?:\\\\)*\\u0000/.test(canonical);
}
