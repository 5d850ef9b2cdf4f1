import { INBOX_SEARCH, Refusal } from '@countersign/protocol';

/**
 * The words of a search, each in the spellings that a statement looks for, apart by spaces: Postgres may know the small letters
 * of ASCII alone. Percent-encoded on its way, as a header and within the message of a call. Throws `invalid_offset`.
 */
export function wordsOf(given: string | undefined): string[] {
  const refusal = new Refusal('invalid_offset', {
    detail: `The search text is percent-encoded UTF-8 of at most ${INBOX_SEARCH.characters} characters and ${INBOX_SEARCH.words} words.`,
  });
  let text: string;
  try {
    text = decodeURIComponent(given ?? '');
  } catch {
    throw refusal;
  }
  // Postgres stores no U+0000, and so no text has it.
  const words = text.replaceAll('\0', '\ufffd').split(/\s+/).filter(Boolean);
  if (text.length > INBOX_SEARCH.characters || words.length > INBOX_SEARCH.words) throw refusal;
  return words.map(spellingsOf);
}

function spellingsOf(word: string): string {
  const small = word.toLowerCase();
  const [first = ''] = small;
  return [small, small.toUpperCase(), first.toUpperCase() + small.slice(first.length), word].join(
    ' ',
  );
}
