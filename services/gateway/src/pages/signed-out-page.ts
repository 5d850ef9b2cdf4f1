import { html } from '../html.js';
import type { Language } from './language.js';
import { page } from './layout.js';

const TEXTS = {
  en: {
    title: 'Signed out',
    heading: 'You are signed out',
    says: 'This browser has no session of Countersign any more.',
    signIn: 'Sign in',
  },
  de: {
    title: 'Abgemeldet',
    heading: 'Sie sind abgemeldet',
    says: 'Dieser Browser hat keine Sitzung von Countersign mehr.',
    signIn: 'Anmelden',
  },
} satisfies Record<Language, unknown>;

/** The end of a logout: it signs no person in again by itself. */
export function signedOutPage(language: Language): string {
  const { title, heading, says, signIn } = TEXTS[language];
  return page({
    language,
    title,
    body: html`<h1>${heading}</h1>
      <p>${says}</p>
      <p><a class="button primary" href="/auth/login">${signIn}</a></p>`,
  });
}
