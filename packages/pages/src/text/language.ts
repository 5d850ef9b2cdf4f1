/** The languages of the pages, each by its own name. The texts of all but English are in `src/strings/<language>`. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

const COOKIE = '__Host-proto-language';
const A_YEAR = 365 * 24 * 60 * 60;

/** The language that the gateway chose for this page (services/gateway/src/pages/language.ts). */
export function languageOfPage(): string {
  return document.documentElement.lang;
}

/** Loads this page again in another language; all pages of this browser have it from now on. */
export function chooseLanguage(language: Language): void {
  document.cookie = `${COOKIE}=${language}; Max-Age=${A_YEAR}; Path=/; Secure; SameSite=Lax`;
  location.reload();
}
