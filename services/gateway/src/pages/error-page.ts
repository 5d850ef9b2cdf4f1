import type { ErrorCode, ErrorRetry } from '@countersign/protocol';
import { ERRORS, statusesOf } from '@countersign/protocol';
import { ERRORS_IN_GERMAN } from '@countersign/protocol/errors-in-german';

import type { Html } from '../html.js';
import { html } from '../html.js';
import type { KnownPrincipal } from '../store/index.js';
import type { Language } from './language.js';
import { page } from './layout.js';

const RETRIES: Readonly<Record<ErrorRetry, string>> = {
  never: 'no; the same call is refused again',
  same: 'yes, the same call after a pause that grows',
  after: 'yes, the same call after Retry-After and at least one second',
  person: 'not before an operator has acted',
};

type Words = readonly [title: string, advice: string];

/**
 * Words for a person in a browser, who has neither a credential nor a call. Problem documents keep the catalogue's words,
 * which are for programs.
 */
const FOR_PEOPLE: Readonly<Record<Language, Partial<Record<ErrorCode, Words>>>> = {
  en: {
    not_found: [
      'This page was not found',
      'It does not exist, or your account may not see it. Check the link; if it was sent to you, ask its sender whether it is for you.',
    ],
    operator_required: [
      'This page is for operators',
      'Your account is not an operator. Ask an operator of your tenant for what you need.',
    ],
    unauthenticated: [
      'Sign in to see this page',
      'Your session has ended, or you are not signed in.',
    ],
    human_required: ['This page is for people', 'Sign in with your own account.'],
  },
  de: {
    ...ERRORS_IN_GERMAN,
    not_found: [
      'Diese Seite wurde nicht gefunden',
      'Es gibt sie nicht, oder Ihr Konto darf sie nicht sehen. Prüfen Sie den Link. Wenn er Ihnen gesendet wurde, fragen Sie den Absender, ob er für Sie ist.',
    ],
    operator_required: [
      'Diese Seite ist für den Betrieb',
      'Ihr Konto gehört nicht zum Betrieb. Fragen Sie den Betrieb Ihres Mandanten nach dem, was Sie brauchen.',
    ],
    unauthenticated: [
      'Melden Sie sich an, um diese Seite zu sehen',
      'Ihre Sitzung ist beendet, oder Sie sind nicht angemeldet.',
    ],
    human_required: ['Diese Seite ist für Personen', 'Melden Sie sich mit Ihrem eigenen Konto an.'],
  },
};

const TEXTS = {
  en: {
    signIn: 'Sign in',
    back: 'Back to the inbox',
    trace: 'trace',
    inTenant: ['You are signed in to the tenant', 'as', ''] as const,
    another: 'Sign in to another tenant',
  },
  de: {
    signIn: 'Anmelden',
    back: 'Zurück zum Eingang',
    trace: 'Ablauf',
    inTenant: ['Sie sind im Mandanten', 'als', ' angemeldet'] as const,
    another: 'Bei einem anderen Mandanten anmelden',
  },
} satisfies Record<Language, unknown>;

/** The page behind a problem's `type`: the meaning and the remedy. */
export function errorReferencePage(code: ErrorCode): string {
  const { title, advice, retry } = ERRORS[code];
  return page({
    title,
    body: html`<h1>${title}</h1>
      <p>${advice}</p>
      <dl>
        <dt>Code</dt>
        <dd><code>${code}</code></dd>
        <dt>HTTP status</dt>
        <dd>${statusesOf(code).join(', ')}</dd>
        <dt>Repeat the call</dt>
        <dd><code>${retry}</code>: ${RETRIES[retry]}</dd>
      </dl>
      <p class="fine"><a href="/docs">All operations and their refusals</a></p>`,
  });
}

export interface RefusalPageParts {
  readonly code: ErrorCode;
  /** More than the catalogue says, in English. */
  readonly detail: string | undefined;
  readonly trace: string;
  readonly reader: KnownPrincipal | null;
  readonly language: Language;
}

/** The page that a browser shows for a refused page. */
export function refusalPage({ code, detail, trace, reader, language }: RefusalPageParts): string {
  const texts = TEXTS[language];
  const signIn = code === 'unauthenticated' || statusesOf(code).includes(401);
  const known = FOR_PEOPLE[language][code];
  const [title, advice] = known ?? [ERRORS[code].title, ERRORS[code].advice];
  const said = known === undefined ? 'en' : language;
  return page({
    language,
    title,
    body: html`<h1 lang="${said}">${title}</h1>
      ${
        detail === undefined
          ? html`<p lang="${said}">${advice}</p>`
          : html`<p lang="en">${detail}</p>`
      }
      ${signIn ? html`<p><a class="button" href="/auth/login">${texts.signIn}</a></p>` : ''}
      ${reader ? inTenant(reader, texts) : ''}
      ${signIn ? '' : html`<p><a href="/inbox">${texts.back}</a></p>`}
      <p class="fine"><a href="/errors/${code}">${code}</a> · ${texts.trace} ${trace}</p>`,
  });
}

/** A link may belong to another tenant of the same person; whether it does is not said. */
function inTenant(
  { tenant, principal }: KnownPrincipal,
  { inTenant: [before, between, after], another }: (typeof TEXTS)[Language],
): Html {
  return html`<p>
      ${before} <strong>${tenant}</strong> ${between} <code>${principal}</code>${after}.
    </p>
    <p><a class="button" href="/auth/login">${another}</a></p>`;
}
