import { html } from '../html.js';
import type { LoginEntry } from '../store/logins.js';
import type { Language } from './language.js';
import { page } from './layout.js';

export interface TenantPageParts {
  /** In the order in which they are offered; each with the value that the form sends for it. */
  readonly entries: readonly (LoginEntry & { readonly value: string })[];
  /** The secret of this attempt. */
  readonly token: string;
  /** The login began with the link of one request. */
  readonly toReview: boolean;
  readonly language: Language;
}

const TEXTS = {
  en: {
    title: 'Choose a tenant',
    lead: 'You are in the directory of more than one tenant.',
    says: 'You work in one tenant at a time: you see its requests only, and what you decide counts there. Every page names the tenant that you are in.',
    toReview:
      'The link that you followed belongs to one of them; in the others its request is not found.',
    last: 'Your last choice',
    isNew: 'New to you',
    unavailable:
      'Not available: its directory is not certain of your identity. Ask an operator of this tenant.',
    unknown:
      'New to you: you have never signed in there before. Its operators entered you. If you do not expect it, choose another one and tell your operator; your other tenants are not affected.',
    as: 'as',
    auditor: 'auditor',
  },
  de: {
    title: 'Mandanten wählen',
    lead: 'Sie stehen im Verzeichnis mehrerer Mandanten.',
    says: 'Sie arbeiten immer in einem Mandanten: Sie sehen nur seine Anträge, und Ihre Entscheidungen gelten dort. Jede Seite nennt den Mandanten, in dem Sie sind.',
    toReview:
      'Der Link, dem Sie gefolgt sind, gehört zu einem von ihnen; in den anderen wird sein Antrag nicht gefunden.',
    last: 'Ihre letzte Wahl',
    isNew: 'Neu für Sie',
    unavailable:
      'Nicht verfügbar: Im Verzeichnis ist Ihre Identität nicht gesichert. Fragen Sie den Betrieb dieses Mandanten.',
    unknown:
      'Neu für Sie: Dort haben Sie sich noch nie angemeldet. Der Betrieb dieses Mandanten hat Sie eingetragen. Wenn Sie das nicht erwarten, wählen Sie einen anderen und informieren Sie Ihren Betrieb; Ihre anderen Mandanten sind nicht betroffen.',
    as: 'als',
    auditor: 'Revision',
  },
} satisfies Record<Language, unknown>;
type Texts = (typeof TEXTS)[Language];

/** Where a person who is in the directory of several tenants chooses one. A plain form: it needs no script. */
export function tenantPage({ entries, token, toReview, language }: TenantPageParts): string {
  const texts = TEXTS[language];
  const last = entries.find(({ known, identityCertain }) => known && identityCertain);
  return page({
    language,
    title: texts.title,
    body: html`<h1>${texts.title}</h1>
      <p class="lead">${texts.lead}</p>
      <p>${texts.says} ${toReview ? texts.toReview : ''}</p>
      <form method="post" action="/auth/tenant">
        <input type="hidden" name="token" value="${token}" />
        <ul class="choices">
          ${entries.map(
            (entry) =>
              html`<li>
                ${
                  entry.identityCertain
                    ? html`<button
                        class="button ${entry === last ? 'primary' : 'plain'} choice"
                        name="tenant"
                        value="${entry.value}"
                      >
                        ${names(entry, texts)}
                        ${entry === last ? html`<span class="choice-mark">${texts.last}</span>` : ''}
                        ${entry.known ? '' : html`<span class="choice-mark">${texts.isNew}</span>`}
                      </button>`
                    : html`<div class="choice unavailable">
                        ${names(entry, texts)}
                        <span class="choice-mark">${texts.unavailable}</span>
                      </div>`
                }
              </li> `,
          )}
        </ul>
      </form>
      ${entries.some(({ known }) => !known) ? html`<p class="fine">${texts.unknown}</p>` : ''}`,
  });
}

function names({ tenant, principal, kind }: LoginEntry, { as, auditor }: Texts) {
  return html`<span class="choice-tenant">${tenant}</span>
    <span class="choice-as"
      >${as} <code>${principal}</code>${kind === 'auditor' ? `, ${auditor}` : ''}</span
    >`;
}
