/** The languages that the pages are built in (packages/pages/src/text/language.ts). The first one is for all other readers. */
export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Set by the pages. Any other value counts for none. */
const CHOSEN = /(?:^|;\s*)__Host-proto-language=([a-z]{2})(?:;|$)/;
/** One range of RFC 9110 §12.5.4, with its weight. */
const RANGE = /^\s*([a-z]{2})(?:-[a-z0-9-]+)?\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/i;

function isLanguage(text: string | undefined): text is Language {
  return (LANGUAGES as readonly (string | undefined)[]).includes(text);
}

/** The language of a page: what its reader chose, else what the browser asks for, else English. */
export function languageFor(headers: {
  readonly cookie?: string | undefined;
  readonly 'accept-language'?: string | undefined;
}): Language {
  const chosen = CHOSEN.exec(headers.cookie ?? '')?.[1];
  if (isLanguage(chosen)) return chosen;
  let best: Language = LANGUAGES[0];
  let weight = 0;
  for (const range of (headers['accept-language'] ?? '').split(',')) {
    const [, language, given = '1'] = RANGE.exec(range) ?? [];
    const tag = language?.toLowerCase();
    if (!isLanguage(tag) || Number(given) <= weight) continue;
    [best, weight] = [tag, Number(given)];
  }
  return best;
}
