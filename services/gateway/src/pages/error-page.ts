import type { ErrorCode } from '@countersign/protocol';
import { ERRORS, statusesOf } from '@countersign/protocol';

import { html } from '../html.js';
import type { KnownPrincipal } from '../store/index.js';
import { page } from './layout.js';

/** The page behind a problem's `type`: the meaning and the remedy. */
export function errorReferencePage(code: ErrorCode): string {
  const { title, advice } = ERRORS[code];
  return page({
    title,
    body: html`<h1>${title}</h1>
      <p>${advice}</p>
      <dl>
        <dt>Code</dt>
        <dd><code>${code}</code></dd>
        <dt>HTTP status</dt>
        <dd>${statusesOf(code).join(', ')}</dd>
      </dl>`,
  });
}

/** The page that a browser shows for a refused page. */
export function refusalPage(
  code: ErrorCode,
  detail: string,
  trace: string,
  reader: KnownPrincipal | null,
): string {
  const signIn = code === 'unauthenticated' || statusesOf(code).includes(401);
  return page({
    title: ERRORS[code].title,
    body: html`<h1>${ERRORS[code].title}</h1>
      <p>${detail}</p>
      ${signIn ? html`<p><a class="button" href="/auth/login">Sign in</a></p>` : ''}
      ${reader ? inTenant(reader) : ''}
      <p class="quiet"><a href="/errors/${code}">${code}</a> · trace ${trace}</p>`,
  });
}

/** A link may belong to another tenant of the same person; whether it does is not said. */
function inTenant({ tenant, principal }: KnownPrincipal) {
  return html`<p>
      You are signed in to the tenant <strong>${tenant}</strong> as <code>${principal}</code>.
    </p>
    <p><a class="button" href="/auth/login">Sign in to another tenant</a></p>`;
}
