import { html } from '../html.js';
import type { LoginEntry } from '../store/logins.js';
import { page } from './layout.js';

export interface TenantPageParts {
  /** In the order in which they are offered; each with the value that the form sends for it. */
  readonly entries: readonly (LoginEntry & { readonly value: string })[];
  /** The secret of this attempt. */
  readonly token: string;
  /** The login began with the link of one request. */
  readonly toReview: boolean;
}

/** Where a person who is in the directory of several tenants chooses one. A plain form: it needs no script. */
export function tenantPage({ entries, token, toReview }: TenantPageParts): string {
  const last = entries.find(({ known, identityCertain }) => known && identityCertain);
  return page({
    title: 'Choose a tenant',
    body: html`<h1>Choose a tenant</h1>
      <p class="lead">You are in the directory of more than one tenant.</p>
      <p>
        You work in one tenant at a time: you see its requests only, and what you decide counts
        there. Every page names the tenant that you are in.
        ${
          toReview
            ? 'The link that you followed belongs to one of them; in the others its request is not found.'
            : ''
        }
      </p>
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
                        ${names(entry)}
                        ${entry === last ? html`<span class="choice-mark">Your last choice</span>` : ''}
                        ${entry.known ? '' : html`<span class="choice-mark">New to you</span>`}
                      </button>`
                    : html`<div class="choice unavailable">
                        ${names(entry)}
                        <span class="choice-mark">
                          Not available: its directory is not certain of your identity. Ask an
                          operator of this tenant.
                        </span>
                      </div>`
                }
              </li> `,
          )}
        </ul>
      </form>
      ${
        entries.some(({ known }) => !known)
          ? html`<p class="fine">
              New to you: you have never signed in there before. Its operators entered you. If you
              do not expect it, choose another one and tell your operator; your other tenants are
              not affected.
            </p>`
          : ''
      }`,
  });
}

function names({ tenant, principal, kind }: LoginEntry) {
  return html`<span class="choice-tenant">${tenant}</span>
    <span class="choice-as"
      >as <code>${principal}</code>${kind === 'auditor' ? ', auditor' : ''}</span
    >`;
}
